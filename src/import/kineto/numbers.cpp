#include "import/kineto/numbers.h"

#include <charconv>
#include <cmath>
#include <cstdlib>

#include "base/text.h"
#include "base/time.h"

namespace opsight::importer::kineto {
namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// FNV-1a: the same on every machine and in every version, as ids may be compared between profiles.
int64_t text_hash(std::string_view text) {
    uint64_t hash = 14695981039346656037u;
    for (const char c : text)
        hash = (hash ^ static_cast<uint8_t>(c)) * 1099511628211u;
    return static_cast<int64_t>(hash >> 1);
}

// A decimal number: digits * 10^scale.
struct Decimal {
    bool negative = false;
    uint64_t digits = 0;
    int scale = 0;
    bool overflow = false;  // more digits than fit before the point

    void take(char c, bool fraction) {
        constexpr uint64_t kRoom = (UINT64_MAX - 9) / 10;
        if (digits <= kRoom) {
            digits = digits * 10 + static_cast<uint64_t>(c - '0');
            if (fraction) --scale;
        } else if (!fraction) {
            overflow = true;
        }
    }
};

std::optional<Decimal> parse_decimal(std::string_view text) {
    Decimal d;
    size_t i = 0;
    if (i < text.size() && (text[i] == '-' || text[i] == '+')) d.negative = text[i++] == '-';
    const size_t first = i;
    for (; i < text.size() && is_digit(text[i]); ++i)
        d.take(text[i], false);
    size_t count = i - first;
    if (i < text.size() && text[i] == '.')
        for (++i; i < text.size() && is_digit(text[i]); ++i, ++count)
            d.take(text[i], true);
    if (count == 0) return std::nullopt;
    if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
        ++i;
        if (i < text.size() && text[i] == '+') ++i;
        int exponent = 0;
        const auto [end, error] = std::from_chars(text.data() + i, text.data() + text.size(), exponent);
        if (error != std::errc() || exponent > 400 || exponent < -400) return std::nullopt;
        d.scale += exponent;
        i = static_cast<size_t>(end - text.data());
    }
    if (i != text.size()) return std::nullopt;
    return d;
}

// digits * 10^(scale + shift) as an integer, rounded half away from zero; nothing beyond `limit`.
std::optional<int64_t> to_integer(const Decimal& d, int shift, int64_t limit) {
    if (d.overflow) return std::nullopt;
    uint64_t value = d.digits;
    int scale = d.scale + shift;
    for (; scale > 0 && value > 0; --scale) {
        if (value > static_cast<uint64_t>(limit) / 10) return std::nullopt;
        value *= 10;
    }
    for (; scale < -1 && value > 0; ++scale)
        value /= 10;
    if (scale == -1) value = (value + 5) / 10;
    if (value > static_cast<uint64_t>(limit)) return std::nullopt;
    const auto result = static_cast<int64_t>(value);
    return d.negative ? -result : result;
}

std::optional<int64_t> parse_hex(std::string_view text) {
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(), value, 16);
    if (error != std::errc() || end != text.data() + text.size() || value > INT64_MAX) return std::nullopt;
    return static_cast<int64_t>(value);
}

bool has_hex_prefix(std::string_view text) {
    return text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
}

}  // namespace

std::string_view bare(std::string_view token) {
    while (!token.empty() && text::is_space(token.back()))
        token.remove_suffix(1);
    while (!token.empty() && text::is_space(token.front()))
        token.remove_prefix(1);
    if (token.size() >= 2 && token.front() == '"' && token.back() == '"')
        token = token.substr(1, token.size() - 2);
    return token;
}

std::optional<int64_t> parse_us(std::string_view token) {
    const std::string_view text = bare(token);
    // Nearly every time: up to 15 digits, perhaps a point and up to 3 more.
    uint64_t value = 0;
    size_t i = 0;
    for (; i < text.size() && i < 16 && is_digit(text[i]); ++i)
        value = value * 10 + static_cast<uint64_t>(text[i] - '0');
    if (i > 0 && i == text.size()) {
        if (i < 16 || value <= static_cast<uint64_t>(kMaxNs) / 1000)
            return static_cast<int64_t>(value * 1000);
    } else if (i > 0 && i < 16 && text[i] == '.' && text.size() - i >= 2 && text.size() - i <= 4) {
        uint64_t scale = 1000;
        for (++i; i < text.size() && is_digit(text[i]); ++i, scale /= 10)
            value = value * 10 + static_cast<uint64_t>(text[i] - '0');
        if (i == text.size()) return static_cast<int64_t>(value * scale);
    }
    const std::optional<Decimal> decimal = parse_decimal(text);
    return decimal ? to_integer(*decimal, 3, kMaxNs) : std::nullopt;
}

std::optional<int64_t> parse_int(std::string_view token) {
    const std::string_view text = bare(token);
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size()) return value;
    if (has_hex_prefix(text)) return parse_hex(text);
    const std::optional<Decimal> decimal = parse_decimal(text);
    return decimal ? to_integer(*decimal, 0, INT64_MAX) : std::nullopt;
}

std::optional<double> parse_double(std::string_view token) {
    const std::string_view text = bare(token);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
        return std::nullopt;
    return value;
}

ParsedId parse_id(std::string_view token) {
    if (const std::optional<int64_t> number = parse_int(token)) return {*number, false, false};
    const std::string_view text = bare(token);
    const bool digits = text.find_first_not_of("0123456789-") == std::string_view::npos;
    return {text_hash(text), true, !text.empty() && (digits || has_hex_prefix(text))};
}

}  // namespace opsight::importer::kineto
