// Numbers of trace events, from JSON tokens: times to integer ns without doubles, ids to int64.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace opsight::importer::kineto {

// The text of a JSON token without surrounding white space and, for a string, without its quotes.
std::string_view bare(std::string_view token);
inline bool is_string(std::string_view token) {
    return !token.empty() && token.front() == '"';
}

// A time in microseconds, as number or as number in a string, to ns, rounded half away from zero. Nothing
// where it is not a number or beyond +-kMaxNs.
std::optional<int64_t> parse_us(std::string_view token);

// An integer, also one written as 1.0, as a string, or in hexadecimal ("0x1f").
std::optional<int64_t> parse_int(std::string_view token);

std::optional<double> parse_double(std::string_view token);

struct ParsedId {
    int64_t value = 0;
    bool hashed = false;  // too big, or not a number: a hash of the text
    bool too_big = false;
};
// Any id: a number where it is one, else a hash of its text. Hashes are never negative.
ParsedId parse_id(std::string_view token);

}  // namespace opsight::importer::kineto
