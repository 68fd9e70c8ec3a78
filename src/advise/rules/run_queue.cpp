#include <fmt/format.h>

#include "advise/rules/rules.h"

namespace opsight::advise {
namespace {

std::string lacks(const query::RunFacts& f) {
    return f.run_queue.recorded ? ""
                                : "how long threads waited for a processor was not recorded (opsight profile "
                                  "does so for PyTorch, where Linux counts it)";
}

Status check(Context& c) {
    const query::RunFacts& f = c.facts();
    const double share = c.share_of(f.run_queue.ns);
    if (share < c.threshold("share")) return {};
    Finding finding{
        "run_queue", "note",
        fmt::format("The program waits for a processor in {} of the time: others have it", percent(share))};
    finding.share_pct = share;
    finding.evidence = fmt::format(
        "Linux counts {} in which the thread that runs the ops was ready and had none. That is in the time "
        "of "
        "ops, of loading, and of what is between them.",
        c.time_of(f.run_queue.ns));
    if (f.processors > 0)
        finding.evidence += fmt::format(
            " There {} {} processor{}{}.", f.processors == 1 ? "is" : "are", f.processors,
            f.processors == 1 ? "" : "s",
            f.torch_threads > 1 ? fmt::format(", and ops are split among {} threads", f.torch_threads) : "");
    finding.advice =
        "Times are longer than the program alone would take, and differ from run to run: before anything is "
        "compared, record it where no others run. Where only its own are there, its threads and the workers "
        "of "
        "its data loader are too many, or the limit of its container too low.";
    finding.view = "timeline";
    c.add(std::move(finding));
    return {};
}

}  // namespace

double without_run_queue(const query::RunFacts& f, double share, int64_t waited_ns) {
    return f.run_queue.recorded ? without_queued(f, share, waited_ns) : share;
}

void tell_run_queue(const query::RunFacts& f, int64_t waited_ns, Finding& finding) {
    const double pct = 100 - without_run_queue(f, 100, waited_ns);
    if (pct < 1) return;
    finding.evidence += fmt::format(
        "{}Not counted: {} in which its thread was ready to run and other threads had the processors.",
        finding.evidence.empty() ? "" : " ", percent(pct));
}

Rule run_queue_rule() {
    return {
        .id = "run_queue",
        .looks_for = "threads that are ready to run and wait for a processor, which others have",
        .needs = "a recording of opsight profile on Linux",
        .thresholds = {{"share", 5, "% of the wall clock", "what takes less hardly changes what is read"}},
        .bound = "",
        .confidence =
            "high for the time, which the kernel counts; whose threads had the processors it does not tell",
        .remedy = "Record on a machine that does nothing else, or use fewer threads and workers.",
        .lines = "",
        .query =
            "SELECT rank, track, count(*) AS waits, sum(dur_ns) / 1e6 AS ms, max(dur_ns) / 1e6 AS longest_ms "
            "FROM "
            "other_spans WHERE category = 'run_queue' GROUP BY ALL ORDER BY ms DESC, rank, track",
        .verify = "opsight compare BEFORE.opsight AFTER.opsight",
        .source = "Linux, Documentation/scheduler/sched-stats.rst: /proc/PID/schedstat",
        .lacks = lacks,
        .check = check,
    };
}

}  // namespace opsight::advise
