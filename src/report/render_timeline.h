// Answers of the timeline as JSON, and its windows also as columns for typed arrays.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "query/timeline/timeline.h"

namespace opsight::report {

// Of that rank; none: of all.
std::string render_tracks_json(const query::Timeline& timeline, std::optional<int64_t> rank);
std::string render_window_json(const query::TimelineWindow& window);
std::string render_counters_json(const query::Timeline& timeline,
                                 const std::vector<query::CounterEntries>& counters, int64_t begin_ns);
std::string render_event_json(const query::TimelineEvent& event);
std::string render_match_json(const query::TimelineMatch& match);
// The `most` names with most time.
std::string render_sums_json(const query::TimelineSums& sums, size_t most);

// "OTL1", uint32 length of the JSON that follows, which names the tracks and the number of entries of each
// and is padded with spaces to a multiple of 8; then the columns, each over all tracks in order and padded to
// a multiple of 8: begin, dur, busy (float64), name, span, count (uint32), depth (uint16), kind (uint8).
// Little-endian.
std::string render_window_binary(const query::TimelineWindow& window);

}  // namespace opsight::report
