#include <fmt/format.h>

#include <algorithm>

#include "advise/rules/rules.h"

namespace opsight::advise {
namespace {

// The device has nothing to do after such a copy until the host, which was held up, has launched more: it
// would have done so earlier by the length of the wait at most.
Result<query::TimeSpans> with_pauses_after(Context& c, const query::TimeSpans& copies) {
    OPSIGHT_ASSIGN(const query::TimeSpans all, idle_times(c));
    OPSIGHT_ASSIGN(const query::TimeSpans idle, without_queued(c, all));
    query::TimeSpans after;
    size_t at = 0;
    for (const query::TimeSpan& pause : idle) {
        while (at < copies.size() && (copies[at].rank < pause.rank ||
                                      (copies[at].rank == pause.rank && copies[at].end < pause.begin)))
            ++at;
        if (at == copies.size()) break;
        const query::TimeSpan& copy = copies[at];
        if (copy.rank == pause.rank && copy.begin <= pause.begin)
            after.push_back(
                {pause.rank, pause.begin, std::min(pause.end, pause.begin + copy.end - copy.begin)});
    }
    return query::united(copies, after);
}

Status check(Context& c) {
    OPSIGHT_ASSIGN(query::Occurrences found, query::times_of(c.session(), query::Activity::kPageableCopies));
    // A call that waits while a kernel runs waits for that.
    OPSIGHT_ASSIGN(query::TimeSpans beside_kernels, times_without_kernels(c));
    OPSIGHT_ASSIGN(beside_kernels, without_queued(c, beside_kernels));
    const double share = c.share_of(query::common(found.times, beside_kernels));
    if (share < c.threshold("share") || found.count < c.parts()) return {};
    Finding finding{
        "pageable_copies", "problem",
        fmt::format("Copies of memory that is not pinned hold the run up in {} of the time", percent(share))};
    finding.evidence =
        c.how_often(found.count, "copies and calls") +
        ". The driver copies such memory piece by piece into memory of its own, and the caller waits.";
    const std::string& kind = c.facts().most_copies.kind;
    finding.advice =
        !c.facts().torch ? "Pinned memory (cudaMallocHost, cudaHostRegister) and asynchronous copies."
        : kind == "DtoH"
            ? "Copy into a tensor of pinned memory that is kept, with non_blocking=True, and wait "
              "before it is read."
            : "pin_memory=True in the DataLoader, or tensor.pin_memory(), and non_blocking=True.";
    if (c.facts().torch) finding.lines = pinned_copies(kind);
    finding.share_pct = share;
    finding.view = "recorded";
    finding.tab = "copies";
    if (tell_lost_work(c.facts(), finding)) return c.add(std::move(finding)), Status();  // it may have run
    // Without a copy there is no pause before it either.
    OPSIGHT_ASSIGN(finding.times, with_pauses(c, query::common(found.times, beside_kernels)));
    OPSIGHT_ASSIGN(finding.times, with_pauses_after(c, finding.times));
    c.add(std::move(finding));
    return {};
}

std::string lacks(const query::RunFacts& f) {
    std::string why = lacks_device_work(f);
    return !why.empty() || f.recorded.kinds_of_memory
               ? why
               : "no copies that tell the kind of their memory were recorded";
}

}  // namespace

Rule pageable_copies_rule() {
    return {
        .id = "pageable_copies",
        .looks_for = "copies between the device and memory that is not pinned",
        .needs = "copies with the kinds of their memory",
        .thresholds = {{"share", 3, "% of the wall clock",
                        "below, a change is lost in the noise of iterations"}},
        .bound =
            "the time in which such copies run or their calls are open, with the pause of the device before "
            "them, and with the one after them up to their length",
        .confidence = "high: the recording tells the kind of memory",
        .remedy = "Pin the memory.",
        .query =
            "SELECT copy_kind, from_kind, to_kind, op_name, count(*) AS copies, sum(bytes) AS bytes, "
            "sum(dur_ns) / 1e6 AS ms FROM memcpys WHERE {range} AND (from_kind = 'Pageable' OR "
            "to_kind = 'Pageable') GROUP BY ALL ORDER BY ms DESC, copy_kind, from_kind, to_kind, "
            "op_name LIMIT 20",
        .verify = "opsight compare BEFORE.opsight AFTER.opsight",
        .source = "CUDA C++ best practices guide; nsys analyze, cuda_memcpy_async",
        .leaves_kernels = true,
        .lacks = lacks,
        .check = check,
    };
}

}  // namespace opsight::advise
