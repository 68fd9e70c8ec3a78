#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "advise/rules/rules.h"
#include "query/reports/advice_steps.h"

namespace opsight::advise {
namespace {

// Batches come from the workers in turn: where every n-th wait is long, one of n workers is slow.
struct SlowTurn {
    size_t workers = 0, turn = 0;  // turn: the first long wait, from 0 on
    int64_t usual_ns = 0, slow_ns = 0;
};

// Nine in ten of the batches of one turn wait `times` as long as others do, and 1 ms or more.
std::optional<SlowTurn> slow_turn_of(const std::vector<query::TimeSpan>& waits, size_t workers,
                                     double times) {
    for (size_t turn = 0; turn < workers; ++turn) {
        std::vector<int64_t> slow, others;
        for (size_t i = 0; i < waits.size(); ++i)
            (i % workers == turn ? slow : others).push_back(waits[i].end - waits[i].begin);
        const SlowTurn found{workers, turn, median_of(others), median_of(slow)};
        const double least = std::max(times * static_cast<double>(found.usual_ns), 1e6);
        const auto is_slow = [&](int64_t ns) { return static_cast<double>(ns) >= least; };
        if (10 * std::count_if(slow.begin(), slow.end(), is_slow) >= 9 * std::ssize(slow) &&
            10 * std::count_if(others.begin(), others.end(), is_slow) <= std::ssize(others))
            return found;
    }
    return std::nullopt;
}

std::optional<SlowTurn> slow_turn(const std::vector<query::TimeSpan>& waits, const Context& c) {
    constexpr size_t kMostWorkers = 64;
    const auto turns = static_cast<size_t>(std::max(c.threshold("turns"), 3.0));
    for (size_t workers = 2; workers <= kMostWorkers && workers * turns <= waits.size(); ++workers)
        if (const auto found = slow_turn_of(waits, workers, c.threshold("times"))) return found;
    return std::nullopt;
}

Status check(Context& c) {
    OPSIGHT_ASSIGN(const std::vector<query::TimeSpan> all, query::loader_waits(c.session()));
    for (auto begin = all.begin(); begin != all.end();) {
        const auto end =
            std::find_if(begin, all.end(), [&](const auto& wait) { return wait.rank != begin->rank; });
        const std::vector<query::TimeSpan> waits(begin, end);
        begin = end;
        const std::optional<SlowTurn> slow = slow_turn(waits, c);
        if (!slow) continue;
        query::TimeSpans times;
        for (size_t i = slow->turn; i < waits.size(); i += slow->workers)
            if (waits[i].end - waits[i].begin > slow->usual_ns)
                times.push_back({waits[i].rank, waits[i].begin + slow->usual_ns, waits[i].end});
        OPSIGHT_ASSIGN(times, query::within_range(c.session(), std::move(times)));
        OPSIGHT_ASSIGN(times, host_times(c, std::move(times)));
        const double share = c.share_of(times);
        if (share < c.threshold("share")) continue;
        Finding finding{"slow_worker", "problem",
                        fmt::format("One batch in {} comes late: one of {} workers is slow, {} of the time",
                                    slow->workers, slow->workers, percent(share))};
        finding.evidence = fmt::format(
            "The loader takes batches from its workers in turn. The waits for number {} of each {} of the "
            "recording take {} (median), the others {}.",
            slow->turn + 1, slow->workers, milliseconds(slow->slow_ns), milliseconds(slow->usual_ns));
        finding.advice =
            "See what this worker has to do that the others have not: its part of the data (an "
            "IterableDataset that is split unevenly), its processor, or its disk.";
        finding.share_pct = share;
        finding.view = "iterations";
        finding.times = std::move(times);
        c.add(std::move(finding));
        return {};
    }
    return {};
}

std::string lacks(const query::RunFacts& f) {
    return f.loads_by_workers ? "" : "no waits for workers of a data loader were recorded";
}

}  // namespace

Rule slow_worker_rule() {
    return {
        .id = "slow_worker",
        .looks_for = "a worker of the data loader that is slower than the others",
        .needs = "waits for a data loader with workers",
        .thresholds = {{"share", 3, "% of the wall clock",
                        "below, a change is lost in the noise of iterations"},
                       {"times", 3, "times the wait for other workers", "batches of one size differ by less"},
                       {"turns", 4, "turns of all workers", "in fewer the pattern may be chance"}},
        .bound =
            "what the waits for this worker take longer than those for the others, or the time in which no "
            "device works where that is less",
        .confidence = "medium: batches that are larger in turn look the same",
        .remedy = "Even out what workers do.",
        .query =
            "SELECT row_number() OVER (ORDER BY begin_ns) AS batch, dur_ns / 1e6 AS ms FROM other_spans "
            "WHERE {range} AND kind = 'dataload' ORDER BY batch",
        .verify = "opsight compare BEFORE.opsight AFTER.opsight",
        .source = "PyTorch, torch.utils.data: batches are fetched from workers in turn",
        .interrupts = true,
        .lacks = lacks,
        .check = check,
    };
}

}  // namespace opsight::advise
