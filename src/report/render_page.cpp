#include "report/render_page.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "report/render.h"
#include "report/render_info.h"

namespace opsight::report {
namespace {

constexpr int64_t kLargestExact = int64_t{1} << 53;

void append_text(std::string& out, std::string_view text) {
    out += '"';
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        if (static_cast<unsigned char>(c) < 0x20)
            out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
        else
            out += c;
    }
    out += '"';
}

void append_cell(std::string& out, const query::Cell& cell) {
    if (const auto* whole = std::get_if<int64_t>(&cell)) {
        const bool exact = *whole <= kLargestExact && *whole >= -kLargestExact;
        out += exact ? fmt::format("{}", *whole) : fmt::format("\"{}\"", *whole);
    } else if (const auto* real = std::get_if<double>(&cell)) {
        out += std::isfinite(*real) ? fmt::format("{}", *real) : "null";
    } else if (const auto* flag = std::get_if<bool>(&cell)) {
        out += *flag ? "true" : "false";
    } else if (const auto* text = std::get_if<std::string>(&cell)) {
        append_text(out, *text);
    } else {
        out += "null";
    }
}

const char* unit_name(query::Unit unit) {
    switch (unit) {
        case query::Unit::kCount:
            return "count";
        case query::Unit::kNs:
            return "ns";
        case query::Unit::kPercent:
            return "percent";
        case query::Unit::kBytes:
            return "bytes";
        case query::Unit::kFlops:
            return "flops";
        case query::Unit::kNone:
            break;
    }
    return "none";
}

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
        case query::Role::kValue:
            break;
    }
    return "";
}

std::string columns_json(const query::ResultTable& table) {
    std::string out = "[";
    for (const query::Column& column : table.columns) {
        out += out.size() > 1 ? ",{\"key\":" : "{\"key\":";
        append_text(out, column.key);
        out += ",\"header\":";
        append_text(out, column.header);
        out += fmt::format(",\"unit\":\"{}\"", unit_name(column.unit));
        if (column.role != query::Role::kValue)
            out += fmt::format(",\"role\":\"{}\"", role_name(column.role));
        out += column.device_only ? ",\"device_only\":true}" : "}";
    }
    return out + "]";
}

}  // namespace

std::string render_page_json(const query::ResultTable& table, const query::Range& range) {
    std::string out = "{\"name\":";
    append_text(out, table.name);
    out += ",\"title\":";
    append_text(out, table.title);
    out += ",\"columns\":" + columns_json(table) + ",\"rows\":[";
    for (size_t r = 0; r < table.rows.size(); ++r) {
        out += r ? ",[" : "[";
        for (size_t c = 0; c < table.rows[r].size(); ++c) {
            if (c) out += ',';
            append_cell(out, table.rows[r][c]);
        }
        out += ']';
    }
    const auto all = table.rows_in_all >= 0 ? table.rows_in_all : static_cast<int64_t>(table.rows.size());
    out += fmt::format("],\"rows_in_all\":{},\"rows_matching\":{},", all,
                       table.rows_matching >= 0 ? table.rows_matching : all);
    if (table.place >= 0) out += fmt::format("\"place\":{},", table.place);
    out += "\"notes\":[";
    for (size_t i = 0; i < table.notes.size(); ++i) {
        if (i) out += ',';
        append_text(out, table.notes[i]);
    }
    return out + "],\"range\":" + range_json(range) + "}";
}

std::string json_objects(const query::ResultTable& table, const std::vector<std::vector<query::Cell>>& rows,
                         bool first) {
    std::string out;
    for (const auto& row : rows) {
        out += first ? "\n{" : ",\n{";
        first = false;
        for (size_t c = 0; c < row.size(); ++c) {
            if (c) out += ',';
            append_text(out, table.columns[c].key);
            out += ':';
            append_cell(out, row[c]);
        }
        out += '}';
    }
    return out;
}

}  // namespace opsight::report
