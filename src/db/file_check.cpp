#include "db/file_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>

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

// Fails where the query has rows; the first names what is in the file.
Status none_of(duck::Connection& connection, const std::string& kind, const std::string& sql) {
    OPSIGHT_ASSIGN(const Rows rows, connection.query(sql));
    if (rows.rows.empty()) return {};
    return refuse(fmt::format("{} '{}'", kind, text_of(rows.rows[0][0])));
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

struct StoredColumn {
    std::string name, type, standard;
};

Result<std::map<std::string, std::vector<StoredColumn>>> stored_columns(duck::Connection& connection) {
    OPSIGHT_ASSIGN(
        const Rows rows,
        connection.query(
            duck::Statement("SELECT table_name, column_name, CASE WHEN (data_type, data_type_id) IN "
                            "(SELECT (logical_type, type_oid) FROM duckdb_types() WHERE database_name = "
                            "'memory') THEN data_type ELSE 'a type of its own' END, column_default FROM "
                            "duckdb_columns() WHERE database_name = $file AND schema_name = 'raw' "
                            "ORDER BY table_name, column_index")
                .set("file", std::string(kFile))));
    std::map<std::string, std::vector<StoredColumn>> out;
    for (const auto& row : rows.rows)
        out[text_of(row[0])].push_back({text_of(row[1]), text_of(row[2]), text_of(row[3])});
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

Result<bool> has_table(duck::Connection& connection, const std::string& name) {
    OPSIGHT_ASSIGN(const Rows rows,
                   connection.query(duck::Statement("SELECT 1 " + in_file("duckdb_tables") +
                                                    " AND schema_name = 'raw' AND table_name = $name")
                                        .set("name", name)));
    return !rows.rows.empty();
}

Status check_objects(duck::Connection& connection) {
    OPSIGHT_TRY(none_of(
        connection, "the schema",
        "SELECT schema_name " + in_file("duckdb_schemas") + " AND schema_name NOT IN ('main', 'raw')"));
    OPSIGHT_TRY(none_of(connection, "the function", "SELECT function_name " + in_file("duckdb_functions")));
    OPSIGHT_TRY(none_of(connection, "the sequence", "SELECT sequence_name " + in_file("duckdb_sequences")));
    OPSIGHT_TRY(none_of(connection, "the index", "SELECT index_name " + in_file("duckdb_indexes")));
    OPSIGHT_TRY(
        none_of(connection, "the constraint", "SELECT constraint_text " + in_file("duckdb_constraints")));
    // Each database has DuckDB's own types; the one in memory has no others.
    constexpr const char* kType =
        "SELECT type_name, schema_name, logical_type, type_size FROM duckdb_types() WHERE ";
    OPSIGHT_TRY(none_of(
        connection, "the type",
        fmt::format("{0} database_name = '{1}' EXCEPT ALL {0} database_name = 'memory'", kType, kFile)));
    OPSIGHT_TRY(none_of(connection, "outside of the schema raw the table",
                        "SELECT table_name " + in_file("duckdb_tables") + " AND schema_name <> 'raw'"));
    OPSIGHT_TRY(
        none_of(connection, "with a computed column the table",
                "SELECT table_name " + in_file("duckdb_tables") + " AND contains(sql, 'GENERATED ALWAYS')"));
    return none_of(connection, "in the schema raw the view",
                   "SELECT view_name " + in_file("duckdb_views") + " AND schema_name = 'raw'");
}

Status check_views(duck::Connection& connection) {
    OPSIGHT_ASSIGN(const auto own, own_views(connection));
    OPSIGHT_ASSIGN(const Rows rows, connection.query("SELECT view_name, sql " + in_file("duckdb_views")));
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
