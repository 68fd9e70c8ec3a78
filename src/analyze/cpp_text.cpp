#include "analyze/cpp_text.h"

namespace opsight::analyze {

size_t closing_bracket(std::string_view text, size_t open) {
    constexpr std::string_view kOpening = "<([{", kClosing = ">)]}";
    int depth = 0;
    for (size_t i = open; i < text.size(); ++i) {
        if (kOpening.find(text[i]) != kOpening.npos) ++depth;
        if (kClosing.find(text[i]) == kClosing.npos || (text[i] == '>' && i > 0 && text[i - 1] == '-'))
            continue;
        if (--depth == 0) return i;
    }
    return std::string_view::npos;
}

std::string without_anonymous(std::string_view text) {
    std::string result;
    for (size_t i = 0; i < text.size();) {
        size_t skipped = 0;
        for (const std::string_view part : {"(anonymous namespace)::", "<unnamed>::"})
            if (text.substr(i).starts_with(part)) skipped = part.size();
        if (skipped == 0) result += text[i];
        i += skipped > 0 ? skipped : 1;
    }
    return result;
}

}  // namespace opsight::analyze
