// Tables that no report has: what lies behind a row of one, and what a page chooses from.
#pragma once

#include "query/reports/reports.h"

namespace opsight::query {

// Kernels launched under an op and all that it calls: sums, and instances of one iteration.
Result<ResultTable> op_kernels(Session& session, const TableSubject& subject, const TableShape& shape);
Result<ResultTable> op_kernel_instances(Session& session, const TableSubject& subject,
                                        const TableShape& shape);
// Ops that iterations can be cut by, with how often they run in the whole profile.
Result<ResultTable> key_ops(Session& session, const TableSubject& subject, const TableShape& shape);
// Ops by what they allocated, from the events of the range.
Result<ResultTable> memory_allocators(Session& session, const TableSubject& subject, const TableShape& shape);
// Ops of one name together.
Result<ResultTable> op_names(Session& session, const TableShape& shape);
// Layers as the report group_op has them, with what is their own and their kernels by direction.
Result<ResultTable> layer_list(Session& session, const TableShape& shape);
// The stacks of Python frames that an op was called from.
Result<ResultTable> op_stacks(Session& session, const TableSubject& subject, const TableShape& shape);
// Communication kernels by rank and collective; and how much of it ran beside computing, by device.
Result<ResultTable> communication(Session& session, const TableSubject& subject, const TableShape& shape);
Result<ResultTable> communication_overlap(Session& session, const TableShape& shape);

// All kernel instances of the range. A search looks for the kernels and ops of that text first and takes
// their instances, which spares the texts of millions of rows. `places`: as in kernel_instances.
Result<ResultTable> searched_instances(Session& session, const TableShape& shape, bool places = false);

}  // namespace opsight::query
