#include <fmt/format.h>

#include "advise/rules/rules.h"

namespace opsight::advise {
namespace {

Status check(Context& c) {
    OPSIGHT_ASSIGN(query::Occurrences found,
                   query::times_of_first_batches(c.session(), c.threshold("times")));
    OPSIGHT_ASSIGN(found.times, host_times(c, std::move(found.times)));
    const double share = c.share_of(found.times);
    if (share < c.threshold("share")) return {};
    Finding finding{"first_batches", "problem",
                    fmt::format("Some iterations wait much longer for their data than others: {} of the time",
                                percent(share))};
    finding.evidence = fmt::format("{} wait{} of more than {:g} times the median wait for a batch.",
                                   found.count, found.count == 1 ? "" : "s, each", c.threshold("times"));
    finding.advice =
        "Where these are the first batches of epochs, workers that stay (persistent_workers) and prefetching "
        "spare "
        "the wait; else see what is slow about these batches.";
    finding.share_pct = share;
    finding.view = "iterations";
    finding.times = std::move(found.times);
    c.add(std::move(finding));
    return {};
}

std::string lacks(const query::RunFacts& f) {
    return f.loads_itself || f.loads_by_workers || f.dataloader.value_or(0) > 0
               ? ""
               : "no loading of data was recorded";
}

}  // namespace

Rule first_batches_rule() {
    return {
        .id = "first_batches",
        .looks_for =
            "stalls of the first batches: iterations that wait much longer for their data than others",
        .needs = "ranges of a data loader, and five iterations or more",
        .thresholds = {{"share", 3, "% of the wall clock",
                        "below, a change is lost in the noise of iterations"},
                       {"times", 5, "times the median wait", "batches differ, but hardly by so much"}},
        .bound = "the time of these waits, or in which no device works where that is less",
        .confidence = "high for the time, medium for its cause",
        .remedy = "Keep workers, and load ahead.",
        .lines = "DataLoader(dataset, num_workers=4, persistent_workers=True)",
        .query =
            "SELECT iteration, dur_ns / 1e6 AS ms FROM other_spans WHERE {range} AND kind = 'dataload' ORDER "
            "BY ms DESC, iteration",
        .verify = "opsight compare BEFORE.opsight AFTER.opsight",
        .source = "PyTorch, torch.utils.data: persistent_workers",
        .interrupts = true,
        .leaves_kernels = true,
        .lacks = lacks,
        .check = check,
    };
}

}  // namespace opsight::advise
