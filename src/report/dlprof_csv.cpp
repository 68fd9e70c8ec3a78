#include "report/dlprof_csv.h"

#include <fmt/format.h>

#include "report/csv_writer.h"

namespace opsight::report {
namespace {

// Texts stand in quotes, empty or not; words, where they must; what has no header, never.
void put_field(CsvWriter& csv, const query::Cell& cell, const query::Column& column) {
    const auto* text = std::get_if<std::string>(&cell);
    if (const auto* real = std::get_if<double>(&cell))
        csv.bare(fmt::format("{:.1f}", *real));
    else if (text && column.header.empty())
        csv.bare(*text);
    else if (text && column.role == query::Role::kValue)
        csv.quoted(*text);
    else
        csv.cell(cell);
}

std::string render(const query::ResultTable& table) {
    CsvWriter csv;
    csv.bare(table.title).end_row();
    bool has_header = false;
    for (const auto& column : table.columns)
        has_header |= !column.header.empty();
    if (has_header) {
        for (const auto& column : table.columns)
            csv.bare(column.header);
        csv.end_row();
    }
    for (const auto& row : table.rows) {
        for (size_t i = 0; i < row.size(); ++i)
            put_field(csv, row[i], table.columns[i]);
        csv.end_row();
    }
    return csv.take();
}

}  // namespace

std::string render_dlprof_csv(const query::Report& report) {
    std::string out;
    for (const query::Section& section : report.sections)
        out += (out.empty() ? "" : "\n") + render(section.table);
    return out;
}

}  // namespace opsight::report
