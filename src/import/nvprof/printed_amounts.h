// Numbers as nvprof prints them: with a unit behind them ("133.81ms", "3.0167GB/s", "Mid (5)"), or with that
// of their column.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace opsight::importer::nvprof {

// What a number counts in its base: ns, bytes, bytes/s, hundredths, or nothing that is told.
enum class Quantity : uint8_t { kPlain, kNs, kBytes, kBytesPerSecond, kPercent };

struct Amount {
    double value = 0;  // in the base of its quantity
    Quantity quantity = Quantity::kPlain;
    double step = 0;     // how much the last printed digit is worth
    int kilos = 0;       // by how many thousands (1024s, see below) the unit is more than its base
    double printed = 0;  // without its unit
};

// `unit`: of the column, for a number without one. Empty: it is not a number ("-", a text). A kilobyte is
// 1024 bytes: the bytes and rates of one launch agree only so, in nvprof's output from CUDA 8 to 11.
std::optional<Amount> read_amount(std::string_view text, std::string_view unit = {});

bool is_unit(std::string_view text);

// Bytes of a copy. Early versions of nvprof (CUDA 4 and 5) printed thousands: where the rate is printed with
// another prefix than the size, the two and the time tell which.
int64_t bytes_of_copy(const Amount& size, const std::optional<Amount>& rate, int64_t ns);

// Whole ns; -1: it is no time, or out of range.
int64_t ns_of(const std::optional<Amount>& amount);

// " [byte/s]", " [%]", ...; empty: none.
std::string_view unit_mark(Quantity quantity);

}  // namespace opsight::importer::nvprof
