#include "sweep/fits.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "sweep/curve.h"

namespace opsight::sweep {
namespace {

std::vector<Sample> line_of(double baseline, double slope, double noise, std::mt19937_64& random) {
    std::normal_distribution<double> normal;
    std::vector<Sample> out;
    for (const double x : {8.0, 16.0, 32.0, 64.0})
        for (int run = 0; run < 3; ++run)
            out.push_back({x, (baseline + slope * x) * (1 + noise * normal(random))});
    return out;
}

TEST(FitLine, AnExactLineIsFound) {
    const std::vector<Sample> samples = {{1, 12}, {2, 14}, {4, 18}, {4, 18}};
    const auto fit = fit_line(samples);
    ASSERT_TRUE(fit);
    EXPECT_NEAR(fit->baseline.value, 10, 1e-9);
    EXPECT_NEAR(fit->slope.value, 2, 1e-9);
    EXPECT_TRUE(fit->baseline.above(9.99));
    EXPECT_LT(fit->worst_off, 1e-9);
    EXPECT_EQ(fit->places, 3U);
}

// The normal equations of these four points, weighted by 1 / y^2.
TEST(FitLine, KnownIntervals) {
    const std::vector<Sample> samples = {{1, 3}, {2, 5}, {3, 6.5}, {4, 9}};
    const auto fit = fit_line(samples);
    ASSERT_TRUE(fit);

    const double w[] = {1 / 9.0, 1 / 25.0, 4 / 169.0, 1 / 81.0}, x[] = {1, 2, 3, 4}, y[] = {3, 5, 6.5, 9};
    double s = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int i = 0; i < 4; ++i) {
        s += w[i];
        sx += w[i] * x[i];
        sy += w[i] * y[i];
        sxx += w[i] * x[i] * x[i];
        sxy += w[i] * x[i] * y[i];
    }
    const double slope = (s * sxy - sx * sy) / (s * sxx - sx * sx), baseline = (sy - slope * sx) / s;
    EXPECT_NEAR(fit->slope.value, slope, 1e-9);
    EXPECT_NEAR(fit->baseline.value, baseline, 1e-9);
    double residual = 0;
    for (int i = 0; i < 4; ++i)
        residual += w[i] * (y[i] - baseline - slope * x[i]) * (y[i] - baseline - slope * x[i]);
    const double t = 4.302652729911275;  // Student's t, 97.5 %, two degrees of freedom
    const double error = std::sqrt(residual / 2 * s / (s * sxx - sx * sx));
    EXPECT_NEAR(*fit->slope.high - fit->slope.value, t * error, 1e-9);
}

TEST(FitLine, IntervalsHoldAsOftenAsTheySay) {
    std::mt19937_64 random(7);
    int slopes = 0, baselines = 0;
    constexpr int kTimes = 2000;
    for (int i = 0; i < kTimes; ++i) {
        const auto fit = fit_line(line_of(40, 3, 0.02, random));
        slopes += *fit->slope.low <= 3 && 3 <= *fit->slope.high;
        baselines += *fit->baseline.low <= 40 && 40 <= *fit->baseline.high;
    }
    EXPECT_NEAR(slopes / double{kTimes}, 0.95, 0.02);
    EXPECT_NEAR(baselines / double{kTimes}, 0.95, 0.02);
}

TEST(FitLine, TooLittleHasNoInterval) {
    const std::vector<Sample> two = {{1, 3}, {2, 5}}, one = {{1, 3}, {1, 5}};
    ASSERT_TRUE(fit_line(two));
    EXPECT_FALSE(fit_line(two)->slope.low);
    EXPECT_FALSE(fit_line(one));
    EXPECT_FALSE(fit_line(std::vector<Sample>()));
}

TEST(FitLine, ACurveIsNoLine) {
    std::mt19937_64 random(3);
    std::normal_distribution<double> normal;
    std::vector<Sample> squares;
    for (const double x : {8.0, 16.0, 32.0, 64.0})
        for (int run = 0; run < 3; ++run)
            squares.push_back({x, x * x * (1 + 0.01 * normal(random))});
    const auto curved = fit_line(squares);
    EXPECT_LT(*curved->p_of_line, 0.001);
    EXPECT_GT(curved->worst_off, 0.1);
    EXPECT_GT(*fit_line(line_of(40, 3, 0.02, random))->p_of_line, 0.001);
}

TEST(FitPower, ExponentsOfGroupsWithConstantsOfTheirOwn) {
    std::vector<Sample> samples;
    for (const double x : {1.0, 2.0, 4.0}) {
        samples.push_back({x, 5 * x * x, 0});
        samples.push_back({x, 70 * x * x, 1});
    }
    samples.push_back({0, 1, 0});  // has no logarithm
    const auto fit = fit_power(samples);
    ASSERT_TRUE(fit);
    EXPECT_NEAR(fit->exponent.value, 2, 1e-9);
    EXPECT_TRUE(fit->exponent.above(1.99));
    EXPECT_EQ(fit->samples, 6U);
    EXPECT_FALSE(fit_power(std::vector<Sample>{{2, 1, 0}, {4, 1, 1}}));
}

std::vector<CurvePoint> curve_of(const std::function<double(double)>& throughput, double noise) {
    std::mt19937_64 random(5);
    std::normal_distribution<double> normal;
    std::vector<CurvePoint> out;
    for (double x = 1; x <= 256; x *= 2) {
        out.push_back({x, {}});
        for (int run = 0; run < 5; ++run)
            out.back().samples.push_back(throughput(x) * (1 + noise * normal(random)));
    }
    return out;
}

TEST(Curve, APlantedKneeAndItsFlatEndAreFound) {
    const auto curve = curve_of([](double x) { return std::min(x, 32.0); }, 0.005);
    const Place knee = find_knee(curve), flat = find_saturation(curve);
    ASSERT_TRUE(knee.x) << knee.why_not;
    EXPECT_EQ(*knee.x, 32);
    EXPECT_GE(knee.share, kSureShare);
    ASSERT_TRUE(flat.x) << flat.why_not;
    EXPECT_EQ(*flat.x, 32);
}

TEST(Curve, AStraightLineHasNeither) {
    const auto curve = curve_of([](double x) { return 3 * x; }, 0.01);
    EXPECT_FALSE(find_knee(curve).x);
    EXPECT_FALSE(find_saturation(curve).x);
    EXPECT_NE(find_saturation(curve).why_not.find("still rises"), std::string::npos);
}

TEST(Curve, WhatFallsIsNotSaturated) {
    const Place flat = find_saturation(curve_of([](double x) { return 100 / x; }, 0.01));
    EXPECT_FALSE(flat.x);
    EXPECT_NE(flat.why_not.find("does not rise"), std::string::npos);
}

TEST(Curve, NoiseHasNoKnee) {
    const auto curve = curve_of([](double) { return 100.0; }, 0.05);
    EXPECT_FALSE(find_knee(curve).x);
}

TEST(Curve, WhatWasMeasuredOnceClaimsNothing) {
    auto curve = curve_of([](double x) { return std::min(x, 32.0); }, 0);
    for (CurvePoint& each : curve)
        each.samples.resize(1);
    EXPECT_FALSE(find_knee(curve).x);
    EXPECT_NE(find_knee(curve).why_not.find("measured once"), std::string::npos);
    curve.resize(3);
    EXPECT_FALSE(find_knee(curve).x);
}

}  // namespace
}  // namespace opsight::sweep
