// How energy and area of a circuit change from one technology to another: Stillmaker and Baas, Scaling
// equations for the accurate prediction of CMOS device performance from 180 nm to 7 nm, Integration 58
// (2017), tables 6 and 8, at 0.8 V; between the technologies they have, on a line.
#pragma once

#include <optional>

namespace opsight::map {

inline constexpr double kSmallestNm = 7, kLargestNm = 130;

// A figure of `from` nm times this is that of `to` nm; nothing where one of them is not within the limits.
std::optional<double> energy_scale(double from_nm, double to_nm);
std::optional<double> area_scale(double from_nm, double to_nm);

}  // namespace opsight::map
