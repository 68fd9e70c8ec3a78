// Device work that was launched outside of all ops, and calls there.
#pragma once

#include "query/session/session.h"

namespace opsight::query {

// Makes the temporary table outside_work: sums of that work and of its launches by the identity that it
// counts for (an annotation, a pseudo-op named after the API call), -1 where there was no work; columns as in
// sel_stats.
Status make_outside_work(Session& session);
// Makes the temporary table op_sums (sql/op_sums.sql): sums of each op, and of what ran outside of ops.
Status make_op_sums(Session& session);

}  // namespace opsight::query
