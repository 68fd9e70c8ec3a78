#include "report/json_parts.h"

#include <fmt/format.h>

namespace opsight::report {
namespace {

constexpr int64_t kLargestExact = int64_t{1} << 53;

template <class Whole>
void put(JsonWriter& json, const query::Cell& cell, Whole&& put_whole) {
    if (const auto* whole = std::get_if<int64_t>(&cell))
        put_whole(*whole);
    else if (const auto* real = std::get_if<double>(&cell))
        json.value(*real);
    else if (const auto* flag = std::get_if<bool>(&cell))
        json.value(*flag);
    else if (const auto* text = std::get_if<std::string>(&cell))
        json.value(*text);
    else
        json.value(nullptr);
}

}  // namespace

void put_cell(JsonWriter& json, const query::Cell& cell) {
    put(json, cell, [&](int64_t whole) { json.value(whole); });
}

void put_page_number(JsonWriter& json, int64_t number) {
    if (number <= kLargestExact && number >= -kLargestExact)
        json.value(number);
    else
        json.value(fmt::to_string(number));
}

void put_page_cell(JsonWriter& json, const query::Cell& cell) {
    put(json, cell, [&](int64_t whole) { put_page_number(json, whole); });
}

void put_fields(JsonWriter& json, const std::vector<query::Column>& columns,
                const std::vector<query::Cell>& row, PutCell put) {
    for (size_t c = 0; c < row.size(); ++c)
        put(json.key(columns[c].key), row[c]);
}

void put_rows(JsonWriter& json, const query::ResultTable& table, PutCell put) {
    json.list([&] {
        for (const std::vector<query::Cell>& row : table.rows)
            json.object([&] { put_fields(json, table.columns, row, put); });
    });
}

void put_range(JsonWriter& json, const query::Range& range) {
    const auto known = [](int64_t value) { return value < 0 ? std::nullopt : std::optional(value); };
    json.object([&] {
        json.field("source", range.source).field("confidence", range.confidence);
        json.field("description", range.description).field("total", range.total);
        json.field("selected", range.selected).field("start", known(range.start));
        json.field("stop", known(range.stop)).field("whole", range.whole);
        json.field("left_out", range.left_out).field("notes", range.notes);
    });
}

std::string_view unit_name(query::Unit unit) {
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
        case query::Unit::kBytesPerSecond:
            return "bytes_per_s";
        case query::Unit::kNone:
            break;
    }
    return "none";
}

}  // namespace opsight::report
