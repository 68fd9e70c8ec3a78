// A session that sees one rank of several, as if the profile had no other.
#pragma once

#include "query/session/session.h"

namespace opsight::query {

// From here on `session` finds the rows of the rank with that number in its job alone. How many others the
// profile has. Errors: there is no such rank, or several have the number.
Result<int64_t> see_one_rank(Session& session, int64_t number);

}  // namespace opsight::query
