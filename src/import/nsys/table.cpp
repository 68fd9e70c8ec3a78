#include "import/nsys/table.h"

#include <algorithm>

namespace opsight::importer::nsys {

Result<std::optional<Table>> Table::open(sqlite::Database& database, const TableNames& present,
                                         std::string_view name, const std::vector<std::string_view>& columns,
                                         const std::optional<RowsWith>& only) {
    if (!present.contains(name)) return std::optional<Table>();
    OPSIGHT_ASSIGN(const std::vector<std::string> found, database.columns(name));
    const auto is_known = [&found](std::string_view column) {
        return std::find(found.begin(), found.end(), column) != found.end();
    };
    if (only && !is_known(only->column)) return std::optional<Table>();
    std::vector<int> place;
    std::string list;
    int next = 0;
    for (const std::string_view column : columns) {
        const bool known = is_known(column);
        place.push_back(known ? next++ : -1);
        if (known) list.append(list.empty() ? "\"" : ", \"").append(column).append("\"");
    }
    if (next == 0) list = "NULL";
    std::string sql = "SELECT " + list + " FROM \"";
    sql.append(name).append("\"");
    if (only)
        sql.append(" WHERE \"").append(only->column).append("\" = ").append(std::to_string(only->value));
    OPSIGHT_ASSIGN(sqlite::Rows rows, database.query(sql));
    return std::optional<Table>(Table(std::move(rows), name, std::move(place)));
}

}  // namespace opsight::importer::nsys
