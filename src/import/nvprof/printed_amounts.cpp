#include "import/nvprof/printed_amounts.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>

namespace opsight::importer::nvprof {
namespace {

constexpr double kKilo = 1024, kMostNs = 9e15, kMostBytes = 1e18;

struct Unit {
    std::string_view name;
    Quantity quantity;
    double factor;
    int kilos = 0;
};
constexpr Unit kUnits[] = {
    {"s", Quantity::kNs, 1e9},
    {"ms", Quantity::kNs, 1e6},
    {"us", Quantity::kNs, 1e3},
    {"ns", Quantity::kNs, 1},
    {"%", Quantity::kPercent, 1},
    {"B", Quantity::kBytes, 1},
    {"KB", Quantity::kBytes, kKilo, 1},
    {"MB", Quantity::kBytes, kKilo* kKilo, 2},
    {"GB", Quantity::kBytes, kKilo* kKilo* kKilo, 3},
    {"TB", Quantity::kBytes, kKilo* kKilo* kKilo* kKilo, 4},
    {"B/s", Quantity::kBytesPerSecond, 1},
    {"KB/s", Quantity::kBytesPerSecond, kKilo, 1},
    {"MB/s", Quantity::kBytesPerSecond, kKilo* kKilo, 2},
    {"GB/s", Quantity::kBytesPerSecond, kKilo* kKilo* kKilo, 3},
    {"TB/s", Quantity::kBytesPerSecond, kKilo* kKilo* kKilo* kKilo, 4},
};

const Unit* unit_of(std::string_view text) {
    const auto* found =
        std::find_if(std::begin(kUnits), std::end(kUnits), [&](const Unit& u) { return u.name == text; });
    return found == std::end(kUnits) ? nullptr : found;
}

// "Mid (5)": the level in words and as a number.
std::string_view level_in(std::string_view text) {
    for (const std::string_view word : {"Idle (", "Low (", "Mid (", "High (", "Max ("})
        if (text.starts_with(word) && text.ends_with(')'))
            return text.substr(word.size(), text.size() - word.size() - 1);
    return text;
}

// What the last digit of "2.4e+03" or "133.81" is worth.
double step_of(std::string_view digits) {
    const size_t exponent = digits.find_first_of("eE");
    const std::string_view mantissa = digits.substr(0, exponent);
    const size_t point = mantissa.find('.');
    double step =
        point == mantissa.npos ? 1 : std::pow(10.0, -static_cast<double>(mantissa.size() - point - 1));
    int power = 0;
    if (exponent != digits.npos) {
        std::string_view rest = digits.substr(exponent + 1);
        if (rest.starts_with('+')) rest.remove_prefix(1);
        std::from_chars(rest.data(), rest.data() + rest.size(), power);
    }
    return step * std::pow(10.0, std::clamp(power, -300, 300));
}

}  // namespace

bool is_unit(std::string_view text) {
    return unit_of(text) != nullptr;
}

std::optional<Amount> read_amount(std::string_view text, std::string_view unit) {
    text = level_in(text);
    Amount amount;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), amount.printed);
    if (error != std::errc() || !std::isfinite(amount.printed)) return std::nullopt;
    const auto used = static_cast<size_t>(end - text.data());
    if (used < text.size()) unit = text.substr(used);
    amount.step = step_of(text.substr(0, used));
    amount.value = amount.printed;
    if (unit.empty()) return amount;
    const Unit* known = unit_of(unit);
    if (!known) return std::nullopt;
    amount.quantity = known->quantity;
    amount.kilos = known->kilos;
    amount.value *= known->factor;
    amount.step *= known->factor;
    return std::isfinite(amount.value) ? std::optional(amount) : std::nullopt;
}

int64_t bytes_of_copy(const Amount& size, const std::optional<Amount>& rate, int64_t ns) {
    double bytes = size.value;
    const int apart = rate ? rate->kilos - size.kilos : 0;
    if (size.kilos > 0 && apart != 0 && ns > 0 && rate->printed > 0) {
        // size * kilo^a / time = rate * kilo^b, so the two tell kilo^(b - a).
        const double told = size.printed / (static_cast<double>(ns) / 1e9) / rate->printed;
        const double off_1024 = std::abs(std::log(told) - apart * std::log(1024.0));
        const double off_1000 = std::abs(std::log(told) - apart * std::log(1000.0));
        if (off_1000 < off_1024) bytes = size.printed * std::pow(1000.0, size.kilos);
    }
    return bytes >= 0 && bytes <= kMostBytes ? std::llround(bytes) : -1;
}

int64_t ns_of(const std::optional<Amount>& amount) {
    const bool good =
        amount && amount->quantity == Quantity::kNs && amount->value >= 0 && amount->value <= kMostNs;
    return good ? std::llround(amount->value) : -1;
}

std::string_view unit_mark(Quantity quantity) {
    switch (quantity) {
        case Quantity::kNs:
            return " [ns]";
        case Quantity::kBytes:
            return " [byte]";
        case Quantity::kBytesPerSecond:
            return " [byte/s]";
        case Quantity::kPercent:
            return " [%]";
        case Quantity::kPlain:
            break;
    }
    return {};
}

}  // namespace opsight::importer::nvprof
