#include "base/one_line_json.h"

#include "base/text.h"

namespace opsight {

std::string one_line_json(std::string_view json) {
    std::string out;
    out.reserve(json.size());
    bool in_string = false;
    for (size_t i = 0; i < json.size(); ++i) {
        const char c = json[i];
        if (c == '"') in_string = !in_string;
        if (!in_string && text::is_space(c)) continue;
        out += c;
        if (!in_string && c == ',') out += ' ';
        if (in_string && c == '\\' && i + 1 < json.size()) out += json[++i];
    }
    return out;
}

}  // namespace opsight
