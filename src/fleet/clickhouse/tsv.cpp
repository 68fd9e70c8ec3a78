#include "fleet/clickhouse/tsv.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

namespace opsight::fleet::clickhouse {
namespace {

// The next field, escapes as they are, and how it ended: by '\t', by '\n', or by the end of the text (0).
std::string_view next_field(std::string_view& text, char& end) {
    const size_t at = std::min(text.find_first_of("\t\n"), text.size());
    const std::string_view field = text.substr(0, at);
    end = at < text.size() ? text[at] : '\0';
    text.remove_prefix(std::min(at + 1, text.size()));
    return field;
}

char unescaped(char c) {
    switch (c) {
        case 'b':
            return '\b';
        case 'f':
            return '\f';
        case 'r':
            return '\r';
        case 'n':
            return '\n';
        case 't':
            return '\t';
        case '0':
            return '\0';
        default:
            return c;
    }
}

std::string plain(std::string_view field) {
    std::string out;
    out.reserve(field.size());
    for (size_t at = 0; at < field.size(); ++at)
        out += field[at] == '\\' && at + 1 < field.size() ? unescaped(field[++at]) : field[at];
    return out;
}

duck::Type type_of(std::string_view name) {
    constexpr std::string_view kNullable = "Nullable(";
    if (name.substr(0, kNullable.size()) == kNullable)
        name = name.substr(kNullable.size(), name.size() - kNullable.size() - 1);
    for (const std::string_view integer :
         {"Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64"})
        if (name == integer) return duck::Type::kBigint;
    if (name == "Float32" || name == "Float64") return duck::Type::kDouble;
    return duck::Type::kVarchar;
}

template <class T>
std::optional<duck::Cell> number(std::string_view field) {
    T value{};
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (error != std::errc() || end != field.data() + field.size()) return std::nullopt;
    return duck::Cell(value);
}

std::optional<duck::Cell> cell(std::string_view field, duck::Type type) {
    if (field == "\\N") return duck::Cell();
    if (type == duck::Type::kBigint) return number<int64_t>(field);
    if (type == duck::Type::kDouble) return number<double>(field);
    return duck::Cell(plain(field));
}

}  // namespace

Result<duck::Rows> read_tsv(std::string_view text) {
    duck::Rows out;
    char end = '\t';
    while (end == '\t')
        out.columns.push_back({plain(next_field(text, end)), duck::Type::kVarchar});
    for (size_t column = 0; column < out.columns.size() && end != '\0'; ++column) {
        out.columns[column].type = type_of(plain(next_field(text, end)));
        if (end != (column + 1 == out.columns.size() ? '\n' : '\t')) end = '\0';
    }
    while (!text.empty() && end != '\0') {
        std::vector<duck::Cell>& row = out.rows.emplace_back();
        row.reserve(out.columns.size());
        for (size_t column = 0; column < out.columns.size() && end != '\0'; ++column) {
            const std::string_view field = next_field(text, end);
            auto value = cell(field, out.columns[column].type);
            if (!value)
                return fail(
                    fmt::format("the answer has \"{}\" in its column {}, which is not a number of 64 bits",
                                field, out.columns[column].name),
                    {}, fmt::format("row {}", out.rows.size()), "toString() shows such a number");
            row.push_back(std::move(*value));
            if (end != (column + 1 == out.columns.size() ? '\n' : '\t')) end = '\0';
        }
    }
    if (end != '\n') return fail("the answer is not whole");
    return out;
}

}  // namespace opsight::fleet::clickhouse
