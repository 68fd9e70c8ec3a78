#include "query/free_sql.h"

namespace opsight {
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

}  // namespace

Result<ResultTable> run_sql(const std::string& path, const std::string& sql) {
    db::ReadOptions options;
    options.locked_down = true;
    OPSIGHT_ASSIGN(db::OpenProfile profile, db::open_profile(path, options));
    auto rows = profile.connection.query(sql);
    if (!rows) {
        Error error = std::move(rows).error();
        error.what = without_repetition(std::move(error.what));
        error.file = path;
        error.remedy = "'opsight schema' lists the views and their columns";
        return fail(std::move(error));
    }
    ResultTable table;
    table.name = "sql";
    for (duck::ResultColumn& column : rows->columns)
        table.columns.push_back({column.name, column.name});
    table.rows = std::move(rows->rows);
    return table;
}

}  // namespace opsight
