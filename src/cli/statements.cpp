#include "cli/statements.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace opsight::cli {
namespace {

constexpr size_t kOpen = std::string_view::npos;

size_t past_text(std::string_view text, std::string_view end, size_t from) {
    const size_t found = text.find(end, from);
    return found == kOpen ? kOpen : found + end.size();
}

// Comments of DuckDB may hold comments.
size_t past_comment(std::string_view text, size_t at) {
    size_t depth = 0;
    while (at + 1 < text.size()) {
        const std::string_view two = text.substr(at, 2);
        if (two == "/*") ++depth;
        if (two == "*/" && --depth == 0) return at + 2;
        at += two == "/*" || two == "*/" ? 2 : 1;
    }
    return kOpen;
}

bool is_word(char c) {
    return c == '_' || text::is_letter(c) || text::is_digit(c);
}

// "$$text$$" and "$tag$text$tag$"; "$1" and "$name" are parameters, and names may hold a dollar.
size_t past_dollar(std::string_view text, size_t at) {
    if (at > 0 && is_word(text[at - 1])) return at + 1;
    size_t end = at + 1;
    while (end < text.size() && is_word(text[end]))
        ++end;
    if (end == text.size()) return kOpen;
    if (text[end] != '$') return end;
    return past_text(text, text.substr(at, end + 1 - at), end + 1);
}

// The end of what begins at `at`; kOpen where it has not ended yet.
size_t past(std::string_view text, size_t at) {
    switch (text[at]) {
        case '\'':
        case '"':  // one that is written twice ends and begins anew
            return past_text(text, text.substr(at, 1), at + 1);
        case '$':
            return past_dollar(text, at);
        case '-':
            if (at + 1 == text.size()) return kOpen;
            return text[at + 1] == '-' ? past_text(text, "\n", at) : at + 1;
        case '/':
            if (at + 1 == text.size()) return kOpen;
            return text[at + 1] == '*' ? past_comment(text, at) : at + 1;
        default:
            return at + 1;
    }
}

}  // namespace

bool StatementCutter::take(std::string& statement) {
    for (size_t at = 0; at < text_.size(); at = past(text_, at)) {
        if (text_[at] != ';') continue;
        statement = text_.substr(0, at + 1);
        text_.erase(0, at + 1);
        return true;
    }
    if (std::all_of(text_.begin(), text_.end(), text::is_space)) text_.clear();
    return false;
}

bool StatementCutter::take_rest(std::string& statement) {
    statement = std::exchange(text_, {});
    return says_something(statement);
}

bool says_something(std::string_view statement) {
    for (size_t at = 0; at < statement.size(); at = past(statement, at)) {
        const std::string_view two = statement.substr(at, 2);
        const char c = statement[at];
        if (two != "--" && two != "/*" && c != ';' && !text::is_space(c)) return true;
    }
    return false;
}

}  // namespace opsight::cli
