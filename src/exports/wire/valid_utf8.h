// Text for formats that take nothing but UTF-8.
#pragma once

#include <string>

#include "base/utf8.h"

namespace opsight::exports {

// What is not UTF-8 in it becomes U+FFFD.
inline std::string valid_utf8(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const Utf8Step step = read_utf8(text);
        if (step.valid)
            out += text.substr(0, step.bytes);
        else
            out += "\xEF\xBF\xBD";
        text.remove_prefix(step.bytes);
    }
    return out;
}

}  // namespace opsight::exports
