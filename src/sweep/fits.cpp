#include "sweep/fits.h"

#include <algorithm>
#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <map>

namespace opsight::sweep {
namespace {

Estimated with_interval(double value, double error, size_t freedom) {
    if (freedom == 0) return {value, {}, {}};
    const double half = error * half_width_of_95(freedom);
    return {value, value - half, value + half};
}

std::map<double, double> medians_by_x(std::span<const Sample> samples) {
    std::map<double, std::vector<double>> values;
    for (const Sample& each : samples)
        values[each.x].push_back(each.y);
    std::map<double, double> out;
    for (auto& [x, list] : values)
        out[x] = median_of(std::move(list));
    return out;
}

// What repetitions of a place differ by is noise; what their means lie off the line by must not be more.
std::optional<double> chance_of_line(std::span<const Sample> samples, const std::map<double, double>& medians,
                                     double residual) {
    const size_t places = medians.size();
    if (samples.size() <= places || places <= 2) return std::nullopt;
    struct Mean {
        double sum = 0, count = 0;
    };
    std::map<double, Mean> means;
    for (const Sample& each : samples) {
        means[each.x].sum += each.y;
        ++means[each.x].count;
    }
    double pure = 0;
    for (const Sample& each : samples) {
        const double off = (each.y - means[each.x].sum / means[each.x].count) / medians.at(each.x);
        pure += off * off;
    }
    const auto above = static_cast<double>(places - 2), below = static_cast<double>(samples.size() - places);
    const double lack = std::max(0.0, residual - pure);
    if (pure <= 0) return lack > 1e-20 ? 0.0 : 1.0;
    return boost::math::cdf(
        boost::math::complement(boost::math::fisher_f(above, below), (lack / above) / (pure / below)));
}

}  // namespace

double half_width_of_95(size_t freedom) {
    return boost::math::quantile(boost::math::students_t(static_cast<double>(freedom)), 0.975);
}

double median_of(std::vector<double> values) {
    if (values.empty()) return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1) return *middle;
    return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

std::optional<LineFit> fit_line(std::span<const Sample> samples) {
    const std::map<double, double> medians = medians_by_x(samples);
    if (medians.size() < 2) return std::nullopt;
    double weights = 0, mean_x = 0, mean_y = 0;
    const auto weight_of = [&](const Sample& each) { return 1 / (medians.at(each.x) * medians.at(each.x)); };
    for (const Sample& each : samples) {
        const double weight = weight_of(each);
        weights += weight;
        mean_x += weight * each.x;
        mean_y += weight * each.y;
    }
    mean_x /= weights;
    mean_y /= weights;
    double spread = 0, joint = 0;
    for (const Sample& each : samples) {
        spread += weight_of(each) * (each.x - mean_x) * (each.x - mean_x);
        joint += weight_of(each) * (each.x - mean_x) * (each.y - mean_y);
    }
    LineFit fit;
    fit.samples = samples.size();
    fit.places = medians.size();
    const double slope = joint / spread, baseline = mean_y - slope * mean_x;
    double residual = 0;
    for (const Sample& each : samples) {
        const double off = each.y - baseline - slope * each.x;
        residual += weight_of(each) * off * off;
    }
    const size_t freedom = samples.size() - 2;
    const double variance = freedom > 0 ? residual / static_cast<double>(freedom) : 0;
    fit.slope = with_interval(slope, std::sqrt(variance / spread), freedom);
    fit.baseline =
        with_interval(baseline, std::sqrt(variance * (1 / weights + mean_x * mean_x / spread)), freedom);
    for (const auto& [x, median] : medians) {
        const double off = std::abs(median - baseline - slope * x) / median;
        if (off > fit.worst_off) std::tie(fit.worst_off, fit.worst_at) = std::pair(off, x);
    }
    fit.p_of_line = chance_of_line(samples, medians, residual);
    return fit;
}

std::optional<PowerFit> fit_power(std::span<const Sample> samples) {
    struct Group {
        double x = 0, y = 0, count = 0;
    };
    std::map<size_t, Group> groups;
    std::vector<Sample> logs;
    std::map<double, size_t> places;
    for (const Sample& each : samples) {
        if (!(each.x > 0) || !(each.y > 0)) continue;
        logs.push_back({std::log(each.x), std::log(each.y), each.group});
        Group& group = groups[each.group];
        group.x += logs.back().x;
        group.y += logs.back().y;
        ++group.count;
        ++places[each.x];
    }
    double spread = 0, joint = 0;
    for (const Sample& each : logs) {
        const Group& group = groups[each.group];
        spread += (each.x - group.x / group.count) * (each.x - group.x / group.count);
        joint += (each.x - group.x / group.count) * (each.y - group.y / group.count);
    }
    if (!(spread > 1e-18)) return std::nullopt;
    const double exponent = joint / spread;
    double residual = 0;
    for (const Sample& each : logs) {
        const Group& group = groups[each.group];
        const double off = each.y - group.y / group.count - exponent * (each.x - group.x / group.count);
        residual += off * off;
    }
    const size_t used = groups.size() + 1, freedom = logs.size() > used ? logs.size() - used : 0;
    const double variance = freedom > 0 ? residual / static_cast<double>(freedom) : 0;
    return PowerFit{with_interval(exponent, std::sqrt(variance / spread), freedom), logs.size(),
                    places.size()};
}

}  // namespace opsight::sweep
