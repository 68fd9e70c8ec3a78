#include "import/text/clean_text.h"

#include <cstdint>

namespace opsight::importer {
namespace {

// Length of the UTF-8 sequence at text[i]; 0 where it is not one.
size_t utf8_length(std::string_view text, size_t i) {
    const auto byte = [&](size_t k) { return k < text.size() ? static_cast<uint8_t>(text[k]) : 0; };
    const auto more = [&](size_t k) { return (byte(k) & 0xc0) == 0x80; };
    const uint32_t first = byte(i), second = byte(i + 1);
    if (first < 0x80) return 1;
    if (first >= 0xc2 && first < 0xe0) return more(i + 1) ? 2 : 0;
    if (first >= 0xe0 && first < 0xf0) {
        if (!more(i + 1) || !more(i + 2)) return 0;
        if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second >= 0xa0)) return 0;
        return 3;
    }
    if (first >= 0xf0 && first < 0xf5) {
        if (!more(i + 1) || !more(i + 2) || !more(i + 3)) return 0;
        if ((first == 0xf0 && second < 0x90) || (first == 0xf4 && second >= 0x90)) return 0;
        return 4;
    }
    return 0;
}

}  // namespace

bool clean_text(std::string& text) {
    bool changed = false;
    for (size_t i = 0; i < text.size();) {
        const size_t length = utf8_length(text, i);
        if (length == 0) {
            text[i] = '?';
            changed = true;
        } else if (static_cast<uint8_t>(text[i]) < 0x20) {  // white space, or a control character in a string
            text[i] = ' ';
            changed = true;
        }
        i += length == 0 ? 1 : length;
    }
    return changed;
}

bool is_clean(std::string_view text) {
    for (size_t i = 0; i < text.size();) {
        const auto byte = static_cast<uint8_t>(text[i]);
        const size_t length = byte < 0x80 ? (byte < 0x20 ? 0 : 1) : utf8_length(text, i);
        if (length == 0) return false;
        i += length;
    }
    return true;
}

}  // namespace opsight::importer
