#include "report/render_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/units.h"

namespace opsight {
namespace {

struct PersonText {
    Unit unit;
    std::string operator()(std::monostate) const { return {}; }
    std::string operator()(int64_t value) const {
        return unit == Unit::kNone ? fmt::format("{}", value) : human(unit, static_cast<double>(value));
    }
    std::string operator()(double value) const {
        return unit == Unit::kNone ? fmt::format("{:.2f}", value) : human(unit, value);
    }
    std::string operator()(bool value) const { return value ? "yes" : "no"; }
    std::string operator()(const std::string& value) const { return value; }
};

// A table of one row as two columns of text; what is not known is left out.
ResultTable transposed(const ResultTable& table) {
    ResultTable out;
    out.name = table.name;
    out.title = table.title;
    out.notes = table.notes;
    out.columns = {{"name", ""}, {"value", ""}};
    if (table.rows.empty()) return out;
    for (size_t i = 0; i < table.columns.size(); ++i) {
        const Column& column = table.columns[i];
        std::string value = std::visit(PersonText{column.unit}, table.rows[0][i]);
        if (value.empty()) continue;
        std::string head = column.head;
        if (column.unit != Unit::kNone)
            if (const size_t at = head.rfind(" ("); at != std::string::npos) head.resize(at);
        out.rows.push_back({std::move(head), std::move(value)});
    }
    return out;
}

// Two aligned columns without heads.
std::string render_pairs(const ResultTable& table, int width) {
    const std::string drawn = render_table(transposed(table), width);
    const size_t title_end = drawn.find('\n') + 1;
    const size_t heads_end = drawn.find('\n', title_end) + 1;
    const size_t rule_end = drawn.find('\n', heads_end) + 1;
    return drawn.substr(0, title_end) + drawn.substr(heads_end, rule_end - heads_end) +
           drawn.substr(rule_end);
}

nlohmann::ordered_json json_rows(const ResultTable& table) {
    return nlohmann::ordered_json::parse(render_json_rows(table));
}

nlohmann::ordered_json json_section(const Section& section) {
    nlohmann::ordered_json rows = json_rows(section.table);
    if (!section.single) return rows;
    return rows.empty() ? nlohmann::ordered_json::object() : rows[0];
}

}  // namespace

std::string render_report_table(const Report& report, int width) {
    std::string out;
    for (const Section& section : report.sections) {
        if (!out.empty()) out += '\n';
        out += section.single ? render_pairs(section.table, width) : render_table(section.table, width);
    }
    for (const std::string& note : report.notes)
        out += "note: " + note + '\n';
    return out;
}

std::string render_report_json(const Report& report) {
    if (report.sections.size() == 1 && !report.sections[0].single)
        return render_json_rows(report.sections[0].table);
    nlohmann::ordered_json object;
    for (const Section& section : report.sections) {
        nlohmann::ordered_json value = json_section(section);
        if (section.unnamed)
            object.update(value);
        else
            object[section.table.name] = std::move(value);
    }
    object["notes"] = report.notes;
    return object.dump(2);
}

std::vector<std::pair<std::string, std::string>> render_report_csv(const Report& report) {
    std::vector<std::pair<std::string, std::string>> files;
    for (const Section& section : report.sections) {
        const bool plain = section.unnamed || report.sections.size() == 1;
        files.emplace_back(plain ? report.name : report.name + "_" + section.table.name,
                           render_csv(section.table));
    }
    return files;
}

}  // namespace opsight
