// A question with rows: its columns, each declared once with head, unit and SQL, over the relations of a
// Session.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "query/result_table.h"
#include "query/session.h"

namespace opsight {

struct Field {
    Column column;
    std::string sql;
    bool device_only = false;  // says nothing where a profile has no device work
};

struct Question {
    std::string name, title;
    std::vector<Field> fields;
    std::string source;                               // what follows FROM, with WHERE and GROUP BY
    std::string with;                                 // common table expressions, or empty
    std::vector<std::pair<std::string, bool>> order;  // column key, falling
};

// How the rows of a report are wanted.
struct Shape {
    std::string sort;   // a column's key or head, ":asc" or ":desc" after it; empty: the report's own order
    int64_t limit = 0;  // 0: all rows
    bool by_rank = false, by_device = false;
    bool for_people = false;  // leave out what cannot say anything in this profile
};

// Input shapes in SQL: as they are, or for people without brackets and scalars, "32x3x224x224, 64x3x7x7".
std::string shapes_sql(const std::string& shapes, const Shape& shape);

Result<ResultTable> ask(Session& session, const Question& question, const Shape& shape);

}  // namespace opsight
