// How much text is made of a trace: a packet of a few bytes may name a text of any length, and as often as it
// likes. What real traces grow by is 10 to 100.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace opsight::importer::perfetto {

class Growth {
  public:
    // `bytes`: of the trace, so far.
    void set_read(uint64_t bytes) { most_ = kFreeBytes + kMostTimes * bytes; }
    bool take(size_t bytes) {
        made_ += bytes;
        return !is_too_much();
    }
    // The text, or nothing where there is too much already.
    std::string_view spend(std::string_view text) { return take(text.size()) ? text : std::string_view(); }
    // What is kept until a later packet, and let go.
    void hold(size_t bytes) { held_ += bytes; }
    void release(size_t bytes) { held_ -= bytes; }
    bool is_too_much() const { return made_ > most_ || held_ > kMostHeld; }

  private:
    static constexpr uint64_t kMostTimes = 1000, kFreeBytes = uint64_t{64} << 20;
    static constexpr uint64_t kMostHeld = uint64_t{1} << 30;
    uint64_t made_ = 0, most_ = kFreeBytes, held_ = 0;
};

}  // namespace opsight::importer::perfetto
