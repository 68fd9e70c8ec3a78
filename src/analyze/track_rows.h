// Which rows of the span columns belong to which track: spans are sorted by track, so each has one stretch.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.h"

namespace opsight::analyze {

struct TrackRows {
    TrackId track;
    uint32_t first = 0, last = 0;  // rows [first, last)
};

// The stretches of all tracks that have rows, in row order. Logarithmic in the rows per track.
std::vector<TrackRows> track_rows(const std::vector<TrackId>& track_column);

}  // namespace opsight::analyze
