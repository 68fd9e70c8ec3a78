#include "fleet/parquet/duckdb_dialect.h"

#include <fmt/format.h>

#include <cctype>

#include "fleet/store/schema.h"

namespace opsight::fleet::parquet {
namespace {

// The element at place floor(p * count) of the values in order.
std::string element(const std::string& value, const std::string& share) {
    return fmt::format(
        "list_sort(list({0}) FILTER (WHERE ({0}) IS NOT NULL))"
        "[least(floor(({1}) * count({0})), count({0}) - 1)::BIGINT + 1]",
        value, share);
}

}  // namespace

std::string DuckDbDialect::word(std::string_view name, const std::vector<std::string>& arguments) const {
    if (name == "join") return "JOIN";
    if (name == "left_join") return "LEFT JOIN";
    if (name == "median") return element(arguments[0], "0.5");
    if (name == "quantile") return element(arguments[0], arguments[1]);
    if (name == "ratio")
        return fmt::format("(({})::DOUBLE / nullif(({})::DOUBLE, 0))", arguments[0], arguments[1]);
    return fmt::format("CAST({} AS VARCHAR)", arguments[0]);
}

std::set<std::string> tables_in(std::string_view sql) {
    std::set<std::string> found;
    std::string word;
    for (size_t i = 0; i <= sql.size(); ++i) {
        const auto c = static_cast<unsigned char>(i < sql.size() ? sql[i] : ' ');
        if (std::isalnum(c) || c == '_') {
            word += static_cast<char>(std::tolower(c));
            continue;
        }
        if (find_table(word)) found.insert(word);
        word.clear();
    }
    return found;
}

}  // namespace opsight::fleet::parquet
