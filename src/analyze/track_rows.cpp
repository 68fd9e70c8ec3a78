#include "analyze/track_rows.h"

#include <algorithm>

namespace opsight::analyze {

std::vector<TrackRows> track_rows(const std::vector<TrackId>& column) {
    std::vector<TrackRows> result;
    for (size_t first = 0; first < column.size();) {
        const auto end = std::upper_bound(column.begin() + static_cast<std::ptrdiff_t>(first), column.end(),
                                          column[first]);
        const auto last = static_cast<size_t>(end - column.begin());
        result.push_back({column[first], static_cast<uint32_t>(first), static_cast<uint32_t>(last)});
        first = last;
    }
    return result;
}

}  // namespace opsight::analyze
