#include <fmt/format.h>

#include "advise/rules/rules.h"

namespace opsight::advise {
namespace {

using query::RunFacts;

// "Most of it: 3 HtoD copies", of copies and sets that take that long.
std::string most_of(const Context& c, int64_t all_ns) {
    const RunFacts::Copies& most = c.facts().most_copies;
    return fmt::format("{}: {}", 2 * most.ns >= all_ns ? "Most of it" : "The largest part",
                       c.how_often(most.calls, most.kind + (most.calls == c.parts() ? " copy" : " copies")));
}

// Of a source of durations alone: what ran beside what is not told.
Status of_durations(Context& c) {
    OPSIGHT_ASSIGN(query::Occurrences found, query::times_of(c.session(), query::Activity::kTransfers));
    const double share = c.share_of(found.times);
    if (share < c.threshold("share")) return {};
    Finding finding{
        "copies", "problem",
        fmt::format("Copies and sets of memory take {} of the recorded time of the GPU", percent(share))};
    const RunFacts::Copies& most = c.facts().most_copies;
    if (!most.kind.empty())
        finding.evidence =
            fmt::format("{}, {}. ", most_of(c, query::length_of(found.times)), c.time_of(most.ns));
    finding.evidence += "Whether kernels ran meanwhile was not recorded.";
    finding.advice =
        "Data that stays on the device, or less of it, spares the copies; pinned memory makes those from and "
        "to the host faster.";
    finding.share_pct = share;
    finding.view = "recorded";
    finding.tab = "copies";
    finding.times = std::move(found.times);
    c.add(std::move(finding));
    return {};
}

std::string advice_of(Context& c, bool pageable, bool some_lost) {
    const RunFacts& f = c.facts();
    const char* faster = pageable ? " From pinned memory they are faster." : "";
    if (f.kernel_ns == 0)
        return fmt::format("{} Data that stays on the device, or less of it, spares the copies.{}",
                           some_lost
                               ? "No kernels were recorded, so what runs beside the copies is not known."
                               : "No kernels were recorded that copies could run beside.",
                           faster);
    // There is no hiding much beside little.
    if (2 * f.kernel_ns < f.copy_ns)
        return fmt::format(
            "{} for {} only, so copies beside them hide little: data that stays on the device, or "
            "less of it, spares the copies.{}",
            some_lost ? "The recorded kernels run" : "Kernels run", c.time_of(f.kernel_ns), faster);
    // What is pinned already is not to be pinned.
    if (!pageable)
        return "Copies beside kernels on a stream of their own, and data that stays on the device, hide or "
               "spare them.";
    return f.torch && f.most_copies.kind != "DtoH"
               ? "pin_memory=True in the DataLoader and non_blocking=True let copies run beside kernels."
               : "Pinned memory and asynchronous copies let them run beside kernels.";
}

Status check(Context& c) {
    const RunFacts& f = c.facts();
    if (f.wall_ns <= 0) return of_durations(c);
    const double share = f.memory.value_or(0);
    if (share < c.threshold("share")) return {};
    OPSIGHT_ASSIGN(query::Occurrences found, query::times_of(c.session(), query::Activity::kTransfers));
    const std::string lost = lost_work(f);  // kernels among it may hide copies
    Finding finding{"copies", "problem",
                    fmt::format("Copies and sets of memory that no {}kernel hides take {} of the time",
                                lost.empty() ? "" : "recorded ", percent(share))};
    const RunFacts::Copies& most = f.most_copies;
    if (!most.kind.empty() && most.bytes > 0 && most.ns > 0)
        finding.evidence =
            fmt::format("{}, {:.2f} GB, at {:.1f} GB/s.", most_of(c, query::length_of(found.times)),
                        static_cast<double>(most.bytes) / static_cast<double>(c.parts()) / 1e9,
                        static_cast<double>(most.bytes) / static_cast<double>(most.ns));
    const bool pageable = f.pageable_ns * 20 > f.copy_ns;
    if (f.pageable_ns * 1000 > f.copy_ns)
        finding.evidence += fmt::format(
            "{}{} of all copying is from or to pageable memory.", finding.evidence.empty() ? "" : " ",
            percent(100.0 * static_cast<double>(f.pageable_ns) / static_cast<double>(f.copy_ns)));
    if (!lost.empty()) finding.evidence += (finding.evidence.empty() ? "" : " ") + lost;
    finding.advice = advice_of(c, pageable, !lost.empty());
    if (f.torch && pageable) finding.lines = pinned_copies(most.kind);
    finding.share_pct = share;
    finding.view = "timeline";
    finding.times = std::move(found.times);
    c.add(std::move(finding));
    return {};
}

}  // namespace

Rule copies_rule() {
    return {
        .id = "copies",
        .looks_for = "copies and sets of memory that no kernel hides",
        .needs = "",
        .thresholds = {{"share", 5, "% of the wall clock",
                        "what takes less is hardly a headline; XProf's input bound is 5 % too"}},
        .bound = "the time in which copies and sets run",
        .confidence = "high: each copy is recorded",
        .remedy = "Pinned memory and copies beside kernels, or data that stays on the device.",
        .query =
            "SELECT copy_kind, from_kind, to_kind, count(*) AS copies, sum(bytes) AS bytes, "
            "sum(dur_ns) / 1e6 AS ms FROM memcpys WHERE {range} GROUP BY ALL ORDER BY ms DESC, "
            "copy_kind, from_kind, to_kind",
        .verify = "opsight compare BEFORE.opsight AFTER.opsight",
        .source = "CUDA C++ best practices guide; PyTorch performance tuning guide",
        .gives_way_to = {"pageable_copies", "small_copies"},
        .of_durations = true,
        .leaves_kernels = true,
        .lacks = lacks_device_work,
        .check = check,
    };
}

}  // namespace opsight::advise
