// Where a curve of throughput bends and where it is flat, and how sure that is. docs/SWEEPS.md has the
// method.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace opsight::sweep {

struct CurvePoint {
    double x = 0;
    std::vector<double> samples;  // of throughput: of runs, or of the iterations of one
};

// A place of the curve, or why none is claimed.
struct Place {
    std::optional<double> x;
    double share = 0;         // of the resampled curves that have it there
    double from = 0, to = 0;  // where 95 % of them have it
    std::string why_not;      // a sentence's end, where there is none
};

inline constexpr int kResamples = 1000;
inline constexpr double kSureShare = 0.9;  // of them, for a place to be claimed
inline constexpr double kLeastBend = 0.1;  // of the distance from the chord, in parts of the picture
inline constexpr double kFlat = 1.05;      // what more work may still gain where it is saturated
inline constexpr double kRoom = 1.5;       // how far the curve must go on behind the saturation point

// By Kneedle (Satopaa, Albrecht, Irwin, Raghavan 2011) for a concave curve that rises: the point farthest
// above the chord, x and medians scaled to 0 to 1. `points` by rising x.
Place find_knee(std::span<const CurvePoint> points);
// The smallest x behind which no median is more than 5 % above its own, where the curve goes on to 1.5 times
// it.
Place find_saturation(std::span<const CurvePoint> points);

}  // namespace opsight::sweep
