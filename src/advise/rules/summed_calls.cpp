#include <fmt/format.h>

#include "advise/rules/rules.h"

namespace opsight::advise {
namespace {

Status check(Context& c) {
    constexpr const char* kNone = "no sums over calls of an API were recorded";
    if (c.facts().wall_ns > 0) return c.cannot(kNone), Status();
    OPSIGHT_ASSIGN(const std::optional<query::SummedCalls> calls, query::summed_calls(c.session()));
    if (!calls) return c.cannot(kNone), Status();
    OPSIGHT_ASSIGN(const query::TimeSpans work, query::times_of_range(c.session()));
    const int64_t work_ns = query::length_of(work);
    const double share =
        100.0 * static_cast<double>(calls->all_ns - work_ns) / static_cast<double>(calls->all_ns);
    if (share < c.threshold("share")) return {};
    Finding finding{"summed_calls", "unknown",
                    fmt::format("Calls of the GPU's API take {}, and the work of the GPU {}: {} of the "
                                "calls' time is in {}",
                                milliseconds(calls->all_ns), milliseconds(work_ns),
                                2 * calls->ns >= calls->all_ns ? "most" : "the largest part", calls->most)};
    finding.evidence = fmt::format(
        "{}: {} in {} calls, the longest {}. When the calls ran, and what they waited for, was not "
        "recorded.",
        calls->most, milliseconds(calls->ns), calls->calls, milliseconds(calls->longest_ns));
    finding.advice =
        2 * calls->longest_ns >= calls->ns
            ? "One call takes most of it. The first of a program starts the API: a longer run does not pay "
              "for it again, and a timeline (opsight profile, nsys profile) tells whether it was that one."
            : "A timeline (opsight profile, nsys profile) tells which of these calls wait for the GPU, and "
              "what it waits for.";
    finding.share_pct = share;
    finding.view = "recorded";
    finding.tab = "counters";
    c.add(std::move(finding));
    return {};
}

}  // namespace

Rule summed_calls_rule() {
    return {
        .id = "summed_calls",
        .looks_for = "calls of the GPU's API that take longer than its work, in sources that tell sums alone",
        .needs = "a summary with calls of the API, as nvprof prints it",
        .thresholds = {{"share", 50, "% of the time of all calls, beyond the work of the GPU",
                        "below, they may well wait for that work"}},
        .bound = "",
        .confidence = "high: the sums are the source's",
        .remedy = "Record a timeline.",
        .query =
            "SELECT subject, sum(value) FILTER (WHERE name = 'calls') AS calls, sum(value) FILTER (WHERE "
            "name = 'total [ns]') / 1e6 AS ms FROM counters WHERE device IS NULL AND name IN ('calls', "
            "'total [ns]') GROUP BY ALL ORDER BY ms DESC, subject LIMIT 20",
        .verify = "opsight profile -- PROGRAM",
        .source = "docs/metrics.md",
        .of_durations = true,
        .lacks = lacks_device_work,
        .check = check,
    };
}

}  // namespace opsight::advise
