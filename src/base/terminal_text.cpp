#include "base/terminal_text.h"

#include <fmt/format.h>

#include <cstdint>

#include "base/utf8.h"

namespace opsight {
namespace {

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
        const Utf8Step next = read_utf8(text);
        if (!next.valid)
            for (const char byte : text.substr(0, next.bytes))
                out += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
        else if (steers(next.code))
            out +=
                next.code < 0x80 ? fmt::format("\\x{:02x}", next.code) : fmt::format("\\u{:04x}", next.code);
        else
            out += text.substr(0, next.bytes);
        text.remove_prefix(next.bytes);
    }
    return out;
}

}  // namespace opsight
