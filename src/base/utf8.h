// Characters of UTF-8, one by one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace opsight {

struct Utf8Step {
    uint32_t code = 0;
    // Where the text is not valid: as many bytes as could have begun a character, which one U+FFFD stands
    // for.
    size_t bytes = 1;
    bool valid = false;
};

// What is at the begin of `text`, which is not empty.
inline Utf8Step read_utf8(std::string_view text) {
    const auto byte = [text](size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(0);
    if (first < 0x80) return {first, 1, true};
    if (first < 0xC2 || first > 0xF4) return {};
    const size_t bytes = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    // No longer form than needed, no half of a UTF-16 pair, nothing above U+10FFFF.
    const unsigned char least = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    const unsigned char most = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    uint32_t code = first & (0xFFU >> (bytes + 1));
    for (size_t i = 1; i < bytes; ++i) {
        if (i >= text.size() || byte(i) < (i == 1 ? least : 0x80) || byte(i) > (i == 1 ? most : 0xBF))
            return {0, i, false};
        code = code << 6 | (byte(i) & 0x3FU);
    }
    return {code, bytes, true};
}

// At most `most` bytes of the begin of `text`, no character of it cut in two.
inline std::string_view cut_utf8(std::string_view text, size_t most) {
    if (text.size() <= most) return text;
    while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0) == 0x80)
        --most;
    return text.substr(0, most);
}

}  // namespace opsight
