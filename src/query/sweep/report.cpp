// A sweep as one report: what it shows in sentences, then its tables.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "query/sweep/tables.h"

namespace opsight::query {
namespace {

using Kind = PartOfSweep::Kind;

std::string times(size_t count, std::string_view one) {
    return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

void adds(std::vector<std::string>& to, std::vector<std::string> more) {
    to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

// How many points there are, and what became of them.
std::vector<std::string> count_notes(const SweepSummary& summary) {
    constexpr size_t kNamed = 3;
    size_t measured = 0, once = 0, empty = 0;
    std::vector<std::string> failures;
    for (const PointSummary& each : summary.points) {
        measured += each.ok();
        once += each.measured == 1;
        empty += !each.ok() && each.failed + each.whole == 0;
        if (each.failed > 0 && !each.ok())
            failures.push_back(fmt::format("{} ({})", each.point->name, each.reason));
    }
    std::vector<std::string> notes = {
        fmt::format("{}: {} measured", times(summary.points.size(), "point"), measured)};
    if (!failures.empty())
        notes.push_back(fmt::format(
            "{} failed: {}{}", failures.size(),
            fmt::join(failures.begin(),
                      failures.begin() + static_cast<std::ptrdiff_t>(std::min(kNamed, failures.size())),
                      "; "),
            failures.size() > kNamed ? "; ..." : ""));
    if (empty > 0)
        notes.push_back(
            fmt::format("{} not measured yet: the same command with -o goes on", times(empty, "point")));
    if (once > 0)
        notes.push_back(
            fmt::format("{} measured once: how far runs of such a point lie apart is not known (--repeat 3 "
                        "tells)",
                        times(once, "point")));
    return notes;
}

// Whole recordings among iterations.
std::vector<std::string> whole_notes(const SweepSummary& summary) {
    constexpr size_t kNamed = 3;
    size_t runs = 0;
    std::vector<std::string> names;
    for (const PointSummary& each : summary.points) {
        runs += each.whole;
        if (each.whole > 0) names.push_back(each.point->name);
    }
    if (runs == 0) return {};
    const auto named = names.begin() + static_cast<std::ptrdiff_t>(std::min(kNamed, names.size()));
    return {fmt::format(
        "{} without iterations that are sure (of {}{}) left out: a whole recording is not an "
        "iteration; more steps tell",
        times(runs, "run"), fmt::join(names.begin(), named, ", "), names.size() > kNamed ? ", ..." : "")};
}

// What makes points hard to compare.
std::vector<std::string> doubt_notes(const SweepSummary& summary) {
    constexpr double kMuch = 10;  // % that the recording may add before it is said
    std::vector<std::string> notes;
    std::set<std::string> machines;
    std::vector<double> added;  // % of each point
    bool at_least = false;
    for (const PointSummary& each : summary.points) {
        for (const RecordedRun* run : each.runs) {
            if (!run->machine.empty()) machines.insert(run->machine);
            at_least |= run->flops_at_least;
        }
        if (each.overhead_pct) added.push_back(*each.overhead_pct);
    }
    if (machines.size() > 1)
        notes.push_back(
            fmt::format("the points were measured on different machines: {}", fmt::join(machines, "; ")));
    if (!summary.iterations)
        notes.push_back("no profile has iterations that are sure: latency is that of the whole recording");
    adds(notes, whole_notes(summary));
    std::ranges::sort(added);
    if (!added.empty() && added[added.size() / 2] > kMuch)
        notes.push_back(fmt::format(
            "recording makes the whole program longer, by {:.0f} % or more at half of the points (column "
            "Recording Adds): the latencies may hold a part of that",
            added[added.size() / 2]));
    if (at_least)
        notes.push_back("some of the time has work that is not counted: FLOPs and bounds are at least");
    return notes;
}

// What the tables are about, as fields of the report itself.
ResultTable head_table(const SweepSummary& summary) {
    ResultTable table;
    table.name = "sweep";
    table.title = "Sweep";
    table.columns = {
        {"x", "Curves over"}, {"work", "Work"}, {"items", "Items"}, {"times_of", "Times of Parts"}};
    std::vector<Cell> row;
    for (const std::string& each : {summary.x_name, summary.work_name, summary.items_name})
        row.emplace_back(each.empty() ? std::string("none") : each);
    row.emplace_back(std::string(summary.device_work ? "GPU" : "CPU"));
    table.rows.push_back(std::move(row));
    return table;
}

void add_table(Report& report, ResultTable table) {
    if (!table.rows.empty()) report.sections.push_back({std::move(table)});
}

}  // namespace

Result<Report> sweep_report(const Sweep& sweep, const SweepOptions& options, const TableShape& shape) {
    OPSIGHT_ASSIGN(const SweepSummary summary, summarize(sweep, options));
    const std::vector<SeriesShape> shapes = shapes_of(summary);
    const std::vector<PartOfSweep> parts = parts_of(summary);
    const std::vector<Growth> growths = growths_of(sweep, summary, parts);
    Report report{"sweep", "Sweep of " + sweep.label, {}, count_notes(summary)};
    adds(report.notes, shape_notes(summary, shapes));
    adds(report.notes, growth_notes(growths));
    ResultTable best = best_table(summary, options, report.notes);
    adds(report.notes, op_set_notes(summary, parts));
    adds(report.notes, doubt_notes(summary));
    if (options.predicted) report.notes.push_back("predicted: " + options.predicted->by);
    adds(report.notes, sweep.notes);
    report.sections.push_back({head_table(summary), true, true});
    add_table(report, point_table(sweep, summary, options));
    if (options.most_latency_ns || options.most_memory_bytes) report.sections.push_back({std::move(best)});
    if (!summary.x_name.empty()) {
        add_table(report, fit_table(summary, shapes));
        add_table(report, curve_table(summary, shapes));
    }
    add_table(report, growth_table(growths, shape));
    for (const Kind kind : {Kind::kLayer, Kind::kOpType, Kind::kOp, Kind::kKernel})
        add_table(report, part_table(summary, parts, kind, shape));
    if (!summary.x_name.empty()) add_table(report, counted_table(summary, parts, shape));
    return report;
}

}  // namespace opsight::query
