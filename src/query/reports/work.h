// Counted work beside measured time: FLOPs, bytes, rates, bounds, efficiency. docs/metrics.md defines them.
#pragma once

#include <string>
#include <vector>

#include "query/reports/reports.h"

namespace opsight::query {

// Makes the relation work_rows: sums of the counted work, parted as the shape says; what `by` can be stands
// in sql/work_sums.sql, what it shows in sql/work_rows.sql.
Status make_work_rows(Session& session, const TableShape& shape, const std::string& by);

// The columns that reports show of such a row. `first`: they are what the table is about.
std::vector<Column> work_columns(bool first);

// ask() for a table with such columns. For people the names of its FLOPs say "at Least" where those of a row
// are.
Result<ResultTable> ask_with_work(Session& session, const Question& q, const TableShape& shape);

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
