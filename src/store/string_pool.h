// StringPool: every distinct text of a profile once, known by a 32-bit id. Id 0 is the empty text.
// Not safe for concurrent use. Interning costs one hash and, for a new text, one copy into an arena.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/ids.h"

namespace opsight {

class StringPool {
  public:
    StringPool();
    ~StringPool();
    StringPool(StringPool&&) noexcept;
    StringPool& operator=(StringPool&&) noexcept;

    StringId intern(std::string_view text);
    // The id of `text` if it is in the pool, else an invalid id.
    StringId find(std::string_view text) const;
    // Views stay valid for the life of the pool, also while it grows.
    std::string_view view(StringId id) const { return id.valid() ? texts_[id.index()] : std::string_view(); }
    size_t size() const { return texts_.size(); }

  private:
    static constexpr size_t kBlockBytes = size_t{1} << 18;
    std::string_view keep(std::string_view text);

    std::vector<std::unique_ptr<char[]>> blocks_;
    size_t block_left_ = 0;
    char* block_next_ = nullptr;
    std::vector<std::string_view> texts_;
    struct Index;  // its header is a heavy one, and every file that knows a profile includes this one
    std::unique_ptr<Index> ids_;
};

}  // namespace opsight
