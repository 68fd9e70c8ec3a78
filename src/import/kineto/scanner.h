// Finds where the elements of a JSON array end, without parsing them: strings and brackets only, 64 bytes at
// a step (simdjson's idea of bit masks for quotes and escapes, reduced to what cutting needs). Runs far above
// parsing speed; nothing is scanned twice.
#pragma once

#include <cstddef>
#include <cstdint>

namespace opsight::importer::kineto {

class Scanner {
  public:
    static constexpr size_t kNone = static_cast<size_t>(-1);

    // What one feed() found; offsets are into the bytes fed.
    struct Found {
        size_t last_end = kNone;   // just behind the last element that ended here
        size_t array_end = kNone;  // the array's own closing bracket; nothing behind it was looked at
    };

    // Scans on from where the last feed() stopped. The state starts inside the array, between elements. With
    // `only_first`, stops behind the first element that ends.
    Found feed(const char* bytes, size_t size, bool only_first = false);
    // Forgets an element in progress: the next byte stands between elements.
    void reset() { *this = Scanner(); }
    bool between_elements() const { return depth_ == 0 && !in_string_; }

  private:
    Found feed_avx2(const char* bytes, size_t size, bool only_first);
    Found feed_plain(const char* bytes, size_t size, bool only_first);
    struct Masks;
    bool take(const Masks& masks, size_t at, size_t valid, bool only_first, Found& found);

    int64_t depth_ = 0;
    uint64_t in_string_ = 0;  // all ones inside a string
    uint64_t escaped_ = 0;    // 1: the next byte is escaped
};

}  // namespace opsight::importer::kineto
