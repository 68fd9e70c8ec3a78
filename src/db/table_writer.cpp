#include "db/table_writer.h"

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

size_t TableWriter::take(size_t bytes) {
    if (next_ >= declared_->columns.size() || width(declared_->columns[next_].type) != bytes) std::abort();
    return next_++;
}

void TableWriter::check_complete() const {
    if (next_ != declared_->columns.size()) std::abort();
}

}  // namespace opsight::db
