// How reports part their rows beside what a row is about: by rank or host, by device.
#pragma once

#include <string>
#include <vector>

#include "query/ask/question.h"
#include "query/ask/report.h"

namespace opsight::query {

// An error where rows are to be parted by what the profile does not tell: hosts.
Status check_groups(Session& session, const TableShape& shape);

// Says in a report that it cannot part its rows so.
void note_groups(Report& report, const TableShape& shape);

// Columns of the grouping.
std::vector<Column> group_columns(const TableShape& shape);
void append(std::vector<Column>& to, std::vector<Column> from);

// Rows that are equal but for their group stand in the order of groups.
void order_by_groups(Question& question, const TableShape& shape);

// What of ranks rows are summed by, for the macro rank_group: "rank", "host" or empty.
std::string ranks_by(const TableShape& shape);

// A statement with $ranks_by, $by_device and $for_people. What is not parted by rank or device has -1 in its
// place.
duck::Statement shaped(const duck::Sql& file, const TableShape& shape);

}  // namespace opsight::query
