#include <fmt/format.h>

#include <tuple>

#include "advise/rules/rules.h"
#include "advise/sql.h"
#include "query/session/cells.h"

namespace opsight::advise {
namespace {

constexpr int64_t kBetweenReadsNs = 1'000'000;
constexpr const char* kReads = "^aten::(item|_local_scalar_dense|is_nonzero)$";
constexpr const char* kParts = "^aten::(unbind|select|slice|as_strided|detach)$";
constexpr const char* kWaits =
    "^aten::(item|_local_scalar_dense|is_nonzero|nonzero|equal|masked_select|_unique2?|unique_dim|unique_"
    "consecutive)$";

// Of pauses between spans those that other ops have no part of.
query::TimeSpans pauses_without_ops(const query::TimeSpans& spans, const query::TimeSpans& ops) {
    query::TimeSpans pauses;
    size_t at = 0;  // the first op that ends after the pause began
    for (size_t i = 1; i < spans.size(); ++i) {
        const query::TimeSpan pause{spans[i].rank, spans[i - 1].end, spans[i].begin};
        if (spans[i - 1].rank != pause.rank || pause.end - pause.begin >= kBetweenReadsNs) continue;
        while (at < ops.size() && std::tie(ops[at].rank, ops[at].end) <= std::tie(pause.rank, pause.begin))
            ++at;
        const bool free = at == ops.size() || ops[at].rank != pause.rank || ops[at].begin >= pause.end;
        if (free) pauses.push_back(pause);
    }
    return pauses;
}

// A tensor that is looped over is parted first, and between reads in a row, where no other op runs, the
// program does nothing but handle what it read.
Status add_loops(Context& c, query::Occurrences& reads) {
    if (reads.count < static_cast<int64_t>(c.threshold("loop")) * c.parts()) return {};
    OPSIGHT_ASSIGN(const query::Occurrences parted, query::times_of_ops(c.session(), {.pattern = kParts}));
    OPSIGHT_ASSIGN(const query::TimeSpans* ops, op_times(c));
    const query::TimeSpans read = query::united(reads.times, parted.times);
    reads.times = query::united(read, pauses_without_ops(read, *ops));
    return {};
}

// Without a read its copy is not made either, nor the pause before it.
Status add_copies(Context& c, query::TimeSpans& times) {
    OPSIGHT_ASSIGN(query::Occurrences copies,
                   query::times_of_ops(c.session(), {.pattern = kWaits, .device = true}));
    OPSIGHT_ASSIGN(const query::TimeSpans all, with_pauses(c, std::move(copies.times)));
    times = query::united(times, all);
    return {};
}

// Which ops these are most of all, and where the program calls them, as far as that was recorded.
Status tell_longest(Context& c, const char* pattern, Finding& finding) {
    OPSIGHT_ASSIGN(const duck::Rows rows,
                   c.session().query(duck::Statement(sql::longest_ops).set("pattern", std::string(pattern))));
    if (rows.rows.empty()) return {};
    const auto& row = rows.rows[0];
    const std::string layer = query::text(row[1]), line = query::text(row[2]);
    finding.evidence +=
        fmt::format(" Longest: {}{}{}.", query::text(row[0]), layer.empty() ? "" : " of the layer " + layer,
                    line.empty() ? "" : ", called at " + line);
    return {};
}

Status check(Context& c) {
    const bool device = c.facts().device_work;
    // Of a run whose device was not recorded: a read waits for it, or gets a value that is there.
    if (!device && (c.facts().work_lost || c.session().contents().device_unseen))
        return c.cannot("what the device did while values were read was not recorded"), Status();
    OPSIGHT_ASSIGN(query::Occurrences found,
                   query::times_of_ops(c.session(), {.pattern = device ? kWaits : kReads}));
    if (!device) OPSIGHT_TRY(add_loops(c, found));
    OPSIGHT_ASSIGN(found.times, host_times(c, std::move(found.times)));
    const double share = c.share_of(found.times);
    if (share < c.threshold("share") || found.count < c.parts()) return {};
    Finding finding{
        "scalar_reads", "problem",
        fmt::format("{} takes {} of the time",
                    device ? "Reading results back to the host" : "Reading single values from tensors",
                    percent(share))};
    finding.evidence = c.how_often(found.count, "ops such as item(), nonzero() or printing") +
                       (device ? ", each of which waits until the device has done all that is queued."
                               : ", one for each value that Python gets.");
    OPSIGHT_TRY(tell_longest(c, device ? kWaits : kReads, finding));
    finding.advice =
        device ? "Keep the value on the device and read it once, after the loop or every hundred iterations."
               : "Work on tensors, or read all values at once: tolist().";
    finding.share_pct = share;
    finding.view = "ops";
    finding.times = std::move(found.times);
    if (device) OPSIGHT_TRY(add_copies(c, finding.times));
    if (tell_lost_work(c.facts(), finding)) finding.times.clear();  // it may have run meanwhile
    c.add(std::move(finding));
    return {};
}

}  // namespace

Rule scalar_reads_rule() {
    return {
        .id = "scalar_reads",
        .looks_for = "ops that wait for a result of the device, or that read single values",
        .needs = "ops",
        .thresholds = {{"share", 3, "% of the wall clock",
                        "below, a change is lost in the noise of iterations"},
                       {"loop", 50, "reads in an iteration", "fewer are not of a loop over values"}},
        .bound =
            "the time in which such ops run on the host, or in which no device works where that is less, "
            "and what they run on the device with the pauses before it; without a device, also what lies "
            "between reads in a row",
        .confidence = "high for the time; what it costs depends on how much was queued",
        .remedy = "Read results once.",
        .lines = "total += loss.detach()  # not loss.item(); print(total.item()) after the loop",
        .query =
            "SELECT name, layer, stack, count(*) AS calls, sum(dur_ns) / 1e6 AS ms FROM ops WHERE "
            "{range} AND regexp_matches(name, "
            "'^aten::(item|_local_scalar_dense|is_nonzero|nonzero|equal|masked_select|_unique2?|unique_dim|"
            "unique_consecutive)$') "
            "GROUP BY ALL ORDER BY ms DESC, name, layer, stack LIMIT 20",
        .verify = "opsight compare BEFORE.opsight AFTER.opsight",
        .source = "PyTorch performance tuning guide, avoid unnecessary CPU-GPU synchronization",
        .leaves_kernels = true,
        .lacks = lacks_torch_ops,
        .check = check,
    };
}

}  // namespace opsight::advise
