#include <fmt/format.h>

#include <algorithm>

#include "query/reports/op_quantiles.h"
#include "query/sweep/sweep.h"

namespace opsight::query {
namespace {

double time_at(const RecordedRun& run, size_t percent) {
    std::vector<int64_t> times = run.times_ns;
    return quantile(times, percent);
}

double median_time(const RecordedRun& run) {
    return time_at(run, 50);
}

bool all_numbers(const plan::Parameter& parameter) {
    return std::all_of(parameter.values.begin(), parameter.values.end(),
                       [](const std::string& value) { return plan::number_of(value).has_value(); });
}

// The parameter of the curves: the one that is asked for, or the first with more than one number.
Result<std::optional<size_t>> find_x(const Sweep& sweep, const std::string& asked) {
    std::optional<size_t> found;
    for (size_t i = 0; i < sweep.parameters.size(); ++i) {
        const plan::Parameter& each = sweep.parameters[i];
        if (asked.empty() ? !found && each.values.size() > 1 && all_numbers(each) : each.name == asked)
            found = i;
    }
    if (asked.empty() || (found && all_numbers(sweep.parameters[*found]))) return found;
    return fail(Error{
        .what = fmt::format("--x {}: {}", asked,
                            found ? "not all of its values are numbers" : "nothing of that name is varied"),
        .remedy = "name a parameter of the sweep whose values are numbers",
        .exit_code = 2});
}

// What holds the items of an iteration where nobody says it.
std::string usual_items(const Sweep& sweep) {
    for (const char* name : {"batch", "batch_size", "batch-size"})
        for (const plan::Parameter& each : sweep.parameters)
            if (each.name == name && all_numbers(each)) return name;
    return {};
}

std::string series_name(const Sweep& sweep, const PointOfSweep& point, std::optional<size_t> x) {
    std::string out;
    for (size_t i = 0; i < sweep.parameters.size(); ++i)
        if (i != x)
            out += fmt::format("{}{}={}", out.empty() ? "" : ",", sweep.parameters[i].name, point.values[i]);
    return out;
}

std::optional<double> median_if_any(std::vector<double> values) {
    if (values.empty()) return std::nullopt;
    return plan::median_of(std::move(values));
}

bool is_measured(const RunOfSweep& run) {
    return run.failed.empty() && run.recorded && !run.recorded->times_ns.empty() &&
           median_time(*run.recorded) > 0;
}

void take_runs(PointSummary& into, bool only_iterations) {
    std::vector<double> bare, recorded, rss_bare, rss_recorded, p95;
    for (const RunOfSweep& run : into.point->runs) {
        if (!run.failed.empty()) {
            ++into.failed;
            if (into.reason.empty()) into.reason = run.failed;
            continue;
        }
        if (run.wall_s) (run.bare ? bare : recorded).push_back(*run.wall_s);
        if (run.rss_bytes)
            (run.bare ? rss_bare : rss_recorded).push_back(static_cast<double>(*run.rss_bytes));
        if (!is_measured(run)) continue;
        if (only_iterations && run.recorded->whole) {
            ++into.whole;
            continue;
        }
        into.runs.push_back(&*run.recorded);
        into.latencies_ns.push_back(median_time(*run.recorded));
        if (run.recorded->times_ns.size() > 1) p95.push_back(time_at(*run.recorded, 95));
    }
    into.measured = into.runs.size();
    into.latency_ns = plan::median_of(into.latencies_ns);
    into.p95_ns = median_if_any(p95);
    into.rss_bytes = median_if_any(rss_bare.empty() ? rss_recorded : rss_bare);
    into.memory_bytes = into.median([](const RecordedRun& run) -> std::optional<double> {
        if (!run.memory_bytes) return std::nullopt;
        return static_cast<double>(*run.memory_bytes);
    });
    if (!bare.empty() && !recorded.empty()) {
        const double without = plan::median_of(bare);
        if (without > 0) into.overhead_pct = 100 * (plan::median_of(recorded) / without - 1);
    }
}

Result<std::optional<plan::Product>> parse_product(const std::string& text, const Sweep& sweep) {
    if (text.empty()) return std::optional<plan::Product>();
    OPSIGHT_ASSIGN(plan::Product product, plan::Product::parse(text, sweep.parameters));
    return std::optional(std::move(product));
}

void make_series(const Sweep& sweep, std::optional<size_t> x, SweepSummary& out) {
    std::map<std::string, size_t> known;
    for (size_t i = 0; i < out.points.size(); ++i) {
        const std::string name = series_name(sweep, *out.points[i].point, x);
        const auto [place, added] = known.try_emplace(name, out.series.size());
        if (added) out.series.push_back({name, {}});
        out.points[i].series = place->second;
        if (out.points[i].ok() && out.points[i].x) out.series[place->second].points.push_back(i);
    }
    for (SeriesOfSweep& each : out.series)
        std::sort(each.points.begin(), each.points.end(),
                  [&](size_t a, size_t b) { return *out.points[a].x < *out.points[b].x; });
}

}  // namespace

Result<SweepSummary> summarize(const Sweep& sweep, const SweepOptions& options) {
    OPSIGHT_ASSIGN(const std::optional<size_t> x, find_x(sweep, options.x));
    SweepSummary out;
    if (x) out.x_name = sweep.parameters[*x].name;
    out.items_name = options.items.empty() ? usual_items(sweep) : options.items;
    OPSIGHT_ASSIGN(const std::optional<plan::Product> items, parse_product(out.items_name, sweep));
    OPSIGHT_ASSIGN(const std::optional<plan::Product> work, parse_product(options.work, sweep));
    out.work_name = work ? options.work : out.x_name;
    // A whole recording is not an iteration: it is compared with others alone.
    const auto has_iterations = [](const RunOfSweep& run) {
        return is_measured(run) && !run.recorded->whole;
    };
    const bool only_iterations =
        std::any_of(sweep.points.begin(), sweep.points.end(), [&](const PointOfSweep& each) {
            return std::any_of(each.runs.begin(), each.runs.end(), has_iterations);
        });
    for (const PointOfSweep& each : sweep.points) {
        PointSummary& point = out.points.emplace_back();
        point.point = &each;
        if (x) point.x = plan::number_of(each.values[*x]);
        if (items) point.items = items->of(each.values);
        point.work = work ? work->of(each.values) : point.x;
        take_runs(point, only_iterations);
        for (const RecordedRun* run : point.runs) {
            out.device_work |= run->device_work;
            out.iterations &= !run->whole;
        }
    }
    make_series(sweep, x, out);
    return out;
}

}  // namespace opsight::query
