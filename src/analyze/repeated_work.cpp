#include "analyze/repeated_work.h"

#include <fmt/format.h>

#include <set>
#include <tuple>
#include <vector>

namespace opsight::analyze {

void count_repeated_work(Profile& profile) {
    const DeviceSpans& spans = profile.device;
    std::vector<int64_t> repeated(profile.ranks.size());
    std::set<std::tuple<int64_t, DeviceKind, StringId, int64_t>>
        together;  // what begins at one moment on one track
    const auto take = [&](size_t row) {
        if (spans.dur[row] <= 0 || spans.correlation[row] <= 0) return;
        if (!together.emplace(spans.dur[row], spans.kind[row], spans.name[row], spans.correlation[row])
                 .second)
            ++repeated[profile.tracks[spans.track[row].index()].rank.index()];
    };
    const auto together_with_next = [&](size_t row) {
        return row + 1 < spans.size() && spans.track[row] == spans.track[row + 1] &&
               spans.begin[row] == spans.begin[row + 1];
    };
    bool goes_on = false;
    for (size_t row = 0; row < spans.size(); ++row) {
        if (!goes_on) together.clear();
        const bool with_next = together_with_next(row);
        if (goes_on || with_next) take(row);
        goes_on = with_next;
    }
    for (size_t rank = 0; rank < repeated.size(); ++rank)
        if (repeated[rank] > 0)
            profile.diagnostics.add(
                Diag::kRepeatedWork,
                {profile.ranks[rank].source, -1, -1, fmt::format("{} spans", repeated[rank])},
                repeated[rank]);
}

}  // namespace opsight::analyze
