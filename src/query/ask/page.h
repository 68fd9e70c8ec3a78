// The pages of a table: search, filters, order and cut happen in SQL, on the rows of a question. What
// somebody asks for enters as literals and as names of columns that are looked up.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "query/ask/question.h"

namespace opsight::query {

// The whole of a table in a session, as a question about its temporary table.
struct KeptTable {
    Question question;
    std::vector<std::string> notes;
};
// Null where the session keeps none of that name (any more).
std::shared_ptr<KeptTable> kept_table(Session& session, const std::string& name);

// Keys of columns, descending or not; fields that are empty come last either way.
using RowOrder = std::vector<std::pair<std::string, bool>>;
std::string order_sql(const RowOrder& order);  // " ORDER BY ..."

// Fills the rows (or the stream), the counts and the place of `table`, whose columns are set.
Status take_page(Session& session, const Question& question, const RowOrder& order, const Page& page,
                 ResultTable& table);

}  // namespace opsight::query
