#include "db/table_writer.h"

#include <algorithm>
#include <cstdlib>

namespace opsight::db {
namespace {

size_t width(duck::Type type) {
    switch (type) {
        case duck::Type::kBoolean:
        case duck::Type::kTinyint:
        case duck::Type::kUtinyint:
            return 1;
        case duck::Type::kSmallint:
        case duck::Type::kUsmallint:
            return 2;
        case duck::Type::kInteger:
        case duck::Type::kUinteger:
            return 4;
        case duck::Type::kBigint:
        case duck::Type::kDouble:
            return 8;
        case duck::Type::kVarchar:
            return 0;
    }
    return 0;
}

}  // namespace

Result<TableWriter> TableWriter::create(duck::Connection& connection, std::string_view name) {
    std::vector<duck::Type> types;
    const Table& declared = table(name);
    for (const Column& column : declared.columns)
        types.push_back(column.type);
    OPSIGHT_ASSIGN(duck::Appender appender,
                   duck::Appender::create(connection, "raw", std::string(name), types));
    return TableWriter(std::move(appender), declared);
}

size_t TableWriter::take(std::string_view name, size_t bytes) {
    const auto& columns = declared_->columns;
    const auto found =
        std::find_if(columns.begin(), columns.end(), [name](const Column& c) { return c.name == name; });
    const auto index = static_cast<size_t>(found - columns.begin());
    if (found == columns.end() || filled_[index] || width(found->type) != bytes) std::abort();
    filled_[index] = true;
    return index;
}

void TableWriter::check_complete() const {
    if (std::find(filled_.begin(), filled_.end(), false) != filled_.end()) std::abort();
}

}  // namespace opsight::db
