#include "fleet/questions/comparing.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "fleet/questions/cells.h"
#include "fleet/questions/reports.h"
#include "fleet/questions/sql.h"
#include "query/compare/change_points.h"

namespace opsight::fleet {
namespace {

namespace sql = questions::sql;
using query::Cell;
using query::Role;
using query::Unit;

struct Metric {
    std::string_view column;  // of compared_runs.sql, and of series.sql without its end
    std::string_view name;
    bool time = false;  // in ns; else a share of the wall clock in percent
};
constexpr std::array<Metric, 13> kMetrics = {
    {{"iteration_ns_middle", "iteration time", true},
     {"wall_ns_middle", "wall clock of the recording", true},
     {"gpu_utilization_pct_middle", "GPU utilization"},
     {"tensor_core_pct_middle", "Tensor Core kernels"},
     {"other_kernel_pct_middle", "other kernels"},
     {"unknown_kernel_pct_middle", "kernels of unknown Tensor Core use"},
     {"communication_pct_middle", "exposed communication"},
     {"memory_pct_middle", "copies and sets"},
     {"dataloader_pct_middle", "data loading"},
     {"io_pct_middle", "file I/O"},
     {"cpu_pct_middle", "CPU (ops, API calls)"},
     {"host_pct_middle", "Python and other host"},
     {"idle_pct_middle", "idle or not recorded"}}};

Cell at(const Answer& answer, std::string_view column, size_t row = 0) {
    for (size_t i = 0; i < answer.rows.columns.size(); ++i)
        if (answer.rows.columns[i].name == column && row < answer.rows.rows.size())
            return answer.rows.rows[row][i];
    return {};
}

// Change and change in percent of the base; of shares, whose difference is in points, no percent.
std::pair<Cell, Cell> change(const std::optional<double>& base, const std::optional<double>& next) {
    if (!base || !next) return {};
    const double by = *next - *base;
    return {by, *base > 0 ? Cell{100 * by / *base} : Cell{}};
}

Cell whole(const Cell& cell) {
    const auto value = real(cell);
    return value ? Cell{static_cast<int64_t>(std::llround(*value))} : Cell{};
}

query::ResultTable times_table(const Answer& base, const Answer& next) {
    query::ResultTable table;
    table.name = "times";
    table.title = "Times";
    table.columns = {{"of", "Of"},
                     {"base_ns", "Base (ns)", Unit::kNs},
                     {"new_ns", "New (ns)", Unit::kNs},
                     {"change_ns", "Change (ns)", Unit::kNs},
                     {"change_pct", "Change (%)", Unit::kPercent}};
    for (const Metric& each : kMetrics) {
        if (!each.time) continue;
        const Cell before = at(base, each.column), after = at(next, each.column);
        const auto [by, pct] = change(real(before), real(after));
        table.rows.push_back({std::string(each.name), before, after, whole(by), pct});
    }
    return table;
}

query::ResultTable shares_table(const Answer& base, const Answer& next) {
    query::ResultTable table;
    table.name = "shares";
    table.title = "Shares of the Wall Clock";
    table.columns = {{"of", "Of"},
                     {"base_pct", "Base (%)", Unit::kPercent},
                     {"new_pct", "New (%)", Unit::kPercent},
                     {"change_points", "Change (points)", Unit::kNone, 0, Role::kNumber}};
    for (const Metric& each : kMetrics) {
        if (each.time) continue;
        const Cell before = at(base, each.column), after = at(next, each.column);
        table.rows.push_back(
            {std::string(each.name), before, after, change(real(before), real(after)).first});
    }
    return table;
}

// An op of an iteration of a rank.
struct OpCost {
    double calls = 0, cpu_ns = 0;
    std::optional<double> gpu_ns;  // none: no work of a device was recorded
};

std::map<std::string, OpCost> costs_of(const Answer& answer) {
    std::map<std::string, OpCost> costs;
    for (size_t row = 0; row < answer.rows.rows.size(); ++row) {
        const double steps = real(at(answer, "steps", row)).value_or(0);
        if (!(steps > 0)) continue;
        const auto mean = [&](std::string_view column) {
            return real(at(answer, column, row)).value_or(0) / steps;
        };
        OpCost& cost = costs[text(at(answer, "op", row))];
        cost = {mean("total_calls"), mean("total_cpu_ns"), real(at(answer, "total_gpu_ns", row))};
        if (cost.gpu_ns) *cost.gpu_ns /= steps;
    }
    return costs;
}

// An op that only the other side has costs nothing on this one, where anything was recorded.
void add_missing(const std::map<std::string, OpCost>& from, std::map<std::string, OpCost>& into) {
    const bool devices = std::any_of(into.begin(), into.end(),
                                     [](const auto& each) { return each.second.gpu_ns.has_value(); });
    for (const auto& [op, cost] : from)
        into.try_emplace(op, OpCost{0, 0, devices ? std::optional<double>(0) : std::nullopt});
}

query::ResultTable ops_table(const Answer& base, const Answer& next, int64_t limit) {
    query::ResultTable table;
    table.name = "ops";
    table.title = "Ops of an Iteration of a Rank, by Change of GPU Time";
    table.columns = {{"op", "Op"},
                     {"base_gpu_ns", "GPU Time, Base (ns)", Unit::kNs},
                     {"new_gpu_ns", "New (ns)", Unit::kNs},
                     {"change_gpu_ns", "Change (ns)", Unit::kNs},
                     {"base_cpu_ns", "CPU Time, Base (ns)", Unit::kNs, 1},
                     {"new_cpu_ns", "CPU Time, New (ns)", Unit::kNs, 1},
                     {"base_calls", "Calls, Base", Unit::kNone, 2, Role::kNumber},
                     {"new_calls", "Calls, New", Unit::kNone, 2, Role::kNumber}};
    std::map<std::string, OpCost> before = costs_of(base), after = costs_of(next);
    add_missing(before, after);
    add_missing(after, before);
    std::vector<std::pair<double, std::string>> order;
    for (const auto& [op, cost] : after)
        order.emplace_back(-std::abs(cost.gpu_ns.value_or(0) - before[op].gpu_ns.value_or(0)), op);
    std::sort(order.begin(), order.end());
    table.rows_in_all = std::ssize(order);
    if (limit > 0 && std::ssize(order) > limit) order.resize(static_cast<size_t>(limit));
    const auto ns = [](std::optional<double> value) {
        return value ? Cell{static_cast<int64_t>(std::llround(*value))} : Cell{};
    };
    const auto change = [](const OpCost& from, const OpCost& to) -> std::optional<double> {
        if (!from.gpu_ns && !to.gpu_ns) return std::nullopt;
        return to.gpu_ns.value_or(0) - from.gpu_ns.value_or(0);
    };
    for (const auto& [by, op] : order) {
        const OpCost &one = before[op], &other = after[op];
        table.rows.push_back({op, ns(one.gpu_ns), ns(other.gpu_ns), ns(change(one, other)), ns(one.cpu_ns),
                              ns(other.cpu_ns), one.calls, other.calls});
    }
    return table;
}

// What happened to an iteration, before anything that must be known of it.
std::string iteration_note(const Answer& base, const Answer& next) {
    const auto before = real(at(base, kMetrics[0].column)), after = real(at(next, kMetrics[0].column));
    if (!before || !after)
        return fmt::format("no time of an iteration is known of {}",
                           before ? "the new runs" : (after ? "the base" : "either side"));
    const auto pct = real(change(before, after).second);
    return fmt::format("iteration time: {:.3f} ms at the base, {:.3f} ms new{}", *before / 1e6, *after / 1e6,
                       pct ? fmt::format(" ({:+.1f}%)", *pct) : std::string());
}

bool share_no_op(const std::map<std::string, OpCost>& base, const std::map<std::string, OpCost>& next) {
    return !base.empty() && !next.empty() && std::none_of(base.begin(), base.end(), [&next](const auto& op) {
        return next.contains(op.first);
    });
}

std::string named(const Chosen& side) {
    if (side.runs.size() == 1)
        return fmt::format("{} ({})", side.runs[0].name, side.runs[0].id.substr(0, 12));
    return fmt::format("{} runs", side.runs.size());
}

// One series of a trend.
struct Found {
    std::string of;
    query::ChangePoint point;
};

// In ns: what an iteration spends on it, by its share of the wall clock.
std::vector<int64_t> series_of(const Answer& runs, const Metric& metric) {
    const std::string column(metric.column.substr(0, metric.column.rfind("_middle")));
    std::vector<int64_t> values;
    for (size_t row = 0; row < runs.rows.rows.size(); ++row) {
        const auto time = real(at(runs, "iteration_ns", row)), share = real(at(runs, column, row));
        if (!time || !share) return {};  // not every run tells of it: untold_note() says so
        values.push_back(std::llround(metric.time ? *time : *time * *share / 100));
    }
    return values;
}

// What an iteration does not consist of has no series.
bool has_series(const Metric& metric) {
    return metric.column != "wall_ns_middle" && metric.column != "gpu_utilization_pct_middle";
}

// The metrics that some runs do not tell, so that no change of them can be found.
std::string untold_note(const Answer& runs) {
    std::string out;
    const size_t all = runs.rows.rows.size();
    for (const Metric& metric : kMetrics) {
        if (!has_series(metric)) continue;
        const std::string column(metric.column.substr(0, metric.column.rfind("_middle")));
        size_t told = 0;
        for (size_t row = 0; row < all; ++row)
            told += real(at(runs, column, row)).has_value();
        if (told == all) continue;
        out += fmt::format("{}{} ({} of {} runs tell it)", out.empty() ? "" : ", ", metric.name,
                           told == 0 ? "none" : std::to_string(told), all);
    }
    return out.empty() ? out : "no change was looked for in: " + out;
}

std::vector<Found> find_all(const Answer& runs) {
    std::vector<Found> found;
    for (const Metric& metric : kMetrics) {
        if (!has_series(metric)) continue;
        for (const query::ChangePoint& point : query::find_change_points(series_of(runs, metric)))
            found.push_back({std::string(metric.name), point});
    }
    return found;
}

query::ResultTable change_table(const Answer& runs, const std::vector<Found>& found) {
    query::ResultTable table;
    table.name = "changes";
    table.title = "Changes";
    table.columns = {{"of", "Of"},
                     {"run", "From Run"},
                     {"name", "Name"},
                     {"before_ns", "Before (ns)", Unit::kNs},
                     {"after_ns", "After (ns)", Unit::kNs},
                     {"change_ns", "Change (ns)", Unit::kNs},
                     {"change_pct", "Change (%)", Unit::kPercent},
                     {"p", "p of the Permutation Test", Unit::kNone, 1, Role::kNumber}};
    for (const auto& [of, point] : found) {
        const auto [by, pct] = change(static_cast<double>(point.before), static_cast<double>(point.after));
        table.rows.push_back({of, text(at(runs, "run", point.at)), text(at(runs, "name", point.at)),
                              point.before, point.after, point.after - point.before, pct, point.p});
    }
    return table;
}

query::ResultTable series_table(const Answer& runs, const Chosen& chosen) {
    query::ResultTable table;
    table.name = "runs";
    table.title = "Runs";
    table.columns = {{"run", "Run"},
                     {"name", "Name"},
                     {"recorded", "Recorded", Unit::kNone, 1},
                     {"labels", "Labels", Unit::kNone, 2},
                     {"ranks", "Ranks", Unit::kCount, 2},
                     {"iterations", "Iterations", Unit::kCount, 2},
                     {"iteration_ns", "Iteration (ns)", Unit::kNs},
                     {"communication_pct", "Exposed Communication %", Unit::kPercent, 1},
                     {"dataloader_pct", "Data Loading %", Unit::kPercent, 1},
                     {"idle_pct", "Idle %", Unit::kPercent, 1}};
    for (size_t row = 0; row < runs.rows.rows.size(); ++row) {
        const std::string id = text(at(runs, "run", row));
        const KnownRun* known = chosen.find(id);
        const std::string labels = known ? known->labels_text() : std::string();
        table.rows.push_back({id, at(runs, "name", row), moment_text(integer(at(runs, "recorded_ns", row))),
                              labels.empty() ? Cell{} : Cell{labels}, at(runs, "ranks", row),
                              at(runs, "iterations", row), at(runs, "iteration_ns", row),
                              at(runs, "communication_pct", row), at(runs, "dataloader_pct", row),
                              at(runs, "idle_pct", row)});
    }
    return table;
}

bool all_tell_moments(const Answer& runs) {
    for (size_t row = 0; row < runs.rows.rows.size(); ++row)
        if (!integer(at(runs, "recorded_ns", row))) return false;
    return true;
}

}  // namespace

Result<query::Report> compare_report(Store& store, const Chosen& base, const Chosen& next, int64_t limit) {
    for (const Chosen* side : {&base, &next})
        if (side->runs.empty()) return fail("has no run to compare", store.name(), {}, "push one first");
    OPSIGHT_ASSIGN(const Answer before, ask(store, sql::compared_runs, base));
    OPSIGHT_ASSIGN(const Answer after, ask(store, sql::compared_runs, next));
    OPSIGHT_ASSIGN(const Answer base_ops, ask(store, sql::compared_ops, base));
    OPSIGHT_ASSIGN(const Answer next_ops, ask(store, sql::compared_ops, next));
    query::Report report{"compare", "Comparison of Runs", {}, {}};
    report.sections.push_back({times_table(before, after)});
    report.sections.push_back({shares_table(before, after)});
    report.sections.push_back({ops_table(base_ops, next_ops, limit)});
    report.notes.push_back(iteration_note(before, after));
    for (const Chosen* side : {&base, &next})
        add_notes(report.notes, side->notes);
    for (const Answer* answer : {&before, &after, &base_ops, &next_ops})
        add_notes(report.notes, answer->notes);
    report.notes.push_back(fmt::format("base: {}; new: {}", named(base), named(next)));
    const auto both = std::count_if(base.runs.begin(), base.runs.end(),
                                    [&next](const KnownRun& run) { return next.find(run.id) != nullptr; });
    if (both > 0)
        report.notes.push_back(
            fmt::format("{} on both sides: choose sides that share no run to see what changed",
                        both == 1 ? "one run stands" : fmt::format("{} runs stand", both)));
    if (share_no_op(costs_of(base_ops), costs_of(next_ops)))
        report.notes.emplace_back("no op is on both sides: they ran different programs");
    if (base.runs.size() + next.runs.size() > 2)
        report.notes.emplace_back(
            "of several runs times and shares are those of the middle run, for each number apart; "
            "ops are means over all of them");
    if (base.runs.size() < 3 || next.runs.size() < 3)
        report.notes.emplace_back(
            "fewer than three runs a side: how much runs differ by chance is not known here; "
            "'opsight compare' tests differences of two profiles");
    return report;
}

Result<query::Report> trend_report(Store& store, const Chosen& chosen) {
    OPSIGHT_ASSIGN(const Answer runs, ask(store, sql::series, chosen));
    constexpr size_t kLeast = 2, kMost = 1000;  // a search for changes costs the square of it
    if (runs.rows.rows.size() < kLeast || runs.rows.rows.size() > kMost)
        return fail(fmt::format("a trend is of {} to {} runs that have iterations, not {}", kLeast, kMost,
                                runs.rows.rows.size()),
                    store.name(), {}, "choose runs with --label or --run");
    const std::vector<Found> found = find_all(runs);
    query::Report report{"trend", "Trend", {}, {}};
    report.sections.push_back({change_table(runs, found)});
    report.sections.push_back({series_table(runs, chosen)});
    add_notes(report.notes, chosen.notes);
    add_notes(report.notes, runs.notes);
    if (found.empty() || found.front().of != kMetrics[0].name)
        report.notes.emplace_back("iteration time: no change that can be told from noise");
    for (const auto& [of, point] : found)
        if (of == kMetrics[0].name)
            report.notes.push_back(fmt::format("iteration time: {:.3f} ms before, {:.3f} ms from {} on",
                                               static_cast<double>(point.before) / 1e6,
                                               static_cast<double>(point.after) / 1e6,
                                               text(at(runs, "name", point.at))));
    if (std::string untold = untold_note(runs); !untold.empty()) report.notes.push_back(std::move(untold));
    if (runs.rows.rows.size() < 2 * query::kLeastBetweenChanges + 2)
        report.notes.push_back(fmt::format("{} runs: so few can hide any change; ten or more can show one",
                                           runs.rows.rows.size()));
    report.notes.emplace_back(
        all_tell_moments(runs)
            ? "the runs are in the order in which they were recorded"
            : "not every run tells when it was recorded: those stand last, as they were pushed");
    report.notes.emplace_back("runs of different programs make no trend: choose those of one with --label");
    return report;
}

}  // namespace opsight::fleet
