#include "report/render_comparison.h"

#include <fmt/format.h>

#include "base/terminal_text.h"
#include "report/render.h"
#include "report/render_report.h"
#include "report/units.h"

namespace opsight::report {
namespace {

// What they hold are sentences, each after its kind, with the numbers that matter in them.
bool holds_sentences(const query::ResultTable& table) {
    return table.columns.size() >= 2 && table.columns[1].key == "text";
}

struct MarkdownText {
    query::Unit unit;
    std::string operator()(std::monostate) const { return "-"; }
    std::string operator()(int64_t value) const { return human(unit, static_cast<double>(value)); }
    std::string operator()(double value) const {
        return unit == query::Unit::kNone ? fmt::format("{:.4g}", value) : human(unit, value);
    }
    std::string operator()(bool value) const { return value ? "yes" : "no"; }
    // What a name holds is not markup and ends no cell.
    std::string operator()(const std::string& value) const {
        std::string out;
        for (const char c : value) {
            if (std::string_view("\\`*_{}[]<>#|~&!").find(c) != std::string_view::npos) out += '\\';
            out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
        }
        return out;
    }
};

std::string text_of(const query::Cell& cell, query::Unit unit = query::Unit::kNone) {
    return std::visit(MarkdownText{unit}, cell);
}

std::string head_of(const query::Column& column) {
    return text_of(query::Cell{header_without_unit(column)});
}

std::string row_line(const std::vector<std::string>& cells) {
    return fmt::format("| {} |\n", fmt::join(cells, " | "));
}

bool is_amount(const query::Column& column) {
    return column.unit != query::Unit::kNone || column.role == query::Role::kNumber;
}

std::string markdown_table(const query::ResultTable& table) {
    std::vector<std::string> heads, rules;
    for (const query::Column& column : table.columns) {
        heads.push_back(head_of(column));
        rules.push_back(is_amount(column) ? "---:" : "---");
    }
    std::string out = row_line(heads) + row_line(rules);
    for (const auto& row : table.rows) {
        std::vector<std::string> cells;
        for (size_t i = 0; i < row.size(); ++i)
            cells.push_back(text_of(row[i], table.columns[i].unit));
        out += row_line(cells);
    }
    for (const std::string& note : table.notes)
        out += "\n" + text_of(query::Cell{note}) + "\n";
    return out;
}

// Names and values of a table of one row.
std::string markdown_facts(const query::ResultTable& table) {
    std::string out = row_line({"", ""}) + row_line({"---", "---"});
    for (size_t i = 0; i < table.columns.size(); ++i)
        if (!std::holds_alternative<std::monostate>(table.rows.at(0)[i]))
            out += row_line({head_of(table.columns[i]), text_of(table.rows[0][i], table.columns[i].unit)});
    return out;
}

}  // namespace

std::string render_comparison(const query::Report& report, int width) {
    std::string out;
    for (const std::string& note : report.notes)
        out += wrapped(note, width);
    for (const query::Section& section : report.sections) {
        if (section.table.rows.empty()) continue;
        out += '\n';
        if (!holds_sentences(section.table)) {
            out += render_report_table({{}, {}, {section}, {}}, width);
            continue;
        }
        out += section.table.title + '\n';
        for (const auto& row : section.table.rows)
            out += wrapped(
                fmt::format("  {}: {}", std::get<std::string>(row[0]), std::get<std::string>(row[1])), width);
    }
    return terminal_text(out);
}

std::string render_comparison_markdown(const query::Report& report) {
    std::string out = fmt::format("## {}\n", report.title);
    for (const std::string& note : report.notes)
        out += "\n**" + text_of(query::Cell{note}) + "**\n";
    for (const query::Section& section : report.sections) {
        if (section.table.rows.empty()) continue;
        out += fmt::format("\n### {}\n\n", section.table.title);
        if (holds_sentences(section.table))
            for (const auto& row : section.table.rows)
                out += fmt::format("- {}: {}\n", text_of(row[0]), text_of(row[1]));
        else
            out += section.single ? markdown_facts(section.table) : markdown_table(section.table);
    }
    return out;
}

}  // namespace opsight::report
