#include "map/components.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "map/technology.h"

namespace opsight::map {
namespace {

using ::testing::HasSubstr;

ComponentEstimate estimate(const std::string& kind, std::map<std::string, double> numbers, double nm = 45) {
    const Result<ComponentEstimate> found = estimate_component(kind, {std::move(numbers), {}, nm});
    EXPECT_TRUE(found) << found.error().what;
    return found ? *found : ComponentEstimate{};
}

// The published figures themselves.
TEST(Components, MeetTheirSources) {
    EXPECT_DOUBLE_EQ(estimate("SRAM", {{"width", 64}, {"depth", 1024}}).actions_pj["read"], 10);
    EXPECT_DOUBLE_EQ(estimate("SRAM", {{"width", 64}, {"depth", 4096}}).actions_pj["read"], 20);
    EXPECT_NEAR(estimate("SRAM", {{"width", 64}, {"depth", 131072}}).actions_pj["read"], 100, 14);
    EXPECT_DOUBLE_EQ(estimate("intadder", {{"width", 32}}).actions_pj["add"], 0.21);
    EXPECT_DOUBLE_EQ(
        estimate("aladdin_multiplier", {{"width_a", 32}, {"width_b", 32}}).actions_pj["multiply"], 12.68);
    EXPECT_DOUBLE_EQ(estimate("fpmac", {{"width", 32}}).actions_pj["compute"], 4.6);
    EXPECT_DOUBLE_EQ(estimate("fpmac", {{"width", 16}}).actions_pj["compute"], 1.5);
    EXPECT_DOUBLE_EQ(estimate("wire", {{"width", 256}, {"length", 10}}, 40).actions_pj["transfer"], 310);
    EXPECT_DOUBLE_EQ(estimate("DRAM", {{"width", 64}}).actions_pj["read"], 512);
    EXPECT_DOUBLE_EQ(estimate("DRAM", {{"width", 64}}, 7).actions_pj["read"], 512)
        << "whatever the technology";
}

TEST(Components, GrowWithTheirSizes) {
    for (const char* kind : {"SRAM", "regfile", "smartbuffer_SRAM", "smartbuffer_RF"}) {
        const double small = estimate(kind, {{"width", 16}, {"depth", 64}}).actions_pj["read"];
        EXPECT_GT(estimate(kind, {{"width", 32}, {"depth", 64}}).actions_pj["read"], small) << kind;
        EXPECT_GT(estimate(kind, {{"width", 16}, {"depth", 1024}}).actions_pj["read"], small) << kind;
        EXPECT_LT(estimate(kind, {{"width", 16}, {"depth", 64}}, 32).actions_pj["read"], small) << kind;
        EXPECT_LT(estimate(kind, {{"width", 16}, {"depth", 64}}, 32).area_um2,
                  estimate(kind, {{"width", 16}, {"depth", 64}}).area_um2)
            << kind;
    }
}

TEST(Components, NameTheirSourceAndTechnology) {
    EXPECT_EQ(estimate("SRAM", {{"width", 64}, {"depth", 64}}).source, "Horowitz, ISSCC 2014, 45 nm");
    EXPECT_THAT(estimate("SRAM", {{"width", 64}, {"depth", 64}}, 16).source,
                HasSubstr("16 nm by Stillmaker"));
    EXPECT_THAT(estimate("DRAM", {{"width", 64}}).source, HasSubstr("no such type given"));
}

TEST(Components, RefuseWhatHasNoEstimate) {
    EXPECT_THAT(estimate_component("adc", {}).error().what, HasSubstr("the class 'adc' has no estimate"));
    EXPECT_THAT(estimate_component("SRAM", {{{"width", 0}}, {}, 45}).error().what,
                HasSubstr("width must be above 0"));
    EXPECT_THAT(estimate_component("SRAM", {{{"width", 8}}, {}, 3}).error().what,
                HasSubstr("no estimates for 3 nm"));
    EXPECT_THAT(estimate_component("SRAM", {{{"width", 8}}, {}, 180}).error().what, HasSubstr("180 nm"));
}

TEST(Technology, ScalesBothWays) {
    EXPECT_DOUBLE_EQ(*energy_scale(45, 45), 1);
    EXPECT_NEAR(*energy_scale(45, 32), 0.65934, 1e-5);  // of Timeloop's tutorial: 0.207692 / 0.315
    EXPECT_NEAR(*energy_scale(65, 16) * *energy_scale(16, 65), 1, 1e-12);
    EXPECT_NEAR(*area_scale(45, 32), 0.45, 0.01);
    EXPECT_FALSE(energy_scale(45, 5));
    for (double nm = kSmallestNm; nm < kLargestNm; nm += 1)
        EXPECT_LT(*energy_scale(45, nm), *energy_scale(45, nm + 1)) << nm;
}

}  // namespace
}  // namespace opsight::map
