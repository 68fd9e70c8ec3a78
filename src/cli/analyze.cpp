// opsight analyze: the expert rules of `nsys analyze` (query/nsys/); the room analyze/ runs when a profile is
// made.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "cli/any_profile.h"
#include "cli/commands.h"
#include "cli/standard_output.h"
#include "cli/table_output.h"
#include "import/all_readers.h"
#include "query/nsys/expert.h"

namespace opsight::cli {
namespace {

std::string rules_help() {
    std::string out = "Rules; all of them are the default:\n\n";
    for (const query::nsys::Rule& rule : query::nsys::rules().entries())
        out +=
            fmt::format("   {} -- {}\n       {}\n", query::nsys::usage(rule), rule.title, rule.description);
    out += "\nThresholds, with their defaults:\n\n";
    for (const query::nsys::ThresholdOption& option : query::nsys::threshold_options())
        out += fmt::format("   {:<10} {} ({})\n", option.name, option.doc,
                           query::nsys::Thresholds().*option.value);
    return out;
}

class AnalyzeCommand : public Command {
  public:
    CLI::App* declare(CLI::App& app) override {
        CLI::App* sub = app.add_subcommand("analyze", "Apply the expert rules of 'nsys analyze'");
        sub->add_option("NAME", path_, "Profile file, Nsight Systems export (.sqlite) or trace");
        sub->add_option(
               "-r,--rule", rules_,
               "Rules, repeated or with commas between, as NAME[:THRESHOLD=VALUE...], or all (the default)")
            ->allow_extra_args(false);
        sub->add_option("-f,--format", format_, "column, table, csv, tsv, json, hdoc or htable")
            ->default_str("column on a console, else csv");
        sub->add_option("-o,--output", output_, "As in 'opsight stats': '-', '@COMMAND', BASE or '.'")
            ->default_str("-");
        sub->add_option("--timeunit", unit_,
                        "nsec, usec, msec or seconds; or nanoseconds, microseconds, milliseconds")
            ->default_str("nsec");
        for (const query::nsys::ThresholdOption& option : query::nsys::threshold_options())
            sub->add_option("--" + std::string(option.name), thresholds_.*option.value,
                            std::string(option.doc))
                ->default_str(std::to_string(thresholds_.*option.value));
        sub->add_option("--filter-time", window_,
                        "Only what touches this range: START/END, ns as in the reports");
        sub->add_option("--filter-nvtx", filter_.nvtx,
                        "Only what touches this NVTX range: NAME[@DOMAIN][/INDEX]");
        sub->add_flag("--force-overwrite,--force", overwrite_, "Replace existing files");
        sub->add_flag("--help-rules", help_, "List the rules and their thresholds");
        sub->add_flag("-q,--quiet", quiet_, "Print the tables only");
        sub->footer(
            "Examples:\n"
            "  opsight analyze report1.sqlite\n"
            "  opsight analyze run.opsight -r gpu_gaps:gap=10,cuda_api_sync -f csv\n"
            "\n"
            "It applies rules to what is recorded. Which op launched what, and where iterations lie, was "
            "worked\n"
            "out when the profile was made ('opsight import', 'opsight profile'), and stays as it is. What "
            "to "
            "change, and what\nthat could save at most, 'opsight advise' says.\n");
        return sub;
    }

    Result<int> run() override {
        if (help_) {
            OPSIGHT_TRY(print_text(rules_help()));
            return 0;
        }
        if (path_.empty())
            return fail(Error{"NAME is missing", {}, {}, "give a profile, a trace or a .sqlite export", 2});
        OPSIGHT_TRY(query::nsys::check_thresholds(thresholds_));
        OPSIGHT_ASSIGN(const std::vector<query::nsys::RuleRequest> requests, wanted());
        OPSIGHT_ASSIGN(unit_value_, report::nsys::parse_time_unit(unit_));
        OPSIGHT_TRY(parse_window(window_, filter_));
        const bool console = output_ == "-" && ::isatty(STDOUT_FILENO) == 1;
        OPSIGHT_ASSIGN(const report::nsys::Format format,
                       report::nsys::parse_format(!format_.empty() ? format_
                                                  : console        ? "column"
                                                                   : "csv"));
        OPSIGHT_ASSIGN(const AnyProfile profile, AnyProfile::open(path_, quiet_));
        OPSIGHT_ASSIGN(query::Source source, query::Source::open(profile.path(), filter_, {}, path_));
        for (const query::nsys::RuleRequest& request : requests)
            OPSIGHT_TRY(apply(source, request, format));
        return 0;
    }

  private:
    Result<std::vector<query::nsys::RuleRequest>> wanted() const {
        std::vector<std::string> names = split_lists(rules_);
        if (names.empty() || names == std::vector<std::string>{"all"}) {
            const auto all = query::nsys::rules().family().names();
            names.assign(all.begin(), all.end());
        }
        std::vector<query::nsys::RuleRequest> requests;
        for (const std::string& name : names) {
            OPSIGHT_ASSIGN(query::nsys::RuleRequest request, query::nsys::parse_rule(name, thresholds_));
            requests.push_back(std::move(request));
        }
        return requests;
    }

    Status apply(query::Source& source, const query::nsys::RuleRequest& request,
                 report::nsys::Format format) {
        const query::nsys::Rule& rule = *request.rule;
        const bool people = output_ == "-" && format.for_people();
        OPSIGHT_ASSIGN(const bool there, source.has(rule.needs));
        if (!there) {
            const std::string text = fmt::format(
                "SKIPPED: {} could not be analyzed because it does not contain the required CUDA data. Does "
                "the "
                "application use {}?\n",
                path_, rule.question);
            if (people) return print_text(text);
            print_note(text);
            return {};
        }
        OPSIGHT_ASSIGN(const query::ResultTable table, rule.make(source, request.thresholds));
        const std::string title = fmt::format("{} ({})", rule.title, request.text);
        if (format.title.empty()) format.title = title;
        const std::string words = (table.rows.empty() ? rule.nothing : rule.found)(request.thresholds);
        std::string text = report::nsys::render(table, format, unit_value_);
        if (people && table.rows.empty()) text.clear();
        if (people && !quiet_)
            text = fmt::format("\n ** {}:\n\n{}\n{}{}\n", title, words, text.empty() ? "" : "\n", text);
        else if (!quiet_)
            print_note(fmt::format("{}: {}\n", request.text, words));
        if (output_ == "-" && !people && printed_++ > 0) text.insert(0, 1, '\n');
        const TableOutput target{importer::name_without_endings(path_), overwrite_};
        return target.write(output_, request.text, format, text);
    }

    std::string path_, format_, output_ = "-", unit_ = "nsec", window_;
    std::vector<std::string> rules_;
    query::nsys::Thresholds thresholds_;
    query::Filter filter_;
    report::nsys::TimeUnit unit_value_ = report::nsys::TimeUnit::kNs;
    int printed_ = 0;
    bool overwrite_ = false, help_ = false, quiet_ = false;
};

}  // namespace

std::unique_ptr<Command> make_analyze_command() {
    return std::make_unique<AnalyzeCommand>();
}

}  // namespace opsight::cli
