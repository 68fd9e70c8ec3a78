#include <fmt/format.h>

#include "advise/rules/rules.h"

namespace opsight::advise {
namespace {

using query::RunFacts;

constexpr const char* kWaits = "^(cuda|cu|hip)(Device|Stream|Ctx|Event|Thread)Synchronize";

Status check(Context& c) {
    const RunFacts& f = c.facts();
    const double spent =
        f.wall_ns > 0 ? 100.0 * static_cast<double>(f.waiting_ns) / static_cast<double>(f.wall_ns) : 0;
    if (spent < c.threshold("share") || f.cpu.value_or(0) < c.threshold("share") || !f.device_work) return {};
    Finding finding{
        "synchronization",
        "problem",
        fmt::format("{} calls wait for the GPU, {} in all{}", f.waits, milliseconds(f.waiting_ns),
                    f.ranks > 1 ? fmt::format(" {} ranks", f.ranks) : ""),
        "What waits for all that is queued leaves the GPU without work until the CPU has launched more.",
        f.torch ? "item(), nonzero(), printing of tensors and copies to the CPU wait: fewer of "
                  "them in the loop keep the queue full."
                : "Events order work without holding the host up.",
        std::nullopt,
        "timeline",
        {},
        {}};
    OPSIGHT_ASSIGN(query::Occurrences waits, query::times_of_calls(c.session(), kWaits));
    OPSIGHT_ASSIGN(finding.times, host_times(c.session(), std::move(waits.times)));
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
        .confidence = "medium: where the queue is full, a wait costs nothing",
        .remedy = "Fewer waits in the loop.",
        .lines = "losses.append(loss.detach())  # and loss.item() once, after the loop",
        .query =
            "SELECT name, op_name, count(*) AS calls, sum(dur_ns) / 1e6 AS ms FROM api_calls WHERE name ~ "
            "'(Device|Stream|Ctx|Event|Thread)Synchronize' GROUP BY ALL ORDER BY ms DESC LIMIT 20",
        .verify = "opsight compare BEFORE.opsight AFTER.opsight",
        .source = "PyTorch performance tuning guide; nsys analyze",
        .lacks = lacks_device_work,
        .check = check,
        .suppose = [](query::Suppositions& s) { s.no_waits = true; },
    };
}

}  // namespace opsight::advise
