#include "cli/fleet_schema.h"

#include <fmt/format.h>

#include "fleet/store/schema.h"

namespace opsight::cli {
namespace {

std::string_view type_word(fleet::Type type) {
    return type == fleet::Type::kText ? "text" : type == fleet::Type::kInteger ? "integer" : "real";
}

}  // namespace

std::string fleet_schema_markdown() {
    std::string out;
    for (const fleet::Table& table : fleet::tables()) {
        out +=
            fmt::format("### {}\n\n{}\n\n| column | type | unit | NULL | meaning |\n|---|---|---|---|---|\n",
                        table.name, table.meaning);
        for (const fleet::Column& column : table.columns)
            out += fmt::format("| `{}` | {} | {} | {} | {} |\n", column.name, type_word(column.type),
                               column.unit, column.may_be_null ? "yes" : "", column.meaning);
        out += "\n";
    }
    return out;
}

}  // namespace opsight::cli
