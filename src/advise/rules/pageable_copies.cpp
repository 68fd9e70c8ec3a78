#include <fmt/format.h>

#include "advise/rules/rules.h"

namespace opsight::advise {
namespace {

Status check(Context& c) {
    OPSIGHT_ASSIGN(query::Occurrences found, query::times_of(c.session(), query::Activity::kPageableCopies));
    // A call that waits while a kernel runs waits for that.
    OPSIGHT_ASSIGN(query::TimeSpans beside_kernels, times_without_kernels(c.session()));
    OPSIGHT_ASSIGN(beside_kernels, without_queued(c.session(), beside_kernels));
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
    finding.times = query::common(found.times, beside_kernels);
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
        .bound = "the time in which such copies run or their calls are open",
        .confidence = "high: the recording tells the kind of memory",
        .remedy = "Pin the memory.",
        .query =
            "SELECT copy_kind, from_kind, to_kind, op_name, count(*) AS copies, sum(bytes) AS bytes, "
            "sum(dur_ns) / 1e6 AS ms FROM memcpys WHERE {range} AND (from_kind = 'Pageable' OR to_kind = "
            "'Pageable') GROUP BY ALL ORDER BY ms DESC LIMIT 20",
        .verify = "opsight compare BEFORE.opsight AFTER.opsight",
        .source = "CUDA C++ best practices guide; nsys analyze, cuda_memcpy_async",
        .leaves_kernels = true,
        .lacks = lacks,
        .check = check,
    };
}

}  // namespace opsight::advise
