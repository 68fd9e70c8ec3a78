#include "report/write_rows.h"

#include "query/ask/table_parts.h"

namespace opsight::report {
namespace {

using Rows = query::TableRows;

Status write(const query::ResultTable& table, TableText::Form form, const Sink& sink) {
    TableText text(table.columns, form);
    OPSIGHT_TRY(query::each_part(table, [&](const Rows& rows) {
        text.add(rows);
        return sink(text.take());
    }));
    text.end();
    return sink(text.take());
}

std::string render(const query::ResultTable& table, TableText::Form form) {
    TableText text(table.columns, form);
    text.add(table.rows);
    text.end();
    return text.take();
}

void put_row(JsonWriter& json, const std::vector<query::Column>& columns, const std::vector<query::Cell>& row,
             PutCell put) {
    json.line(1).object([&] { put_fields(json, columns, row, put); });
}

Status put_all_rows(JsonWriter& json, const query::ResultTable& table, const Sink& sink) {
    json.begin_list();
    bool any = false;
    OPSIGHT_TRY(query::each_part(table, [&](const Rows& rows) {
        for (const std::vector<query::Cell>& row : rows)
            put_row(json, table.columns, row, put_cell);
        any = any || !rows.empty();
        return sink(json.take());
    }));
    if (any) json.line();
    json.end_list();
    return {};
}

Status put_parts(JsonWriter& json, const query::Report& report, const Sink& sink) {
    json.begin_object();
    for (const query::Section& section : report.sections) {
        const query::ResultTable& table = section.table;
        if (section.unnamed && table.rows.empty()) continue;
        json.line();
        if (section.unnamed) {
            put_fields(json, table.columns, table.rows[0]);
            continue;
        }
        json.key(table.name);
        if (!section.single)
            OPSIGHT_TRY(put_all_rows(json, table, sink));
        else
            json.object([&] {
                if (!table.rows.empty()) put_fields(json, table.columns, table.rows[0]);
            });
    }
    json.line().field("notes", report.notes).line().end_object();
    return sink(json.take());
}

Status put_report(JsonWriter& json, const query::Report& report, const Sink& sink) {
    const bool plain = report.sections.size() == 1 && !report.sections[0].single;
    return plain ? put_all_rows(json, report.sections[0].table, sink) : put_parts(json, report, sink);
}

}  // namespace

TableText::TableText(const std::vector<query::Column>& columns, Form form, PutCell put)
    : columns_(columns), form_(form), put_(put) {
    if (form == Form::kJson) {
        json_.begin_list();
        return;
    }
    for (const query::Column& column : columns)
        csv_.field(column.header);
    csv_.end_row();
}

void TableText::add(const Rows& rows) {
    for (const std::vector<query::Cell>& row : rows) {
        any_ = true;
        if (form_ == Form::kJson) {
            put_row(json_, columns_, row, put_);
            continue;
        }
        for (const query::Cell& cell : row)
            csv_.cell(cell);
        csv_.end_row();
    }
}

void TableText::end() {
    if (form_ == Form::kCsv) return;
    if (any_) json_.line();
    json_.end_list();
}

std::string TableText::take() {
    return form_ == Form::kJson ? json_.take() : csv_.take();
}

Status write_csv(const query::ResultTable& table, const Sink& sink) {
    return write(table, TableText::Form::kCsv, sink);
}
Status write_json_rows(const query::ResultTable& table, const Sink& sink) {
    return write(table, TableText::Form::kJson, sink);
}
std::string render_csv(const query::ResultTable& table) {
    return render(table, TableText::Form::kCsv);
}
std::string render_json_rows(const query::ResultTable& table) {
    return render(table, TableText::Form::kJson);
}

ReportsText::ReportsText(const query::Range& range, Sink sink) : sink_(std::move(sink)) {
    json_.begin_object();
    put_range(json_.key("range"), range);
}

Status ReportsText::add(const query::Report& report) {
    return put_report(json_.line().key(report.name), report, sink_);
}

Status ReportsText::end() {
    json_.end_object();
    return sink_(json_.take() + "\n");
}

std::string render_report_json(const query::Report& report, const query::Range& range) {
    std::string out;
    ReportsText text(range, [&out](std::string_view part) -> Status {
        out += part;
        return {};
    });
    if (!text.add(report) || !text.end()) out.clear();
    return out;
}

Status write_report_json(const query::Report& report, const Sink& sink) {
    JsonWriter json;
    OPSIGHT_TRY(put_report(json, report, sink));
    return sink(json.take());
}

}  // namespace opsight::report
