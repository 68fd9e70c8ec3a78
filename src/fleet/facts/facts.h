// The facts of a profile, as the tables of fleet/store/schema.h, and their push into a store. Every number is
// asked of query/ and advise/: nothing is defined here but sums over ranks and iterations.
#pragma once

#include <functional>
#include <string>

#include "fleet/facts/labels.h"
#include "fleet/store/store.h"
#include "query/session/session.h"

namespace opsight::fleet {

// The id of the recording in a session, and of its facts under these labels.
Result<PushId> identify(query::Session& session, const Labels& labels);

struct Pushed {
    PushId id;
    int64_t ranks = 0;
    bool was_there = false;               // the same facts, so nothing was written
    std::vector<std::string> notes = {};  // of the range
};

// Called with how many parts are done, of how many.
using PushProgress = std::function<void(int64_t done, int64_t all)>;

// Pushes the facts of a profile's range. Cost: those of the reports that they are, and a pass over device
// work; memory for the sums, whatever the number of spans.
Result<Pushed> push_profile(const std::string& path, const query::RangeOptions& range, const Labels& labels,
                            Store& store, const PushProgress& progress);

}  // namespace opsight::fleet
