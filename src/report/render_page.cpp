#include "report/render_page.h"

#include "report/json_parts.h"

namespace opsight::report {
namespace {

// Empty for a plain value.
const char* role_name(query::Role role) {
    switch (role) {
        case query::Role::kNumber:
            return "number";
        case query::Role::kId:
            return "id";
        case query::Role::kMoment:
            return "moment";
        case query::Role::kShapes:
            return "shapes";
        case query::Role::kTypes:
            return "dtypes";
        case query::Role::kStack:
            return "stack";
        case query::Role::kDirection:
            return "direction";
        case query::Role::kYesNo:
            return "yes_no";
        case query::Role::kWarning:
            return "warning";
        case query::Role::kAnswer:
            return "answer";
        case query::Role::kWorkClass:
            return "work_class";
        case query::Role::kEvidence:
            return "evidence";
        case query::Role::kSeverity:
            return "severity";
        case query::Role::kOpOrRange:
            return "op_or_range";
        case query::Role::kDeviceType:
            return "device_type";
        case query::Role::kValue:
            break;
    }
    return "";
}

void put_choices(JsonWriter& json, query::Role role) {
    const auto choices = query::choices_of(role);
    if (choices.empty()) return;
    json.list("choices", [&] {
        for (const query::Choice& choice : choices)
            json.object([&] { json.field("value", choice.value).field("word", choice.word); });
    });
}

void put_column(JsonWriter& json, const query::Column& column) {
    json.field("key", column.key).field("header", column.header);
    json.field("unit", unit_name(column.unit));
    if (column.role != query::Role::kValue) json.field("role", role_name(column.role));
    put_choices(json, column.role);
    if (!column.description.empty()) json.field("description", column.description);
    if (column.device_only) json.field("device_only", true);
}

void put_page_rows(JsonWriter& json, const query::ResultTable& table) {
    json.list("rows", [&] {
        for (const std::vector<query::Cell>& row : table.rows)
            json.list([&] {
                for (const query::Cell& cell : row)
                    put_page_cell(json, cell);
            });
    });
}

}  // namespace

void put_page(JsonWriter& json, const query::ResultTable& table, const query::Range& range) {
    json.object([&] {
        json.field("name", table.name).field("title", table.title);
        json.list("columns", [&] {
            for (const query::Column& column : table.columns)
                json.object([&] { put_column(json, column); });
        });
        put_page_rows(json, table);
        const auto all = table.rows_in_all >= 0 ? table.rows_in_all : static_cast<int64_t>(table.rows.size());
        json.field("rows_in_all", all);
        json.field("rows_matching", table.rows_matching >= 0 ? table.rows_matching : all);
        if (table.place >= 0) json.field("place", table.place);
        if (!table.shown.empty()) json.field("shown", table.shown);
        json.field("notes", table.notes);
        put_range(json.key("range"), range);
    });
}

std::string render_page_json(const query::ResultTable& table, const query::Range& range) {
    JsonWriter json;
    put_page(json, table, range);
    return json.take();
}

}  // namespace opsight::report
