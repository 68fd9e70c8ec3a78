#include <algorithm>

#include "cost/estimate.h"

namespace opsight::cost {
namespace {

using hardware::Device;
using hardware::Peak;
using hardware::Precision;
using hardware::UnitKind;

// The next format that can hold what this one holds, for devices that do not compute in it.
std::optional<Precision> wider(Precision precision) {
    switch (precision) {
        case Precision::kFp4:
            return Precision::kFp8;
        case Precision::kInt4:
            return Precision::kInt8;
        case Precision::kFp8:
        case Precision::kInt8:
            return Precision::kFp16;
        case Precision::kTf32:
            return Precision::kFp32;
        default:
            return std::nullopt;
    }
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

double vector_peak(const Device& device, Precision precision) {
    // Formats that the ordinary units lack are computed in the widest that they are quickest in.
    if (hardware::bits_of(precision) < 16) precision = Precision::kFp16;
    if (const Peak* peak = device.peak(UnitKind::kVector, precision)) return peak->dense;
    const Peak* peak = device.peak(UnitKind::kVector, Precision::kFp32);
    return peak ? peak->dense : 0;
}

double matrix_peak(const Device& device, Precision precision, bool sparse, Precision& used) {
    for (std::optional<Precision> format = precision; format; format = wider(*format)) {
        used = *format;
        if (const Peak* peak = device.peak(UnitKind::kMatrix, *format))
            return sparse && peak->sparse > 0 ? peak->sparse : peak->dense;
        if (const Peak* peak = device.peak(UnitKind::kVector, *format)) return peak->dense;
    }
    used = Precision::kFp32;
    return vector_peak(device, Precision::kFp32);
}

Bound bound_of(const Work& work, const Device& device, Precision precision, bool sparse, double derate) {
    Precision used = precision;
    const double matrix = matrix_peak(device, precision, sparse, used) * derate;
    const double vector = vector_peak(device, precision) * derate;
    const double bandwidth = device.bandwidth * derate;
    const double products = matrix > 0 ? work.matrix_flops / matrix : 0;
    const double rest = vector > 0 ? (work.flops - work.matrix_flops) / vector : 0;
    // Matrix units work beside the ordinary ones; without them both wait for the same.
    const bool side_by_side = device.peak(UnitKind::kMatrix, used) != nullptr;
    Bound bound;
    bound.matrix_s = side_by_side ? products : 0;
    bound.vector_s = side_by_side ? rest : products + rest;
    bound.math_s = std::max(bound.matrix_s, bound.vector_s);
    bound.memory_s = bandwidth > 0 ? work.bytes / bandwidth : 0;
    bound.seconds = std::max(bound.math_s, bound.memory_s);
    if (bound.seconds > 0) bound.limiter = bound.math_s > bound.memory_s ? Limiter::kMath : Limiter::kMemory;
    return bound;
}

}  // namespace opsight::cost
