// Where the rows of tables lead to on the timeline: the first event of an op, a kernel, a layer or a range
// within the chosen iterations. By what identifies it, never by its name: names are shared.
#pragma once

#include <optional>
#include <string>

#include "query/session/session.h"

namespace opsight::query {

// One of these; a kernel may be that of an op.
struct EventSubject {
    std::optional<int64_t> op;     // op_identities.id
    std::optional<int64_t> range;  // `range_id` of the table of ranges
    std::string layer;             // its path; "/": the whole model
    std::string kernel;            // as the tables name it, short or in full
};

struct FirstEvent {
    std::string name;
    int64_t begin_ns = 0, dur_ns = 0;
    int64_t track = -1, span = -1;  // as in the timeline
};

// Nothing where none of it ran in the range. Of a layer its first call, else the first op in it.
Result<std::optional<FirstEvent>> first_event(Session& session, const EventSubject& subject);

}  // namespace opsight::query
