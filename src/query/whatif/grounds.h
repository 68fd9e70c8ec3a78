// Whether a recording tells enough for a replay: times, and what launched the work of its devices.
#pragma once

#include <string>
#include <vector>

#include "query/session/session.h"

namespace opsight::query {

struct Grounds {
    std::string lacks;  // why the range cannot be replayed; empty: it can
    double unlaunched_pct =
        0;                    // of its device work's time: no launch is known, so the host seems not to wait
    bool ranks_wait = false;  // for each other, in collectives that were matched
};

Result<Grounds> grounds_of_replay(Session& session);

// Says from a tenth on how much of the device work's time has no known launch.
void add_note_of_unlaunched(double unlaunched_pct, std::vector<std::string>& notes);

}  // namespace opsight::query
