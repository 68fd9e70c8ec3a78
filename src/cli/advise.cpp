// opsight advise: what to change, what it could save, and why.
#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "advise/advise.h"
#include "advise/evidence.h"
#include "base/small_file.h"
#include "cli/any_profile.h"
#include "cli/commands.h"
#include "cli/new_file.h"
#include "cli/range_flags.h"
#include "cli/standard_output.h"
#include "report/render.h"
#include "report/render_advice.h"

namespace opsight::cli {
namespace {

constexpr int kStruck = 3;

class AdviseCommand : public Command {
  public:
    CLI::App* declare(CLI::App& app) override {
        CLI::App* sub = app.add_subcommand("advise", "Say what to change, and what that could save");
        sub->add_option("RUN", path_, "A profile file, or a trace");
        sub->add_option("--format", format_, "text (or table), markdown (or md), html or json")
            ->default_str("text");
        sub->add_flag_callback(
            "--json", [this] { format_ = "json"; }, "Same as --format json; errors are JSON too");
        sub->add_option("--rule", rules_, "Ask this rule alone; may be given several times")
            ->allow_extra_args(false);
        sub->add_option(
            "--explain", explained_,
            "Say what this rule looks for, its thresholds and where they come from; all: every rule");
        sub->add_option("--threshold", thresholds_, "RULE.NAME=VALUE in place of the rule's own; repeatable")
            ->allow_extra_args(false);
        sub->add_option("--threshold-file", threshold_file_, "A file of such lines; # begins a comment");
        sub->add_option("--fail-on", fail_on_,
                        "Exit code 3 where a finding is low, medium or high, or worse");
        sub->add_flag("--predict", predict_, "Replay the iterations without what is advised against");
        sub->add_option("--rows", rows_, "Rows of its evidence that each finding shows")
            ->check(CLI::Range(0, 1000))
            ->capture_default_str();
        sub->add_option("-o,--output", output_, "Write to this file");
        sub->add_flag("-f,--force", force_, "Replace the file");
        range_.declare(*sub);
        range_.declare_rank(*sub);
        sub->footer(
            "A bound is the most that following a finding can save, if all else takes as long as it did; the "
            "bounds of several\nfindings overlap, and what they make together comes first. docs/ADVICE.md "
            "lists "
            "the rules.\n\n"
            "Examples:\n"
            "  opsight advise run.opsight\n"
            "  opsight advise run.opsight --predict --format html -o advice.html\n"
            "  opsight advise trace.json.gz --fail-on high --threshold data_loading.share=10\n"
            "  opsight advise --explain tensor_cores\n");
        return sub;
    }

    Result<int> run() override {
        if (format_ == "table") format_ = "text";
        if (format_ == "md") format_ = "markdown";
        if (!explained_.empty()) return explain();
        if (path_.empty())
            return fail(Error{"a run is needed", {}, {}, "give a profile or a trace: opsight advise RUN", 2});
        if (format_ != "text" && format_ != "markdown" && format_ != "html" && format_ != "json")
            return fail(Error{
                fmt::format("unknown format '{}'", format_), {}, {}, "use text, markdown, html or json", 2});
        OPSIGHT_ASSIGN(const advise::Severity limit, failing());
        OPSIGHT_ASSIGN(const advise::Options options, given());
        OPSIGHT_ASSIGN(const AnyProfile profile,
                       AnyProfile::open(path_, format_ == "json", range_.options()));
        OPSIGHT_ASSIGN(query::Session session, query::Session::open(profile.path(), range_.options()));
        OPSIGHT_ASSIGN(const advise::Advice advice, advise::advise(session, options));
        OPSIGHT_TRY(show(rendered(advice)));
        if (const auto rank = range_.options().rank;
            rank && format_ != "json" && lists_all_ranks(advice, *rank))
            print_note(
                fmt::format("opsight: what 'opsight sql' lists as evidence is of all ranks where it does not "
                            "name rank {}\n",
                            *rank));
        for (const advise::Finding& each : advice.findings)
            if (!fail_on_.empty() && each.severity >= limit) return kStruck;
        return 0;
    }

  private:
    // Some of the evidence is of tables without a range, or without ranks.
    static bool lists_all_ranks(const advise::Advice& advice, int64_t rank) {
        return std::any_of(advice.findings.begin(), advice.findings.end(), [&](const advise::Finding& each) {
            return !each.query.empty() && !advise::names_rank(each.query, rank);
        });
    }

    Result<int> explain() const {
        const int width = report::terminal_width(report::kWidthWhenPiped);
        if (explained_ == "all" && format_ == "markdown") {
            OPSIGHT_TRY(show(report::render_rules_markdown()));
            return 0;
        }
        std::string text;
        for (const advise::Rule& rule : advise::all_rules())
            if (explained_ == "all" || rule.id == explained_)
                text += (text.empty() ? "" : "\n") + report::render_rule(rule, width);
        if (text.empty()) return fail(no_rule(explained_));
        OPSIGHT_TRY(show(text));
        return 0;
    }

    static Error no_rule(const std::string& name) {
        std::string names;
        for (const advise::Rule& rule : advise::all_rules())
            names += (names.empty() ? "" : ", ") + std::string(rule.id);
        return Error{fmt::format("there is no rule '{}'", name), {}, {}, "the rules are: " + names, 2};
    }

    Result<advise::Severity> failing() const {
        const auto limit = advise::parse_severity(fail_on_.empty() ? "note" : fail_on_);
        if (!limit || (*limit == advise::Severity::kNote && !fail_on_.empty()))
            return fail(Error{fmt::format("--fail-on {}: there is no such severity", fail_on_),
                              {},
                              {},
                              "use low, medium or high",
                              2});
        return *limit;
    }

    Result<advise::Options> given() const {
        advise::Options options;
        options.predict = predict_;
        options.run = path_;
        options.rows = rows_;
        for (const std::string& name : rules_) {
            if (!advise::find_rule(name)) return fail(no_rule(name));
            options.rules.push_back(name);
        }
        if (!threshold_file_.empty()) OPSIGHT_TRY(read_thresholds(options));
        for (const std::string& text : thresholds_) {
            OPSIGHT_ASSIGN(const auto threshold, advise::parse_threshold(text));
            options.thresholds[threshold.first] = threshold.second;
        }
        return options;
    }

    Status read_thresholds(advise::Options& options) const {
        OPSIGHT_ASSIGN(std::string text, small_file(threshold_file_, kLargestSettings));
        std::istringstream lines(std::move(text));
        std::string line;
        for (size_t number = 1; std::getline(lines, line); ++number) {
            line.resize(std::min(line.find('#'), line.size()));
            const size_t begin = line.find_first_not_of(" \t\r"), end = line.find_last_not_of(" \t\r");
            if (begin == line.npos) continue;
            auto threshold = advise::parse_threshold(std::string_view(line).substr(begin, end - begin + 1));
            if (!threshold) {
                Error error = threshold.error();
                error.file = threshold_file_;
                error.place = fmt::format("line {}", number);
                return fail(std::move(error));
            }
            options.thresholds[threshold->first] = threshold->second;
        }
        return {};
    }

    std::string rendered(const advise::Advice& advice) const {
        if (format_ == "markdown") return report::render_advice_markdown(advice);
        if (format_ == "html") return report::render_advice_html(advice, path_, "Opsight " OPSIGHT_VERSION);
        if (format_ == "json") {
            JsonWriter json(2);
            json.object([&] { report::put_advice(json, advice); });
            return json.take() + "\n";
        }
        return report::render_advice(advice,
                                     output_.empty() ? report::terminal_width(report::kWidthWhenPiped) : 0);
    }

    Status show(const std::string& text) const {
        if (output_.empty()) return print_text(text);
        OPSIGHT_TRY(write_file(output_, force_, text));
        return print_text(output_ + "\n");
    }

    std::string path_, format_ = "text", explained_, threshold_file_, fail_on_, output_;
    std::vector<std::string> rules_, thresholds_;
    size_t rows_ = 5;
    bool predict_ = false, force_ = false;
    RangeFlags range_;
};

}  // namespace

std::unique_ptr<Command> make_advise_command() {
    return std::make_unique<AdviseCommand>();
}

}  // namespace opsight::cli
