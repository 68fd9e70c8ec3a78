#include "report/sweep_pictures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

namespace opsight::report {
namespace {

// Points of batch 1, 2 and 4 whose iterations take as many ms, the second run of each four times as long.
query::Sweep three_points() {
    query::Sweep sweep;
    sweep.parameters = {{"batch", {"1", "2", "4"}}};
    for (const int64_t batch : {1, 2, 4}) {
        query::PointOfSweep& point = sweep.points.emplace_back();
        point.values = {std::to_string(batch)};
        point.name = "batch=" + std::to_string(batch);
        for (const int64_t run : {1, 2}) {
            query::RunOfSweep& each = point.runs.emplace_back();
            each.repeat = run;
            each.recorded.emplace();
            each.recorded->times_ns.assign(3, batch * 1'000'000 * (run == 1 ? 1 : 4));
        }
    }
    return sweep;
}

// The heights of all places of lines with this in their tag.
std::multiset<std::string> heights(const std::string& svg, std::string_view tag) {
    std::multiset<std::string> found;
    for (size_t at = svg.find("<polyline"); at != svg.npos; at = svg.find("<polyline", at + 1)) {
        const std::string line = svg.substr(at, svg.find("</polyline>", at) - at);
        if (line.find(tag) == line.npos) continue;
        const size_t begin = line.find("points=\"") + 8;
        const std::string places = line.substr(begin, line.find('"', begin) - begin);
        for (size_t comma = places.find(','); comma != places.npos; comma = places.find(',', comma + 1))
            found.insert(places.substr(comma + 1, places.find(' ', comma) - comma - 1));
    }
    return found;
}

// What lies outside of the axes would be drawn on their edge, as if it were there.
TEST(SweepPictures, StrokesAndPredictionsLieWithinTheAxes) {
    const query::Sweep sweep = three_points();
    query::SweepOptions options;
    options.predicted = {.ns = {{"batch=1", 1000}, {"batch=2", 2000}, {"batch=4", 4000}}, .by = "a test"};
    const auto summary = query::summarize(sweep, options);
    ASSERT_TRUE(summary) << summary.error().message();
    const std::string svg = sweep_svg(sweep, *summary, options);
    const std::multiset<std::string> predicted = heights(svg, "dashed");
    EXPECT_EQ(std::set(predicted.begin(), predicted.end()).size(), 3U) << svg;
    // Three points in two charts: 1, 2, 4, 8 and 16 ms, and the same two throughputs of each.
    const std::multiset<std::string> strokes = heights(svg, "fastest to the slowest");
    EXPECT_EQ(strokes.size(), 12U);
    EXPECT_EQ(std::set(strokes.begin(), strokes.end()).size(), 7U) << svg;
}

}  // namespace
}  // namespace opsight::report
