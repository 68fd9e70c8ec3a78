#include <fmt/format.h>

#include "advise/rules/rules.h"
#include "query/reports/rank_balance.h"

namespace opsight::advise {
namespace {

using query::LateRank;

constexpr int64_t kFewest = 3;  // iterations of a rank, as late_rank() needs

bool has_more_kernels(const LateRank& late, double times) {
    return late.others_kernels > 0 && late.kernels >= times * late.others_kernels;
}

// What makes at least half of the difference; else empty.
std::string_view class_of_excess(const LateRank& late) {
    const bool most = 2 * (late.class_ns - late.others_class_ns) >= late.own_ns - late.others_own_ns;
    return most ? std::string_view(late.excess_class) : std::string_view();
}

std::string told_of(const LateRank& late) {
    std::string told = fmt::format(
        "Without waiting for others its iteration takes {}, that of the other ranks {} (medians). It is the "
        "last in {} of {} iterations, and makes {} of the {} that ranks wait for another.",
        milliseconds(late.own_ns), milliseconds(late.others_own_ns), late.iterations_last, late.iterations,
        milliseconds(late.caused_ns), milliseconds(late.all_caused_ns));
    // What it does just before it comes last may be what others have done by then.
    if (const auto excess = class_of_excess(late); !excess.empty())
        told += fmt::format(" Most of the difference is in {}: {} an iteration, {} on the others (medians).",
                            excess, milliseconds(late.class_ns), milliseconds(late.others_class_ns));
    if (!late.cause_op.empty())
        told += fmt::format(" Just before it comes last it is mostly in {}.", late.cause_op);
    return told;
}

std::string remedy_of(const LateRank& late, double more_kernels) {
    if (class_of_excess(late) == "loading data")
        return "Its input is late: look at the size of its samples, at its workers and at the disk that it "
               "reads.";
    if (has_more_kernels(late, more_kernels))
        return "It has more to do: give all ranks batches, stages or experts of like cost.";
    if (class_of_excess(late) == "work of the CPU")
        return "It runs no more kernels than the others, its host is slower: look for what it alone does "
               "(logging, "
               "checkpoints), and for what else runs there.";
    return "It runs no more kernels than the others: look for larger inputs, and for what slows this rank "
           "alone (its clocks, its host, its input, what else runs there).";
}

Status check(Context& c) {
    OPSIGHT_ASSIGN(const std::optional<LateRank> late, query::late_rank(c.session()));
    if (!late ||
        static_cast<double>(late->own_ns) < c.threshold("times") * static_cast<double>(late->others_own_ns))
        return {};
    OPSIGHT_ASSIGN(const query::TimeSpans waits, query::waits_for_ranks(c.session(), false));
    const double share = c.share_of(waits);
    if (share < c.threshold("share")) return {};
    Finding finding{"unbalanced_ranks", "problem",
                    fmt::format("Ranks wait in {} of the time for another, most often for rank {}",
                                percent(share), late->rank)};
    finding.evidence = told_of(*late);
    if (late->kernels > 0 || late->others_kernels > 0)
        finding.evidence += fmt::format(" It runs {:.1f} kernels an iteration, the others {:.1f}.",
                                        late->kernels, late->others_kernels);
    finding.advice = remedy_of(*late, c.threshold("kernels"));
    finding.share_pct = share;
    finding.view = "ranks";
    // Of a whole run the first wait is that for recordings that begin later.
    OPSIGHT_ASSIGN(finding.times, query::waits_for_ranks(c.session(), !c.session().range().whole));
    c.add(std::move(finding));
    return {};
}

}  // namespace

Rule unbalanced_ranks_rule() {
    return {
        .id = "unbalanced_ranks",
        .looks_for = "a rank that the others wait for in most iterations",
        .needs =
            "collectives on devices that were recorded and matched on two ranks or more, and three "
            "iterations",
        .thresholds = {{"share", 5, "% of the wall clock", "what takes less is hardly a headline"},
                       {"times", 1.05, "times the other ranks' own time",
                        "ranks of like work differ by some per cent"},
                       {"kernels", 1.05, "times the other ranks' kernels",
                        "the same program runs as many on each rank, but for rare steps"}},
        .bound =
            "the time in which the rank that waits longest does so, in communication for the one that enters "
            "it last, and computes nothing beside",
        .confidence =
            "high for the time; medium for the rank: it may itself wait for something that was not "
            "recorded",
        .remedy = "Divide the work equally, or mend the slow rank.",
        .lines = "DistributedSampler(dataset, shuffle=True, drop_last=True)  # sort or bucket by length, too",
        .query =
            "SELECT c.last_rank, count(DISTINCT c.id) AS collectives, sum(m.waiting_ns) / 1e6 AS "
            "waiting_ms FROM collective_members m JOIN collective_calls c ON c.id = m.call JOIN "
            "iterations i ON i.rank = m.rank AND m.begin_ns >= i.begin_ns AND m.begin_ns < i.end_ns "
            "WHERE {range:m.rank} AND m.waiting_ns > 0 GROUP BY ALL ORDER BY waiting_ms DESC, c.last_rank",
        .verify = "opsight report AFTER.opsight --report stragglers",
        .source = "HTA, idle time and stragglers; docs/RANKS.md",
        .leaves_kernels = true,
        .lacks = [](const query::RunFacts& f) -> std::string {
            if (f.ranks < 2) return "the profile has one rank";
            if (std::string lacks = lacks_collectives(f); !lacks.empty()) return lacks;
            if (!f.collectives) return "the collectives of the ranks could not be matched";
            if (f.recorded.iterations < kFewest * f.ranks)
                return "of fewer than three iterations it is not known whether one rank is late in most";
            return "";
        },
        .check = check,
    };
}

}  // namespace opsight::advise
