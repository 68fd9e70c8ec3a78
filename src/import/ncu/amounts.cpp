#include "import/ncu/amounts.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace opsight::importer::ncu {
namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// Whether the digits before the fraction stand in threes behind the first separator.
bool in_threes(std::string_view whole, char separator) {
    const size_t first = whole.find(separator);
    if (first == whole.npos) return true;
    if (first == 0 || first > 3) return false;
    for (size_t at = first; at < whole.size(); at += 4)
        if (whole[at] != separator || at + 4 > whole.size() ||
            !std::all_of(&whole[at + 1], &whole[at] + 4, is_digit))
            return false;
    return true;
}

bool fits(std::string_view digits, char thousands, char fraction) {
    if (digits.empty() || !is_digit(digits[0])) return false;
    const size_t at = digits.find(fraction);
    const std::string_view rest = at == digits.npos ? std::string_view() : digits.substr(at + 1);
    return in_threes(digits.substr(0, at), thousands) && std::all_of(rest.begin(), rest.end(), is_digit);
}

// Digits and separators, without sign and exponent.
std::string_view mantissa(std::string_view text) {
    if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
    size_t end = 0;
    while (end < text.size() && (is_digit(text[end]) || text[end] == '.' || text[end] == ','))
        ++end;
    return text.substr(0, end);
}

struct Word {
    std::string_view name, base;
    double factor = 1;
};

// Words that take prefixes stand below.
constexpr Word kWords[] = {
    {"s", "ns", 1e9},  {"second", "ns", 1e9},  {"ms", "ns", 1e6}, {"msecond", "ns", 1e6},
    {"us", "ns", 1e3}, {"usecond", "ns", 1e3}, {"ns", "ns", 1},   {"nsecond", "ns", 1},
};
constexpr Word kPrefixes[] = {{"", "", 1},    {"K", "", 1e3},  {"k", "", 1e3}, {"M", "", 1e6},
                              {"G", "", 1e9}, {"T", "", 1e12}, {"P", "", 1e15}};
constexpr Word kPrefixed[] = {{"byte", "byte"}, {"hz", "hz"}, {"Hz", "hz"}};

// Units of what is counted whole. Clocks of GPUs tick every 32 ns or so.
constexpr std::string_view kWhole[] = {"ns", "nsecond", "inst", "cycle"};

BaseUnit base_word(std::string_view word) {
    for (const Word& known : kWords)
        if (word == known.name) return {known.factor, std::string(known.base)};
    for (const Word& known : kPrefixed)
        for (const Word& prefix : kPrefixes)
            if (word.size() == prefix.name.size() + known.name.size() && word.starts_with(prefix.name) &&
                word.ends_with(known.name))
                return {prefix.factor, std::string(known.base)};
    return {1, std::string(word)};
}

}  // namespace

void LocaleVotes::add(std::string_view number, std::string_view unit) {
    const std::string_view digits = mantissa(number);
    if (digits.empty() || digits.size() != number.size()) return;
    const bool whole = std::find(std::begin(kWhole), std::end(kWhole), unit) != std::end(kWhole);
    const auto reads = [&](char thousands, char fraction) {
        // "117.344" of ns is no 117 and a third: ncu prints other fractions with two digits or with six.
        const size_t at = digits.find(fraction);
        const bool thousand =
            at != digits.npos && digits.size() - at == 4 && digits.find(thousands) == digits.npos;
        return fits(digits, thousands, fraction) && !(whole && thousand);
    };
    const bool point = reads(',', '.'), comma = reads('.', ',');
    points_ += point && !comma;
    commas_ += comma && !point;
}

std::optional<int64_t> integer(std::string_view text) {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::optional<double> number(std::string_view text, Locale locale) {
    const char thousands = locale == Locale::kPoint ? ',' : '.',
               fraction = locale == Locale::kPoint ? '.' : ',';
    const std::string_view digits = mantissa(text);
    if (!fits(digits, thousands, fraction)) return std::nullopt;
    std::string plain;
    for (const char c : text)
        if (c != thousands) plain += c == fraction ? '.' : c;
    double value = 0;
    const char* first = plain.data() + (plain.starts_with('+') ? 1 : 0);
    const auto [end, error] = std::from_chars(first, plain.data() + plain.size(), value);
    if (error != std::errc() || end != plain.data() + plain.size() || !std::isfinite(value))
        return std::nullopt;
    return value;
}

BaseUnit base_unit(std::string_view unit) {
    const size_t slash = unit.find('/');
    BaseUnit base = base_word(unit.substr(0, slash));
    if (slash == unit.npos) return base;
    const BaseUnit below = base_word(unit.substr(slash + 1));
    const bool is_rate = below.name == "ns";
    base.factor *= (is_rate ? 1e9 : 1) / below.factor;
    base.name += "/" + (is_rate ? "s" : below.name);
    return base;
}

}  // namespace opsight::importer::ncu
