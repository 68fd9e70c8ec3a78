// The outermost message of a file, one field at a time: a field is held whole, the file is not.
#pragma once

#include <string>

#include "base/byte_source.h"

namespace opsight::importer::protobuf {

struct Part {
    int number = 0;
    std::string bytes;    // of a field with a length; empty for others
    uint64_t begin = 0;   // byte of the file where it starts
    bool is_cut = false;  // the file ends within it: `bytes` is what is there
};

class PartReader {
  public:
    explicit PartReader(ByteSource& source) : source_(source) {}
    // The next field; false at the end. An error where a field has no known form.
    Result<bool> next(Part& part);
    uint64_t bytes() const { return at_; }

  private:
    Result<bool> fill();
    // False: the file ends before the number does.
    Result<bool> varint(uint64_t& value);
    Status take(uint64_t length, Part& part);

    ByteSource& source_;
    std::string window_;
    size_t used_ = 0;
    uint64_t at_ = 0;  // of the file
};

}  // namespace opsight::importer::protobuf
