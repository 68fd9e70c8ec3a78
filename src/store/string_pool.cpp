#include "store/string_pool.h"

#include <absl/container/flat_hash_map.h>

#include <cstring>

namespace opsight {

struct StringPool::Index {
    absl::flat_hash_map<std::string_view, StringId> of;
};

StringPool::~StringPool() = default;
StringPool::StringPool(StringPool&&) noexcept = default;
StringPool& StringPool::operator=(StringPool&&) noexcept = default;

StringPool::StringPool() : ids_(std::make_unique<Index>()) {
    intern("");
}

StringId StringPool::intern(std::string_view text) {
    if (auto found = ids_->of.find(text); found != ids_->of.end()) return found->second;
    const StringId id(texts_.size());
    const std::string_view kept = keep(text);
    texts_.push_back(kept);
    ids_->of.emplace(kept, id);
    return id;
}

StringId StringPool::find(std::string_view text) const {
    auto found = ids_->of.find(text);
    return found == ids_->of.end() ? StringId() : found->second;
}

std::string_view StringPool::keep(std::string_view text) {
    if (text.empty()) return {};
    if (text.size() > block_left_) {
        const size_t size = text.size() > kBlockBytes / 8 ? text.size() : kBlockBytes;
        blocks_.push_back(std::make_unique_for_overwrite<char[]>(size));
        if (size == text.size()) {  // a long text has a block of its own; the open block stays open
            std::memcpy(blocks_.back().get(), text.data(), size);
            return {blocks_.back().get(), size};
        }
        block_next_ = blocks_.back().get();
        block_left_ = size;
    }
    char* at = block_next_;
    std::memcpy(at, text.data(), text.size());
    block_next_ += text.size();
    block_left_ -= text.size();
    return {at, text.size()};
}

}  // namespace opsight
