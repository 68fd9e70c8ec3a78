#include "report/write_rows.h"

#include <nlohmann/json.hpp>

#include "base/duckdb.h"
#include "report/render.h"

namespace opsight::report {
namespace {

// Calls `take(rows)` for the rows that the table has, then for those of its stream.
template <class Take>
Status each_part(const query::ResultTable& table, Take take) {
    OPSIGHT_TRY(take(table.rows));
    if (!table.stream) return {};
    std::vector<std::vector<query::Cell>> rows;
    for (bool more = true; more;) {
        rows.clear();
        OPSIGHT_ASSIGN(more, table.stream->read(rows));
        OPSIGHT_TRY(take(rows));
    }
    return {};
}

std::string json_text(const nlohmann::ordered_json& value) {
    return value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

// The one row of a table as `"key": value` pairs, without braces.
std::string json_fields(const query::ResultTable& table) {
    if (table.rows.empty()) return {};
    const std::string rows = render_json_rows(table);  // [\n {...}\n]
    const size_t open = rows.find('{'), close = rows.rfind('}');
    return rows.substr(open + 1, close - open - 1);
}

}  // namespace

Status write_csv(const query::ResultTable& table, const Sink& sink) {
    OPSIGHT_TRY(sink(csv_heads(table)));
    return each_part(table, [&](const auto& rows) { return rows.empty() ? Status() : sink(csv_rows(rows)); });
}

Status write_json_rows(const query::ResultTable& table, const Sink& sink) {
    OPSIGHT_TRY(sink("["));
    bool first = true;
    const auto take = [&](const std::vector<std::vector<query::Cell>>& rows) -> Status {
        if (rows.empty()) return {};
        const std::string text = json_row_list(table.columns, rows, first);
        first = false;
        return sink(text);
    };
    OPSIGHT_TRY(each_part(table, take));
    return sink(first ? "]" : "\n]");
}

Status write_report_json(const query::Report& report, const Sink& sink) {
    if (report.sections.size() == 1 && !report.sections[0].single)
        return write_json_rows(report.sections[0].table, sink);
    std::string before = "{\n";
    for (const query::Section& section : report.sections) {
        const query::ResultTable& table = section.table;
        const std::string name = json_text(table.name) + ": ";
        if (section.unnamed) {
            const std::string fields = json_fields(table);
            if (fields.empty()) continue;
            OPSIGHT_TRY(sink(before + fields));
        } else if (section.single) {
            OPSIGHT_TRY(sink(before + name + "{" + json_fields(table) + "}"));
        } else {
            OPSIGHT_TRY(sink(before + name));
            OPSIGHT_TRY(write_json_rows(table, sink));
        }
        before = ",\n";
    }
    return sink(before + "\"notes\": " + json_text(report.notes) + "\n}");
}

}  // namespace opsight::report
