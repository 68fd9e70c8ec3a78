#include "query/free_sql.h"

namespace opsight {

Result<ResultTable> run_sql(const std::string& path, const std::string& sql) {
    db::ReadOptions options;
    options.locked_down = true;
    OPSIGHT_ASSIGN(db::OpenProfile profile, db::open_profile(path, options));
    auto rows = profile.connection.query(sql);
    if (!rows) {
        Error error = std::move(rows).error();
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
