#include "query/ask/free_sql.h"

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

// An open profile and the rows that are read from it.
struct Reading {
    std::shared_ptr<db::OpenProfile> profile;
    duck::Cursor cursor;
};

}  // namespace

FreeSql::FreeSql(std::string path, db::OpenProfile profile)
    : path_(std::move(path)), profile_(std::make_shared<db::OpenProfile>(std::move(profile))) {}

Result<FreeSql> FreeSql::open(const std::string& path, const std::string& shown) {
    OPSIGHT_ASSIGN(db::OpenProfile profile, db::open_profile(path));
    return FreeSql(shown, std::move(profile));
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
    auto found = first_rows(*cursor, most);
    if (!found) return fail(explained(std::move(found).error(), path));
    return found;
}

}  // namespace opsight::query
