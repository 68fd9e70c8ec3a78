// Texts of NVTX calls: their length and hash in one go, and wide ones as UTF-8.
#pragma once

#include <cstring>
#include <string_view>

#include "collect/recorder.h"
#include "wire/format.h"
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace opsight::nvtx {

struct HashedText {
    const char* at = "";
    size_t length = 0;
    uint64_t hash = 0;
    std::string_view view() const { return {at, length}; }
};

inline uint64_t hash_words(uint64_t state, uint64_t a, uint64_t b) {
    return collect::mix(state ^ a ^ collect::kMixA, b ^ collect::kMixB);
}

#if defined(__SSE2__)
// The text from `at` on, `text` being where it begins and `state` the hash so far.
HashedText hashed_rest(const char* text, const char* at, uint64_t state);

// Reads 16 bytes at a time, but never across the end of a page, so never from one that the text does not
// reach; the bytes beyond its end are masked away. Which is why the sanitizer must not look.
__attribute__((no_sanitize("address"))) inline HashedText hashed(const char* text) {
    constexpr uintptr_t kPage = 4096;
    if ((reinterpret_cast<uintptr_t>(text) & (kPage - 1)) > kPage - 16) [[unlikely]]
        return hashed_rest(text, text, 0);
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text));
    const auto zeros = static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_setzero_si128())));
    uint64_t low = static_cast<uint64_t>(_mm_cvtsi128_si64(bytes));
    uint64_t high = static_cast<uint64_t>(_mm_cvtsi128_si64(_mm_unpackhi_epi64(bytes, bytes)));
    if (zeros == 0) return hashed_rest(text, text + 16, hash_words(0, low, high));
    const auto length = static_cast<unsigned>(__builtin_ctz(zeros));
    low = length < 8 ? low & ((uint64_t{1} << length * 8) - 1) : low;
    high = length <= 8 ? 0 : high & ((uint64_t{1} << (length - 8) * 8) - 1);
    return {text, length, hash_words(0, low, high) + length};
}
#else
inline HashedText hashed(const char* text) {
    const size_t length = std::strlen(text);
    return {text, length, collect::hash_bytes(text, length)};
}
#endif

// UTF-8 of a wide text, cut where the room ends. Empty for null.
class Narrow {
  public:
    explicit Narrow(const wchar_t* wide) {
        for (; wide && *wide && length_ + 4 < sizeof text_; ++wide)
            append(static_cast<uint32_t>(*wide));
        text_[length_] = '\0';
    }
    const char* c_str() const { return text_; }

  private:
    void append(uint32_t c) {
        const auto put = [this](uint32_t byte) { text_[length_++] = static_cast<char>(byte); };
        if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) c = 0xfffd;
        if (c < 0x80) return put(c);
        if (c < 0x800) {
            put(0xc0 | c >> 6);
        } else {
            if (c < 0x10000) {
                put(0xe0 | c >> 12);
            } else {
                put(0xf0 | c >> 18);
                put(0x80 | (c >> 12 & 0x3f));
            }
            put(0x80 | (c >> 6 & 0x3f));
        }
        put(0x80 | (c & 0x3f));
    }

    size_t length_ = 0;
    char text_[wire::kMaxBlob + 8];  // one that is longer is seen to be
};

}  // namespace opsight::nvtx
