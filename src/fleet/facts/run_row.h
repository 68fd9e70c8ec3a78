// The row of a run, and what else of a run has no rank.
#pragma once

#include <string>
#include <vector>

#include "fleet/facts/facts.h"
#include "query/ask/result_table.h"
#include "query/session/session.h"

namespace opsight::fleet {

using FactRow = std::vector<query::Cell>;

// Of the tables of schema.h, columns in their order. The session has scored_times, used_devices and
// fact_kernels.
Result<FactRow> run_row(query::Session& session, const PushedFile& file);
Result<std::vector<FactRow>> configuration_rows(query::Session& session);
Result<std::vector<FactRow>> finding_rows(query::Session& session);
Result<std::vector<FactRow>> rank_rows(query::Session& session);
std::vector<FactRow> label_rows(const Labels& labels);

}  // namespace opsight::fleet
