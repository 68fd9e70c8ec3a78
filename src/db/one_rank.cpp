#include "db/one_rank.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/duckdb.h"
#include "db/schema.h"
#include "db/value_rules.h"

namespace opsight::db {
namespace {

// A variable of the connection: connections to one file share the views.
constexpr const char* kOfRank = "getvariable('rank')";

std::string stored(std::string_view table) {
    return fmt::format("{}.raw.{}", duck::Database::kAttached, table);
}

std::string calls_of_rank() {
    return fmt::format("SELECT call FROM {} WHERE rank = {}", stored("collective_members"), kOfRank);
}

const Column* referring(const Table& table, std::string_view to) {
    const auto found = std::find_if(table.columns.begin(), table.columns.end(), [&](const Column& column) {
        const ValueRule rule = value_rule(table, column);
        return rule.rule == Rule::kRefersTo && rule.to == to;
    });
    return found == table.columns.end() ? nullptr : &*found;
}

std::string within(const Column& column, std::string_view table) {
    return fmt::format("({0} < 0 OR {0} IN (SELECT id FROM {1} WHERE rank = {2}))", column.name,
                       stored(table), kOfRank);
}

// The rows of a rank: by itself, by the tracks that they stand on, by the devices that they are of.
std::string condition(const Table& table) {
    if (table.name == "ranks") return fmt::format("id = {}", kOfRank);
    if (table.name == "collective_calls") return fmt::format("id IN ({})", calls_of_rank());
    if (table.name == "comm_groups")
        return fmt::format("id IN (SELECT comm_group FROM {} WHERE id IN ({}))", stored("collective_calls"),
                           calls_of_rank());
    if (referring(table, "ranks")) return fmt::format("rank = {}", kOfRank);
    for (const std::string_view owner : {"tracks", "devices"})
        if (const Column* column = referring(table, owner)) return within(*column, owner);
    return "true";
}

// Questions ask some tables for the place of a row in the file, which a view has only as a column.
bool asked_for_rows(std::string_view table) {
    constexpr std::string_view kTables[] = {"meta",         "iterations",    "python_frames",
                                            "device_spans", "memory_events", "counters"};
    return std::find(std::begin(kTables), std::end(kTables), table) != std::end(kTables);
}

}  // namespace

std::string one_rank_sql(int64_t rank) {
    std::string sql = fmt::format("SET VARIABLE rank = {};USE memory;CREATE SCHEMA IF NOT EXISTS raw;", rank);
    for (const Table& table : tables())
        sql += fmt::format("CREATE VIEW IF NOT EXISTS raw.{} AS SELECT {}* FROM {} WHERE {};", table.name,
                           asked_for_rows(table.name) ? "rowid, " : "", stored(table.name), condition(table));
    for (const View& view : views())
        sql += fmt::format("CREATE VIEW IF NOT EXISTS {} AS {};", view.name, select_sql(view));
    return sql;
}

}  // namespace opsight::db
