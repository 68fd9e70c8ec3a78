#include <fmt/format.h>

#include "advise/rules/rules.h"

namespace opsight::advise {
namespace {

Status check(Context& c) {
    // Beside work of a device it costs nothing.
    OPSIGHT_ASSIGN(query::Occurrences own, query::times_of(c.session(), query::Activity::kOverhead));
    if (c.facts().device_work) {
        OPSIGHT_ASSIGN(const query::TimeSpans idle, idle_times(c.session()));
        own.times = query::common(own.times, idle);
    }
    const double seen = c.share_of(own.times);
    OPSIGHT_ASSIGN(const auto counted, query::recorded_calls(c.session()));
    const auto [frames, ops] = counted;
    if (frames == 0 && ops == 0 && own.count == 0)
        return c.cannot("neither ops nor Python calls were recorded"), Status();
    const double us = static_cast<double>(frames) * c.threshold("frame_us") +
                      static_cast<double>(ops) * c.threshold(c.facts().recorded_here ? "own_op_us" : "op_us");
    const auto wall = static_cast<double>(c.facts().wall_ns);
    const double guess = wall > 0 ? 100 * 1000 * us / wall : 0;
    if (std::max(seen, guess) < c.threshold("share")) return {};
    Finding finding{"recording_overhead", "note",
                    fmt::format("Recording itself may take {} of the time", percent(std::max(seen, guess)))};
    finding.evidence = seen >= guess
                           ? fmt::format("The profiler says so itself: {}.",
                                         c.how_often(own.count, "stretches of its own work"))
                           : fmt::format("An estimate: {}{} ops of {:g} µs.",
                                         frames > 0 ? fmt::format("{} Python calls of {:g} µs and ", frames,
                                                                  c.threshold("frame_us"))
                                                    : std::string(),
                                         ops, c.threshold(c.facts().recorded_here ? "own_op_us" : "op_us"));
    finding.advice =
        frames > 0 ? "It is in the shares of Python and of the host; record without with_stack to see the "
                     "run as it is."
                   : "It is in the shares of the host, and of time in which nothing of the recording "
                     "runs; record fewer kinds of events to see the run as it is.";
    finding.view = "timeline";
    c.add(std::move(finding));
    return {};
}

}  // namespace

Rule recording_overhead_rule() {
    return {
        .id = "recording_overhead",
        .looks_for = "the time that recording itself takes",
        .needs = "ops or Python calls",
        .thresholds = {{"share", 5, "% of the wall clock", "what takes less hardly changes what is read"},
                       {"frame_us", 0.5, "µs for a Python call", "a guess: two events of the interpreter"},
                       {"op_us", 1, "µs for an op", "a guess for the profiler of PyTorch"},
                       {"own_op_us", 0.2, "µs for an op",
                        "measured with opsight profile: docs/COLLECTING.md"}},
        .bound = "",
        .confidence = "low: an estimate, but for what the profiler tells of itself",
        .remedy = "Record less.",
        .query =
            "SELECT name, count(*) AS calls, sum(dur_ns) / 1e6 AS ms FROM other_spans WHERE {range} AND kind "
            "= 'overhead' GROUP BY ALL ORDER BY ms DESC",
        .verify = "opsight profile -- PROGRAM",
        .source = "PyTorch profiler, with_stack",
        .leaves_kernels = true,
        .lacks = lacks_nothing,
        .check = check,
    };
}

}  // namespace opsight::advise
