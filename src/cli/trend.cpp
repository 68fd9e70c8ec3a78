// opsight trend: many runs of one program in their order, and where their time changed.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "cli/any_profile.h"
#include "cli/commands.h"
#include "cli/comparing.h"
#include "cli/new_file.h"
#include "cli/range_flags.h"
#include "cli/standard_output.h"
#include "query/compare/trend.h"
#include "report/comparison_pictures.h"
#include "report/render.h"
#include "report/render_comparison.h"
#include "report/render_html.h"

namespace opsight::cli {
namespace {

namespace fs = std::filesystem;

// A search for changes costs the square of it.
constexpr size_t kLeastFiles = 2, kMostFiles = 1000;

// The profiles in a folder, by name.
Result<std::vector<std::string>> profiles_in(const std::string& folder) {
    std::vector<std::string> files;
    std::error_code problem;
    for (fs::directory_iterator at(folder, problem), end; !problem && at != end; at.increment(problem))
        if (at->path().extension() == ".opsight") files.push_back(at->path().string());
    if (problem) return fail("cannot be read: " + problem.message(), folder);
    if (files.empty())
        return fail("has no profiles: no file there ends in .opsight", folder, {},
                    "'opsight import TRACE' makes a profile of a trace");
    std::sort(files.begin(), files.end());
    return files;
}

class TrendCommand : public Command {
  public:
    CLI::App* declare(CLI::App& app) override {
        CLI::App* sub = app.add_subcommand("trend", "Show where the time of many runs changed");
        sub->add_option("RUN", runs_, "Profile files or traces, or a folder: its profiles")->required();
        sub->add_option("--label", labels_,
                        "What to call the runs, such as their commits, in the order given: one for each. "
                        "They then stay in that order")
            ->expected(1, -1);
        sub->add_option("--format", format_,
                        "table, csv, json, markdown, html or svg (the picture "
                        "alone)")
            ->default_str("table");
        sub->add_flag_callback(
            "--json", [this] { format_ = "json"; }, "Same as --format json; errors are JSON too");
        sub->add_option("-o,--output", output_, "Write to this file");
        sub->add_flag("--force", force_, "Replace the file that is there");
        range_.declare(*sub);
        sub->footer(
            "Runs are ordered by when they were recorded, where all of them tell.\n\n"
            "Examples:\n"
            "  opsight trend nightly/\n"
            "  opsight trend a.opsight b.opsight c.opsight --label 1f3c 88ab 09de\n"
            "  opsight trend nightly/ --format markdown -o trend.md\n");
        return sub;
    }

    Result<int> run() override {
        if (std::none_of(kFormats.begin(), kFormats.end(),
                         [this](std::string_view each) { return each == format_; }))
            return fail(Error{.what = fmt::format("unknown format '{}'", format_),
                              .remedy = "use table, csv, json, markdown, html or svg",
                              .exit_code = 2});
        OPSIGHT_ASSIGN(std::vector<query::Side> runs, read_all());
        const bool by_time = labels_.empty() && query::order_by_time(runs);
        OPSIGHT_ASSIGN(const query::Report report, query::trend_report(runs, by_time));
        if (output_.empty())
            OPSIGHT_TRY(write(report, print_text));
        else
            OPSIGHT_TRY(write_new_file(output_, force_,
                                       [&](const report::Sink& sink) { return write(report, sink); }));
        return 0;
    }

  private:
    Result<std::vector<query::Side>> read_all() const {
        std::vector<std::string> files;
        for (const std::string& each : runs_) {
            std::error_code ignored;
            if (!fs::is_directory(each, ignored)) {
                files.push_back(each);
                continue;
            }
            OPSIGHT_ASSIGN(const std::vector<std::string> more, profiles_in(each));
            files.insert(files.end(), more.begin(), more.end());
        }
        if (files.size() < kLeastFiles || files.size() > kMostFiles)
            return fail(
                fmt::format("a trend is of {} to {} runs, not {}", kLeastFiles, kMostFiles, files.size()));
        if (!labels_.empty() && labels_.size() != files.size())
            return fail(Error{fmt::format("{} labels for {} runs", labels_.size(), files.size()),
                              {},
                              {},
                              "give one for each run",
                              2});
        std::vector<query::Side> runs;
        for (size_t i = 0; i < files.size(); ++i) {
            OPSIGHT_ASSIGN(const AnyProfile profile, AnyProfile::open(files[i], false));
            OPSIGHT_ASSIGN(query::Session session, query::Session::open(profile.path(), range_.options()));
            OPSIGHT_ASSIGN(query::Side side,
                           query::read_samples(session, labels_.empty() ? files[i] : labels_[i]));
            runs.push_back(std::move(side));
        }
        return runs;
    }

    Status write(const query::Report& report, const report::Sink& sink) const {
        if (format_ == "json") {
            OPSIGHT_TRY(report::write_report_json(report, sink));
            return sink("\n");
        }
        if (format_ == "csv") return write_tables(report, sink);
        if (format_ == "markdown") return sink(report::render_comparison_markdown(report));
        if (format_ == "svg") return sink(report::trend_svg(report));
        if (format_ == "html")
            return sink(report::render_html("Trend", "Opsight " OPSIGHT_VERSION, {report},
                                            report::trend_svg(report)));
        const int width = report::terminal_width(report::kWidthWhenPiped);
        return sink(report::render_comparison(report, output_.empty() ? width : 0) + "\n" +
                    report::trend_text(report, width));
    }

    static constexpr std::array<std::string_view, 6> kFormats = {"table",    "csv",  "json",
                                                                 "markdown", "html", "svg"};
    std::vector<std::string> runs_, labels_;
    std::string format_ = "table", output_;
    bool force_ = false;
    RangeFlags range_;
};

}  // namespace

std::unique_ptr<Command> make_trend_command() {
    return std::make_unique<TrendCommand>();
}

}  // namespace opsight::cli
