#include <fmt/format.h>

#include <algorithm>

#include "advise/rules/rules.h"
#include "query/reports/advice_work.h"

namespace opsight::advise {
namespace {

std::string told(const query::FarOp& op, Context& c) {
    return fmt::format("Most beyond that takes {}{}: {} {}, and at the processor's peaks {} would do in {}.",
                       op.name, op.shapes.empty() ? "" : " " + op.shapes, milliseconds(op.ns / c.parts()),
                       c.of_a_part(), op.math ? "arithmetic" : "traffic of memory",
                       milliseconds(op.bound_ns / c.parts()));
}

// What of these times the thread waited for a processor, from 0 to 1.
Result<double> waiting_share(Context& c, const query::TimeSpans& times) {
    if (!c.facts().run_queue.recorded || times.empty()) return 0.0;
    OPSIGHT_ASSIGN(const query::Occurrences waits, query::times_of(c.session(), query::Activity::kRunQueue));
    return static_cast<double>(query::length_of(query::common(waits.times, times))) /
           static_cast<double>(query::length_of(times));
}

Status check(Context& c) {
    OPSIGHT_ASSIGN(const query::HostProducts products, query::host_products(c.session()));
    if (!products.farthest) return c.cannot("of no product it is known what its work needs"), Status();
    if (products.reached_pct() >= c.threshold("reached")) return {};
    OPSIGHT_ASSIGN(const query::Occurrences found,
                   query::times_of_ops(c.session(), {.pattern = kHostProducts}));
    OPSIGHT_ASSIGN(const double waiting, waiting_share(c, found.times));
    const double reached = products.reached_pct() / std::max(1e-3, 1 - waiting);
    if (reached >= c.threshold("reached")) return {};
    const double share = c.share_of(found.times);
    if (share < c.threshold("share")) return {};
    Finding finding{
        "slow_products", "note",
        fmt::format("Products and convolutions take {} of the time, at about {} of what the processor can do",
                    percent(share), percent(reached))};
    finding.evidence = c.how_often(found.count, "products and convolutions") + ". " +
                       told(*products.farthest, c) +
                       " These peaks are estimates, from the processor's units and its clock.";
    if (waiting >= 0.01)
        finding.evidence +=
            fmt::format(" In {} of their time others had the processor: that is left out of the share.",
                        percent(100 * waiting));
    finding.advice =
        "See which library computes them: a plain BLAS reaches a few per cent of what OpenBLAS or MKL do. "
        "Then "
        "whether all cores work on them, and whether the sizes are large enough for that.";
    if (c.facts().torch)
        finding.lines =
            "python3 -c \"import torch; print(torch.__config__.show(), torch.__config__.parallel_info())\"\n"
            "sudo apt install libopenblas0-pthread  # Debian, Ubuntu: in the place of the plain libblas3";
    finding.share_pct = share * (1 - waiting);
    finding.view = "ops";
    c.add(std::move(finding));
    return {};
}

}  // namespace

Rule slow_products_rule() {
    return {
        .id = "slow_products",
        .looks_for = "matrix products and convolutions on the CPU, far from what the processor can do",
        .needs = "ops with shapes, recorded by opsight profile, and no device",
        .thresholds = {{"share", 20, "% of the wall clock", "the rest of the run stays as it is"},
                       {"reached", 10, "% of the bound",
                        "one core of ten reaches that; libraries for the processor reach 50 % and more"}},
        .bound = "",
        .confidence = "medium: the peak is that of all cores, by their units and clock",
        .remedy = "Another library of products, all cores, larger sizes.",
        .query =
            "SELECT i.name, sum(s.time_ns) / 1e6 AS ms, sum(s.share * w.bound_ns) / 1e6 AS bound_ms FROM "
            "raw.work_stats s JOIN raw.works w ON w.id = s.work JOIN raw.op_identities i ON i.id = s.op JOIN "
            "ranks r ON r.id = s.rank WHERE {range:r.rank} AND s.kernel = -1 AND w.macs > 0 AND w.bound_ns > "
            "0 "
            "GROUP BY ALL ORDER BY ms DESC, i.name",
        .verify = "opsight compare BEFORE.opsight AFTER.opsight",
        .source = "docs/metrics.md, counted work; PyTorch performance tuning guide, CPU",
        .lacks = lacks_peaks_of_the_cpu,
        .check = check,
    };
}

}  // namespace opsight::advise
