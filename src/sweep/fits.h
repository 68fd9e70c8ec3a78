// Lines and powers through measured times, with their intervals. docs/SWEEPS.md has the method.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace opsight::sweep {

struct Sample {
    double x = 0, y = 0;
    size_t group = 0;  // points that differ in nothing but x
};

// A number with its 95 % interval; none where the samples are too few to tell.
struct Estimated {
    double value = 0;
    std::optional<double> low, high;
    bool above(double limit) const { return low && *low > limit; }
};

// y = baseline + slope * x.
struct LineFit {
    Estimated baseline, slope;
    size_t samples = 0, places = 0;  // places: different x
    // Where the line is farthest from the median of a place, as a part of that.
    double worst_off = 0, worst_at = 0;
    // That the medians lie off a line by chance alone (F test of the lack of fit); none without repetitions.
    std::optional<double> p_of_line;
};
// Least squares, each sample weighted by 1 / (median of its x)^2, for the noise of times grows with them;
// Student's t for the intervals. All of one group; every y above 0. Nothing for fewer than two places.
std::optional<LineFit> fit_line(std::span<const Sample> samples);

// y = c * x^exponent, with a c of its own for each group.
struct PowerFit {
    Estimated exponent;
    size_t samples = 0, places = 0;
};
// Least squares of the logarithms. Samples whose x or y is not above 0 are left out. Nothing where no group
// has two places.
std::optional<PowerFit> fit_power(std::span<const Sample> samples);

// Half of a 95 % interval by Student's t, in standard errors. `freedom`: at least 1.
double half_width_of_95(size_t freedom);

// Of no samples: 0. The mean of the two in the middle of an even number.
double median_of(std::vector<double> values);

}  // namespace opsight::sweep
