#include "query/reports/op_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "query/reports/sql.h"

namespace opsight::query {

Status check_groups(Session& session, const TableShape& shape) {
    if (!shape.by_host) return {};
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(reports::sql::hosts_told));
    if (std::get<bool>(rows.rows.at(0)[0])) return {};
    return fail(
        Error{"does not tell which hosts its ranks ran on", session.path(), {}, "part rows by rank", 2});
}

void note_groups(Report& report, const TableShape& shape) {
    for (const Column& wanted : group_columns(shape)) {
        const auto has = [&wanted](const Section& section) {
            return std::ranges::any_of(section.table.columns,
                                       [&wanted](const Column& column) { return column.key == wanted.key; });
        };
        if (std::ranges::none_of(report.sections, has))
            report.notes.push_back(
                fmt::format("this report is not parted by {}: its rows are of all together", wanted.key));
    }
}

std::vector<Column> group_columns(const TableShape& shape) {
    std::vector<Column> columns;
    if (shape.by_rank) columns.push_back({"rank", "Rank", Unit::kCount, 0, Role::kId});
    if (shape.by_host) columns.push_back({"host", "Host", Unit::kNone, 0});
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

std::string ranks_by(const TableShape& shape) {
    return shape.by_rank ? "rank" : shape.by_host ? "host" : "";
}

duck::Statement shaped(const duck::Sql& file, const TableShape& shape) {
    duck::Statement statement(file);
    statement.set("ranks_by", ranks_by(shape)).set("by_device", shape.by_device);
    return statement.set("for_people", shape.for_people);
}

}  // namespace opsight::query
