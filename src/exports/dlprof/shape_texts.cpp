#include "exports/dlprof/shape_texts.h"

#include <algorithm>

namespace opsight::exports {
namespace {

// What stands before `mark`, and takes both off.
std::string_view take(std::string_view& text, std::string_view mark) {
    const size_t end = std::min(text.find(mark), text.size());
    const std::string_view part = text.substr(0, end);
    text.remove_prefix(std::min(end + mark.size(), text.size()));
    return part;
}

bool is_number(std::string_view text) {
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

ShapeTexts shape_texts(std::string_view lettered) {
    const ShapeTexts untold = {"null\n", ""};
    if (lettered.empty()) return untold;
    ShapeTexts out = {"[", ""};
    size_t letters = 0;  // without those shapes at the end that have none
    while (!lettered.empty()) {
        std::string_view shape = take(lettered, "; ");
        if (!shape.starts_with('<') || !shape.ends_with('>')) return untold;
        shape = shape.substr(1, shape.size() - 2);
        out.json += out.json.size() > 1 ? ",[" : "[";
        if (out.json.size() > 2) out.letters += ';';
        for (bool first = true; !shape.empty(); first = false) {
            std::string_view size = take(shape, ", ");
            const size_t colon = size.rfind(':');
            if (colon != size.npos) {
                out.letters.append(first ? "" : ",").append(size.substr(0, colon));
                letters = out.letters.size();
                size.remove_prefix(colon + 1);
            }
            if (!is_number(size)) return untold;
            out.json.append(first ? "" : ",").append(size);
        }
        out.json += ']';
    }
    out.json += "]\n";
    out.letters.resize(letters);
    return out;
}

}  // namespace opsight::exports
