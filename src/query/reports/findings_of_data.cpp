#include <fmt/format.h>

#include "query/reports/finding_rules.h"

namespace opsight::query {

std::string percent(double share) {
    return fmt::format("{:.1f}%", share);
}

std::string milliseconds(int64_t ns) {
    return fmt::format("{:.2f} ms", static_cast<double>(ns) / 1e6);
}

const char* matrix_units(const FindingFacts& f) {
    return f.vendor == Vendor::kAmd ? "matrix cores" : "Tensor Cores";
}

namespace {

void tell_collectives(const CollectiveWaits& c, Finding& finding) {
    finding.evidence += fmt::format(
        " Their {} collectives, matched by order: {} of {} (of all ranks) are waiting for the rank that "
        "comes last.",
        c.collectives, milliseconds(c.waiting_ns), milliseconds(c.ns));
    if (20 * c.first_waiting_ns >= c.waiting_ns)
        finding.evidence += fmt::format(
            " {} of it is in the first, which ranks enter as their recordings begin: that tells nothing of a "
            "rank.",
            milliseconds(c.first_waiting_ns));
    if (c.times > 0)
        finding.evidence += fmt::format(" Of the others rank {} is the last in {}, and makes {} of it.",
                                        c.last_rank, c.times, milliseconds(c.last_waiting_ns));
    if (2 * (c.waiting_ns - c.first_waiting_ns) >= c.ns)
        finding.advice =
            "Not the network but what the last rank does before it is to look at: compare its iterations "
            "with those of the others.";
    else if (2 * c.waiting_ns >= c.ns)
        finding.advice =
            "Most of it is waiting in the first collective of the recording: record more iterations of all "
            "ranks "
            "to see what remains.";
}

}  // namespace

void communication_waits(const FindingFacts& f, Findings& out) {
    const double share = f.communication.value_or(0);
    if (share < kLeastShare) return;
    Finding finding{
        "communication", "problem",
        fmt::format("Communication that no computation hides takes {} of the time", percent(share))};
    finding.evidence = f.ranks > 1 ? fmt::format("{} ranks.", f.ranks)
                                   : "Only one rank was imported: whether it waits for another is not known.";
    finding.advice = "See how much of it computation hides, and which rank comes last.";
    if (f.collectives) tell_collectives(*f.collectives, finding);
    finding.share_pct = share;
    finding.view = "communication";
    out.push_back(std::move(finding));
}

void copies(const FindingFacts& f, Findings& out) {
    const double share = f.memory.value_or(0);
    if (share < kLeastShare) return;
    Finding finding{
        "copies", "problem",
        fmt::format("Copies and sets of memory that no kernel hides take {} of the time", percent(share))};
    const FindingFacts::Copies& most = f.most_copies;
    if (!most.kind.empty() && most.bytes > 0 && most.ns > 0)
        finding.evidence = fmt::format("Most of it: {} {} of {:.2f} GB, at {:.1f} GB/s.", most.calls,
                                       most.calls == 1 ? "copy " + most.kind : "copies " + most.kind,
                                       static_cast<double>(most.bytes) / 1e9,
                                       static_cast<double>(most.bytes) / static_cast<double>(most.ns));
    const bool pageable = f.pageable_ns * 20 > f.copy_ns;
    if (f.pageable_ns * 1000 > f.copy_ns)
        finding.evidence += fmt::format("{}{} of {} copying is from or to pageable memory.",
                                        finding.evidence.empty() ? "" : " ", milliseconds(f.pageable_ns),
                                        milliseconds(f.copy_ns));
    // There is no hiding much beside little.
    if (2 * f.kernel_ns < f.copy_ns)
        finding.advice = fmt::format(
            "Kernels run for {} only, so copies beside them hide little: data that stays on the device, or "
            "less of it, spares the copies.{}",
            milliseconds(f.kernel_ns), pageable ? " From pinned memory they are faster." : "");
    // What is pinned already is not to be pinned.
    else if (pageable)
        finding.advice =
            f.torch ? "pin_memory=True in the DataLoader and non_blocking=True let copies run beside kernels."
                    : "Pinned memory and asynchronous copies let them run beside kernels.";
    else
        finding.advice =
            "Copies beside kernels on a stream of their own, and data that stays on the device, hide or "
            "spare them.";
    finding.share_pct = share;
    finding.view = "timeline";
    out.push_back(std::move(finding));
}

void file_io(const FindingFacts& f, Findings& out) {
    const double share = f.io.value_or(0);
    if (share < kLeastShare) return;
    Finding finding{
        "file_io", "problem",
        fmt::format("Reading and writing of files and streams takes {} of the time", percent(share))};
    finding.advice = "Read ahead and write later, beside the other work.";
    if (const auto& calls = f.file_calls) {
        finding.evidence = fmt::format("{} takes {} of that, in {} call{}; the longest lasts {}.",
                                       calls->name, milliseconds(calls->ns), calls->calls,
                                       calls->calls == 1 ? "" : "s", milliseconds(calls->longest_ns));
        // No file keeps a call waiting for so long; a keyboard or a pipe does.
        constexpr int64_t kLongerThanFiles = 1'000'000'000;
        if (calls->mostly_one && calls->longest_ns > kLongerThanFiles) {
            finding.kind = "unknown";
            finding.advice =
                "A call of that length most likely waits for input: of a person, or of another process.";
        }
    }
    finding.share_pct = share;
    finding.view = "timeline";
    out.push_back(std::move(finding));
}

void synchronization(const FindingFacts& f, Findings& out) {
    const double spent =
        f.wall_ns > 0 ? 100.0 * static_cast<double>(f.waiting_ns) / static_cast<double>(f.wall_ns) : 0;
    if (spent < kLeastShare || f.cpu.value_or(0) < kLeastShare || !f.device_work) return;
    out.push_back(
        {"synchronization",
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
         {}});
}

}  // namespace opsight::query
