#include "query/compare/trend.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <optional>

#include "query/compare/change_points.h"
#include "query/compare/statistics.h"

namespace opsight::query {
namespace {

constexpr int64_t kNsOfSecond = 1'000'000'000;

struct Series {
    std::string name;
    std::vector<int64_t> values;  // one a run
};

struct Found {
    std::string series;
    ChangePoint point;
};

// The mean of an iteration in each resource; they add up to the mean of its time.
std::vector<int64_t> means_of(const Side& run) {
    std::vector<int64_t> totals(kResources);
    for (const IterationShares& each : run.samples)
        for (size_t i = 0; i < kResources; ++i)
            totals[i] += each.ns[i];
    return shared_out(totals, std::ssize(run.samples));
}

// Iteration time, then the classes that every run can tell of: another one's time is in other classes
// somewhere.
std::vector<Series> series_of(const std::vector<Side>& runs) {
    std::vector<Series> all = {{std::string(kIterationTime), {}}};
    std::vector<std::vector<int64_t>> means;
    for (const Side& run : runs) {
        all.front().values.push_back(median_of(run.times()));
        means.push_back(means_of(run));
    }
    for (size_t i = 0; i < runs.front().classes.size(); ++i) {
        const BudgetClass& budget = runs.front().classes[i];
        if (!std::all_of(runs.begin(), runs.end(), [i](const Side& run) { return run.classes.at(i).told; }))
            continue;
        Series& series = all.emplace_back(Series{std::string(budget.name), {}});
        for (const std::vector<int64_t>& each : means)
            series.values.push_back(each.at(budget.resource));
    }
    return all;
}

int64_t change_of(const ChangePoint& point) {
    return point.after - point.before;
}

Cell percent_of(const ChangePoint& point) {
    if (point.before <= 0) return {};
    return 100 * static_cast<double>(change_of(point)) / static_cast<double>(point.before);
}

// Of iteration time first, then by size.
std::vector<Found> find_all(const std::vector<Series>& all) {
    std::vector<Found> found;
    for (const Series& each : all)
        for (const ChangePoint& point : find_change_points(each.values))
            found.push_back({each.name, point});
    const auto rest = std::find_if(found.begin(), found.end(),
                                   [&all](const Found& each) { return each.series != all.front().name; });
    std::stable_sort(rest, found.end(), [](const Found& a, const Found& b) {
        return std::abs(change_of(a.point)) > std::abs(change_of(b.point));
    });
    return found;
}

Cell recorded_at(const Side& run) {
    if (!run.info.origin_is_unix) return {};
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                       fmt::gmtime(static_cast<std::time_t>(run.info.origin_ns / kNsOfSecond)));
}

ResultTable run_table(const std::vector<Side>& runs, const std::vector<Series>& all) {
    ResultTable table;
    table.name = "runs";
    table.title = "Runs";
    table.columns = {{"run", "Run", Unit::kNone, 0, Role::kId},
                     {"label", "Label"},
                     {"recorded", "Recorded", Unit::kNone, 2},
                     {"iterations", "Iterations", Unit::kCount, 1},
                     {"median_ns", "Median (ns)", Unit::kNs}};
    for (const BudgetClass& each : runs.front().classes)
        if (std::any_of(all.begin() + 1, all.end(), [&each](const Series& s) { return s.name == each.name; }))
            table.columns.push_back(
                {std::string(each.key) + "_ns", std::string(each.name) + " (ns)", Unit::kNs, 3});
    for (size_t i = 0; i < runs.size(); ++i) {
        const Side& run = runs[i];
        std::vector<Cell> row = {static_cast<int64_t>(i + 1), run.label, recorded_at(run),
                                 run.range.whole ? Cell{} : Cell{std::ssize(run.samples)}};
        for (const Series& each : all)
            row.emplace_back(each.values[i]);
        table.rows.push_back(std::move(row));
    }
    return table;
}

ResultTable change_table(const std::vector<Side>& runs, const std::vector<Found>& found) {
    ResultTable table;
    table.name = "changes";
    table.title = "Changes";
    table.columns = {{"of", "Of"},
                     {"run", "From Run", Unit::kNone, 0, Role::kId},
                     {"label", "Label"},
                     {"before_ns", "Before (ns)", Unit::kNs},
                     {"after_ns", "After (ns)", Unit::kNs},
                     {"change_ns", "Change (ns)", Unit::kNs},
                     {"change_pct", "Change (%)", Unit::kPercent},
                     {"p", "p of the Permutation Test", Unit::kNone, 1, Role::kNumber}};
    for (const auto& [series, point] : found)
        table.rows.push_back({series, static_cast<int64_t>(point.at + 1), runs[point.at].label, point.before,
                              point.after, change_of(point), percent_of(point), point.p});
    return table;
}

// A step from one program to another is no change of either.
std::optional<std::string> other_programs(const std::vector<Side>& runs) {
    constexpr size_t kNamed = 5;
    std::vector<std::string> others;
    for (size_t i = 1; i < runs.size(); ++i)
        if (likeness(runs.front(), runs[i]) < kOneProgram)
            others.push_back(fmt::format("{} ({})", i + 1, runs[i].label));
    if (others.empty()) return std::nullopt;
    const size_t shown = std::min(others.size(), kNamed);
    return fmt::format(
        "the runs are of different programs: {} {}{} have less than half of their ops' and kernels' names in "
        "common "
        "with the first ({}); times of different programs make no trend",
        others.size() == 1 ? "run" : "runs",
        fmt::join(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
        others.size() > shown ? fmt::format(" and {} more", others.size() - shown) : "", runs.front().label);
}

std::vector<std::string> notes_of(const std::vector<Side>& runs, const std::vector<Found>& found,
                                  const std::string& first, bool by_time) {
    std::vector<std::string> notes;
    if (auto others = other_programs(runs)) notes.push_back(std::move(*others));
    const size_t before = notes.size();
    for (const auto& [series, point] : found) {
        if (series != first) break;
        notes.push_back(fmt::format("iteration time: {:.3f} ms before, {:.3f} ms from run {} on ({})",
                                    static_cast<double>(point.before) / 1e6,
                                    static_cast<double>(point.after) / 1e6, point.at + 1,
                                    runs[point.at].label));
    }
    if (notes.size() == before) notes.emplace_back("iteration time: no change that can be told from noise");
    if (runs.size() < 2 * kLeastBetweenChanges + 2)
        notes.push_back(
            fmt::format("{} runs: so few can hide any change; ten or more can show one", runs.size()));
    notes.push_back(by_time ? "the runs are in the order in which they were recorded"
                            : "the runs are in the order in which they were given");
    if (runs.front().range.whole)
        notes.emplace_back("whole recordings are compared: the profiles have no iterations that are sure");
    return notes;
}

}  // namespace

bool order_by_time(std::vector<Side>& runs) {
    if (!std::all_of(runs.begin(), runs.end(), [](const Side& run) { return run.info.origin_is_unix; }))
        return false;
    std::stable_sort(runs.begin(), runs.end(),
                     [](const Side& a, const Side& b) { return a.info.origin_ns < b.info.origin_ns; });
    return true;
}

Result<Report> trend_report(const std::vector<Side>& runs, bool by_time) {
    for (const Side& run : runs)
        if (run.range.whole != runs.front().range.whole)
            return fail(fmt::format("has {}iterations that are sure, other than {}",
                                    run.range.whole ? "no " : "", runs.front().label),
                        run.label, {}, "--whole-run takes all of them as whole recordings");
    const std::vector<Series> all = series_of(runs);
    const std::vector<Found> found = find_all(all);
    Report report{"trend", "Trend", {}, {}};
    report.sections = {{change_table(runs, found)}, {run_table(runs, all)}};
    report.notes = notes_of(runs, found, all.front().name, by_time);
    return report;
}

}  // namespace opsight::query
