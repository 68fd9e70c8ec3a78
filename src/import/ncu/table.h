// The rows of a table that ncu printed: CSV between lines of its log and of the program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "import/text/line_reader.h"

namespace opsight::importer::ncu {

// Whether a line may be the first one of such a table.
bool starts_table(std::string_view line);

// Reads front to back. A row may be longer than a line: texts in quotes go on.
class TableReader {
  public:
    explicit TableReader(ByteSource& source) : lines_(source) {}
    // The fields of the next line or row; false at the end.
    Result<bool> next(std::vector<std::string>& fields);
    uint64_t line() const { return row_line_; }  // at which what next() gave begins, from 1
    uint64_t bytes() const { return lines_.bytes(); }
    bool ends_inside() const { return ends_inside_; }  // of a text in quotes

  private:
    LineReader lines_;
    uint64_t row_line_ = 0;
    bool ends_inside_ = false;
};

}  // namespace opsight::importer::ncu
