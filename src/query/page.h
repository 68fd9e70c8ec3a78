// The pages of a table: search, filters, order and cut happen in SQL, on the rows of a question. What
// somebody asks for enters as arguments, never as part of a statement.
#pragma once

#include <string>

#include "query/question.h"

namespace opsight {

struct PageSource {
    std::string sql;    // all rows of the table, its columns named by their keys
    std::string order;  // " ORDER BY ...", or empty
    bool large = false;
    std::string counted;  // of a large one: what follows FROM to count its rows
};

// Fills the rows (or the stream) and the counts of `table`, whose columns are set. The rows of a table that
// is not large are worked out once for a session, and later pages of it cost a few milliseconds.
Status take_page(Session& session, const PageSource& source, const Page& page, ResultTable& table);

}  // namespace opsight
