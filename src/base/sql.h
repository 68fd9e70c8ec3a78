// Statements of DuckDB: a file of a room's sql/ folder, and a statement with the values that its $names stand
// for. The files are embedded at build (scripts/embed_sql.py).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace opsight::duck {

using Cell = std::variant<std::monostate, int64_t, double, bool, std::string>;  // monostate: NULL

struct Sql {
    std::string_view name;  // of the file, without its end
    std::string_view text;
};

class Statement {
  public:
    Statement() = default;
    Statement(const Sql& file) : name(file.name), text(file.text) {}
    explicit Statement(std::string sql) : text(std::move(sql)) {}
    // What `$name` stands for. A value that the statement does not name is left out; a name without a value
    // is an error of DuckDB.
    Statement& set(std::string key, Cell value) {
        values.emplace_back(std::move(key), std::move(value));
        return *this;
    }
    // The statement with its values written in place of their names, as literals. DuckDB's own parameters are
    // of no use within statements of some size: 1.4.4 plans some of them wrongly, and then refuses the whole
    // database ("Expected unified vector format of type INT64, but found type INT32").
    std::string written() const;

    std::string_view name;  // of the file that it is of; empty: of none
    std::string text;
    std::vector<std::pair<std::string, Cell>> values;
};

// Where the text, the quoted name or the comment that begins at `at` ends: npos where it does not, `at` where
// none begins. Comments between /* and */ may hold others.
size_t past_quoted(std::string_view sql, size_t at);

// A value as SQL has it: '1'::BIGINT, true, 'text', NULL.
std::string literal(const Cell& value);

// "'text'" and "\"name\"" with quotes doubled, for the few statements that take no arguments.
std::string quote_text(std::string_view text);
std::string quote_name(std::string_view name);

}  // namespace opsight::duck
