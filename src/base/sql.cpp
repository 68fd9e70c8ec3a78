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

size_t past(std::string_view sql, std::string_view end, size_t from) {
    const size_t found = sql.find(end, from);
    return found == sql.npos ? sql.npos : found + end.size();
}

size_t past_comment(std::string_view sql, size_t at) {
    for (size_t depth = 0; at + 1 < sql.size();) {
        const std::string_view two = sql.substr(at, 2);
        const bool begins = two == "/*", ends = two == "*/";
        depth += begins ? 1 : 0;
        depth -= ends ? 1 : 0;
        at += begins || ends ? 2 : 1;
        if (depth == 0) return at;
    }
    return sql.npos;
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

size_t past_quoted(std::string_view sql, size_t at) {
    // A quote that is written twice ends and begins anew.
    if (sql[at] == '\'' || sql[at] == '"') return past(sql, sql.substr(at, 1), at + 1);
    const std::string_view two = sql.substr(at, 2);
    if (two == "--") return past(sql, "\n", at);
    return two == "/*" ? past_comment(sql, at) : at;
}

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
        if (const size_t end = std::min(past_quoted(text, at), text.size()); end > at) {
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
