#include <algorithm>
#include <array>
#include <tuple>

#include "cost/estimate.h"

namespace opsight::cost {
namespace {

using hardware::Device;
using hardware::Peak;
using hardware::Precision;
using hardware::UnitKind;

// Bits of an element that hold its value, beside the sign.
struct Digits {
    int significand, exponent;
    bool integer = false;
};
constexpr std::array<Digits, hardware::kPrecisions.size()> kDigits = {
    {{53, 11}, {24, 8}, {11, 8}, {11, 5}, {8, 8}, {4, 5}, {2, 2}, {8, 0, true}, {4, 0, true}}};

// What is in `narrow` can be computed in `wide` as well. FP64 is left away: no library takes it for others.
bool can_compute(Precision wide, Precision narrow) {
    if (wide == narrow) return true;
    const Digits& w = kDigits[static_cast<size_t>(wide)];
    const Digits& n = kDigits[static_cast<size_t>(narrow)];
    return wide != Precision::kFp64 && (n.integer || !w.integer) && w.significand >= n.significand &&
           w.exponent >= n.exponent;
}

template <class Suits>
HighestPeak highest(const Device& device, Precision precision, bool sparse, Suits suits) {
    const Peak* best = nullptr;
    double rate = 0;
    // Of equals the format itself, and matrix units, which leave the others free.
    const auto rank = [precision](const Peak& peak) {
        return std::tuple(peak.precision != precision, peak.unit != UnitKind::kMatrix,
                          hardware::bits_of(peak.precision));
    };
    for (const Peak& peak : device.peaks) {
        if (!suits(peak) || !can_compute(peak.precision, precision)) continue;
        const double own = peak.most(sparse);
        if (best && (own < rate || (own == rate && rank(*best) <= rank(peak)))) continue;
        best = &peak;
        rate = own;
    }
    if (!best) best = device.peak(UnitKind::kVector, Precision::kFp32);
    if (!best) return {};
    return {best->most(sparse), best->precision, best->unit == UnitKind::kMatrix};
}

}  // namespace

Precision precision_of_type(ElementType type) {
    switch (type) {
        case ElementType::kFloat64:
            return Precision::kFp64;
        case ElementType::kFloat16:
            return Precision::kFp16;
        case ElementType::kBfloat16:
            return Precision::kBf16;
        case ElementType::kFloat8:
            return Precision::kFp8;
        case ElementType::kFloat4:
            return Precision::kFp4;
        case ElementType::kInt8:
        case ElementType::kUint8:
            return Precision::kInt8;
        case ElementType::kInt4:
        case ElementType::kUint4:
            return Precision::kInt4;
        default:
            return Precision::kFp32;
    }
}

std::string_view name_of(Limiter limiter) {
    constexpr std::string_view kNames[] = {"none", "math", "memory"};
    return kNames[static_cast<size_t>(limiter)];
}

HighestPeak vector_peak(const Device& device, Precision precision) {
    return highest(device, precision, false, [](const Peak& peak) { return peak.unit == UnitKind::kVector; });
}

HighestPeak product_peak(const Device& device, Precision precision, bool sparse) {
    return highest(device, precision, sparse, [](const Peak&) { return true; });
}

Bound bound_of(const Work& work, const Device& device, Precision precision, bool sparse, double derate) {
    const HighestPeak peak = product_peak(device, precision, sparse);
    const double matrix = peak.rate * derate;
    const double vector = vector_peak(device, precision).rate * derate;
    const double bandwidth = device.bandwidth * derate;
    const double products = matrix > 0 ? work.matrix_flops / matrix : 0;
    const double rest = vector > 0 ? (work.flops - work.matrix_flops) / vector : 0;
    // Matrix units work beside the ordinary ones; without them both wait for the same.
    Bound bound;
    bound.products_in = peak.precision;
    bound.matrix_s = peak.matrix ? products : 0;
    bound.vector_s = peak.matrix ? rest : products + rest;
    bound.math_s = std::max(bound.matrix_s, bound.vector_s);
    bound.memory_s = bandwidth > 0 ? work.bytes / bandwidth : 0;
    bound.seconds = std::max(bound.math_s, bound.memory_s);
    if (bound.seconds > 0) bound.limiter = bound.math_s > bound.memory_s ? Limiter::kMath : Limiter::kMemory;
    return bound;
}

}  // namespace opsight::cost
