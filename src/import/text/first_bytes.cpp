#include "import/text/first_bytes.h"

namespace opsight::importer {
namespace {

// The first character, and what stands behind it and white space. first '\0': there is none.
struct Opening {
    char first = '\0';
    std::string_view rest;
    bool goes_on_with(std::string_view characters) const {
        return rest.empty() || characters.find(rest[0]) != characters.npos;
    }
};

Opening opening_of(std::string_view text) {
    text = behind_space(text);
    if (text.empty()) return {};
    return {text[0], behind_space(text.substr(1))};
}

// "1, 2]", and not "2024-05-01 10:00:00]".
bool begins_with_number(std::string_view text) {
    const size_t end = text.find_first_not_of("+-.0123456789eE");
    const size_t dash = text.find('-', 1);
    const bool is_date = dash < end && text[dash - 1] != 'e' && text[dash - 1] != 'E';
    return end != 0 && !is_date &&
           (end == text.npos || text[end] == ',' || text[end] == ']' || text[end] == ' ');
}

}  // namespace

std::string_view behind_mark(std::string_view text) {
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    return text;
}

void remove_mark(std::string& text) {
    text.erase(0, text.size() - behind_mark(text).size());
}

std::string_view behind_space(std::string_view text) {
    text = behind_mark(text);
    const size_t first = text.find_first_not_of(" \t\r\n");
    return first == text.npos ? std::string_view() : text.substr(first);
}

bool may_be_json(std::string_view text) {
    const Opening opening = opening_of(text);
    if (opening.first == '{') return opening.goes_on_with("\"}");
    return opening.first == '[' && (opening.goes_on_with("[{]\"") || begins_with_number(opening.rest));
}

bool begins_json_objects(std::string_view text) {
    const Opening opening = opening_of(text);
    if (opening.first == '{') return opening.goes_on_with("\"}");
    return opening.first == '[' && !opening.rest.empty() && opening.goes_on_with("{]");
}

}  // namespace opsight::importer
