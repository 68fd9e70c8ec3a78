// Pickle: the values of a Python pickle that holds plain data. What asks for code to be run (classes, calls)
// is refused, not run: nobody's pickle is trusted.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/byte_source.h"
#include "base/result.h"

namespace opsight::importer::snapshot {

class Pickle {
  public:
    using Value = uint32_t;  // a number of this pickle; equal ones are the same object of Python
    static constexpr Value kNone = 0;

    enum class Kind : uint8_t { kNone, kBool, kInteger, kReal, kText, kList, kDict };

    // Reads up to the pickle's end. Errors name the byte; the caller, the file.
    static Result<Pickle> read(ByteSource& source);

    Value root() const { return root_; }
    uint64_t bytes() const { return bytes_; }  // that were read
    Kind kind(Value value) const { return cells_[value].kind; }
    // Of an integer or a truth; `otherwise` of everything else, and of what does not fit.
    int64_t integer(Value value, int64_t otherwise) const;
    std::string_view text(Value value) const;  // empty: no text
    // Of a list, a tuple or a set; empty of everything else.
    std::span<const Value> items(Value value) const;
    // Of a dict; kNone: it is no dict, or has no such key.
    Value at(Value dict, std::string_view key) const;

  private:
    friend class PickleReader;
    struct Cell {
        Kind kind = Kind::kNone;
        uint32_t length = 0;  // of a text
        int64_t number = 0;   // a number, the place of a text in texts_, of a list or dict in lists_
    };
    Pickle() = default;

    std::vector<Cell> cells_{1};
    std::vector<std::vector<Value>> lists_;  // of a dict: key, value, key, value, ...
    std::vector<char> texts_;
    Value root_ = kNone;
    uint64_t bytes_ = 0;
};

}  // namespace opsight::importer::snapshot
