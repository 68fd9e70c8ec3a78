// Statements of SQL from a text that comes bit by bit.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace opsight::cli {

// Cuts a text where a statement ends: at a semicolon outside of quotes, comments and dollar quotes.
class StatementCutter {
  public:
    void add(std::string_view text) { text_ += text; }
    // Takes the first whole statement out, with its semicolon; false where none is whole yet.
    bool take(std::string& statement);
    // Takes what is left, at the text's end; false where that says nothing.
    bool take_rest(std::string& statement);
    size_t size() const { return text_.size(); }

  private:
    std::string text_;
    size_t looked_at_ = 0;  // before it no statement ends
};

// Whether there is more than blanks, comments and semicolons.
bool says_something(std::string_view statement);

}  // namespace opsight::cli
