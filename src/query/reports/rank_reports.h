// Ranks of a job together: what they wait for each other, who is late, and why. docs/RANKS.md has the model.
#pragma once

#include "query/ask/question.h"
#include "query/ask/report.h"

namespace opsight::query {

// Tables of the chosen range; each has a note where the profile lacks what it is made of.
Result<ResultTable> collective_calls(Session& session, const TableShape& shape);
Result<ResultTable> collective_members(Session& session, const TableShape& shape);
Result<ResultTable> comm_groups(Session& session, const TableShape& shape);
Result<ResultTable> rank_sums(Session& session, const TableShape& shape);
Result<ResultTable> rank_iterations(Session& session, const TableShape& shape);
Result<ResultTable> stragglers(Session& session, const TableShape& shape);
Result<ResultTable> straggler_hosts(Session& session, const TableShape& shape);
Result<ResultTable> rank_layers(Session& session, const TableShape& shape);
Result<ResultTable> rank_path(Session& session, const TableShape& shape);
Result<ResultTable> rank_clocks(Session& session, const TableShape& shape);

// Whether a report, or a table of the page, is about ranks beside each other, and whether no row of it is
// that of one rank.
bool is_about_ranks(std::string_view report);
bool is_of_whole_job(std::string_view report);

// A report of one of them. Stragglers have one of their own: hosts may follow.
using RankTable = Result<ResultTable> (*)(Session&, const TableShape&);
Result<Report> report_of_ranks(Session& session, const TableShape& shape, RankTable make);
template <RankTable make>
Result<Report> rank_report(Session& session, const TableShape& shape) {
    return report_of_ranks(session, shape, make);
}
Result<Report> stragglers_report(Session& session, const TableShape& shape);

// What a reader of reports on collectives must know: how many are not matched, and why. Needs no preparation.
Result<std::vector<std::string>> matching_notes(Session& session);

}  // namespace opsight::query
