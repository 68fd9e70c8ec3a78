// CSV, in one place: fields with commas between, in quotation marks where RFC 4180 wants them.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "query/ask/result_table.h"

namespace opsight::report {

class CsvWriter {
  public:
    CsvWriter& field(std::string_view text);
    CsvWriter& quoted(std::string_view text);  // in quotation marks always
    CsvWriter& bare(std::string_view text);    // as it is
    CsvWriter& cell(const query::Cell& cell);  // exact
    void end_row();

    // What was written since the last time.
    std::string take() { return std::exchange(out_, std::string()); }

  private:
    void part();

    std::string out_;
    bool begun_ = false;  // the row has a field
};

}  // namespace opsight::report
