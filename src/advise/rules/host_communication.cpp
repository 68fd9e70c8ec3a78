#include <fmt/format.h>

#include "advise/rules/rules.h"
#include "query/reports/host_collectives.h"

namespace opsight::advise {
namespace {

// What the collectives wait for, where the recording tells.
void tell_waits(const query::HostCollectives& of, int64_t ranks, Finding& finding) {
    const int64_t each = of.matched / ranks;  // collectives that all ranks made
    if (each == 0) {
        finding.evidence +=
            ranks > 1 ? " They are not of all ranks of the profile alike: who waits for whom is not known."
                      : " One rank alone was recorded: whether it waits for others or for the network is "
                        "not known.";
        return;
    }
    finding.evidence += fmt::format(
        " {} of {} is waiting for the rank that begins last: rank {} is that in {} of {}.",
        milliseconds(of.waiting_ns), milliseconds(of.ns), of.last_rank, of.times_last / ranks, each);
    if (2 * of.waiting_ns >= of.ns)
        finding.advice =
            fmt::format("Look at what rank {} does before: the others wait for it.", of.last_rank);
}

// Calls that are few already have nothing to gain from being joined.
void tell_remedy(Context& c, int64_t calls, Finding& finding) {
    if (static_cast<double>(calls) < c.threshold("calls") * static_cast<double>(c.parts())) {
        finding.advice = "Record all ranks: who comes last, or how long the network takes, shows then.";
        return;
    }
    finding.advice = "Fewer calls with more data each cost less: join gradients to buckets, as DDP does.";
    if (c.facts().torch)
        finding.lines = "model = torch.nn.parallel.DistributedDataParallel(model, bucket_cap_mb=100)";
}

Status check(Context& c) {
    OPSIGHT_ASSIGN(query::HostCollectives found, query::host_collectives(c.session()));
    const double share = c.share_of(found.times);
    if (found.calls == 0)
        return c.cannot("no collectives of gloo, MPI or UCC on the CPU are in the range"), Status();
    if (share < c.threshold("share")) return {};
    Finding finding{
        "host_communication", "problem",
        fmt::format("Communication between ranks on the CPU takes {} of the time", percent(share))};
    finding.evidence = c.how_often(found.calls, "collectives, sends and receives") + ", while no op runs.";
    tell_remedy(c, found.calls, finding);
    tell_waits(found, std::max<int64_t>(c.facts().ranks, 1), finding);
    finding.share_pct = share;
    finding.view = "timeline";
    finding.times = std::move(found.times);
    c.add(std::move(finding));
    return {};
}

}  // namespace

Rule host_communication_rule() {
    return {
        .id = "host_communication",
        .looks_for =
            "collectives, sends and receives of gloo, MPI or UCC on the CPU, and the rank that they wait for",
        .needs = "ops, and ranges of the backend",
        .thresholds = {{"share", 2, "% of the wall clock", "half of what makes time beside ops a headline"},
                       {"calls", 8, "in an iteration of a rank", "fewer are not many to join"}},
        .bound = "the time in which one of them is open and no op runs",
        .confidence = "high for the time; who is last rests on the ranks' clocks",
        .remedy = "Even out the ranks, or join the calls where they are many.",
        .query =
            "SELECT rank, name, count(*) AS calls, sum(dur_ns) / 1e6 AS ms FROM annotations WHERE "
            "{range} AND regexp_matches(name, '^(gloo|mpi|ucc):') GROUP BY ALL ORDER BY ms DESC, "
            "rank, name",
        .verify = "opsight compare BEFORE.opsight AFTER.opsight",
        .source = "PyTorch, distributed data parallel: gradient buckets",
        .interrupts = true,
        .leaves_kernels = true,
        .lacks = lacks_ops,
        .check = check,
    };
}

}  // namespace opsight::advise
