// opsight report: what took the time, as tables, CSV or JSON.
#include <fmt/format.h>

#include "cli/any_profile.h"
#include "cli/commands.h"
#include "cli/range_flags.h"
#include "cli/report_dlprof.h"
#include "cli/report_output.h"
#include "cli/standard_output.h"
#include "cli/table_output.h"
#include "import/all_readers.h"
#include "query/reports/binding.h"
#include "query/reports/columns_explained.h"
#include "query/reports/device_words.h"
#include "query/reports/rank_reports.h"
#include "query/reports/reports.h"
#include "query/reports/source_reports.h"
#include "report/render_advice.h"
#include "report/render_html.h"

namespace opsight::cli {
namespace {

std::string list_of(std::string_view title, const query::Family& family) {
    std::string list = fmt::format("{}:\n", title);
    for (const query::ReportInfo& report : family.members)
        list += fmt::format("  {:<21}{}\n", report.name, report.description);
    return list;
}

std::vector<std::string> names_of_reports() {
    const auto names = query::report_family().names();
    return {names.begin(), names.end()};
}

std::string footer_of_reports() {
    return list_of("Reports", query::report_family()) + "\n" +
           list_of("Reports of --style dlprof", query::dlprof::report_family()) +
           "\nExamples:\n"
           "  opsight report run.opsight\n"
           "  opsight report run.opsight --report kernel --sort calls --limit 10\n"
           "  opsight report run.opsight --report all --format csv --output reports/\n"
           "  opsight report run.opsight --report kernel --explain\n"
           "  opsight report run.opsight --iter-start 10 --iter-stop 19 --format json\n"
           "  opsight report run.opsight --rank 3\n"
           "  opsight report run.opsight --report op_type,kernel_name --group-by host\n"
           "  opsight report run.opsight --format html -o report.html\n"
           "  opsight report nsys_profile.sqlite --style dlprof --key-op TOPK_1 --output reports/\n";
}

class ReportCommand : public Command {
  public:
    CLI::App* declare(CLI::App& app) override {
        CLI::App* sub = app.add_subcommand("report", "Show what took the time");
        sub->add_option("NAME", path_, "A profile file, or a trace")->required();
        sub->add_option(
            "--report", reports_,
            "Reports, with commas between, of those below; or all that the profile can fill (default: "
            "summary, what to look at first, and the types of ops, kernels by name, ranges and layers that "
            "take most)");
        sub->add_option("--format", format_, "table, csv, json or html (one file)")->default_str("table");
        sub->add_flag_callback(
            "--json", [this] { format_ = "json"; }, "Same as --format json; errors are JSON too");
        sub->add_option("-o,--output", output_,
                        "Write a file for each report into this folder; of html, the file to write");
        sub->add_flag("--force", force_, "Replace the files that are there");
        sub->add_option(
               "--style", style_,
               "opsight, or dlprof: the CSV files of DLProf 1.8, with its names of ops and its rules; "
               "NAME may be a trace, too")
            ->default_str("opsight");
        sub->add_option("--profile_name,--profile-name", profile_name_,
                        "What the names of DLProf's files begin with (default: dlprof)");
        sub->add_option(
            "--mode", mode_,
            "For --style dlprof, what the program was written with: simple (no ops), pytorch, tensorflow1, "
            "tensorflow2 or tensorrt (default: what its ranges tell)");
        sub->add_option(
            "--domains", domains_,
            "For --style dlprof, NVTX domains whose ranges are the ops, 'default' for that without a name; "
            "a set of files for each (default: one set of all)");
        sub->add_option("--sort", sort_,
                        "Column to sort by, by its key or header; ':asc' or ':desc' may follow");
        sub->add_option(
            "--limit", limit_,
            "Rows of each table; 0: all (default: 20 in tables, 200 in html, all in csv and json)");
        sub->add_flag("--wide", wide_,
                      "Whole lines of tables, however long (default: as wide as the terminal; 100 columns "
                      "where there is none)");
        sub->add_flag("--explain", explain_,
                      "Say what the columns of the reports mean, instead of their rows");
        sub->add_option("--group-by", group_by_,
                        "Part the rows by rank, host or device, or by one of the first two and device: "
                        "rank,device");
        sub->add_flag("--merge-numbers", merge_numbers_,
                      "Of ranges, take names that differ in numbers alone as one ('layer 3', 'layer 17')");
        sub->add_flag("--critical-path", critical_path_,
                      "Of ops, layers and kernels, say how much of them is on the critical path");
        flags_.declare(*sub);
        flags_.declare_rank(*sub);
        sub->footer(footer_of_reports());
        return sub;
    }

    Result<int> run() override {
        range_ = flags_.options();
        if (style_ == "dlprof") return run_dlprof();
        if (style_ != "opsight")
            return fail(
                Error{fmt::format("there is no style '{}'", style_), {}, {}, "use opsight or dlprof", 2});
        if (!profile_name_.empty() || !mode_.empty() || !domains_.empty())
            return fail(Error{"--profile_name, --mode and --domains are for the files of --style dlprof",
                              {},
                              {},
                              "leave them out",
                              2});
        report::Format format = report::Format::kTable;
        if (!html()) {
            OPSIGHT_ASSIGN(format, report::parse_format(format_));
        }
        OPSIGHT_ASSIGN(std::vector<std::string> names, chosen_reports());
        OPSIGHT_ASSIGN(query::TableShape shape, wanted_shape(format));
        if (!sort_.empty() && names.size() != 1)
            return fail(
                Error{"--sort needs one report, for columns differ", {}, {}, "choose one with --report", 2});
        OPSIGHT_ASSIGN(const AnyProfile profile,
                       AnyProfile::open(path_, format == report::Format::kJson, range_));
        OPSIGHT_ASSIGN(query::Session session, query::Session::open(profile.path(), range_));
        if (reports_ == "all") {
            OPSIGHT_ASSIGN(names, recorded_reports(session, names));
            if (range_.rank) std::erase_if(names, query::is_of_whole_job);
        }
        if (shape.for_people || html()) {
            OPSIGHT_ASSIGN(words_, query::device_words(session));
        }
        query::Binding binding;
        if (reports_.empty()) {
            OPSIGHT_ASSIGN(names, telling_reports(session));
            OPSIGHT_ASSIGN(binding, query::what_binds(session));
        }
        if (names.size() == 1) shape.sort = sort_;
        if (html()) return write_html(session, names, shape);
        const int width = wide_ || explain_ ? 0 : report::terminal_width(report::kWidthWhenPiped);
        ReportOutput output(format, output_, force_, names.size(), width);
        for (const std::string& name : names) {
            query::TableShape of_report = shape;
            if (explain_) of_report.stream_last = false;
            if (binding.host && (name == "op_type" || name == "group_op"))
                of_report.sort = binding.sort_key(name);
            OPSIGHT_ASSIGN(query::Report report, made_report(session, name, of_report));
            if (name == "op_type" && !binding.words.empty()) report.notes.push_back(binding.words);
            OPSIGHT_TRY(output.add(as_asked(std::move(report)), session.range()));
            if (reports_.empty() && name == "summary" && format == report::Format::kTable &&
                output_.empty() && !explain_) {
                OPSIGHT_ASSIGN(const advise::Advice advice, advise::advise(session));
                OPSIGHT_TRY(print_text("\n" + report::render_advice_in_short(advice, path_, width)));
            }
        }
        OPSIGHT_TRY(output.finish(session.range()));
        return 0;
    }

  private:
    Result<int> run_dlprof() const {
        const bool other = format_ != "table" && format_ != "csv";
        if (other || !sort_.empty() || limit_ >= 0 || !group_by_.empty() || range_.all || range_.whole ||
            range_.rank || merge_numbers_ || critical_path_ || wide_ || explain_ ||
            !range_.iteration_range.empty())
            return fail(Error{
                "--style dlprof writes CSV files as DLProf made them: of the options of reports it "
                "takes --report, --output, --force, --key-op, --iter-start and --iter-stop, and its own, "
                "--profile_name, --mode and --domains, only",
                {},
                {},
                "leave the others out",
                2});
        return report_dlprof({path_,
                              split_lists({reports_}),
                              output_,
                              profile_name_,
                              force_,
                              mode_,
                              split_lists({domains_}),
                              {range_.key_op, range_.start, range_.stop}});
    }

    bool html() const { return format_ == "html"; }

    Result<std::vector<std::string>> chosen_reports() const {
        std::vector<std::string> names = split_lists({reports_});
        if (reports_.empty()) return names;
        if (names == std::vector<std::string>{"all"}) return names_of_reports();
        if (names.empty())
            return fail(Error{"--report names no report", {}, {}, "see 'opsight help report'", 2});
        return names;
    }

    // Where no report was asked for, those that have something to say.
    Result<std::vector<std::string>> telling_reports(query::Session& session) const {
        const query::Contents& contents = session.contents();
        std::vector<std::string> names = {"summary"};
        const auto add = [&names](const char* name, bool tells) {
            if (tells) names.emplace_back(name);
        };
        const bool framework = contents.ops || (!contents.ranges && contents.device_work && contents.calls);
        add("op_type", framework);
        add("detailed", framework && html());
        add("kernel_name", contents.device_work);
        add("kernel", contents.device_work && html());
        OPSIGHT_ASSIGN(const bool ranges_explain, query::ranges_explain(session));
        add("ranges", contents.ranges && (ranges_explain || !contents.ops));
        add("group_op", contents.ops);
        std::vector<std::string> sought;
        if (!contents.ops && !contents.calls) sought.emplace_back("counters");  // of a profiler of kernels
        if (names.size() == 1) sought.insert(sought.end(), {"cpu_samples", "memory_peak"});  // without spans
        OPSIGHT_ASSIGN(const auto others, recorded_reports(session, sought));
        names.insert(names.end(), others.begin(), others.end());
        return names;
    }

    // Without those on what the source did not record at all.
    static Result<std::vector<std::string>> recorded_reports(query::Session& session,
                                                             const std::vector<std::string>& names) {
        std::vector<std::string> recorded;
        for (const std::string& name : names) {
            OPSIGHT_ASSIGN(const bool there, query::is_recorded(session, name));
            if (there) recorded.push_back(name);
        }
        return recorded;
    }

    Result<query::TableShape> wanted_shape(report::Format format) const {
        query::TableShape shape;
        shape.for_people = format == report::Format::kTable;
        shape.merge_numbers = merge_numbers_;
        shape.critical_path = critical_path_;
        shape.limit = limit_ >= 0                                           ? limit_
                      : html()                                              ? kRowsOnPage
                      : format == report::Format::kTable && output_.empty() ? kRowsOnTerminal
                                                                            : 0;
        shape.stream_last = !shape.for_people && shape.limit == 0;  // of a part it is told what of
        for (const std::string& key : split_lists({group_by_})) {
            if (key != "rank" && key != "device" && key != "host")
                return fail(Error{fmt::format("rows cannot be grouped by '{}'", key),
                                  {},
                                  {},
                                  "use rank, host or device",
                                  2});
            (key == "rank" ? shape.by_rank : key == "host" ? shape.by_host : shape.by_device) = true;
        }
        if (shape.by_rank && shape.by_host)
            return fail(Error{"rows of a rank are of its host: --group-by takes rank or host, not both",
                              {},
                              {},
                              "leave one out",
                              2});
        return shape;
    }

    // What is about ranks beside each other needs them all: with --rank it shows the rows of that one.
    Result<query::Report> made_report(query::Session& session, const std::string& name,
                                      query::TableShape shape) const {
        if (!range_.rank || !query::is_about_ranks(name)) return query::make_report(session, name, shape);
        if (query::is_of_whole_job(name))
            return fail(Error{fmt::format("the report {} is about all ranks together", name),
                              {},
                              {},
                              "leave --rank out, or choose another report",
                              2});
        query::RangeOptions all = range_;
        all.rank.reset();
        OPSIGHT_ASSIGN(query::Session job, query::Session::open(session.path(), all));
        shape.page.emplace().filters.push_back(
            {"rank", query::RowFilter::Is::kEqual, std::to_string(*range_.rank)});
        shape.page->size = shape.limit;
        return query::make_report(job, name, shape);
    }

    query::Report as_asked(query::Report report) const {
        if (explain_) report = query::columns_explained(report);
        query::say(report, words_);
        return report;
    }

    // One file with everything; without a name, to standard output.
    Result<int> write_html(query::Session& session, const std::vector<std::string>& names,
                           const query::TableShape& shape) const {
        std::vector<query::Report> made;
        for (const std::string& name : names) {
            OPSIGHT_ASSIGN(query::Report report, made_report(session, name, shape));
            made.push_back(as_asked(std::move(report)));
        }
        OPSIGHT_ASSIGN(const query::Info info, query::profile_info(session));
        std::string first;
        if (reports_.empty() && !explain_) {
            OPSIGHT_ASSIGN(const advise::Advice advice, advise::advise(session));
            first = report::render_advice_section(advice);
        }
        const std::string text =
            report::render_html(importer::name_without_endings(path_), info, made, first);
        OPSIGHT_TRY(output_.empty() ? print_text(text) : write_named_file(output_, force_, text));
        return 0;
    }

    std::string path_, reports_, format_ = "table", output_, sort_, group_by_, style_ = "opsight",
                                 profile_name_, mode_, domains_;
    int64_t limit_ = -1;
    bool force_ = false, wide_ = false, explain_ = false, merge_numbers_ = false, critical_path_ = false;
    query::DeviceWords words_;  // NVIDIA's, unless people read it
    RangeFlags flags_;
    query::RangeOptions range_;  // as the flags choose it
};

}  // namespace

std::unique_ptr<Command> make_report_command() {
    return std::make_unique<ReportCommand>();
}

}  // namespace opsight::cli
