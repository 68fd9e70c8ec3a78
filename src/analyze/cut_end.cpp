#include "analyze/cut_end.h"

#include <algorithm>
#include <map>

namespace opsight::analyze {
namespace {

using IterationsOfRank = std::vector<const Iteration*>;

bool is_cut(const IterationsOfRank& all, std::vector<int64_t> steps) {
    constexpr size_t kFewest = 4;
    if (all.size() < kFewest || steps.empty()) return false;
    std::sort(steps.begin(), steps.end());
    const auto has_step = [&steps](const Iteration* it) {
        const auto first = std::lower_bound(steps.begin(), steps.end(), it->begin_ns);
        return first != steps.end() && *first < it->end_ns;
    };
    if (has_step(all.back()) || !std::all_of(all.begin(), all.end() - 1, has_step)) return false;
    std::vector<int64_t> times;
    for (const Iteration* each : all)
        times.push_back(each->end_ns - each->begin_ns);
    const int64_t last = times.back();
    times.pop_back();
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::nth_element(times.begin(), middle, times.end());
    return last < *middle;
}

}  // namespace

size_t leave_cut_ends_out(std::vector<Iteration>& iterations, const std::vector<IterationCandidate>& steps) {
    std::map<RankId, IterationsOfRank> ranks;
    std::map<RankId, std::vector<int64_t>> begins;
    for (const Iteration& each : iterations)
        ranks[each.rank].push_back(&each);
    for (const IterationCandidate& step : steps)
        begins[step.rank].push_back(step.begin);
    std::vector<const Iteration*> cut;
    for (const auto& [rank, all] : ranks)
        if (is_cut(all, begins[rank])) cut.push_back(all.back());
    std::vector<Iteration> kept;
    for (const Iteration& each : iterations)
        if (std::find(cut.begin(), cut.end(), &each) == cut.end()) kept.push_back(each);
    iterations = std::move(kept);
    return cut.size();
}

}  // namespace opsight::analyze
