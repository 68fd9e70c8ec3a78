#include "query/reports/columns_explained.h"

#include <fmt/format.h>

namespace opsight::query {
namespace {

ResultTable explained(const ResultTable& table) {
    ResultTable columns{table.name + "_columns",
                        fmt::format("Columns of {}", table.title),
                        {{"column", "Column"}, {"key", "Key", Unit::kNone, 1}, {"meaning", "Meaning"}}};
    for (const Column& column : table.columns) {
        const Cell meaning = column.description.empty() ? Cell() : Cell(std::string(column.description));
        columns.rows.push_back({column.header, column.key, meaning});
    }
    return columns;
}

}  // namespace

Report columns_explained(const Report& report) {
    Report columns{report.name, report.title};
    for (const Section& section : report.sections)
        columns.sections.push_back({explained(section.table)});
    return columns;
}

}  // namespace opsight::query
