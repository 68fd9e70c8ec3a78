// The points of a sweep, the FLOPs between them, and the best of them under limits.
#include <fmt/format.h>

#include <algorithm>

#include "query/ask/empty_columns.h"
#include "query/sweep/tables.h"

namespace opsight::query {
namespace {

double per_second(const std::optional<double>& amount, double ns) {
    return *amount * 1e9 / ns;
}

std::vector<Column> point_columns(const Sweep& sweep, const SweepSummary& summary,
                                  const SweepOptions& options) {
    const std::string items = summary.items_name.empty() ? "Iterations/s" : "Items/s";
    std::vector<Column> columns;
    for (const plan::Parameter& each : sweep.parameters)
        columns.push_back({each.name, each.name});
    const std::vector<Column> rest = {
        {"runs", "Runs", Unit::kCount, 1},
        {"failed", "Failed", Unit::kCount, 1},
        {"latency_ns", "Latency (ns)", Unit::kNs},
        {"latency_least_ns", "Least (ns)", Unit::kNs, 1},
        {"latency_most_ns", "Most (ns)", Unit::kNs, 1},
        {"latency_p95_ns", "P95 of Iterations (ns)", Unit::kNs, 3},
        {"throughput_per_s", items, Unit::kNone, 0, Role::kNumber},
        {"throughput_least_per_s", items + " from", Unit::kNone, 2, Role::kNumber},
        {"throughput_most_per_s", items + " to", Unit::kNone, 2, Role::kNumber},
        {"memory_bytes", "Allocated (B)", Unit::kBytes, 2},
        {"rss_bytes", "Peak of the Process (B)", Unit::kBytes, 2},
        {"gpu_utilization_pct", "GPU Utilization (%)", Unit::kPercent, 2, Role::kValue, true},
        {"busy_pct", "Not Idle (%)", Unit::kPercent, 4},
        {"flops", "FLOPs (1)", Unit::kFlops, 3},
        {"flops_at_least", "FLOPs Are at Least", Unit::kNone, 5, Role::kYesNo},
        {"flops_per_s", "FLOP/s (1)", Unit::kFlops, 2},
        {"bound_ns", "Bound (ns)", Unit::kNs, 4},
        {"efficiency_pct", "Efficiency (%)", Unit::kPercent, 2},
        {"predicted_ns", "Predicted (ns)", Unit::kNs, 2},
        {"overhead_pct", "Recording Adds (%)", Unit::kPercent, 3},
        {"iterations", "Iterations", Unit::kCount, 4},
        {"warmup_left_out", "Warm-up Left Out", Unit::kCount, 5},
        {"failure", "Failure", Unit::kNone, 0}};
    for (const Column& each : rest) {
        if (each.key == "predicted_ns" && !options.predicted) continue;
        if (each.device_only && !summary.device_work) continue;
        columns.push_back(each);
    }
    return columns;
}

std::map<std::string, Cell> cells_of(const PointSummary& point, const SweepOptions& options) {
    std::map<std::string, Cell> out;
    out["runs"] = static_cast<int64_t>(point.measured);
    out["failed"] = static_cast<int64_t>(point.failed);
    if (!point.reason.empty()) out["failure"] = point.reason;
    if (options.predicted)
        if (const auto told = options.predicted->ns.find(point.point->name);
            told != options.predicted->ns.end())
            out["predicted_ns"] = told->second;
    out["overhead_pct"] = cell_of(point.overhead_pct);
    out["memory_bytes"] = cell_of(point.memory_bytes);
    out["rss_bytes"] = cell_of(point.rss_bytes);
    if (!point.ok()) return out;
    const double latency = point.latency_ns;
    out["latency_ns"] = latency;
    out["throughput_per_s"] = point.throughput();
    if (point.measured > 1) {  // one run has no spread
        const auto [least, most] = std::minmax_element(point.latencies_ns.begin(), point.latencies_ns.end());
        out["latency_least_ns"] = *least;
        out["latency_most_ns"] = *most;
        out["throughput_least_per_s"] = point.throughput_at(*most);
        out["throughput_most_per_s"] = point.throughput_at(*least);
    }
    out["latency_p95_ns"] = cell_of(point.p95_ns);
    const auto flops = point.median([](const RecordedRun& run) { return run.told_flops(); });
    const auto bound = point.median([](const RecordedRun& run) { return run.bound_ns; });
    const auto bounded = point.median([](const RecordedRun& run) { return run.bounded_ns; });
    out["gpu_utilization_pct"] =
        cell_of(point.median([](const RecordedRun& run) { return run.gpu_utilization_pct; }));
    out["busy_pct"] = cell_of(point.median([](const RecordedRun& run) { return run.busy_pct; }));
    out["flops"] = cell_of(flops);
    if (flops) {
        out["flops_per_s"] = per_second(flops, latency);
        out["flops_at_least"] = std::any_of(point.runs.begin(), point.runs.end(),
                                            [](const RecordedRun* run) { return run->flops_at_least; });
    }
    out["bound_ns"] = cell_of(bound);
    if (bound && bounded && *bounded > 0) out["efficiency_pct"] = 100 * *bound / *bounded;
    int64_t iterations = 0, left_out = 0;
    for (const RecordedRun* run : point.runs) {
        iterations += run->whole ? 0 : std::ssize(run->times_ns);
        left_out += run->left_out;
    }
    out["iterations"] = iterations > 0 ? Cell{iterations} : Cell{};
    out["warmup_left_out"] = left_out;
    return out;
}

// One part between two points of a series.
std::vector<Cell> counted_row(const SweepSummary& summary, const PartOfSweep* part, const std::string& name,
                              const std::string& kind, const std::string& series, size_t from, size_t to) {
    const auto flops_at = [&](size_t place) -> std::optional<double> {
        if (part) return part->flops[place];
        return summary.points[place].median([](const RecordedRun& run) { return run.told_flops(); });
    };
    const PointSummary &first = summary.points[from], &last = summary.points[to];
    const std::optional<double> a = flops_at(from), b = flops_at(to);
    if (!a || !b || !first.work || !last.work || *first.work == *last.work) return {};
    const double slope = (*b - *a) / (*last.work - *first.work);
    return {series, kind, name, *first.x, *last.x, *a, *b, *last.work - *first.work, slope};
}

std::vector<Column> counted_columns(const SweepSummary& summary) {
    return {{"series", "Series", Unit::kNone, 1},
            {"kind", "Kind", Unit::kNone, 1},
            {"name", "Name"},
            {"from", "from", Unit::kNone, 1, Role::kNumber},
            {"to", "to", Unit::kNone, 1, Role::kNumber},
            {"from_flops", "FLOPs at the First (1)", Unit::kFlops, 2},
            {"to_flops", "FLOPs at the Last (1)", Unit::kFlops, 2},
            {"more_work", fmt::format("More of {}", summary.work_name), Unit::kNone, 1, Role::kNumber},
            {"slope", fmt::format("FLOPs per Unit of {}", summary.work_name), Unit::kNone, 0, Role::kNumber}};
}

}  // namespace

ResultTable point_table(const Sweep& sweep, const SweepSummary& summary, const SweepOptions& options) {
    ResultTable table;
    table.name = "points";
    table.title = "Points (medians of runs; a point of one run has no spread)";
    table.columns = point_columns(sweep, summary, options);
    for (const PointSummary& point : summary.points) {
        const auto cells = cells_of(point, options);
        std::vector<Cell> row;
        for (size_t i = 0; i < table.columns.size(); ++i) {
            if (i < sweep.parameters.size()) {
                row.emplace_back(point.point->values[i]);
                continue;
            }
            const auto found = cells.find(table.columns[i].key);
            row.push_back(found == cells.end() ? Cell{} : found->second);
        }
        table.rows.push_back(std::move(row));
    }
    leave_out_empty(table);
    return table;
}

ResultTable counted_table(const SweepSummary& summary, const std::vector<PartOfSweep>& parts,
                          const TableShape& shape) {
    ResultTable table;
    table.name = "counted";
    table.title = "Counted FLOPs of an Iteration, between Two Points";
    table.columns = counted_columns(summary);
    const auto add = [&](std::vector<Cell> row) {
        if (!row.empty()) table.rows.push_back(std::move(row));
    };
    for (const SeriesOfSweep& series : summary.series) {
        const std::vector<size_t>& places = series.points;
        if (places.size() < 2) continue;
        for (size_t i = 1; i < places.size(); ++i)
            add(counted_row(summary, nullptr, "all", "all", series.name, places[i - 1], places[i]));
        int64_t shown = 0;
        for (const PartOfSweep& part : parts) {
            if (part.kind != PartOfSweep::Kind::kLayer && part.kind != PartOfSweep::Kind::kOpType) continue;
            std::vector<Cell> row = counted_row(summary, &part, part.label(), std::string(name_of(part.kind)),
                                                series.name, places.front(), places.back());
            if (row.empty() || std::get<double>(row[6]) <= 0) continue;
            if (shape.limit > 0 && ++shown > shape.limit) break;
            add(std::move(row));
        }
    }
    return table;
}

ResultTable best_table(const SweepSummary& summary, const SweepOptions& options,
                       std::vector<std::string>& notes) {
    ResultTable table;
    table.name = "best";
    table.title = "Most Throughput within the Limits";
    table.columns = {{"point", "Point"},
                     {"throughput_per_s", "per Second", Unit::kNone, 0, Role::kNumber},
                     {"latency_ns", "Latency (ns)", Unit::kNs},
                     {"latency_most_ns", "Slowest Run (ns)", Unit::kNs, 1},
                     {"memory_bytes", "Memory (B)", Unit::kBytes}};
    if (!options.most_latency_ns && !options.most_memory_bytes) return table;
    const PointSummary* best = nullptr;
    size_t untold = 0, over = 0;
    const auto memory_of = [](const PointSummary& point) {
        // What a device holds; on the host the whole process counts.
        return point.runs.front()->memory_place == "GPU" ? point.memory_bytes
               : point.rss_bytes                         ? point.rss_bytes
                                                         : point.memory_bytes;
    };
    for (const PointSummary& point : summary.points) {
        if (!point.ok()) continue;
        const std::optional<double> memory = memory_of(point);
        untold += options.most_memory_bytes && !memory;
        const bool within = (!options.most_latency_ns || point.latency_ns <= *options.most_latency_ns) &&
                            (!options.most_memory_bytes || (memory && *memory <= *options.most_memory_bytes));
        over += !within;
        if (within && (!best || point.throughput() > best->throughput())) best = &point;
    }
    if (untold > 0)
        notes.push_back(fmt::format("{} points tell no memory, and are taken to be over the limit", untold));
    if (!best) {
        notes.push_back("no measured point is within the limits");
        return table;
    }
    const double slowest = *std::max_element(best->latencies_ns.begin(), best->latencies_ns.end());
    notes.push_back(fmt::format(
        "most throughput within the limits: {} ({:.4g} a second, {} by the median{}); {} measured "
        "points are over them",
        best->point->name, best->throughput(), time_words(best->latency_ns),
        options.most_latency_ns && slowest > *options.most_latency_ns
            ? ", but its slowest run is over the limit"
        : best->measured == 1 ? ", measured once"
                              : "",
        over));
    table.rows.push_back({best->point->name, best->throughput(), best->latency_ns,
                          best->measured > 1 ? Cell{slowest} : Cell{}, cell_of(memory_of(*best))});
    return table;
}

}  // namespace opsight::query
