#include <fmt/format.h>

#include <algorithm>

#include "advise/rules/rules.h"

namespace opsight::advise {
namespace {

using query::RunFacts;

constexpr const char* kWaits = "^(cuda|cu|hip)(Device|Stream|Ctx|Event|Thread)Synchronize";

// A device that runs dry while the host waits for it has nothing to do until the host has launched more.
// Without the wait the host would have launched that earlier: by the length of the wait at most.
// After the last work of the range nothing is to be launched.
int64_t lost_to(const query::TimeSpans& waits, const query::TimeSpans& idle, const query::TimeSpans& range) {
    int64_t ns = 0;
    size_t at = 0;
    const auto is_last = [&range](const query::TimeSpan& pause) {
        return std::any_of(range.begin(), range.end(), [&pause](const query::TimeSpan& stretch) {
            return stretch.rank == pause.rank && stretch.end == pause.end;
        });
    };
    for (const query::TimeSpan& pause : idle) {
        const auto over = [&pause](const query::TimeSpan& wait) {
            return wait.rank < pause.rank || (wait.rank == pause.rank && wait.end < pause.begin);
        };
        while (at < waits.size() && over(waits[at]))
            ++at;
        if (at < waits.size() && waits[at].rank == pause.rank && waits[at].begin < pause.begin &&
            !is_last(pause))
            ns += std::min(pause.end - pause.begin, waits[at].end - waits[at].begin);
    }
    return ns;
}

Status check(Context& c) {
    const RunFacts& f = c.facts();
    if (!c.session().contents().calls)
        return c.cannot("no calls of the device's API were recorded"), Status();
    if (f.waits == 0) return {};
    OPSIGHT_ASSIGN(query::Occurrences waits, query::times_of_calls(c.session(), kWaits));
    OPSIGHT_ASSIGN(query::TimeSpans idle, idle_times(c.session()));
    OPSIGHT_ASSIGN(idle, without_queued(c.session(), idle));
    OPSIGHT_ASSIGN(const query::TimeSpans range, query::times_of_range(c.session()));
    const int64_t lost_ns = lost_to(waits.times, idle, range);
    const double lost =
        f.wall_ns > 0 ? 100.0 * static_cast<double>(lost_ns) / static_cast<double>(f.wall_ns) : 0;
    if (lost < c.threshold("share")) return {};
    Finding finding{"synchronization", "problem",
                    fmt::format("Waits for the GPU leave it without work in {} of the time", percent(lost))};
    finding.evidence = fmt::format(
        "{} wait for it, {} together; it is done before they return, and gets nothing new until the CPU goes "
        "on.",
        c.how_often(f.waits, f.waits == c.parts() ? "call" : "calls"),
        milliseconds(f.waiting_ns / c.parts()));
    finding.advice = f.torch ? "item(), nonzero(), printing of tensors and copies to the CPU wait: fewer of "
                               "them in the loop keep the queue full."
                             : "Events order work without holding the host up.";
    finding.share_pct = lost;
    finding.view = "timeline";
    OPSIGHT_ASSIGN(finding.times, host_times(c.session(), std::move(waits.times)));
    if (tell_lost_work(c.facts(), finding)) finding.times.clear();  // it may have run meanwhile
    c.add(std::move(finding));
    return {};
}

}  // namespace

Rule synchronization_rule() {
    return {
        .id = "synchronization",
        .looks_for = "calls that wait for the GPU while it has no work left",
        .needs = "",
        .thresholds = {{"share", 5, "% of the wall clock",
                        "what takes less is hardly a headline; XProf's input bound is 5 % too"}},
        .bound = "the time in which such calls are open, or in which no device works where that is less",
        .confidence =
            "medium: the share is of pauses that begin in a wait, each no longer than its wait; the host may "
            "not be faster without it",
        .remedy = "Fewer waits in the loop.",
        .lines = "losses.append(loss.detach())  # and loss.item() once, after the loop",
        .query =
            "SELECT name, op_name, count(*) AS calls, sum(dur_ns) / 1e6 AS ms FROM api_calls WHERE {range} "
            "AND regexp_matches(name, '(Device|Stream|Ctx|Event|Thread)Synchronize') GROUP BY ALL ORDER BY "
            "ms DESC LIMIT 20",
        .verify = "opsight compare BEFORE.opsight AFTER.opsight",
        .source = "PyTorch performance tuning guide; nsys analyze",
        .leaves_kernels = true,
        .lacks = lacks_device_work,
        .check = check,
        .suppose = [](query::Suppositions& s) { s.no_waits = true; },
    };
}

}  // namespace opsight::advise
