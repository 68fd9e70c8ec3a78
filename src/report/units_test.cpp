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
                                                      {"bytes_per_s", query::Unit::kBytesPerSecond},
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
        if (each.contains("moment")) {
            EXPECT_EQ(moment(each["value"]), each["moment"]) << each;
        }
    }
}

TEST(Units, AHeaderLosesTheUnitThatItsValuesGive) {
    const auto header = [](std::string text, query::Unit unit) {
        return header_without_unit({"key", std::move(text), unit});
    };
    EXPECT_EQ(header("Time of (a) Kernel (ns)", query::Unit::kNs), "Time of (a) Kernel");
    EXPECT_EQ(header("Peak (B)", query::Unit::kBytes), "Peak");
    EXPECT_EQ(header("Copied (bytes/s)", query::Unit::kBytesPerSecond), "Copied");
    EXPECT_EQ(header("Share (%)", query::Unit::kPercent), "Share");
    EXPECT_EQ(header("FLOPs (1)", query::Unit::kFlops), "FLOPs");
    EXPECT_EQ(header("Time", query::Unit::kNs), "Time");
    EXPECT_EQ(header("Sampling Rate (Hz)", query::Unit::kCount), "Sampling Rate (Hz)");
    EXPECT_EQ(header("Mapped (words)", query::Unit::kNone), "Mapped (words)");
}

TEST(Units, APercentageHasNoSignWhereTheHeadHasIt) {
    EXPECT_EQ(percent_digits(41.26), "41.3");
    EXPECT_EQ(percent_digits(99.99), ">99.9");
}

}  // namespace
}  // namespace opsight::report
