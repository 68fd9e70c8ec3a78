#include "hardware/memory_levels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hardware/devices.h"

namespace opsight::hardware {
namespace {

using ::testing::HasSubstr;

const MemoryLevel* level(std::string_view key, std::string_view name) {
    for (const MemoryLevel& each : levels_of(built_in_memory_levels(), key))
        if (each.name == name) return &each;
    return nullptr;
}

TEST(MemoryLevels, AreThoseOfThePapers) {
    struct PrintedLevel {
        const char* key;
        const char* name;
        double gbs;
    };
    // V100, A100 and H100 at its PCIe clock: Table 3 of PMC10448217; AMD's: its white papers of CDNA 2 and 3,
    // where 2 KiB in a clock of each of eight dies are the 34.4 TB/s.
    for (const PrintedLevel& printed :
         std::initializer_list<PrintedLevel>{{"v100-sxm2", "L2", 3133},
                                             {"a100-40", "L2", 7219},
                                             {"h100-pcie", "L2", 8986},
                                             {"v100-sxm2", "L1/shared", 16451 * 80 / 84.0},
                                             {"h100-pcie", "L1/shared", 32348 * 114 / 144.0},
                                             {"mi210", "L2", 6960},
                                             {"mi250x", "L2", 2 * 6960},
                                             {"mi300x", "L2", 8 * 2048 * 2.1},
                                             {"mi325x", "Infinity Cache", 17200}}) {
        const MemoryLevel* found = level(printed.key, printed.name);
        ASSERT_TRUE(found) << printed.key << " " << printed.name;
        EXPECT_NEAR(found->bandwidth / 1e9 / printed.gbs, 1, 0.002) << printed.key << " " << printed.name;
    }
    EXPECT_FALSE(level("t4", "L2")) << "no source tells it";
    EXPECT_FALSE(level("h100-sxm", "L2")->estimate.empty());
    EXPECT_TRUE(level("a100-80", "L2")->estimate.empty());
}

TEST(MemoryLevels, EveryNvidiaDeviceHasOneAndEachIsFasterThanTheLastAndNamesItsSource) {
    for (const Device& device : DeviceTable::built_in().devices()) {
        const std::vector<MemoryLevel>& levels = levels_of(built_in_memory_levels(), device.key);
        EXPECT_TRUE(device.major == 0 || !levels.empty()) << device.key;
        double before = device.bandwidth;
        for (const MemoryLevel& each : levels) {
            EXPECT_GT(each.bandwidth, before) << device.key << " " << each.name;
            EXPECT_THAT(each.source, HasSubstr("https://")) << device.key << " " << each.name;
            before = each.bandwidth;
        }
        EXPECT_TRUE(levels.empty() || !levels.back().shared) << device.key << " has a level in its units";
    }
}

TEST(MemoryLevels, UsersGiveTheirOwn) {
    const auto mine = memory_levels_with_text(
        "devices:\n"
        "  - key: mine\n"
        "    units: 10\n"
        "    clock_mhz: 1000\n"
        "    vector: {fp32: 10}\n"
        "    levels:\n"
        "      - {name: L3, gbs: 900, estimate: a guess}\n"
        "      - {name: L2, bytes_per_clock: 1000}\n"
        "      - {name: L1, unit_bytes_per_clock: 128, source: a paper}\n"
        "  - {key: t4, vector: {fp32: 8}}\n",
        "my.yaml");
    ASSERT_TRUE(mine) << mine.error().message();
    const std::vector<MemoryLevel>& levels = levels_of(*mine, "mine");
    ASSERT_EQ(levels.size(), 3u);
    EXPECT_DOUBLE_EQ(levels[0].bandwidth, 900e9);
    EXPECT_EQ(levels[0].estimate, "a guess");
    EXPECT_DOUBLE_EQ(levels[1].bandwidth, 1000e9);
    EXPECT_TRUE(levels[1].shared);
    EXPECT_DOUBLE_EQ(levels[2].bandwidth, 1280e9);
    EXPECT_FALSE(levels[2].shared);
    EXPECT_TRUE(levels_of(*mine, "t4").empty()) << "replaced by one without";
    EXPECT_FALSE(levels_of(*mine, "a10").empty());
}

TEST(MemoryLevels, MistakesAreToldByWhoeverReadsTheFile) {
    const auto message = [](const std::string& levels) {
        const auto table = DeviceTable::with_text(
            "devices:\n  - {key: x, vector: {fp32: 1}, clock_mhz: 1000, levels: " + levels + "}\n",
            "my.yaml");
        return table ? std::string("taken") : table.error().message();
    };
    EXPECT_EQ(message("[{name: L2, gbs: 5}]"), "taken");
    EXPECT_THAT(message("[{name: L2, gbps: 5}]"), HasSubstr("a memory level has no key 'gbps'"));
    EXPECT_THAT(message("[{gbs: 5}]"), HasSubstr("needs a name"));
    EXPECT_THAT(message("[{name: L2}]"), HasSubstr("needs one of"));
    EXPECT_THAT(message("[{name: L2, gbs: 5, bytes_per_clock: 5}]"), HasSubstr("needs one of"));
    EXPECT_THAT(message("[{name: L1, unit_bytes_per_clock: 5}]"), HasSubstr("clock_mhz and units"));
    EXPECT_THAT(message("[{name: L2, gbs: 0}]"), HasSubstr("above 0"));
    EXPECT_THAT(message("[{name: L1, gbs: 9}, {name: L2, gbs: 5}]"), HasSubstr("in order"));
    EXPECT_THAT(message("7"), HasSubstr("levels must be a list"));
}

}  // namespace
}  // namespace opsight::hardware
