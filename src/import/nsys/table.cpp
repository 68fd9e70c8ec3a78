#include "import/nsys/table.h"

#include <algorithm>

namespace opsight::nsys {

Result<std::optional<Table>> Table::open(sqlite::Database& database, const TableNames& present,
                                         std::string_view name, const std::vector<std::string_view>& columns,
                                         std::string_view condition) {
    if (!present.contains(name)) return std::optional<Table>();
    OPSIGHT_ASSIGN(const std::vector<std::string> found, database.columns(name));
    std::vector<int> place;
    std::string list;
    int next = 0;
    for (const std::string_view column : columns) {
        const bool known = std::find(found.begin(), found.end(), column) != found.end();
        place.push_back(known ? next++ : -1);
        if (known) list.append(list.empty() ? "\"" : ", \"").append(column).append("\"");
    }
    if (next == 0) list = "NULL";
    std::string sql = "SELECT " + list + " FROM \"";
    sql.append(name).append("\"").append(condition);
    OPSIGHT_ASSIGN(sqlite::Rows rows, database.query(sql));
    return std::optional<Table>(Table(std::move(rows), name, std::move(place)));
}

}  // namespace opsight::nsys
