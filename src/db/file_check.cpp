#include "db/file_check.h"

#include <fmt/format.h>

#include <map>
#include <mutex>
#include <set>

#include "db/reader.h"
#include "db/schema.h"

namespace opsight::db {
namespace {

using duck::Rows;

constexpr const char* kFile = duck::Database::kAttached;
constexpr const char* kRemedy = "do not use it; import the trace again, or ask for the trace itself";

std::string text_of(const duck::Cell& cell) {
    const auto* text = std::get_if<std::string>(&cell);
    return text ? *text : std::string();
}

Status refuse(const std::string& what) {
    return fail("holds what no profile holds: " + what, {}, {}, kRemedy);
}
Status wrong_table(const std::string& what) {
    return fail("is not made as a profile is: " + what, {}, {}, kRemedy);
}

std::string in_file(std::string_view function) {
    return fmt::format("FROM {}() WHERE database_name = '{}'", function, kFile);
}

// The text that DuckDB gives for each of our views.
Result<std::map<std::string, std::string>> own_views(duck::Connection& connection) {
    static std::mutex mutex;
    static std::map<std::string, std::string> known;
    const std::lock_guard lock(mutex);
    if (!known.empty()) return known;
    std::map<std::string, std::string> made;
    for (const View& view : views()) {
        OPSIGHT_ASSIGN(
            const Rows rows,
            connection.query(duck::Statement("SELECT json_deserialize_sql(json_serialize_sql($view))")
                                 .set("view", select_sql(view))));
        made[std::string(view.name)] =
            fmt::format("CREATE VIEW {} AS {};", view.name, text_of(rows.rows.at(0)[0]));
    }
    known = std::move(made);
    return known;
}

// A constant, as steps from older schema versions leave it.
bool is_plain_default(const std::string& text) {
    if (text.empty() || text == "''" || text == "NULL") return true;
    const size_t digits = text.starts_with('-') ? 1 : 0;
    return text.size() > digits && text.find_first_not_of("0123456789", digits) == std::string::npos;
}

// DuckDB's own types: those of the database in memory, which has no others.
using Types = std::set<std::pair<std::string, int64_t>>;  // name and number

Result<Types> own_types(duck::Connection& connection) {
    OPSIGHT_ASSIGN(const Rows rows,
                   connection.query("SELECT logical_type, type_oid FROM duckdb_types() WHERE database_name = "
                                    "'memory' AND type_oid IS NOT NULL"));
    Types types;
    for (const auto& row : rows.rows)
        if (const auto* number = std::get_if<int64_t>(&row[1])) types.emplace(text_of(row[0]), *number);
    return types;
}

struct StoredColumn {
    std::string name, type, standard;
};

Result<std::map<std::string, std::vector<StoredColumn>>> stored_columns(duck::Connection& connection) {
    OPSIGHT_ASSIGN(const Types types, own_types(connection));
    OPSIGHT_ASSIGN(
        const Rows rows,
        connection.query("SELECT table_name, column_name, data_type, data_type_id, column_default " +
                         in_file("duckdb_columns") +
                         " AND schema_name = 'raw' ORDER BY table_name, column_index"));
    std::map<std::string, std::vector<StoredColumn>> out;
    for (const auto& row : rows.rows) {
        const auto* number = std::get_if<int64_t>(&row[3]);
        const bool own = number && types.contains({text_of(row[2]), *number});
        out[text_of(row[0])].push_back(
            {text_of(row[1]), own ? text_of(row[2]) : "a type of its own", text_of(row[4])});
    }
    return out;
}

Status check_columns(const Table& declared, const std::vector<StoredColumn>& stored, bool whole) {
    if (stored.size() > declared.columns.size())
        return wrong_table(
            fmt::format("raw.{} has the column '{}'", declared.name, stored[declared.columns.size()].name));
    if (whole && stored.size() < declared.columns.size())
        return wrong_table(
            fmt::format("raw.{} lacks the column {}", declared.name, declared.columns[stored.size()].name));
    for (size_t i = 0; i < stored.size(); ++i) {
        const Column& column = declared.columns[i];
        const bool former = !whole && stored[i].name == former_name(declared.name, column.name);
        if (stored[i].name != column.name && !former)
            return wrong_table(fmt::format("raw.{} has the column '{}' in place of {}", declared.name,
                                           stored[i].name, column.name));
        if (stored[i].type != duck::type_name(column.type))
            return wrong_table(fmt::format("raw.{}.{} is {}, not {}", declared.name, column.name,
                                           stored[i].type, duck::type_name(column.type)));
        if (!is_plain_default(stored[i].standard))
            return refuse(
                fmt::format("the default '{}' of raw.{}.{}", stored[i].standard, declared.name, column.name));
    }
    return {};
}

}  // namespace

Result<std::vector<StoredTable>> stored_tables(duck::Connection& connection) {
    OPSIGHT_ASSIGN(const Rows rows,
                   connection.query("SELECT schema_name, table_name, contains(sql, 'GENERATED ALWAYS') " +
                                    in_file("duckdb_tables")));
    std::vector<StoredTable> out;
    for (const auto& row : rows.rows) {
        const auto* computes = std::get_if<bool>(&row[2]);
        out.push_back({text_of(row[0]), text_of(row[1]), !computes || *computes});
    }
    return out;
}

Status check_objects(duck::Connection& connection, const std::vector<StoredTable>& tables) {
    // Each database has DuckDB's own types, as often as the one in memory.
    const std::string sql =
        "SELECT 'the schema', schema_name " + in_file("duckdb_schemas") +
        " AND schema_name NOT IN ('main', 'raw') UNION ALL SELECT 'the function', function_name " +
        in_file("duckdb_functions") + " UNION ALL SELECT 'the sequence', sequence_name " +
        in_file("duckdb_sequences") + " UNION ALL SELECT 'the index', index_name " +
        in_file("duckdb_indexes") + " UNION ALL SELECT 'the constraint', constraint_text " +
        in_file("duckdb_constraints") +
        fmt::format(
            " UNION ALL SELECT 'the type', type_name FROM duckdb_types() WHERE database_name IN ('{0}', "
            "'memory') GROUP BY type_name, schema_name, logical_type, type_size HAVING count(*) FILTER "
            "(database_name = '{0}') > count(*) FILTER (database_name = 'memory')",
            kFile);
    OPSIGHT_ASSIGN(const Rows rows, connection.query(sql));
    if (!rows.rows.empty())
        return refuse(fmt::format("{} '{}'", text_of(rows.rows[0][0]), text_of(rows.rows[0][1])));
    for (const StoredTable& table : tables) {
        if (table.schema != "raw")
            return refuse(fmt::format("outside of the schema raw the table '{}'", table.name));
        if (table.computes) return refuse(fmt::format("with a computed column the table '{}'", table.name));
    }
    return {};
}

Result<std::string> digest_of_views(duck::Connection& connection) {
    OPSIGHT_ASSIGN(
        const Rows rows,
        connection.query("SELECT sha256(string_agg(concat_ws(':', length(schema_name), schema_name, "
                         "length(view_name), view_name, length(sql), sql), '' ORDER BY schema_name, "
                         "view_name)) " +
                         in_file("duckdb_views")));
    return text_of(rows.rows.at(0)[0]);
}

Status check_views(duck::Connection& connection, bool current) {
    OPSIGHT_ASSIGN(const std::string digest, digest_of_views(connection));
    if (digest == kDigestOfViews) return {};
    OPSIGHT_ASSIGN(const Rows rows,
                   connection.query("SELECT view_name, sql, schema_name " + in_file("duckdb_views")));
    for (const auto& row : rows.rows)
        if (text_of(row[2]) == "raw")
            return refuse(fmt::format("in the schema raw the view '{}'", text_of(row[0])));
    if (!current) return {};
    OPSIGHT_ASSIGN(const auto own, own_views(connection));
    for (const auto& row : rows.rows) {
        const auto found = own.find(text_of(row[0]));
        if (found == own.end() || found->second != text_of(row[1]))
            return refuse(fmt::format("the view '{}', which is not as Opsight makes it", text_of(row[0])));
    }
    if (rows.rows.size() < own.size()) return wrong_table("views are missing");
    return {};
}

Status check_tables(duck::Connection& connection, bool whole) {
    OPSIGHT_ASSIGN(auto stored, stored_columns(connection));
    for (const Table& declared : tables()) {
        const auto found = stored.find(std::string(declared.name));
        if (found == stored.end()) {
            if (whole) return wrong_table(fmt::format("it has no table raw.{}", declared.name));
            continue;
        }
        OPSIGHT_TRY(check_columns(declared, found->second, whole));
        stored.erase(found);
    }
    if (stored.empty()) return {};
    return refuse(fmt::format("the table 'raw.{}'", stored.begin()->first));
}

}  // namespace opsight::db
