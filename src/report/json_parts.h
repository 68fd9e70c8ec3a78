// Parts of answers as JSON.
#pragma once

#include "base/json_writer.h"
#include "query/ask/result_table.h"
#include "query/session/session.h"

namespace opsight::report {

void put_cell(JsonWriter& json, const query::Cell& cell);
// For the page: a whole number that its scripts would round (above 2^53) is text.
void put_page_number(JsonWriter& json, int64_t number);
void put_page_cell(JsonWriter& json, const query::Cell& cell);

// A row as fields of the object that is open.
using PutCell = void (*)(JsonWriter& json, const query::Cell& cell);
void put_fields(JsonWriter& json, const std::vector<query::Column>& columns,
                const std::vector<query::Cell>& row, PutCell put = put_cell);
// The rows as a list of objects.
void put_rows(JsonWriter& json, const query::ResultTable& table, PutCell put = put_cell);

// Iterations as info and report give them to scripts.
void put_range(JsonWriter& json, const query::Range& range);

std::string_view unit_name(query::Unit unit);

}  // namespace opsight::report
