// A comparison as a report: its tables, and its answer as a sentence.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "query/compare/comparison.h"

namespace opsight::query {
namespace {

std::optional<double> percent(int64_t part, int64_t whole) {
    if (whole == 0) return std::nullopt;
    return 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

template <class T>
Cell cell(const std::optional<T>& value) {
    return value ? Cell{*value} : Cell{};
}

int64_t difference(const SampleDifference& samples) {
    return samples.next_median - samples.base_median;
}

std::string_view measure_of(const Changes& changes) {
    if (!changes.by_gpu) return "cpu_time";
    return changes.host_binds ? "gpu_time or cpu_time, what differs more" : "gpu_time";
}

bool whole(const Comparison& it) {
    return it.base.range.whole || it.next.range.whole;
}

ResultTable answer_table(const Comparison& it, bool for_people) {
    ResultTable table;
    table.name = "compare";
    table.title = "Comparison";
    table.rows.emplace_back();
    const auto add = [&table](Column column, Cell value) {
        table.columns.push_back(std::move(column));
        table.rows[0].push_back(std::move(value));
    };
    const auto count = [](const Side& side) { return static_cast<int64_t>(side.samples.size()); };
    add({"base", "Base"}, it.base.label);
    add({"new", "New"}, it.next.label);
    add({"measured", "Measured"}, std::string(whole(it) ? "whole recording" : "iteration"));
    add({"verdict", "Difference Is"}, std::string(verdict_name(it.time.verdict)));
    add({"base_median_ns", "Base Median (ns)", Unit::kNs}, it.time.base_median);
    add({"new_median_ns", "New Median (ns)", Unit::kNs}, it.time.next_median);
    add({"difference_ns", "Difference of Medians (ns)", Unit::kNs}, difference(it.time));
    add({"difference_pct", "Difference of Medians (%)", Unit::kPercent},
        cell(percent(difference(it.time), it.time.base_median)));
    add({"shift_ns", "Median Difference (ns)", Unit::kNs}, it.time.shift);
    add({"shift_low_ns", "95% Interval From (ns)", Unit::kNs}, cell(it.time.low));
    add({"shift_high_ns", "95% Interval To (ns)", Unit::kNs}, cell(it.time.high));
    add({"p", "p of the Rank Test", Unit::kNone, 0, Role::kNumber}, p_cell(it.time.p, for_people));
    add({"effect", "Effect (Cliff's Delta)", Unit::kNone, 0, Role::kNumber}, cell(it.time.effect));
    add({"base_mean_ns", "Base Mean (ns)", Unit::kNs}, it.base_mean_ns);
    add({"new_mean_ns", "New Mean (ns)", Unit::kNs}, it.next_mean_ns);
    add({"mean_difference_ns", "Difference of Means (ns)", Unit::kNs}, it.next_mean_ns - it.base_mean_ns);
    add({"base_iterations", "Base Iterations", Unit::kCount},
        it.base.range.whole ? Cell{} : Cell{count(it.base)});
    add({"new_iterations", "New Iterations", Unit::kCount},
        it.next.range.whole ? Cell{} : Cell{count(it.next)});
    add({"base_rank", "Base Rank", Unit::kCount, 0, Role::kId}, it.base.rank);
    add({"new_rank", "New Rank", Unit::kCount, 0, Role::kId}, it.next.rank);
    add({"measure", "Layers, Ops and Kernels by"}, std::string(measure_of(it.changes)));
    add({"base_matched_pct", "Of the Base Matched (%)", Unit::kPercent}, cell(it.changes.base_matched));
    add({"new_matched_pct", "Of the New Matched (%)", Unit::kPercent}, cell(it.changes.next_matched));
    return table;
}

ResultTable run_table(const Comparison& it) {
    ResultTable table;
    table.name = "runs";
    table.title = "Runs";
    table.columns = {{"side", "Side"},
                     {"run", "Run"},
                     {"rank", "Rank", Unit::kCount, 3, Role::kId},
                     {"iterations", "Iterations", Unit::kCount},
                     {"median_ns", "Median (ns)", Unit::kNs},
                     {"from_base_pct", "From the Base's Median (%)", Unit::kPercent},
                     {"shown", "Shown Below"}};
    for (const auto& [side, runs] : {std::pair("base", &it.base_runs), std::pair("new", &it.next_runs)})
        for (const Run& run : *runs)
            table.rows.push_back({std::string(side), run.label, run.rank,
                                  run.iterations > 0 ? Cell{run.iterations} : Cell{}, run.median_ns,
                                  cell(percent(run.median_ns - it.time.base_median, it.time.base_median)),
                                  run.shown});
    return table;
}

ResultTable caveat_table(const Comparison& it) {
    ResultTable table;
    table.name = "caveats";
    table.title = "Before You Compare";
    table.columns = {{"kind", "Kind"}, {"text", "What to Know"}};
    for (const Caveat& each : it.caveats)
        table.rows.push_back({each.kind, each.text});
    return table;
}

ResultTable cause_table(const Comparison& it) {
    ResultTable table;
    table.name = "causes";
    table.title = "Why";
    table.columns = {{"kind", "Cause"},
                     {"text", "What Explains It"},
                     {"gpu_difference_ns", "GPU Difference (ns)", Unit::kNs},
                     {"cpu_difference_ns", "CPU Difference (ns)", Unit::kNs},
                     {"wall_difference_ns", "Of the Wall Clock (ns)", Unit::kNs}};
    for (const Cause& each : it.causes)
        table.rows.push_back(
            {each.kind, each.text, cell(each.gpu_ns), cell(each.cpu_ns), cell(each.wall_ns)});
    return table;
}

ResultTable budget_table(const Comparison& it, bool for_people) {
    ResultTable table;
    table.name = "budget";
    table.title = whole(it) ? "Time Budget of the Recording" : "Time Budget of an Iteration (Means)";
    table.columns = {{"class", "Class"},
                     {"name", "Where the Time Went"},
                     {"base_ns", "Base (ns)", Unit::kNs},
                     {"new_ns", "New (ns)", Unit::kNs},
                     {"difference_ns", "Difference (ns)", Unit::kNs},
                     {"difference_pct", "Of the Base (%)", Unit::kPercent},
                     {"verdict", "Difference Is"},
                     {"p", "p", Unit::kNone, 4, Role::kNumber}};
    table.shown = {"name", "base_ns", "new_ns", "difference_ns", "difference_pct", "verdict", "p"};
    for (const BudgetRow& row : it.budget) {
        if (for_people && !row.base_ns && !row.next_ns) continue;
        if (!row.base_ns && !row.next_ns) {  // recorded by neither
            table.rows.push_back({row.key, row.name, {}, {}, {}, {}, {}, {}});
            continue;
        }
        table.rows.push_back({row.key, row.name, cell(row.base_ns), cell(row.next_ns), row.difference_ns,
                              cell(percent(row.difference_ns, it.base_mean_ns)),
                              std::string(verdict_name(row.samples.verdict)),
                              p_cell(row.samples.p, for_people)});
    }
    if (!for_people) return table;
    const int64_t all = it.next_mean_ns - it.base_mean_ns;
    table.rows.push_back({"", "All", it.base_mean_ns, it.next_mean_ns, all,
                          cell(percent(all, it.base_mean_ns)), std::string(verdict_name(it.time.verdict)),
                          p_cell(it.time.p, true)});
    table.columns.erase(table.columns.begin());
    for (auto& row : table.rows)
        row.erase(row.begin());
    return table;
}

ResultTable settings_table(const Comparison& it) {
    ResultTable table;
    table.name = "settings";
    table.title = "Configuration";
    table.columns = {{"name", "Setting"}, {"base", "Base"}, {"new", "New"}, {"same", "Same", Unit::kNone, 1}};
    for (const SettingRow& row : it.settings)
        table.rows.push_back({row.name, cell(row.base), cell(row.next), row.base == row.next});
    return table;
}

// A side's batch of 1 is that of no batch at all.
std::string measured_text(const Comparison& it) {
    const std::string of = whole(it) ? "whole recording" : "iteration time";
    return it.base.batch == 1 && it.next.batch == 1
               ? of
               : fmt::format("{} of an item ({} an iteration before, {} after)", of, it.base.batch,
                             it.next.batch);
}

}  // namespace

Cell p_cell(const std::optional<double>& p, bool for_people) {
    if (!p || !for_people) return cell(p);
    return *p < 1e-4 ? std::string("< 0.0001") : fmt::format("{:.4f}", *p);
}

std::string time_text(int64_t ns, bool sign) {
    const auto amount = static_cast<double>(ns);
    const auto text = [sign](double value, int places, const char* unit) {
        return fmt::format(fmt::runtime(sign ? "{:+.{}f} {}" : "{:.{}f} {}"), value, places, unit);
    };
    const double size = std::abs(amount);
    if (size >= 1e9) return text(amount / 1e9, 3, "s");
    if (size >= 1e6) return text(amount / 1e6, 3, "ms");
    if (size >= 1e3) return text(amount / 1e3, 3, "µs");
    return text(amount, 0, "ns");
}

namespace {

std::string real_text(const Comparison& it) {
    const char* word = it.time.shift < 0 ? "faster" : "slower";
    const std::string p = *it.time.p < 1e-4 ? "< 0.0001" : fmt::format("= {:.4f}", *it.time.p);
    if (!it.base_runs.empty()) return fmt::format("{}, and that stands against the noise (p {})", word, p);
    return fmt::format(
        "{}: the iterations of these two runs differ by more than noise (p {}), but runs of one program may, "
        "too: repeated runs (--base A1 A2 ... --new B1 B2 ..., five a side) tell whether the program did it",
        word, p);
}

}  // namespace

std::string verdict_text(const Comparison& it) {
    const SampleDifference& time = it.time;
    const int64_t by = difference(time);
    std::string out = has_caveat(it, "other_programs")    ? "different programs, it seems: "
                      : has_caveat(it, kUnlikeIterations) ? "iterations that are not alike, it seems: "
                                                          : "";
    out += fmt::format("{}: {} before, {} after", measured_text(it), time_text(time.base_median),
                       time_text(time.next_median));
    if (const auto change = percent(by, time.base_median))
        out += fmt::format(" ({}, {:+.1f}%)", time_text(by, by != 0), *change);
    if (time.low && time.verdict != Verdict::kEqual)
        out += fmt::format("; the median difference lies between {} and {} (95%)", time_text(*time.low),
                           time_text(*time.high));
    switch (time.verdict) {
        case Verdict::kEqual:
            return out + ": the same";
        case Verdict::kReal:
            return out + ": " + real_text(it);
        case Verdict::kRunToRun:
            return out + fmt::format(
                             ": not by chance alone, but runs of one program may differ by {} ({:.0f} %, or "
                             "what the "
                             "middle half of a run's iterations spans): repeated runs (--base A1 A2 ... "
                             "--new B1 B2 "
                             "..., five a side) tell",
                             time_text(time.run_to_run), 100 * kRunToRunShare);
        case Verdict::kNoise:
            return out + fmt::format(": no difference that can be told from noise (p = {:.2f})", *time.p);
        case Verdict::kTooFew:
            return out + fmt::format(": too few {} to tell whether that is noise",
                                     it.base_runs.empty() ? "iterations" : "runs");
        case Verdict::kSingle:
            break;
    }
    return out + ": one sample on a side, so nothing tells whether that is noise";
}

Report comparison_report(const Comparison& comparison, const TableShape& shape) {
    Report report{"compare", "Comparison", {}, {verdict_text(comparison)}};
    const bool people = shape.for_people;
    report.sections.push_back({answer_table(comparison, people), true, true});
    report.sections.push_back({caveat_table(comparison)});
    if (!comparison.base_runs.empty()) report.sections.push_back({run_table(comparison)});
    report.sections.push_back({cause_table(comparison)});
    if (comparison.base.problems && comparison.next.problems)
        report.sections.push_back({problem_changes(*comparison.base.problems, *comparison.next.problems)});
    report.sections.push_back({budget_table(comparison, people)});
    report.sections.push_back({layer_changes(comparison.changes, shape)});
    report.sections.push_back({op_changes(comparison.changes, shape)});
    report.sections.push_back({kernel_changes(comparison.changes, shape)});
    report.sections.push_back({settings_table(comparison)});
    return report;
}

Report launch_report(const Comparison& comparison, const TableShape& shape) {
    Report report{"compare", "Comparison of Kernels", {}, {verdict_text(comparison)}};
    report.sections.push_back({caveat_table(comparison)});
    report.sections.push_back({launch_changes(comparison.changes, shape)});
    report.sections.push_back({settings_table(comparison)});
    return report;
}

}  // namespace opsight::query
