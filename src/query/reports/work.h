// Counted work beside measured time: FLOPs, bytes, rates, bounds, efficiency. docs/metrics.md defines them.
#pragma once

#include <string>
#include <vector>

#include "query/reports/reports.h"

namespace opsight::query {

// Columns of sums over kWorkSource, for a SELECT with GROUP BY.
std::string work_sums();
inline constexpr const char* kWorkSource =
    "sel_work s LEFT JOIN raw.works w ON w.id = s.work LEFT JOIN raw.device_models m ON m.device = w.device "
    // The last cache, where it is known how much that moves.
    "LEFT JOIN sel_levels c ON c.model = m.model AND c.place = 0 AND c.shared";

// The columns that reports show of such sums; `sums` is their alias. `first`: they are what the table is
// about.
std::vector<Field> work_fields(const std::string& sums, bool first);

// Whether a file holds counted work at all: older ones do not.
Result<bool> has_work(Session& session);

// One row: how much of the time has counted work, and the use of the devices' peaks by products.
// With `for_people` a use that is known from below only says so in a text.
Result<ResultTable> work_summary(Session& session, bool for_people);

// Tables of the roofline report, which are tables of the viewer too.
Result<ResultTable> roofline_ops(Session& session, const TableShape& shape);
// Ops of one name and shapes together, in whatever layers.
Result<ResultTable> roofline_shapes(Session& session, const TableShape& shape);
Result<ResultTable> roofline_layers(Session& session, const TableShape& shape);
Result<ResultTable> roofline_kernels(Session& session, const TableShape& shape);
Result<ResultTable> roofline_ceilings(Session& session, const TableShape& shape);
Result<ResultTable> uncounted_work(Session& session, const TableShape& shape);

}  // namespace opsight::query
