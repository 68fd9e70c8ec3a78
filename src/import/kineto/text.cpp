#include "import/kineto/text.h"

#include <cstdint>

#include "import/kineto/numbers.h"

namespace opsight::importer::kineto {
namespace {

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    c = static_cast<char>(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// The code unit of "XXXX" at text[i]; -1 where there is none.
int32_t code_unit(std::string_view text, size_t i) {
    if (i + 4 > text.size()) return -1;
    int32_t value = 0;
    for (size_t k = i; k < i + 4; ++k) {
        const int digit = hex_digit(text[k]);
        if (digit < 0) return -1;
        value = value * 16 + digit;
    }
    return value;
}

void append_utf8(uint32_t code, std::string& to) {
    if (code >= 0xd800 && code < 0xe000) code = 0xfffd;  // half of a pair
    if (code < 0x80) {
        to += static_cast<char>(code);
    } else if (code < 0x800) {
        to += static_cast<char>(0xc0 | code >> 6);
        to += static_cast<char>(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        to += static_cast<char>(0xe0 | code >> 12);
        to += static_cast<char>(0x80 | (code >> 6 & 0x3f));
        to += static_cast<char>(0x80 | (code & 0x3f));
    } else {
        to += static_cast<char>(0xf0 | code >> 18);
        to += static_cast<char>(0x80 | (code >> 12 & 0x3f));
        to += static_cast<char>(0x80 | (code >> 6 & 0x3f));
        to += static_cast<char>(0x80 | (code & 0x3f));
    }
}

// Appends what the \u escape with its digits at text[i] stands for; gives the place behind it.
size_t append_unicode(std::string_view text, size_t i, std::string& to) {
    const int32_t unit = code_unit(text, i);
    if (unit < 0) {
        to += 'u';
        return i;
    }
    i += 4;
    if (unit >= 0xd800 && unit < 0xdc00 && text.substr(i, 2) == "\\u") {
        const int32_t low = code_unit(text, i + 2);
        if (low >= 0xdc00 && low < 0xe000) {
            append_utf8(
                0x10000 + (static_cast<uint32_t>(unit - 0xd800) << 10) + static_cast<uint32_t>(low - 0xdc00),
                to);
            return i + 6;
        }
    }
    append_utf8(static_cast<uint32_t>(unit), to);
    return i;
}

}  // namespace

std::string_view plain_text(std::string_view token, std::string& scratch) {
    const std::string_view text = bare(token);
    size_t i = text.find('\\');
    if (i == std::string_view::npos || !is_string(token)) return text;
    scratch.assign(text.substr(0, i));
    while (i < text.size()) {
        if (text[i] != '\\' || i + 1 == text.size()) {
            scratch += text[i++];
            continue;
        }
        const char c = text[i + 1];
        i += 2;
        switch (c) {
            case 'n':
                scratch += '\n';
                break;
            case 't':
                scratch += '\t';
                break;
            case 'r':
                scratch += '\r';
                break;
            case 'b':
                scratch += '\b';
                break;
            case 'f':
                scratch += '\f';
                break;
            case 'u':
                i = append_unicode(text, i, scratch);
                break;
            default:
                scratch += c;
        }
    }
    return scratch;
}

}  // namespace opsight::importer::kineto
