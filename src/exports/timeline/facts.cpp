#include "exports/timeline/facts.h"

#include <nlohmann/json.hpp>

#include "query/session/cells.h"

namespace opsight::exports {
namespace {

// Lists come from the source as JSON; what only begins like it is text.
bool is_json_list(const std::string& text) {
    return text.starts_with('[') && nlohmann::json::accept(text);
}

}  // namespace

Value value_of(const duck::Cell& cell, Texts& texts) {
    Value value;
    if (const auto* real = std::get_if<double>(&cell)) {
        value.type = Value::Type::kReal;
        value.real = *real;
    } else if (const auto* text = std::get_if<std::string>(&cell)) {
        value.type = is_json_list(*text) ? Value::Type::kJson : Value::Type::kText;
        value.text = texts.add(*text);
    } else {
        value.whole = query::integer(cell);
    }
    return value;
}

Result<Facts> Facts::load(duck::Connection& connection, const duck::Statement& statement, Texts& texts) {
    OPSIGHT_ASSIGN(duck::Cursor cursor, connection.open_cursor(statement));
    std::vector<uint32_t> keys;
    for (const duck::ResultColumn& column : cursor.columns())
        keys.push_back(texts.add(column.name));
    const uint32_t name = texts.add("name");
    Facts facts;
    std::vector<std::vector<duck::Cell>> rows;
    for (bool more = true; more;) {
        rows.clear();
        OPSIGHT_ASSIGN(more, cursor.read(rows));
        for (const std::vector<duck::Cell>& row : rows) {
            Entry& entry = facts.entries_[query::integer(row[0])];
            for (size_t i = 1; i < row.size(); ++i) {
                if (row[i].index() == 0) continue;
                if (keys[i] == name)
                    entry.name = texts.add(query::text(row[i]));
                else
                    entry.arguments.push_back({keys[i], value_of(row[i], texts)});
            }
        }
    }
    return facts;
}

}  // namespace opsight::exports
