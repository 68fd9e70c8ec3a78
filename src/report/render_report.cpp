#include "report/render_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/terminal_text.h"
#include "report/units.h"

namespace opsight::report {
namespace {

struct PersonText {
    query::Unit unit;
    std::string operator()(std::monostate) const { return {}; }
    std::string operator()(int64_t value) const {
        return unit == query::Unit::kNone ? fmt::format("{}", value)
                                          : human(unit, static_cast<double>(value));
    }
    std::string operator()(double value) const {
        return unit == query::Unit::kNone ? fmt::format("{:.2f}", value) : human(unit, value);
    }
    std::string operator()(bool value) const { return value ? "yes" : "no"; }
    std::string operator()(const std::string& value) const { return value; }
};

// A table of one row as two columns of text; what is not known is left out.
query::ResultTable transposed(const query::ResultTable& table) {
    query::ResultTable out;
    out.name = table.name;
    out.title = table.title;
    out.notes = table.notes;
    out.columns = {{"name", ""}, {"value", ""}};
    if (table.rows.empty()) return out;
    for (size_t i = 0; i < table.columns.size(); ++i) {
        const query::Column& column = table.columns[i];
        std::string value = std::visit(PersonText{column.unit}, table.rows[0][i]);
        if (value.empty()) continue;
        out.rows.push_back({header_without_unit(column), std::move(value)});
    }
    return out;
}

// Two aligned columns without heads.
std::string render_pairs(const query::ResultTable& table, int width) {
    const std::string drawn = render_table(transposed(table), width);
    const size_t title_end = drawn.find('\n') + 1;
    const size_t heads_end = drawn.find('\n', title_end) + 1;
    const size_t rule_end = drawn.find('\n', heads_end) + 1;
    return drawn.substr(0, title_end) + drawn.substr(heads_end, rule_end - heads_end) +
           drawn.substr(rule_end);
}

}  // namespace

// What they mean are sentences, which no column holds.
std::string render_diagnostics(const query::ResultTable& table, int width) {
    std::string out = table.title + '\n';
    for (const auto& row : table.rows) {
        const auto text = [&](size_t i) { return std::visit(PersonText{query::Unit::kNone}, row.at(i)); };
        out += wrapped(fmt::format("{}: {} x {}: {}", text(1), text(2), text(0), text(3)), width);
    }
    return out;
}

std::string render_report_table(const query::Report& report, int width) {
    std::string out;
    for (const query::Section& section : report.sections) {
        if (!out.empty()) out += '\n';
        out += section.single                        ? render_pairs(section.table, width)
               : section.table.name == "diagnostics" ? render_diagnostics(section.table, width)
                                                     : render_table(section.table, width);
    }
    for (const std::string& note : report.notes)
        out += wrapped("note: " + note, width);
    return terminal_text(out);
}

}  // namespace opsight::report
