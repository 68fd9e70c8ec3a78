#include "cli/statements.h"

#include <algorithm>
#include <utility>

#include "base/sql.h"
#include "base/text.h"

namespace opsight::cli {
namespace {

constexpr size_t kOpen = std::string_view::npos;

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
    const std::string_view mark = text.substr(at, end + 1 - at);
    const size_t found = text.find(mark, end + 1);
    return found == kOpen ? kOpen : found + mark.size();
}

// The end of what begins at `at`; kOpen where it has not ended, or may yet become a comment.
size_t past(std::string_view text, size_t at) {
    if (const size_t end = duck::past_quoted(text, at); end != at) return end;
    if (text[at] == '$') return past_dollar(text, at);
    const bool last = at + 1 == text.size();
    return last && (text[at] == '-' || text[at] == '/') ? kOpen : at + 1;
}

}  // namespace

bool StatementCutter::take(std::string& statement) {
    for (size_t next = 0; looked_at_ < text_.size(); looked_at_ = next) {
        next = past(text_, looked_at_);
        if (next == kOpen) return false;
        if (text_[looked_at_] != ';') continue;
        statement = text_.substr(0, next);
        text_.erase(0, next);
        looked_at_ = 0;
        return true;
    }
    if (std::all_of(text_.begin(), text_.end(), text::is_space)) *this = {};
    return false;
}

bool StatementCutter::take_rest(std::string& statement) {
    statement = std::exchange(*this, {}).text_;
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
