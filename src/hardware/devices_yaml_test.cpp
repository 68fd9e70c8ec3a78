// Devices of a user's own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hardware/devices.h"

namespace opsight::hardware {
namespace {

using ::testing::HasSubstr;

TEST(Devices, UsersAddTheirOwn) {
    const auto table = DeviceTable::with_text(
        "devices:\n"
        "  - {key: mine, bandwidth_gbs: 500, vector: {fp32: 10}, matrix: {fp16: [80, 160]}}\n"
        "  - {key: t4, capability: '7.5', units: 20, clock_mhz: 1000}\n",
        "my.yaml");
    ASSERT_TRUE(table) << table.error().message();
    const auto mine = table->find("MINE");
    ASSERT_TRUE(mine);
    EXPECT_DOUBLE_EQ(mine->bandwidth, 500e9);
    EXPECT_DOUBLE_EQ(mine->peak(UnitKind::kMatrix, Precision::kFp16)->sparse, 160e12);
    EXPECT_EQ(table->find("t4")->units, 20);
    EXPECT_EQ(table->devices().size(), DeviceTable::built_in().devices().size() + 1);
}

TEST(Devices, BadFilesAreToldWithTheirLine) {
    const auto message = [](const char* text) {
        const auto table = DeviceTable::with_text(text, "my.yaml");
        return table ? std::string("taken") : table.error().message();
    };
    EXPECT_THAT(message("devices:\n  - key: x\n    bandwith_gbs: 1\n"),
                HasSubstr("my.yaml: line 3: a device has no key 'bandwith_gbs'"));
    EXPECT_THAT(message("devices:\n  - key: x\n    vector: {fp33: 1}\n"),
                HasSubstr("'fp33' is not a number format"));
    EXPECT_THAT(message("devices:\n  - key: x\n    vector: {fp32: -1}\n"), HasSubstr("above 0"));
    EXPECT_THAT(message("devices:\n  - key: x\n    bandwidth_gbs: lots\n"),
                HasSubstr("bandwidth_gbs must be"));
    EXPECT_THAT(message("devices:\n  - key: x\n"), HasSubstr("neither peaks"));
    EXPECT_THAT(message("devices:\n  - {key: x, capability: '8.0'}\n"),
                HasSubstr("needs units and clock_mhz"));
    EXPECT_THAT(message("devices:\n  - {key: x, capability: abc}\n"), HasSubstr("two numbers"));
    EXPECT_THAT(message("devices:\n  - {key: x, vector: {fp32: 1}, estimate: [power_w]}\n"),
                HasSubstr("estimate names 'power_w', which the device does not have"));
    EXPECT_THAT(message("devices:\n  - {key: x, vector: {fp32: 1}, estimate: [matrix fp8]}\n"),
                HasSubstr("estimate names 'matrix fp8'"));
    EXPECT_THAT(message("devices:\n  - {key: x, matrix: {int8: 1}, fp16_sums: {fp16: 1}}\n"),
                HasSubstr("fp16_sums has fp16, but matrix has not"));
    EXPECT_THAT(message("devices:\n  - {key: x, features: fma, units: 8}\n"),
                HasSubstr("needs units, clock_mhz"));
    EXPECT_THAT(message("devices:\n  - {key: x, features: fma, units: 8, clock_mhz: 1, vector: {fp32: 1}}\n"),
                HasSubstr("leave vector and matrix away"));
    EXPECT_THAT(message("devices: 5\n"), HasSubstr("devices must be a list"));
    EXPECT_THAT(message("just a text"), HasSubstr("must be a map"));
    EXPECT_THAT(message("devices: [\n"), HasSubstr("my.yaml: line"));
}

TEST(Devices, AMistypedKeyGetsASuggestion) {
    const auto found = DeviceTable::built_in().find("h100");
    ASSERT_FALSE(found);
    EXPECT_THAT(found.error().message(), HasSubstr("h100-sxm"));
    EXPECT_EQ(found.error().exit_code, 2);
}

}  // namespace
}  // namespace opsight::hardware
