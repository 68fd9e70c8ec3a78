#include "query/reports/op_groups.h"

#include <iterator>

namespace opsight::query {

std::vector<Column> group_columns(const TableShape& shape) {
    std::vector<Column> columns;
    if (shape.by_rank) columns.push_back({"rank", "Rank", Unit::kCount, 0, Role::kId});
    if (shape.by_device) columns.push_back({"device", "Device ID", Unit::kCount, 0, Role::kId});
    return columns;
}

void append(std::vector<Column>& to, std::vector<Column> from) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

void order_by_groups(Question& question, const TableShape& shape) {
    for (const Column& column : group_columns(shape))
        question.order.emplace_back(column.key, false);
}

duck::Statement shaped(const duck::Sql& file, const TableShape& shape) {
    duck::Statement statement(file);
    statement.set("by_rank", shape.by_rank).set("by_device", shape.by_device);
    return statement.set("for_people", shape.for_people);
}

}  // namespace opsight::query
