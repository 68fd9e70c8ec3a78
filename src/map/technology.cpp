#include "map/technology.h"

#include <cmath>
#include <cstddef>
#include <iterator>

namespace opsight::map {
namespace {

struct Node {
    double nm;
    double a, b, c;  // energy is like a V^2 + b V + c
    double area;     // to that of 130 nm
};

constexpr Node kNodes[] = {
    {7, 0.1776, -0.09097, 0.02447, 0.0092}, {10, 0.2068, -0.09311, 0.02375, 0.016},
    {14, 0.2363, -0.09675, 0.02239, 0.027}, {16, 0.2958, -0.1241, 0.03024, 0.03},
    {20, 0.373, -0.1582, 0.04104, 0.033},   {32, 0.9559, -0.7823, 0.471, 0.072},
    {45, 1.103, -0.362, 0.2767, 0.16},      {65, 3.755, -4.398, 1.975, 0.23},
    {90, 4.762, -4.781, 2.092, 0.44},       {130, 7.171, -6.709, 2.904, 1},
};
constexpr double kVolts = 0.8;

double energy_of(const Node& node) {
    return node.a * kVolts * kVolts + node.b * kVolts + node.c;
}

template <class Of>
std::optional<double> at(double nm, const Of& of) {
    if (!(nm >= kSmallestNm && nm <= kLargestNm)) return std::nullopt;
    for (size_t i = 1; i < std::size(kNodes); ++i)
        if (nm <= kNodes[i].nm) {
            const double share = (nm - kNodes[i - 1].nm) / (kNodes[i].nm - kNodes[i - 1].nm);
            return std::lerp(of(kNodes[i - 1]), of(kNodes[i]), share);
        }
    return std::nullopt;
}

template <class Of>
std::optional<double> scale(double from_nm, double to_nm, const Of& of) {
    const std::optional<double> from = at(from_nm, of), to = at(to_nm, of);
    if (!from || !to) return std::nullopt;
    return *to / *from;
}

}  // namespace

std::optional<double> energy_scale(double from_nm, double to_nm) {
    return scale(from_nm, to_nm, energy_of);
}

std::optional<double> area_scale(double from_nm, double to_nm) {
    return scale(from_nm, to_nm, [](const Node& node) { return node.area; });
}

}  // namespace opsight::map
