// Small questions about texts that std::string_view has no words for in C++20.
#pragma once

#include <string_view>

namespace opsight::text {

inline bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}
inline bool take_prefix(std::string_view& text, std::string_view prefix) {
    if (!text.starts_with(prefix)) return false;
    text.remove_prefix(prefix.size());
    return true;
}
inline bool take_suffix(std::string_view& text, std::string_view suffix) {
    if (!text.ends_with(suffix)) return false;
    text.remove_suffix(suffix.size());
    return true;
}
// Without what stands at both ends of these characters.
inline std::string_view trimmed(std::string_view text, std::string_view blanks = " ") {
    const size_t begin = text.find_first_not_of(blanks);
    if (begin == text.npos) return {};
    return text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
}
// As JSON and SQL have it: whatever the locale.
constexpr bool is_space(char c) {
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}
constexpr bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
constexpr bool is_upper(char c) {
    return c >= 'A' && c <= 'Z';
}
constexpr bool is_letter(char c) {
    return is_upper(c) || (c >= 'a' && c <= 'z');
}
constexpr char lower(char c) {
    return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace opsight::text
