// The lines of a text, front to back.
#pragma once

#include <string>

#include "base/byte_source.h"

namespace opsight::importer {

class LineReader {
  public:
    static constexpr size_t kLongest = size_t{4} << 20;

    explicit LineReader(ByteSource& source) : source_(source) {}
    // Puts the next line behind what is in `line`, without its end and a byte order mark; false at the end of
    // the text. A line that would make `line` longer than kLongest is an error.
    Result<bool> next(std::string& line);
    uint64_t number() const { return number_; }  // of the line that came last, from 1
    uint64_t bytes() const { return bytes_; }
    // Whether the line that came last is the end of the text, without a line end.
    bool is_cut() const { return cut_; }

  private:
    ByteSource& source_;
    std::string buffer_;
    size_t used_ = 0;
    uint64_t number_ = 0, bytes_ = 0;
    bool cut_ = false;
};

}  // namespace opsight::importer
