#include "query/ask/free_sql.h"

#include <algorithm>

namespace opsight::query {
namespace {

// DuckDB shows the line at fault twice where the statement does not parse.
std::string without_repetition(std::string text) {
    const size_t first = text.find("\n\nLINE ");
    if (first == std::string::npos) return text;
    const size_t second = text.find("\n\nLINE ", first + 1);
    if (second != std::string::npos && text.substr(first, second - first) == text.substr(second))
        text.erase(second);
    return text;
}

Error explained(Error error, const std::string& path) {
    error.what = without_repetition(std::move(error.what));
    error.file = path;
    error.remedy = "'opsight schema' lists the views and their columns";
    return error;
}

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

// An open profile and the rows that are read from it.
struct Reading {
    std::shared_ptr<db::OpenProfile> profile;
    duck::Cursor cursor;
};

}  // namespace

void name_columns(ResultTable& table, const std::vector<duck::ResultColumn>& columns) {
    for (const duck::ResultColumn& column : columns)
        table.columns.push_back({key_for(column.name, table.columns), column.name});
}

FreeSql::FreeSql(std::string path, db::OpenProfile profile)
    : path_(std::move(path)), profile_(std::make_shared<db::OpenProfile>(std::move(profile))) {}

Result<FreeSql> FreeSql::open(const std::string& path) {
    OPSIGHT_ASSIGN(db::OpenProfile profile, db::open_profile(path));
    return FreeSql(path, std::move(profile));
}

Result<ResultTable> FreeSql::ask(const std::string& sql, bool streamed) {
    ResultTable table;
    table.name = "sql";
    if (streamed) {
        auto cursor = profile_->connection.open_cursor(duck::Statement(sql));
        if (!cursor) return fail(explained(std::move(cursor).error(), path_));
        const auto reading = std::make_shared<Reading>(Reading{profile_, std::move(*cursor)});
        name_columns(table, reading->cursor.columns());
        table.stream = std::shared_ptr<duck::Cursor>(reading, &reading->cursor);
        return table;
    }
    auto rows = profile_->connection.query(sql);
    if (!rows) return fail(explained(std::move(rows).error(), path_));
    name_columns(table, rows->columns);
    table.rows = std::move(rows->rows);
    return table;
}

Result<FirstRows> first_rows(db::OpenProfile& profile, const std::string& path, const std::string& sql,
                             size_t most) {
    auto cursor = profile.connection.open_cursor(duck::Statement(sql));
    if (!cursor) return fail(explained(std::move(cursor).error(), path));
    FirstRows found;
    found.table.name = "sql";
    name_columns(found.table, cursor->columns());
    for (bool more = true; more && found.table.rows.size() <= most;) {
        const auto read = cursor->read(found.table.rows);
        if (!read) return fail(explained(read.error(), path));
        more = *read;
    }
    found.more = found.table.rows.size() > most;
    if (found.more) found.table.rows.resize(most);
    return found;
}

}  // namespace opsight::query
