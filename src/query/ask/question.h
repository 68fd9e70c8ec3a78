// A question with rows: its columns, and the statement that makes them, over the relations of a Session.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "query/ask/result_table.h"
#include "query/session/session.h"

namespace opsight::query {

struct Question {
    std::string name, title;
    std::vector<Column> columns;
    duck::Statement rows;  // its columns have their keys; one that it has besides is not shown
    std::vector<std::pair<std::string, bool>> order;  // column key, descending
    // Of a table with as many rows as the profile has spans, which is not to be kept between pages: what
    // counts its rows, in one field.
    duck::Statement counted;
};

// A condition on the values of one column.
struct RowFilter {
    // kUnder: of a path, itself and all that is below it.
    enum class Is : uint8_t { kContains, kUnder, kEqual, kNotEqual, kLess, kAtMost, kMore, kAtLeast };
    std::string column;  // its key or header
    Is is = Is::kEqual;
    std::string value;  // as shown; empty: the empty field
};

// Some rows of a table for the viewer: those that match, in order, and of these a part.
struct Page {
    std::string search;  // in any column of text, whatever its case
    std::vector<RowFilter> filters;
    int64_t first = 0, size = 0;  // size 0: all
    bool streamed = false;        // the rows are in the answer's `stream`
    std::string keep_as;          // the rows of the whole table stay under this name; empty: they do not
    // Where one row stands is asked too, the first for which all of these hold: see ResultTable::place.
    std::vector<RowFilter> place_of;
};

// How the rows of a report are wanted.
struct TableShape {
    std::string sort;   // a column's key or header, ":asc" or ":desc" after it; empty: the report's own order
    int64_t limit = 0;  // 0: all rows
    bool by_rank = false, by_device = false;
    bool by_host = false;        // of ranks of one host together; excludes by_rank
    bool merge_numbers = false;  // of ranges: names that differ in numbers alone are one row
    bool critical_path = false;  // of ops, layers and kernels: what of them is on it, as a column
    bool for_people = false;     // leave out what cannot say anything in this profile
    bool stream_last = false;    // the last table of a report may leave its rows in its `stream`, uncounted
    std::optional<Page> page;
};

// What a table is asked about, beside the range. Those of one iteration are asked in a session of that alone.
struct TableSubject {
    std::optional<int64_t> op;  // op_identities.id
};

Result<ResultTable> ask(Session& session, const Question& question, const TableShape& shape);

}  // namespace opsight::query
