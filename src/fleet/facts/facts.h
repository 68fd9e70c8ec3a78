// The facts of a profile, as the tables of fleet/store/schema.h, and their push into a store. Every number is
// asked of query/ and advise/: nothing is defined here but sums over ranks and iterations.
#pragma once

#include <string>
#include <vector>

#include "fleet/store/labels.h"
#include "fleet/store/store.h"
#include "query/session/session.h"

namespace opsight::fleet {

// What tells the recording of a session from all others, whoever imports it and wherever: 32 hexadecimal
// digits.
Result<std::string> recording_id(query::Session& session);

// That, and the id of its facts under these labels.
Result<PushId> identify(query::Session& session, const Labels& labels);

struct Pushed {
    PushId id;
    int64_t ranks = 0;
    bool was_there = false;               // the same facts, so nothing was written
    std::vector<std::string> notes = {};  // of the range
};

// What is pushed.
struct PushedFile {
    std::string path;           // of an open profile
    std::string name;           // what the run is called
    bool is_temporary = false;  // the profile of a trace, which goes with the command
};

// Pushes the facts of a profile's range. Cost: those of the reports that they are, and a pass over device
// work; memory for the sums, whatever the number of spans.
Result<Pushed> push_profile(const PushedFile& file, const query::RangeOptions& range, const Labels& labels,
                            Store& store);

}  // namespace opsight::fleet
