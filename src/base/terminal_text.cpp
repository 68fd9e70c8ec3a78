#include "base/terminal_text.h"

#include <fmt/format.h>

#include <cstdint>

namespace opsight {
namespace {

struct Character {
    uint32_t code = 0;
    size_t bytes = 0;  // 0: no UTF-8 begins here
};

Character read_character(std::string_view text) {
    const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(0);
    if (first < 0x80) return {first, 1};
    const size_t bytes = first >= 0xF5 ? 0 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC2 ? 2 : 0;
    if (bytes == 0 || text.size() < bytes) return {};
    uint32_t code = first & (0xFFU >> (bytes + 1));
    for (size_t i = 1; i < bytes; ++i) {
        if ((byte(i) & 0xC0) != 0x80) return {};
        code = code << 6 | (byte(i) & 0x3FU);
    }
    constexpr uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (code < least[bytes] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return {};
    return {code, bytes};
}

bool steers(uint32_t code) {
    if (code < 0x20) return code != '\n' && code != '\t';
    if (code >= 0x7F && code < 0xA0) return true;
    return code == 0x061C || code == 0x200E || code == 0x200F || (code >= 0x2028 && code <= 0x202E) ||
           (code >= 0x2066 && code <= 0x2069) || code == 0xFEFF || (code >= 0xE0000 && code <= 0xE007F);
}

}  // namespace

std::string terminal_text(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const Character next = read_character(text);
        if (next.bytes == 0)
            out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
        else if (steers(next.code))
            out +=
                next.code < 0x80 ? fmt::format("\\x{:02x}", next.code) : fmt::format("\\u{:04x}", next.code);
        else
            out += text.substr(0, next.bytes);
        text.remove_prefix(next.bytes == 0 ? 1 : next.bytes);
    }
    return out;
}

}  // namespace opsight
