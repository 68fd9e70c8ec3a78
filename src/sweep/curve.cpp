#include "sweep/curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <random>

#include "sweep/fits.h"

namespace opsight::sweep {
namespace {

constexpr size_t kLeastForKnee = 4;
constexpr double kIn = 0.95;
constexpr uint64_t kSeed = 20111;  // the same data, the same answer

using Finder = std::optional<size_t> (*)(std::span<const CurvePoint>, const std::vector<double>&);

std::optional<size_t> bend_of(std::span<const CurvePoint> points, const std::vector<double>& heights) {
    const auto [least, most] = std::minmax_element(heights.begin(), heights.end());
    const double width = points.back().x - points.front().x, height = *most - *least;
    if (!(width > 0) || !(height > 0) || heights.back() <= heights.front()) return std::nullopt;
    size_t best = 0;
    double farthest = 0;
    for (size_t i = 1; i + 1 < points.size(); ++i) {
        const double above = (heights[i] - *least) / height - (points[i].x - points.front().x) / width;
        if (above > farthest) std::tie(farthest, best) = std::pair(above, i);
    }
    if (farthest < kLeastBend) return std::nullopt;
    return best;
}

std::optional<size_t> flat_from(std::span<const CurvePoint> points, const std::vector<double>& heights) {
    double highest_behind = heights.back();
    std::optional<size_t> found;
    for (size_t i = heights.size() - 1; i-- > 0;) {
        if (highest_behind > kFlat * heights[i]) break;
        if (points.back().x >= kRoom * points[i].x) found = i;
        highest_behind = std::max(highest_behind, heights[i]);
    }
    return found;
}

std::vector<double> medians(std::span<const CurvePoint> points) {
    std::vector<double> out;
    for (const CurvePoint& each : points)
        out.push_back(median_of(each.samples));
    return out;
}

// How often each place is found in curves of samples drawn anew; the last of the list: none.
std::vector<int> drawn_again(std::span<const CurvePoint> points, Finder find) {
    std::mt19937_64 random(kSeed);
    std::vector<int> found(points.size() + 1, 0);
    std::vector<double> heights(points.size()), drawn;
    for (int i = 0; i < kResamples; ++i) {
        for (size_t p = 0; p < points.size(); ++p) {
            const std::vector<double>& from = points[p].samples;
            drawn.clear();
            for (size_t s = 0; s < from.size(); ++s)
                drawn.push_back(from[random() % from.size()]);
            heights[p] = median_of(drawn);
        }
        ++found[find(points, heights).value_or(points.size())];
    }
    return found;
}

Place placed(std::span<const CurvePoint> points, Finder find, std::string_view none) {
    if (std::any_of(points.begin(), points.end(),
                    [](const CurvePoint& each) { return each.samples.empty(); }))
        return {.why_not = "a point has no sample"};
    const std::optional<size_t> seen = find(points, medians(points));
    if (!seen) return {.why_not = std::string(none)};
    if (std::all_of(points.begin(), points.end(),
                    [](const CurvePoint& each) { return each.samples.size() < 2; }))
        return {.why_not =
                    fmt::format("every point was measured once, so a bend at {:g} cannot be told from noise",
                                points[*seen].x)};
    const std::vector<int> found = drawn_again(points, find);
    Place place;
    place.share = static_cast<double>(found[*seen]) / kResamples;
    size_t low = *seen, high = *seen;
    for (int inside = found[*seen]; inside < kIn * kResamples && (low > 0 || high + 1 < points.size());) {
        const int before = low > 0 ? found[low - 1] : -1,
                  after = high + 1 < points.size() ? found[high + 1] : -1;
        inside += std::max(before, after);
        before >= after ? --low : ++high;
    }
    place.from = points[low].x;
    place.to = points[high].x;
    if (place.share >= kSureShare)
        place.x = points[*seen].x;
    else
        place.why_not = fmt::format(
            "the medians have it at {:g}, but only {:.0f} % of the curves drawn anew from the "
            "samples do",
            points[*seen].x, 100 * place.share);
    return place;
}

}  // namespace

Place find_knee(std::span<const CurvePoint> points) {
    if (points.size() < kLeastForKnee) return {.why_not = "fewer than four points show no bend"};
    return placed(points, bend_of, "the curve of the medians has no bend within what was measured");
}

Place find_saturation(std::span<const CurvePoint> points) {
    if (points.size() < 3) return {.why_not = "fewer than three points show no flat end"};
    const std::vector<double> heights = medians(points);
    if (*std::max_element(heights.begin(), heights.end()) <= kFlat * heights.front())
        return {.why_not = "throughput does not rise from the first value on"};
    return placed(points, flat_from, "throughput still rises at the end of what was measured");
}

}  // namespace opsight::sweep
