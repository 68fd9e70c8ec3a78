#include "query/ask/first_rows.h"

#include <algorithm>

namespace opsight::query {
namespace {

// Two columns may have one name, and keys of an object are there once: "a", "a_2".
std::string key_for(const std::string& name, const std::vector<Column>& before) {
    const auto taken = [&before](const std::string& key) {
        return std::any_of(before.begin(), before.end(), [&](const Column& each) { return each.key == key; });
    };
    std::string key = name;
    for (int number = 2; taken(key); ++number)
        key = name + "_" + std::to_string(number);
    return key;
}

}  // namespace

void name_columns(ResultTable& table, const std::vector<duck::ResultColumn>& columns) {
    for (const duck::ResultColumn& column : columns)
        table.columns.push_back({key_for(column.name, table.columns), column.name});
}

Result<FirstRows> first_rows(duck::Cursor& cursor, size_t most) {
    FirstRows found;
    found.table.name = "sql";
    name_columns(found.table, cursor.columns());
    for (bool more = true; more && found.table.rows.size() <= most;) {
        OPSIGHT_ASSIGN(more, cursor.read(found.table.rows));
    }
    found.more = found.table.rows.size() > most;
    if (found.more) found.table.rows.resize(most);
    return found;
}

}  // namespace opsight::query
