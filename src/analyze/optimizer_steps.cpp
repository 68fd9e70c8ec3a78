#include "analyze/optimizer_steps.h"

#include <algorithm>
#include <map>

namespace opsight {
namespace {

void sort_by_begin(std::vector<IterationCandidate>& spans) {
    std::stable_sort(spans.begin(), spans.end(),
                     [](const IterationCandidate& a, const IterationCandidate& b) {
                         return a.rank != b.rank ? a.rank < b.rank : a.begin < b.begin;
                     });
}

std::vector<IterationCandidate> outermost(const std::vector<IterationCandidate>& steps) {
    std::vector<IterationCandidate> result;
    for (const IterationCandidate& step : steps)
        if (result.empty() || result.back().rank != step.rank || step.begin >= result.back().end)
            result.push_back(step);
    return result;
}

// The last step before each load, and the last of all.
std::vector<IterationCandidate> last_before_loads(const std::vector<IterationCandidate>& steps,
                                                  const std::vector<IterationCandidate>& loads) {
    std::vector<IterationCandidate> result;
    for (size_t i = 0; i < steps.size(); ++i) {
        const bool last = i + 1 == steps.size() || steps[i + 1].rank != steps[i].rank;
        const auto load = std::lower_bound(loads.begin(), loads.end(), steps[i],
                                           [](const IterationCandidate& l, const IterationCandidate& s) {
                                               return l.rank != s.rank ? l.rank < s.rank : l.begin < s.end;
                                           });
        const bool loads_next =
            !last && load != loads.end() && load->rank == steps[i].rank && load->begin <= steps[i + 1].begin;
        if (last || loads_next) result.push_back(steps[i]);
    }
    return result;
}

std::vector<IterationCandidate> of_closing_name(const std::vector<IterationCandidate>& steps) {
    struct Seen {
        size_t count = 0, first = 0;
    };
    std::map<StringId, Seen> names;
    for (size_t i = 0; i < steps.size(); ++i)
        ++names.try_emplace(steps[i].name, Seen{0, i}).first->second.count;
    const auto closing = std::min_element(names.begin(), names.end(), [](const auto& a, const auto& b) {
        return a.second.count != b.second.count ? a.second.count < b.second.count
                                                : a.second.first > b.second.first;
    });
    std::vector<IterationCandidate> result;
    for (const IterationCandidate& step : steps)
        if (step.name == closing->first) result.push_back(step);
    return result;
}

}  // namespace

std::vector<IterationCandidate> last_steps_of_cycles(std::vector<IterationCandidate> steps,
                                                     std::vector<IterationCandidate> loads) {
    if (steps.empty()) return steps;
    sort_by_begin(steps);
    sort_by_begin(loads);
    steps = outermost(steps);
    std::vector<IterationCandidate> last = last_before_loads(steps, loads);
    const bool several = !loads.empty() && last.size() < steps.size();
    // With one load in all every step but the last would fall away: such loads part no steps.
    if (several && last.size() > 1) return last;
    return of_closing_name(steps);
}

}  // namespace opsight
