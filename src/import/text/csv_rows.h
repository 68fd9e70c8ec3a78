// The rows of a CSV table that a program printed, front to back, with lines of its log between them.
#pragma once

#include <string>
#include <vector>

#include "import/text/line_reader.h"

namespace opsight::importer {

// A row may be longer than a line: texts in quotes go on.
class CsvRows {
  public:
    explicit CsvRows(ByteSource& source) : lines_(source) {}
    // The fields of the next line or row, made clean; false at the end.
    Result<bool> next(std::vector<std::string>& fields);
    uint64_t line() const { return row_line_; }  // at which what next() gave begins, from 1
    uint64_t bytes() const { return lines_.bytes(); }
    bool ends_inside() const { return ends_inside_; }  // of a text in quotes
    // Whether the row is the last, and no line end stands behind it: its last field may be cut.
    bool is_cut() const { return lines_.is_cut(); }

  private:
    LineReader lines_;
    uint64_t row_line_ = 0;
    bool ends_inside_ = false;
};

}  // namespace opsight::importer
