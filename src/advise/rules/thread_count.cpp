#include <fmt/format.h>

#include "advise/rules/rules.h"

namespace opsight::advise {
namespace {

std::string lacks(const query::RunFacts& f) {
    if (!f.ops) return "no ops were recorded";
    return f.torch_threads > 0 && f.processors > 0 ? ""
                                                   : "the recording does not tell how many threads an op may "
                                                     "use, or how many processors there are";
}

Status check(Context& c) {
    const query::RunFacts& f = c.facts();
    const auto threads = static_cast<double>(f.torch_threads);
    if (threads < c.threshold("times") * static_cast<double>(f.processors)) return {};
    OPSIGHT_ASSIGN(const query::Occurrences ops, query::times_of(c.session(), query::Activity::kOps));
    OPSIGHT_ASSIGN(query::TimeSpans times, host_times(c, ops.times));
    Finding finding{
        "thread_count", "problem",
        fmt::format("Ops are split among {} threads on {} processors", f.torch_threads, f.processors)};
    finding.evidence =
        "Threads that share a processor wait for each other at the end of each op; how long is not in the "
        "recording.";
    finding.advice = "As many threads as the process has processors to itself, or fewer for short ops.";
    finding.view = "ops";
    finding.times = std::move(times);
    c.add(std::move(finding));
    return {};
}

}  // namespace

Rule thread_count_rule() {
    return {
        .id = "thread_count",
        .looks_for = "more threads for an op than there are processors",
        .needs = "ops, recorded by opsight profile",
        .thresholds = {{"times", 1.5, "threads for each processor",
                        "one more than processors, as some count, hardly matters"}},
        .bound = "all time in ops, or in which no device works where that is less",
        .confidence = "medium: what the waits take of the ops is not in the recording",
        .remedy = "Fewer threads.",
        .lines = "torch.set_num_threads(len(os.sched_getaffinity(0)))  # or OMP_NUM_THREADS",
        .query =
            "SELECT key, value FROM raw.meta WHERE key IN ('property.torch_threads', 'property.cpu_count')",
        .verify = "opsight compare BEFORE.opsight AFTER.opsight",
        .source = "PyTorch, CPU threading and TorchScript inference: tuning the number of threads",
        .lacks = lacks,
        .check = check,
    };
}

}  // namespace opsight::advise
