#include "mcp/answer.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/utf8.h"
#include "report/json_parts.h"

namespace opsight::mcp {
namespace {

void put_cell(JsonWriter& json, const query::Cell& cell) {
    if (const auto* text = std::get_if<std::string>(&cell))
        json.value(shortened(*text));
    else
        report::put_cell(json, cell);
}

bool is_shown(const query::Column& column, const std::vector<std::string_view>& shown) {
    return shown.empty() || std::find(shown.begin(), shown.end(), column.key) != shown.end();
}

std::string row_text(const query::ResultTable& table, const std::vector<query::Cell>& row,
                     const std::vector<std::string_view>& shown) {
    JsonWriter json;
    json.object([&] {
        for (size_t c = 0; c < row.size(); ++c)
            if (is_shown(table.columns[c], shown)) put_cell(json.key(table.columns[c].key), row[c]);
    });
    return json.take();
}

}  // namespace

std::string shortened(std::string_view text, size_t most) {
    if (text.size() <= most) return std::string(text);
    return fmt::format("{}... ({} bytes in all)", cut_utf8(text, most), text.size());
}

Answer::Answer() {
    json_.begin_object();
}

bool Answer::item(const std::string& object) {
    if (object.size() > left_) return false;
    left_ -= object.size();
    json_.raw(object);
    return true;
}

void Answer::table(std::string_view name, const query::ResultTable& table,
                   const std::vector<std::string_view>& shown) {
    size_t put = 0;
    json_.list(name, [&] {
        while (put < table.rows.size() && item(row_text(table, table.rows[put], shown)))
            ++put;
    });
    int64_t all = static_cast<int64_t>(table.rows.size());
    if (table.rows_matching >= 0)
        all = table.rows_matching;
    else if (table.rows_in_all >= 0)
        all = table.rows_in_all;
    if (all > static_cast<int64_t>(put))
        json_.field(fmt::format("{}_left_out", name), all - static_cast<int64_t>(put));
}

void Answer::meanings(const query::ResultTable& table, const std::vector<std::string_view>& shown) {
    json_.object("meanings", [&] {
        for (const query::Column& column : table.columns)
            if (is_shown(column, shown) && !column.description.empty())
                json_.field(column.key, column.description);
    });
}

void Answer::report(const query::Report& report) {
    for (const query::Section& section : report.sections) {
        table(section.table.name, section.table);
        if (!section.table.notes.empty()) json_.field(section.table.name + "_notes", section.table.notes);
    }
    if (!report.notes.empty()) json_.field("notes", report.notes);
}

std::string Answer::take() {
    json_.end_object();
    return json_.take();
}

}  // namespace opsight::mcp
