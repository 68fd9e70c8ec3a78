// The number formats in which devices have peaks of their own.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace opsight::hardware {

enum class Precision : uint8_t { kFp64, kFp32, kTf32, kFp16, kBf16, kFp8, kFp4, kInt8, kInt4 };
inline constexpr std::array<Precision, 9> kPrecisions = {
    Precision::kFp64, Precision::kFp32, Precision::kTf32, Precision::kFp16, Precision::kBf16,
    Precision::kFp8,  Precision::kFp4,  Precision::kInt8, Precision::kInt4};

// "fp32"
std::string_view name_of(Precision precision);
std::optional<Precision> parse_precision(std::string_view name);
// Bits that an element takes in memory; TF32 is kept as FP32.
int64_t bits_of(Precision precision);

}  // namespace opsight::hardware
