// When a rank was not recorded, in the middle of its recording: such time is nobody's.
#pragma once

#include <span>
#include <vector>

#include "analyze/results.h"
#include "model/profile.h"

namespace opsight::analyze {

// Adds to `profile.pauses` where the numbers of the steps `marked` jump and nothing was recorded for nine
// tenths of the time between, longer than the step before took. A server's marks, which may end with the size
// of a batch, tell nothing. Linear in the spans where any number jumps.
void find_recording_pauses(Profile& profile, const std::vector<Iteration>& marked);

// Of pauses by (rank, begin): those that a stretch of a rank's time meets, and their time within it, in ns.
using PausesOf = std::span<const RecordingPause>;
PausesOf pauses_of(const std::vector<RecordingPause>& pauses, RankId rank, int64_t begin, int64_t end);
int64_t paused_ns(const std::vector<RecordingPause>& pauses, RankId rank, int64_t begin, int64_t end);

// No iteration reaches over a pause: one that would is its longest part on one side.
void part_at_pauses(std::vector<Iteration>& list, const std::vector<RecordingPause>& pauses);

}  // namespace opsight::analyze
