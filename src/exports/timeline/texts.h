// Texts by number, each once.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <deque>
#include <string>
#include <string_view>

namespace opsight::exports {

class Texts {
  public:
    static constexpr uint32_t kEmpty = 0;
    Texts() { add({}); }
    uint32_t add(std::string_view text) {
        const auto found = numbers_.find(text);
        if (found != numbers_.end()) return found->second;
        const auto number = static_cast<uint32_t>(texts_.size());
        numbers_.emplace(texts_.emplace_back(text), number);
        return number;
    }
    const std::string& operator[](uint32_t number) const { return texts_[number]; }

  private:
    std::deque<std::string> texts_;  // which never move
    absl::flat_hash_map<std::string_view, uint32_t> numbers_;
};

}  // namespace opsight::exports
