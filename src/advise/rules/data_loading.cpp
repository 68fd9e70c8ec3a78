#include <fmt/format.h>

#include <algorithm>

#include "advise/rules/rules.h"

namespace opsight::advise {
namespace {

using query::RunFacts;

constexpr int64_t kWorkers = 4;

std::string lines_of(int64_t workers) {
    return fmt::format(
        "DataLoader(dataset, num_workers={}, prefetch_factor=4, persistent_workers=True, pin_memory=True)",
        workers);
}

Status check(Context& c) {
    const RunFacts& f = c.facts();
    if (!f.dataloader) return c.cannot("no loading of data was recorded"), Status();
    const double share = f.dataloader.value_or(0);
    if (share < c.threshold("share")) return {};
    Finding finding{"data_loading", "problem",
                    fmt::format("The run waits for its data in {} of the time", percent(share))};
    constexpr double kMuch = 20;  // %
    const char* come_first = share >= kMuch ? "come before any tuning of kernels" : "shorten that";
    if (f.loads_itself && !f.loads_by_workers) {
        finding.evidence =
            "The training process loads the data itself (_SingleProcessDataLoaderIter): num_workers is 0.";
        finding.advice =
            "Let workers load it: num_workers above 0 in the DataLoader, so that loading runs beside "
            "the rest. An IterableDataset has to share its samples among them (get_worker_info), else each "
            "worker gives all of them.";
        finding.lines =
            f.torch ? lines_of(f.processors > 0 ? std::min(kWorkers, f.processors) : kWorkers) : "";
    } else if (f.loads_by_workers) {
        finding.evidence =
            "Workers load the data (_MultiProcessingDataLoaderIter), and the training process waits for "
            "them.";
        finding.advice = std::string("More workers, a larger prefetch_factor, or cheaper preprocessing ") +
                         come_first + ".";
    } else {
        finding.advice =
            std::string("Loading ahead and beside the work, or cheaper preprocessing ") + come_first + ".";
    }
    finding.share_pct = share;
    finding.view = "iterations";
    OPSIGHT_ASSIGN(query::Occurrences loading, query::times_of(c.session(), query::Activity::kDataLoading));
    OPSIGHT_ASSIGN(finding.times, host_times(c, std::move(loading.times)));
    c.add(std::move(finding));
    return {};
}

}  // namespace

Rule data_loading_rule() {
    return {
        .id = "data_loading",
        .looks_for = "waits of the run for its data",
        .needs =
            "ranges of a data loader (PyTorch's are recorded by themselves), or NVTX ranges of that name",
        .thresholds = {{"share", 5, "% of the wall clock",
                        "what takes less is hardly a headline; XProf's input bound is 5 % too"}},
        .bound =
            "the time in which a thread of the run loads data or waits for its loader, or in which no device "
            "works where that is less",
        .confidence = "high: the loader's own ranges say when the run waits",
        .remedy = "Load beside training: workers, prefetching, cheaper preprocessing.",
        .lines =
            "DataLoader(dataset, num_workers=4, prefetch_factor=4, persistent_workers=True, pin_memory=True)",
        .query =
            "SELECT name, count(*) AS calls, sum(dur_ns) / 1e6 AS ms FROM other_spans WHERE {range} "
            "AND kind = 'dataload' GROUP BY name ORDER BY ms DESC, name",
        .verify = "opsight compare BEFORE.opsight AFTER.opsight",
        .source = "PyTorch performance tuning guide; XProf input pipeline analyzer",
        .interrupts = true,
        .leaves_kernels = true,
        .lacks = lacks_nothing,
        .check = check,
        .suppose = [](query::Suppositions& s) { s.no_data_loading = true; },
    };
}

}  // namespace opsight::advise
