// Answers of tools: JSON of a bounded size, in which what was left out is said.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json_writer.h"
#include "query/ask/report.h"
#include "query/ask/result_table.h"

namespace opsight::mcp {

// Of the rows and texts of an answer, bytes: some ten thousand tokens of a language model.
inline constexpr size_t kAnswerBytes = 40'000;
inline constexpr size_t kLongestCell = 500;

// An answer that is an object. Lists take from one budget; what does not fit is left out and counted.
class Answer {
  public:
    Answer();
    JsonWriter& json() { return json_; }
    // Fields of the object that is open: rows as objects under `name`, and "NAME_left_out" where rows of the
    // table are not in it. `shown`: these columns alone; empty: all.
    void table(std::string_view name, const query::ResultTable& table,
               const std::vector<std::string_view>& shown = {});
    // What the columns mean, by key.
    void meanings(const query::ResultTable& table, const std::vector<std::string_view>& shown = {});
    // A table for each section, and the notes.
    void report(const query::Report& report);
    // One item of the list that is open; false where it does not fit.
    bool item(const std::string& object);
    std::string take();

  private:
    JsonWriter json_;
    size_t left_ = kAnswerBytes;
};

// At most that long, between characters, with the length of the whole.
std::string shortened(std::string_view text, size_t most = kLongestCell);

}  // namespace opsight::mcp
