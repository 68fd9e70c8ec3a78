// The rows of the timeline, with numbers that no two of them share, as other programs want them.
#pragma once

#include <vector>

#include "exports/timeline/walk.h"

namespace opsight::exports {

// Of the tracks that were chosen (sql/chosen_tracks.sql).
Result<std::vector<TrackFacts>> read_tracks(duck::Connection& connection);

// That there is something of that rank and those iterations.
Status check_scope(duck::Connection& connection, const Job& job);

}  // namespace opsight::exports
