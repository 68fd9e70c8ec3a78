// Answers of the timeline as JSON, and its windows also as columns for typed arrays.
#pragma once

#include <string>

#include "query/timeline.h"

namespace opsight {

std::string render_tracks_json(const Timeline& timeline);
std::string render_window_json(const TimelineWindow& window);
std::string render_counters_json(const Timeline& timeline, const std::vector<CounterEntries>& counters,
                                 int64_t begin_ns);
std::string render_event_json(const TimelineEvent& event);
std::string render_match_json(const TimelineMatch& match);
// The `most` names with most time.
std::string render_sums_json(const TimelineSums& sums, size_t most);

// "OTL1", uint32 length of the JSON that follows, which names the tracks and the number of entries of each
// and is padded with spaces to a multiple of 8; then the columns, each over all tracks in order and padded to
// a multiple of 8: begin, dur, busy (float64), name, span, count (uint32), depth (uint16), kind (uint8).
// Little-endian.
std::string render_window_binary(const TimelineWindow& window);

}  // namespace opsight
