#include "report/units.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

namespace opsight::report {
namespace {

// The page's tests read the same file.
TEST(Units, ReadAsThePageHasThem) {
    const std::map<std::string, query::Unit> units = {{"ns", query::Unit::kNs},
                                                      {"bytes", query::Unit::kBytes},
                                                      {"flops", query::Unit::kFlops},
                                                      {"percent", query::Unit::kPercent},
                                                      {"count", query::Unit::kCount}};
    std::ifstream file(OPSIGHT_SOURCE_DIR "/tests/data/units.json");
    const auto cases = nlohmann::json::parse(file);
    ASSERT_GT(cases.size(), 40U);
    for (const auto& each : cases) {
        const query::Unit unit = units.at(each["unit"]);
        EXPECT_EQ(brief(unit, each["value"]), each["brief"]) << each;
        EXPECT_EQ(human(unit, each["value"]), each["human"]) << each;
    }
}

TEST(Units, APercentageHasNoSignWhereTheHeadHasIt) {
    EXPECT_EQ(percent_digits(41.26), "41.3");
    EXPECT_EQ(percent_digits(99.99), ">99.9");
}

}  // namespace
}  // namespace opsight::report
