#include "base/sql.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/sql_literals.h"

namespace opsight::duck {
namespace {

bool is_name(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

// Where the text, the quoted name or the comment that begins at `at` ends; `at` itself where there is none.
size_t end_of_quoted(const std::string& sql, size_t at) {
    const auto after = [&sql](size_t found, size_t length) {
        return found == std::string::npos ? sql.size() : found + length;
    };
    if (sql[at] == '\'' || sql[at] == '"') return after(sql.find(sql[at], at + 1), 1);
    if (sql.compare(at, 2, "--") == 0) return after(sql.find('\n', at), 1);
    if (sql.compare(at, 2, "/*") == 0) return after(sql.find("*/", at + 2), 2);
    return at;
}

std::string quoted(std::string_view text, char mark) {
    std::string out(1, mark);
    for (const char c : text) {
        if (c == mark) out += mark;
        out += c;
    }
    return out + mark;
}

}  // namespace

std::string literal(const Cell& value) {
    if (const bool* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
    if (const int64_t* number = std::get_if<int64_t>(&value)) return fmt::format("'{}'::BIGINT", *number);
    if (const double* number = std::get_if<double>(&value)) return fmt::format("'{}'::DOUBLE", *number);
    const std::string* text = std::get_if<std::string>(&value);
    if (!text) return "NULL";
    // A statement ends at a zero byte.
    std::string out;
    for (size_t from = 0; from <= text->size();) {
        const size_t zero = std::min(text->find('\0', from), text->size());
        out += (from > 0 ? " || chr(0) || " : "") + quote_text(text->substr(from, zero - from));
        from = zero + 1;
    }
    return "(" + out + ")";
}

std::string Statement::written() const {
    return written_with(*this, literal);
}

std::string written_with(const Statement& statement,
                         const std::function<std::string(const Cell&)>& literal_of) {
    const std::string& text = statement.text;
    const auto& values = statement.values;
    std::string out;
    for (size_t at = 0; at < text.size();) {
        if (const size_t end = end_of_quoted(text, at); end > at) {
            out.append(text, at, end - at);
            at = end;
            continue;
        }
        size_t end = at + 1;
        while (text[at] == '$' && end < text.size() && is_name(text[end]))
            ++end;
        const auto named = std::find_if(values.begin(), values.end(), [&](const auto& value) {
            return end > at + 1 && text.compare(at + 1, end - at - 1, value.first) == 0;
        });
        if (named == values.end())
            out.append(text, at, end - at);
        else
            out += literal_of(named->second);
        at = end;
    }
    return out;
}

std::string quote_text(std::string_view text) {
    return quoted(text, '\'');
}
std::string quote_name(std::string_view name) {
    return quoted(name, '"');
}

}  // namespace opsight::duck
