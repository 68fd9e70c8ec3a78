// opsight stats: the reports of `nsys stats`.
#include <fmt/format.h>
#include <unistd.h>

#include "cli/any_profile.h"
#include "cli/commands.h"
#include "cli/standard_output.h"
#include "cli/table_output.h"
#include "import/all_readers.h"

namespace opsight::cli {
namespace {

template <class T>
const T& at_or_last(const std::vector<T>& list, size_t index) {
    return list[std::min(index, list.size() - 1)];
}

void append_wrapped(std::string& out, std::string_view text, size_t indent) {
    size_t column = 0;
    for (size_t at = 0; at < text.size();) {
        const size_t end = std::min(text.find(' ', at), text.size());
        if (column == 0 || column + 1 + (end - at) > 96) {
            out += fmt::format("{}{:{}}", column ? "\n" : "", "", indent);
            column = indent;
        } else {
            out += ' ';
            ++column;
        }
        out += text.substr(at, end - at);
        column += end - at;
        at = end + 1;
    }
    out += '\n';
}

std::string reports_help() {
    std::string out = "Reports; those marked * are the default:\n\n";
    for (const query::nsys::Report& report : query::nsys::reports().entries()) {
        const auto& defaults = query::nsys::default_reports();
        const bool by_default = std::find(defaults.begin(), defaults.end(), report.name) != defaults.end();
        out +=
            fmt::format(" {} {} -- {}\n", by_default ? '*' : ' ', query::nsys::usage(report), report.title);
        std::string doc(report.description);
        if (!report.old_names.empty()) doc += " Old name: " + std::string(report.old_names) + ".";
        append_wrapped(out, doc, 7);
    }
    return out +
           "\n:base takes kernels by their short name, :mangled by their mangled one, :nvtx-name puts the "
           "innermost\n"
           "NVTX range around the launch before it. docs/STATS.md explains every column.\n";
}

std::string formats_help() {
    std::string out = "Formats:\n\n";
    for (const report::nsys::FormatHelp& format : report::nsys::format_help()) {
        out += fmt::format("   {}{}\n", format.name, format.arguments);
        append_wrapped(out, format.doc, 7);
    }
    return out;
}

class StatsCommand : public Command {
  public:
    CLI::App* declare(CLI::App& app) override {
        CLI::App* sub = app.add_subcommand("stats", "Print the reports of 'nsys stats'");
        sub->add_option("NAME", path_, "Profile file, Nsight Systems export (.sqlite) or trace");
        sub->add_option(
               "-r,--report", reports_,
               "Reports, repeated or with commas between, as NAME[:ARGUMENT...]; names of older nsys "
               "versions are known too (default: see --help-reports)")
            ->allow_extra_args(false);
        sub->add_option(
               "-f,--format", formats_,
               "Format of each report, the last one for the rest: column, table, csv, tsv, json, hdoc, "
               "htable (default: column on a console, else csv)")
            ->allow_extra_args(false);
        sub->add_option("-o,--output", outputs_,
                        "Output of each report, the last one for the rest: '-' standard output, '@COMMAND' a "
                        "command, BASE a file BASE_REPORT.ENDING, '.' the same named after the profile")
            ->allow_extra_args(false);
        sub->add_option("--timeunit", unit_,
                        "nsec, usec, msec or seconds; or nanoseconds, microseconds, milliseconds")
            ->default_str("nsec");
        sub->add_option("--filter-time", window_,
                        "Only what touches this range: START/END, ns as in the reports");
        sub->add_option("--filter-nvtx", filter_.nvtx,
                        "Only what touches this NVTX range: NAME[@DOMAIN][/INDEX]");
        sub->add_flag("--force-overwrite,--force", overwrite_, "Replace existing files");
        sub->add_flag("--help-reports", help_reports_, "List the reports");
        sub->add_flag("--help-formats", help_formats_, "List the formats and their arguments");
        sub->add_flag("-q,--quiet", quiet_, "Print the tables only");
        sub->footer(
            "Examples:\n"
            "  opsight stats run.opsight\n"
            "  opsight stats report1.sqlite -r cuda_gpu_kern_sum:base -f csv -o .\n"
            "  opsight stats run.opsight -r nvtx_kern_sum,nvtx_gpu_proj_sum --timeunit msec\n");
        return sub;
    }

    Result<int> run() override {
        if (help_reports_) OPSIGHT_TRY(print_text(reports_help()));
        if (help_formats_) OPSIGHT_TRY(print_text(formats_help()));
        if (help_reports_ || help_formats_) return 0;
        if (path_.empty())
            return fail(Error{"NAME is missing", {}, {}, "give a profile, a trace or a .sqlite export", 2});
        OPSIGHT_ASSIGN(const std::vector<query::nsys::Request> requests, wanted());
        OPSIGHT_ASSIGN(unit_value_, report::nsys::parse_time_unit(unit_));
        OPSIGHT_TRY(parse_window(window_, filter_));
        outputs_ = split_lists(outputs_);
        if (outputs_.empty()) outputs_ = {"-"};
        formats_ = split_lists(formats_);
        std::vector<report::nsys::Format> formats;
        for (size_t i = 0; i < std::max(requests.size(), formats_.size()); ++i) {
            OPSIGHT_ASSIGN(const report::nsys::Format format, format_of(i));
            formats.push_back(format);
        }
        OPSIGHT_ASSIGN(const AnyProfile profile, AnyProfile::open(path_, quiet_));
        OPSIGHT_ASSIGN(query::Source source, query::Source::open(profile.path(), filter_, {}, path_));
        OPSIGHT_TRY(tell_left_out(source, requests));
        for (size_t i = 0; i < requests.size(); ++i)
            OPSIGHT_TRY(make(source, requests[i], formats[i], at_or_last(outputs_, i)));
        return 0;
    }

  private:
    Result<std::vector<query::nsys::Request>> wanted() const {
        std::vector<std::string> names = split_lists(reports_);
        if (names.empty())
            names.assign(query::nsys::default_reports().begin(), query::nsys::default_reports().end());
        std::vector<query::nsys::Request> requests;
        for (const std::string& name : names) {
            OPSIGHT_ASSIGN(query::nsys::Request request, query::nsys::parse_request(name));
            requests.push_back(std::move(request));
        }
        return requests;
    }

    Status tell_left_out(query::Source& source, const std::vector<query::nsys::Request>& requests) const {
        const auto concerns = [](const query::nsys::Request& request) {
            const auto is_gpu = [](query::Data data) {
                return data == query::Data::kKernels || data == query::Data::kMemory;
            };
            return std::any_of(request.report->needs.begin(), request.report->needs.end(), is_gpu) ||
                   std::any_of(request.report->any_of.begin(), request.report->any_of.end(), is_gpu);
        };
        if (quiet_ || std::none_of(requests.begin(), requests.end(), concerns)) return {};
        OPSIGHT_ASSIGN(const std::string note, query::nsys::left_out_note(source));
        if (!note.empty()) print_note(fmt::format("note: {}\n", note));
        return {};
    }

    Result<report::nsys::Format> format_of(size_t index) const {
        if (!formats_.empty() && at_or_last(formats_, index) != ".")
            return report::nsys::parse_format(at_or_last(formats_, index));
        const bool console = at_or_last(outputs_, index) == "-" && ::isatty(STDOUT_FILENO) == 1;
        return report::nsys::parse_format(console ? "column" : "csv");
    }

    Status make(query::Source& source, const query::nsys::Request& request, report::nsys::Format format,
                const std::string& output) {
        OPSIGHT_ASSIGN(const std::string missing, query::nsys::missing_data(source, *request.report));
        const bool people = output == "-" && format.for_people();
        if (!missing.empty()) {
            const std::string text = fmt::format("SKIPPED: {} does not contain {}.\n", path_, missing);
            if (people) return print_text(text);
            print_note(text);
            return {};
        }
        OPSIGHT_ASSIGN(const query::ResultTable table, request.report->make(source, request.arguments));
        const std::string title = fmt::format("{} ({})", request.report->title, request.text);
        if (format.title.empty()) format.title = title;
        std::string text = report::nsys::render(table, format, unit_value_);
        // Tables for a program, one after another: an empty line parts them.
        if (output == "-" && !format.for_people() && printed_++ > 0) text.insert(0, 1, '\n');
        if (people && !quiet_) text = fmt::format("\n ** {}:\n\n{}\n", title, text);
        const TableOutput target{importer::name_without_endings(path_), overwrite_};
        OPSIGHT_TRY(target.write(output, request.text, format, text));
        if (!quiet_ && output != "-" && output[0] != '@')
            print_note(target.file_name(output, request.text, format) + "\n");
        return {};
    }

    std::string path_, unit_ = "nsec", window_;
    std::vector<std::string> reports_, formats_, outputs_;
    query::Filter filter_;
    report::nsys::TimeUnit unit_value_ = report::nsys::TimeUnit::kNs;
    int printed_ = 0;
    bool overwrite_ = false, help_reports_ = false, help_formats_ = false, quiet_ = false;
};

}  // namespace

std::unique_ptr<Command> make_stats_command() {
    return std::make_unique<StatsCommand>();
}

}  // namespace opsight::cli
