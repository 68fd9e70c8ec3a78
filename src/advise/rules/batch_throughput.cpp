#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "advise/rules/rules.h"
#include "query/reports/advice_steps.h"

namespace opsight::advise {
namespace {

struct Curve {
    int64_t small = 0, large = 0;        // batches
    int64_t small_ns = 0, large_ns = 0;  // medians of their iterations
    // What an iteration takes whatever its batch, where times go in a line through both.
    int64_t fixed_ns() const {
        const double slope = static_cast<double>(large_ns - small_ns) / static_cast<double>(large - small);
        return large_ns - static_cast<int64_t>(slope * static_cast<double>(large));
    }
};

// The smallest and the largest batch of which there are enough iterations, where one is twice the other.
std::optional<Curve> curve_of(const std::vector<query::BatchTime>& iterations, size_t least) {
    std::map<int64_t, std::vector<int64_t>> times;
    for (const query::BatchTime& each : iterations)
        times[each.batch].push_back(each.time.end - each.time.begin);
    std::erase_if(times, [&](const auto& batch) { return batch.second.size() < least; });
    if (times.size() < 2 || times.rbegin()->first < 2 * times.begin()->first) return std::nullopt;
    return Curve{times.begin()->first, times.rbegin()->first, median_of(times.begin()->second),
                 median_of(times.rbegin()->second)};
}

Status check(Context& c) {
    OPSIGHT_ASSIGN(const auto iterations, query::batch_times(c.session()));
    const auto curve = curve_of(iterations, static_cast<size_t>(std::max(c.threshold("iterations"), 1.0)));
    if (!curve || curve->large_ns <= 0)
        return c.cannot("no iterations of two batch sizes, one twice the other, are in the range"), Status();
    if (curve->small_ns > curve->large_ns)
        return c.cannot("iterations of a smaller batch take longer: they do something else besides"),
               Status();
    const int64_t fixed_ns = curve->fixed_ns();
    const double part = 100.0 * static_cast<double>(fixed_ns) / static_cast<double>(curve->large_ns);
    if (part < c.threshold("part")) return {};
    Finding finding{
        "batch_throughput", "problem",
        fmt::format("A batch of {} takes hardly longer than one of {}: larger ones would do more in the time",
                    curve->large, curve->small)};
    finding.evidence = fmt::format(
        "{} for {}, {} for {} (medians): in a line through both {} of an iteration, {}, do not depend on the "
        "batch.",
        milliseconds(curve->large_ns), curve->large, milliseconds(curve->small_ns), curve->small,
        milliseconds(fixed_ns), percent(part));
    finding.advice =
        "Twice the batch spreads that over twice the samples, where memory and training allow it.";
    finding.view = "iterations";
    for (const query::BatchTime& each : iterations)
        finding.times.push_back(
            {each.time.rank, each.time.begin, std::min(each.time.begin + fixed_ns, each.time.end)});
    OPSIGHT_ASSIGN(finding.times, query::within_range(c.session(), std::move(finding.times)));
    finding.share_pct = c.share_of(finding.times) / 2;
    c.add(std::move(finding));
    return {};
}

std::string lacks(const query::RunFacts& f) {
    std::string why = lacks_iterations(f);
    return why.empty() ? lacks_shapes(f) : why;
}

}  // namespace

Rule batch_throughput_rule() {
    return {
        .id = "batch_throughput",
        .looks_for = "batches that are too small, by the times of iterations with different ones",
        .needs = "ops with shapes, and iterations of two batch sizes, one twice the other or more",
        .thresholds = {{"part", 50, "% of an iteration that does not depend on the batch",
                        "twice the batch then takes at most one and a half times as long"},
                       {"iterations", 2, "of each batch size", "one may be long for another reason"}},
        .bound =
            "the part of each iteration that does not depend on its batch, as if endless batches shared it; "
            "half of that for twice the batch, by which it is ranked; iterations in which the first layer "
            "reads "
            "several batches, as an evaluation beside the training, do not count",
        .confidence = "medium: times rarely go in a line over all batches",
        .remedy = "A larger batch.",
        .query =
            "SELECT o.iteration, o.name, o.shapes FROM ops o WHERE {range} AND o.direction = 'fprop' "
            "AND o.name IN ('aten::conv2d', 'aten::linear', 'aten::embedding') ORDER BY o.begin_ns, "
            "o.name, o.shapes LIMIT 100",
        .verify = "opsight compare BEFORE.opsight AFTER.opsight --per-sample OLD_BATCH NEW_BATCH",
        .source = "NVIDIA, deep learning performance: batch size; PyTorch performance tuning guide",
        .lacks = lacks,
        .check = check,
    };
}

}  // namespace opsight::advise
