// Statements of DuckDB: a file of a room's sql/ folder, and a statement with the values that its $names stand
// for. The files are embedded at build (scripts/embed_sql.py).
#pragma once

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
    Statement(const Sql& file) : text(file.text) {}
    // `in_order` stands for the `?` of the statement.
    explicit Statement(std::string sql, std::vector<Cell> in_order = {}) : text(std::move(sql)) {
        for (Cell& value : in_order)
            set(std::to_string(values.size() + 1), std::move(value));
    }
    // What `$name` stands for. A value that the statement does not name is left out; a name without a value
    // is an error of DuckDB.
    Statement& set(std::string name, Cell value) {
        values.emplace_back(std::move(name), std::move(value));
        return *this;
    }

    std::string text;
    std::vector<std::pair<std::string, Cell>> values;
};

// "'text'" and "\"name\"" with quotes doubled, for the few statements that take no arguments.
std::string quote_text(std::string_view text);
std::string quote_name(std::string_view name);

}  // namespace opsight::duck
