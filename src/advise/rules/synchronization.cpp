#include <fmt/format.h>

#include <algorithm>

#include "advise/rules/rules.h"
#include "advise/rules/waits.h"
#include "model/api_calls.h"

namespace opsight::advise {
namespace {

using query::RunFacts;

// A device that runs dry while the host waits for it has nothing to do until the host has launched more.
// Without the wait the host would have launched that earlier: by the length of the wait at most.
// After the last work of the range nothing is to be launched.
// A call returns soon after what it waits for is done. One that stays open for longer while nothing that was
// recorded runs waits for something else, and not the wait leaves the device without work: cpu_waits tells.
constexpr int64_t kReturnNs = 100'000;
struct Lost {
    int64_t ns = 0;
    query::TimeSpans returning;  // of these pauses, in which the call was still to return
};
Lost lost_to(const query::TimeSpans& waits, const query::TimeSpans& idle, const query::TimeSpans& range) {
    Lost lost;
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
            !is_last(pause)) {
            const int64_t returned = std::min(pause.end, waits[at].end);
            const bool returns = returned - pause.begin <= kReturnNs;
            lost.ns +=
                std::min(pause.end - (returns ? pause.begin : returned), waits[at].end - waits[at].begin);
            if (returns) lost.returning.push_back({pause.rank, pause.begin, returned});
        }
    }
    return lost;
}

double share_of(int64_t ns, const RunFacts& f) {
    return f.wall_ns > 0 ? 100.0 * static_cast<double>(ns) / static_cast<double>(f.wall_ns) : 0;
}

Result<Lost> lost_in_waits(Context& c, const query::TimeSpans& waits) {
    OPSIGHT_ASSIGN(query::TimeSpans idle, idle_times(c));
    OPSIGHT_ASSIGN(idle, without_queued(c, idle));
    OPSIGHT_ASSIGN(const query::TimeSpans range, query::times_of_range(c.session()));
    return lost_to(waits, idle, range);
}

Status check(Context& c) {
    const RunFacts& f = c.facts();
    if (!c.session().contents().calls)
        return c.cannot("no calls of the device's API were recorded"), Status();
    if (f.waits == 0) return {};
    OPSIGHT_ASSIGN(query::Occurrences waits, query::times_of_calls(c.session(), kWaitCalls));
    OPSIGHT_ASSIGN(const Lost found, lost_in_waits(c, waits.times));
    const double lost = share_of(found.ns, f);
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
    OPSIGHT_ASSIGN(finding.times, host_times(c, std::move(waits.times)));
    if (tell_lost_work(c.facts(), finding)) finding.times.clear();  // it may have run meanwhile
    c.add(std::move(finding));
    return {};
}

}  // namespace

Result<double> waits_told_by_synchronization(Context& c) {
    const Rule rule = synchronization_rule();
    if (c.facts().waits == 0 || !rule.lacks(c.facts()).empty()) return 0.0;
    OPSIGHT_ASSIGN(const query::Occurrences waits, query::times_of_calls(c.session(), kWaitCalls));
    OPSIGHT_ASSIGN(const Lost found, lost_in_waits(c, waits.times));
    if (share_of(found.ns, c.facts()) < c.threshold_of(rule, "share")) return 0.0;
    return c.share_of(found.returning);
}

Rule synchronization_rule() {
    return {
        .id = "synchronization",
        .looks_for = "calls that wait for the GPU while it has no work left",
        .needs = "",
        .thresholds = {{"share", 5, "% of the wall clock",
                        "what takes less is hardly a headline; XProf's input bound is 5 % too"}},
        .bound = "the time in which such calls are open, or in which no device works where that is less",
        .confidence =
            "medium: the share is of pauses that begin in a wait, each no longer than its wait, and of a "
            "wait that "
            "goes on for over 100 µs without recorded work only what follows it; the host may not be faster "
            "without "
            "it",
        .remedy = "Fewer waits in the loop.",
        .lines = "losses.append(loss.detach())  # and loss.item() once, after the loop",
        .query =
            "SELECT name, op_name, count(*) AS calls, sum(dur_ns) / 1e6 AS ms FROM api_calls WHERE "
            "{range} AND regexp_matches(name, '{wait_calls}') GROUP BY ALL ORDER BY ms DESC, name, op_name "
            "LIMIT 20",
        .verify = "opsight compare BEFORE.opsight AFTER.opsight",
        .source = "PyTorch performance tuning guide; nsys analyze",
        .leaves_kernels = true,
        .lacks = lacks_device_work,
        .check = check,
        .suppose = [](query::Suppositions& s) { s.no_waits = true; },
    };
}

}  // namespace opsight::advise
