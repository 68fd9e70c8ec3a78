#include "report/svg_chart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

namespace opsight::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(SvgChart, NumbersWithPrefixes) {
    EXPECT_EQ(prefixed(989.4e12), "989 T");
    EXPECT_EQ(prefixed(999.6), "1 k");
    EXPECT_EQ(prefixed(12), "12 ");
}

// 62 px for the labels on the left, 44 below; a decade in the middle of two lies in the middle of the axis.
TEST(SvgChart, PlacesAreLogarithmic) {
    SvgChart chart(0, 0, 274, 270, {.title = "x", .from = 1, .to = 100},
                   {.title = "y", .from = 1, .to = 100});
    chart.point(10, 10, 3, "s0", "middle");
    chart.point(1e9, 0, 3, "s0", "out of the chart");
    const std::string text = chart.finish("t");
    EXPECT_THAT(text, HasSubstr("cx=\"162.0\" cy=\"126.0\""));
    EXPECT_THAT(text, HasSubstr("cx=\"262.0\" cy=\"226.0\""));
}

TEST(SvgChart, LabelsDoNotLieOnEachOther) {
    SvgChart chart(0, 0, 400, 300, {.title = "x", .from = 1, .to = 100},
                   {.title = "y", .from = 1, .to = 100});
    for (int i = 0; i < 5; ++i)
        chart.text(100, 50 + i, "products in fp16: 989 TFLOP/s");
    const std::string svg = chart.finish("");
    std::vector<double> places;
    for (size_t at = svg.find("class=\"label\""); at != svg.npos; at = svg.find("class=\"label\"", at + 1))
        places.push_back(std::atof(svg.c_str() + svg.find("y=\"", at) + 3));
    ASSERT_EQ(places.size(), 5U);
    std::sort(places.begin(), places.end());
    for (size_t i = 0; i + 1 < places.size(); ++i)
        EXPECT_GE(places[i + 1] - places[i], 11);
}

TEST(SvgChart, ALineIsNamedBehindItsEndWhereThereIsRoom) {
    SvgChart chart(0, 0, 474, 270, {.title = "x", .from = 1, .to = 100},
                   {.title = "y", .from = 1, .to = 100});
    chart.text_behind(10, 10, "here");
    chart.text_behind(100, 10, "no room");
    const std::string text = chart.finish("t");
    EXPECT_THAT(text, HasSubstr("x=\"270.0\" y=\"130.0\">here"));
    EXPECT_THAT(text, HasSubstr("x=\"462.0\" y=\"121.0\" text-anchor=\"end\">no room"));
}

TEST(SvgChart, PowersOfTwoKeepTheirDigits) {
    SvgChart chart(0, 0, 400, 300, {.title = "x", .from = 256, .to = 2048, .binary = true},
                   {.title = "y", .from = 256, .to = 2048, .binary = true, .prefixes = true});
    const std::string text = chart.finish("t");
    EXPECT_THAT(text, Not(HasSubstr("1.02 k")));
    EXPECT_THAT(text, HasSubstr(">1024</text>"));
}

TEST(SvgChart, NamesAreEscaped) {
    SvgChart chart(0, 0, 300, 300, {.title = "<x>"}, {.title = "y"});
    chart.point(2, 2, 3, "s0", "<script>");
    const std::string text = svg_picture(300, 300, "a & b", "", {chart.finish("t")});
    EXPECT_THAT(text, Not(HasSubstr("<script>")));
    EXPECT_THAT(text, Not(HasSubstr("<x>")));
    EXPECT_THAT(text, HasSubstr("a &amp; b"));
}

}  // namespace
}  // namespace opsight::report
