#include "import/executiontrace/python_lists.h"

#include <algorithm>
#include <utility>

namespace opsight::importer {
namespace {

constexpr std::pair<std::string_view, std::string_view> kWords[] = {{"True", "true"}, {"False", "false"},
                                                                    {"None", "null"}, {"-inf", "null"},
                                                                    {"inf", "null"},  {"nan", "null"}};

// A text from its first quote on, of either kind; gives back how much of it that was.
size_t append_text(std::string_view text, std::string& out) {
    const char quote = text[0];
    out += '"';
    size_t i = 1;
    for (; i < text.size() && text[i] != quote; ++i) {
        const bool escapes = text[i] == '\\' && i + 1 < text.size();
        if (escapes && text[i + 1] == 'x') {  // \x1b
            out += "\\u00";
            ++i;
        } else if (escapes && text[i + 1] == '\'') {
            out += text[++i];
        } else if (escapes) {
            out += text[i];
            out += text[++i];
        } else if (text[i] == '"') {
            out += "\\\"";
        } else {
            out += text[i];
        }
    }
    out += '"';
    return std::min(i + 1, text.size());
}

}  // namespace

std::string json_of_python(std::string_view text) {
    std::string out;
    out.reserve(text.size() + 16);
    for (size_t i = 0; i < text.size();) {
        const std::string_view left = text.substr(i);
        if (left[0] == '\'' || left[0] == '"') {
            i += append_text(left, out);
            continue;
        }
        const auto* word = std::find_if(std::begin(kWords), std::end(kWords),
                                        [left](const auto& each) { return left.starts_with(each.first); });
        if (word == std::end(kWords)) {
            out += left[0];
            ++i;
        } else {
            out += word->second;
            i += word->first.size();
        }
    }
    return out;
}

}  // namespace opsight::importer
