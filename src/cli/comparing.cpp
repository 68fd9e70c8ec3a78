#include "cli/comparing.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "advise/advise.h"
#include "cli/any_profile.h"
#include "cli/new_file.h"
#include "cli/standard_output.h"
#include "cli/table_output.h"
#include "report/comparison_pictures.h"
#include "report/render.h"
#include "report/render_comparison.h"
#include "report/render_html.h"
#include "report/render_junit.h"

namespace opsight::cli {
namespace {

constexpr int kOverLimit = 3, kNotJudged = 1;

// Says which limits did not hold, by which rows, which hold only because so little was recorded, and which
// nothing tells of; the exit code that this makes.
int exit_code_of(const std::vector<query::GateResult>& results) {
    int code = 0;
    for (const query::GateResult& each : results) {
        if (!each.held) code = each.unjudged.empty() ? kOverLimit : std::max(code, kNotJudged);
        for (const std::string& row : each.failures)
            print_note(fmt::format("over the limit '{}': {}\n", each.gate, row));
        if (!each.unjudged.empty())
            print_note(fmt::format("the limit '{}' cannot be judged: {}\n", each.gate, each.unjudged));
        else if (each.held && each.doubtful > 0)
            print_note(
                fmt::format("the limit '{}' holds, for noise may explain it: {}\n", each.gate, each.summary));
    }
    return code;
}

Result<query::FoundProblems> problems_of(query::Session& session) {
    OPSIGHT_ASSIGN(const advise::Advice advice, advise::advise(session));
    query::FoundProblems out;
    for (const advise::Finding& each : advice.findings)
        if (each.kind == "problem")
            out.all.push_back({each.id, each.title, std::string(advise::severity_name(each.severity)),
                               each.severity < advise::Severity::kMedium});
    for (const advise::NotChecked& each : advice.not_checked)
        out.not_checked.insert(each.rule);
    return out;
}

// Traces are imported one by one, each with its progress and with all memory. A profile of an older version
// is brought up to date when it is opened, which two threads must not do to one file.
query::Reading reading_of(const std::vector<std::string>& base, const std::vector<std::string>& next) {
    const auto imported = [](const std::string& path) { return !AnyProfile::is_profile(path); };
    if (std::any_of(base.begin(), base.end(), imported) || std::any_of(next.begin(), next.end(), imported))
        return query::Reading::kOneByOne;
    const auto also_of_base = [&base](const std::string& path) {
        return std::any_of(base.begin(), base.end(), [&path](const std::string& other) {
            std::error_code unknown;
            return std::filesystem::equivalent(path, other, unknown) || unknown;
        });
    };
    return std::any_of(next.begin(), next.end(), also_of_base) ? query::Reading::kOneByOne
                                                               : query::Reading::kBeside;
}

}  // namespace

Status write_tables(const query::Report& report, const report::Sink& sink) {
    std::string before;
    for (const query::Section& section : report.sections) {
        OPSIGHT_TRY(sink(before + section.table.name + "\n"));
        OPSIGHT_TRY(report::write_csv(section.table, sink));
        before = "\n";
    }
    return {};
}

void Comparing::declare(CLI::App& sub) {
    sub.add_option("--format", format_,
                   "table (or text), csv, json, markdown, html or svg (the "
                   "picture alone)")
        ->default_str("table");
    sub.add_flag_callback(
        "--json", [this] { format_ = "json"; }, "Same as --format json; errors are JSON too");
    sub.add_option("-o,--output", output_, "Write to this file");
    sub.add_flag("--force", force_, "Replace the file that is there");
    sub.add_option("--limit", limit_,
                   "Rows of the tables of layers, ops and kernels; 0: all (default: 20, 200 in html, all in "
                   "csv and json)");
    sub.add_flag("--wide", wide_,
                 "Whole lines of tables, however long (default: as wide as the terminal; 100 columns "
                 "where there is none)");
    sub.add_option(
           "--report", report_,
           "all, or kernel: each kernel with its registers, shared memory, occupancy, waves, grid and "
           "block before and after")
        ->default_str("all");
    sub.add_option(
           "--per-sample", per_sample_,
           "Items of an iteration before and after, such as their batch sizes: all times are of one item")
        ->expected(2)
        ->type_name("BASE NEW")
        ->check(CLI::Range(int64_t{1}, int64_t{1'000'000'000}));
    sub.add_option(
           "--fail-if", limits_,
           "A limit, such as 'iteration_time > 3%' or 'layer:encoder.* gpu_time > 5%': with exit "
           "code 3 where a difference is over it and stands against noise. Of layer:, op: and "
           "kernel: (names, of layers paths, in which * stands for anything) gpu_time, cpu_time or calls; "
           "finding:new: a problem that 'opsight advise' finds in the new run only. May be given "
           "several times")
        ->allow_extra_args(false);
    sub.add_flag("--strict", strict_, "What is over a limit fails, even if noise may explain it");
    sub.add_option("--junit", junit_, "Write the limits as JUnit's XML to this file, a test for each");
    range_.declare(sub);
}

Result<Comparing::Form> Comparing::parse_form(const std::string& name) {
    using enum Form;
    const std::pair<const char*, Form> forms[] = {{"table", kTable}, {"text", kTable},        {"csv", kCsv},
                                                  {"json", kJson},   {"markdown", kMarkdown}, {"html", kHtml},
                                                  {"svg", kSvg}};
    for (const auto& [word, form] : forms)
        if (name == word) return form;
    return fail(Error{.what = fmt::format("unknown format '{}'", name),
                      .remedy = "use table, csv, json, markdown, html or svg",
                      .exit_code = 2});
}

Result<int> Comparing::compare(const std::vector<std::string>& base, const std::vector<std::string>& next) {
    OPSIGHT_ASSIGN(form_, parse_form(format_));
    OPSIGHT_TRY(check_options());
    OPSIGHT_ASSIGN(const std::vector<query::Gate> gates, parse_gates());
    Wanted wanted;
    wanted.work.launches = report_ == "kernel";
    wanted.problems = std::any_of(gates.begin(), gates.end(), [](const query::Gate& each) {
        return each.subject == query::Gate::Subject::kFinding;
    });
    OPSIGHT_ASSIGN(const query::Comparison comparison,
                   query::compare_runs(
                       base.size(), next.size(),
                       [&](bool is_next, size_t run, const query::RunChoice& choice) {
                           Wanted of_side = wanted;
                           if (!per_sample_.empty()) of_side.work.batch = per_sample_[is_next ? 1 : 0];
                           return read((is_next ? next : base)[run], choice, of_side);
                       },
                       reading_of(base, next)));
    const std::vector<query::GateResult> results = query::check_gates(comparison, gates, strict_);
    OPSIGHT_TRY(show(comparison, results));
    if (!junit_.empty()) OPSIGHT_TRY(write_file(junit_, force_, report::render_junit(results)));
    return exit_code_of(results);
}

Result<std::vector<query::Gate>> Comparing::parse_gates() const {
    std::vector<query::Gate> gates;
    for (const std::string& text : limits_) {
        OPSIGHT_ASSIGN(query::Gate gate, query::parse_gate(text));
        gates.push_back(std::move(gate));
    }
    if (gates.empty() && (strict_ || !junit_.empty()))
        return fail(Error{"--strict and --junit are about limits", {}, {}, "give some with --fail-if", 2});
    return gates;
}

Status Comparing::check_options() const {
    if (report_ == "all" || report_ == "kernel") return {};
    return fail(Error{.what = fmt::format("there is no report '{}' of a comparison", report_),
                      .remedy = "use all or kernel",
                      .exit_code = 2});
}

Result<query::Side> Comparing::read(const std::string& path, const query::RunChoice& choice,
                                    const Wanted& wanted) const {
    query::RangeOptions range = choice.whole ? query::RangeOptions{.whole = true} : range_.options();
    range.warmup = choice.warmup;
    OPSIGHT_ASSIGN(const AnyProfile profile, AnyProfile::open(path, false, range));
    OPSIGHT_ASSIGN(query::Session session, query::Session::open(profile.path(), range));
    OPSIGHT_ASSIGN(query::Side side, query::read_side(session, path, choice.rank, wanted.work));
    if (wanted.problems) {
        OPSIGHT_ASSIGN(side.problems, problems_of(session));
    }
    return side;
}

Status Comparing::show(const query::Comparison& comparison,
                       const std::vector<query::GateResult>& results) const {
    if (output_.empty()) return write(comparison, results, print_text);
    OPSIGHT_TRY(write_new_file(output_, force_,
                               [&](const report::Sink& sink) { return write(comparison, results, sink); }));
    return print_text(output_ + "\n");
}

Status Comparing::write(const query::Comparison& comparison, const std::vector<query::GateResult>& results,
                        const report::Sink& sink) const {
    query::TableShape shape;
    shape.for_people = form_ != Form::kCsv && form_ != Form::kJson;
    shape.limit = limit_ >= 0            ? limit_
                  : form_ == Form::kHtml ? kRowsOnPage
                  : shape.for_people     ? kRowsOnTerminal
                                         : 0;
    query::Report report = report_ == "kernel" ? query::launch_report(comparison, shape)
                                               : query::comparison_report(comparison, shape);
    if (!results.empty()) report.sections.insert(report.sections.begin() + 1, {query::gate_table(results)});
    switch (form_) {
        case Form::kJson:
            OPSIGHT_TRY(report::write_report_json(report, sink));
            return sink("\n");
        case Form::kCsv:
            return write_tables(report, sink);
        case Form::kMarkdown:
            return sink(report::render_comparison_markdown(report));
        case Form::kHtml:
            return sink(report::render_html("Comparison", "Opsight " OPSIGHT_VERSION, {report},
                                            report::waterfall_svg(comparison)));
        case Form::kSvg:
            return sink(report::waterfall_svg(comparison));
        case Form::kTable:
            break;
    }
    const int width = wide_ || !output_.empty() ? 0 : report::terminal_width(report::kWidthWhenPiped);
    return sink(report::render_comparison(report, width));
}

}  // namespace opsight::cli
