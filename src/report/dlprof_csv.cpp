#include "report/dlprof_csv.h"

#include <fmt/format.h>

#include "report/escape.h"

namespace opsight::report {
namespace {

using query::dlprof::Kind;

std::string field(const query::Cell& cell, Kind kind) {
    if (const auto* integer = std::get_if<int64_t>(&cell)) return std::to_string(*integer);
    if (const auto* real = std::get_if<double>(&cell)) return fmt::format("{:.1f}", *real);
    const auto* text = std::get_if<std::string>(&cell);
    if (!text) return {};
    if (kind == Kind::kBare) return *text;
    return kind == Kind::kText ? csv_quoted(*text) : csv_field(*text);
}

std::string render(const query::dlprof::Table& table) {
    std::string out = table.title + '\n', heads;
    bool has_header = false;
    for (size_t i = 0; i < table.columns.size(); ++i) {
        has_header |= !table.columns[i].header.empty();
        heads += (i > 0 ? "," : "") + table.columns[i].header;
    }
    if (has_header) out += heads + '\n';
    for (const auto& row : table.rows) {
        for (size_t i = 0; i < row.size(); ++i)
            out += (i > 0 ? "," : "") + field(row[i], table.columns[i].kind);
        out += '\n';
    }
    return out;
}

}  // namespace

std::string render_dlprof_csv(const query::dlprof::Report& report) {
    std::string out;
    for (const query::dlprof::Table& table : report.tables)
        out += (out.empty() ? "" : "\n") + render(table);
    return out;
}

}  // namespace opsight::report
