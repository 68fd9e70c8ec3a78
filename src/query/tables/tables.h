// The tables that the viewer shows, by name: those of the reports, and those behind them. A table that is of
// a report too asks the same question as it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "query/reports/reports.h"

namespace opsight::query {

bool needs_op(std::string_view table);
bool needs_iteration(std::string_view table);

const Family& table_family();
// Under which name a session keeps the whole of a table (Session::kept).
std::string kept_name(std::string_view name, const TableSubject& subject, const TableShape& shape);
Result<ResultTable> make_table(Session& session, std::string_view name, const TableSubject& subject,
                               const TableShape& shape);

}  // namespace opsight::query
