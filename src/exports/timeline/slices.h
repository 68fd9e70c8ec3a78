// The spans of a profile in order of their tracks, begins and nesting, from all tables that hold some, read
// bit by bit.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "db/reader.h"
#include "exports/format/format.h"
#include "exports/timeline/facts.h"

namespace opsight::exports {

struct Slice {
    int64_t track = -1, begin = 0, dur = 0;
    std::string_view category;  // as PyTorch's traces call it
    uint32_t name = Texts::kEmpty;
    std::vector<Argument> arguments;
    int64_t launched = -1;          // number of the launch that this work came from
    std::vector<int64_t> launches;  // numbers of the launches that this call made
};

class SliceReader {
  public:
    static Result<SliceReader> open(const db::OpenProfile& profile, const Scope& scope, Texts& texts);
    SliceReader(SliceReader&&) noexcept;
    ~SliceReader();
    // The next one, which stays until the call after; null where there is none.
    Result<const Slice*> next();

  private:
    struct State;
    explicit SliceReader(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

// A statement of this room about what is wanted: the values that it names.
duck::Statement scoped(const duck::Sql& sql, const Scope& scope);

}  // namespace opsight::exports
