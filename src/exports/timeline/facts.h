// What spans have in common is stored once: an op's layer, a kernel's name, a launch's grid. Read into
// memory, by the names of the columns that point there.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <vector>

#include "base/duckdb.h"
#include "exports/timeline/texts.h"

namespace opsight::exports {

struct Value {
    enum class Type : uint8_t { kWhole, kReal, kText, kJson };  // kJson: a text that is JSON
    Type type = Type::kWhole;
    union {
        int64_t whole = 0;
        double real;
        uint32_t text;
    };
};

struct Argument {
    uint32_t key = Texts::kEmpty;
    Value value;
};

// A value for people and programs of a cell that is not NULL.
Value value_of(const duck::Cell& cell, Texts& texts);

class Facts {
  public:
    struct Entry {
        uint32_t name = Texts::kEmpty;  // of the span, where this tells it
        std::vector<Argument> arguments;
    };
    // `statement`: id, then facts by the names that they get; `name` is that of the span.
    static Result<Facts> load(duck::Connection& connection, const duck::Statement& statement, Texts& texts);
    const Entry* find(int64_t id) const {
        const auto found = entries_.find(id);
        return found == entries_.end() ? nullptr : &found->second;
    }

  private:
    absl::flat_hash_map<int64_t, Entry> entries_;
};

}  // namespace opsight::exports
