// Device work that was launched outside of all ops.
#pragma once

#include "query/session/session.h"

namespace opsight::query {

// Makes the temporary table outside_ops: sums of that work and of its launches by the identity that it counts
// for (an annotation, a pseudo-op named after the API call); columns as in sel_stats.
Status make_outside_ops(Session& session);

}  // namespace opsight::query
