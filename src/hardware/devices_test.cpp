#include "hardware/devices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace opsight::hardware {
namespace {

using ::testing::HasSubstr;

const Device& device(std::string_view key) {
    for (const Device& device : DeviceTable::built_in().devices())
        if (device.key == key) return device;
    throw std::runtime_error(std::string(key));
}

double peak(std::string_view key, UnitKind unit, Precision precision) {
    const Peak* peak = device(key).peak(unit, precision);
    return peak ? peak->dense / 1e12 : 0;
}

TEST(Devices, HasEveryDevicePromised) {
    std::set<std::string> keys;
    for (const Device& device : DeviceTable::built_in().devices())
        keys.insert(device.key);
    for (const char* key :
         {"v100-sxm2", "t4",        "a10",   "a100-40", "a100-80",     "l4",       "l40s",
          "h100-sxm",  "h100-pcie", "h200",  "b200",    "rtx-2080-ti", "rtx-3090", "rtx-4090",
          "rtx-5090",  "agx-orin",  "mi210", "mi250x",  "mi300x",      "mi325x"})
        EXPECT_TRUE(keys.contains(key)) << key;
    EXPECT_EQ(keys.size(), DeviceTable::built_in().devices().size()) << "keys are unique";
}

TEST(Devices, EveryOneIsCompleteAndNamesItsSources) {
    for (const Device& device : DeviceTable::built_in().devices()) {
        EXPECT_FALSE(device.sources.empty()) << device.key;
        EXPECT_TRUE(device.peak(UnitKind::kVector, Precision::kFp32)) << device.key;
        EXPECT_TRUE(device.peak(UnitKind::kMatrix, Precision::kFp16)) << device.key;
        for (double value : {device.clock_hz, device.memory_bytes, device.bandwidth, device.l2_bytes,
                             device.shared_unit_bytes, device.power_w, static_cast<double>(device.units)})
            EXPECT_GT(value, 0) << device.key;
        EXPECT_EQ(DeviceTable::built_in().match("NVIDIA " + device.match.at(0)), &device) << device.key;
    }
}

// Published peaks and units × clock × rate are two sources; a slip in either would part them.
TEST(Devices, PublishedPeaksFitUnitsAndClock) {
    int compared = 0;
    for (const Device& device : DeviceTable::built_in().devices()) {
        if (device.derived || device.major == 0) continue;
        const Device derived = DeviceTable::built_in().derive(device);
        for (const Peak& published : device.peaks) {
            const Peak* other = derived.peak(published.unit, published.precision);
            ASSERT_TRUE(other) << device.key << " " << name_of(published.precision);
            // Hopper's and Blackwell's matrix peaks are published at a lower clock than the boost clock.
            const bool full_boost = device.major < 9;
            const bool int4_of_ada = device.key == "l40s" && published.precision == Precision::kInt4;
            if (int4_of_ada) continue;
            EXPECT_NEAR(published.dense / other->dense, 1, full_boost ? 0.03 : 0.09)
                << device.key << " " << name_of(published.precision);
            if (published.sparse > 0) {
                EXPECT_NEAR(published.sparse / published.dense, 2, 0.05) << device.key;
            }
            ++compared;
        }
    }
    EXPECT_GT(compared, 80);
}

TEST(Devices, DerivedPeaksAreThoseOfThePapers) {
    // NVIDIA's Ampere GA102, Ada and Blackwell papers; FP16 with products added up in FP32.
    EXPECT_NEAR(peak("rtx-3090", UnitKind::kMatrix, Precision::kFp16), 71, 0.5);
    EXPECT_NEAR(peak("rtx-3080", UnitKind::kVector, Precision::kFp32), 29.8, 0.1);
    EXPECT_NEAR(peak("rtx-4090", UnitKind::kMatrix, Precision::kFp16), 165.2, 0.2);
    EXPECT_NEAR(peak("rtx-4090", UnitKind::kVector, Precision::kFp32), 82.6, 0.1);
    EXPECT_NEAR(peak("rtx-5090", UnitKind::kMatrix, Precision::kFp16), 209.5, 0.2);
    EXPECT_NEAR(peak("rtx-2080-ti", UnitKind::kMatrix, Precision::kFp16), 56.9, 0.1);
    EXPECT_NEAR(peak("agx-orin", UnitKind::kVector, Precision::kFp32), 5.3, 0.1);
    EXPECT_TRUE(device("rtx-4090").derived);
    EXPECT_FALSE(device("h100-sxm").derived);
}

TEST(Devices, DriverNamesFindTheirDevice) {
    const DeviceTable& table = DeviceTable::built_in();
    const auto key = [&](std::string_view name) {
        const Device* device = table.match(name);
        return device ? device->key : std::string();
    };
    EXPECT_EQ(key("NVIDIA A100-SXM4-40GB"), "a100-40");
    EXPECT_EQ(key("NVIDIA A100-SXM4-80GB"), "a100-80");
    EXPECT_EQ(key("NVIDIA A10"), "a10");
    EXPECT_EQ(key("NVIDIA A10G"), "") << "another card";
    EXPECT_EQ(key("NVIDIA GeForce RTX 3090"), "rtx-3090");
    EXPECT_EQ(key("NVIDIA GeForce RTX 5070 Ti"), "rtx-5070-ti");
    EXPECT_EQ(key("NVIDIA GeForce RTX 4080 SUPER"), "") << "another card";
    EXPECT_EQ(key("NVIDIA GeForce RTX 4090 Laptop GPU"), "") << "another chip";
    EXPECT_EQ(key("Tesla V100-SXM2-16GB"), "v100-sxm2");
    EXPECT_EQ(key("NVIDIA H100 80GB HBM3"), "h100-sxm");
    EXPECT_EQ(key("NVIDIA H200"), "h200");
    EXPECT_EQ(key("Some Other Card"), "");
}

TEST(Devices, AnUnknownDeviceIsDerivedAndSaysSo) {
    Device known;
    known.name = "NVIDIA Test";
    known.major = 8;
    known.minor = 8;  // between 8.7 and 8.9
    known.units = 10;
    known.clock_hz = 1e9;
    const Device derived = DeviceTable::built_in().derive(known);
    EXPECT_TRUE(derived.derived);
    EXPECT_THAT(derived.note, HasSubstr("8.7, the nearest known"));
    EXPECT_DOUBLE_EQ(derived.peak(UnitKind::kVector, Precision::kFp32)->dense, 256 * 10 * 1e9);
    known.major = 3;
    EXPECT_TRUE(DeviceTable::built_in().derive(known).peaks.empty());
}

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
                HasSubstr("'fp33' is no number format"));
    EXPECT_THAT(message("devices:\n  - key: x\n    vector: {fp32: -1}\n"), HasSubstr("above 0"));
    EXPECT_THAT(message("devices:\n  - key: x\n    bandwidth_gbs: lots\n"),
                HasSubstr("bandwidth_gbs must be"));
    EXPECT_THAT(message("devices:\n  - key: x\n"), HasSubstr("neither peaks"));
    EXPECT_THAT(message("devices:\n  - {key: x, capability: '8.0'}\n"),
                HasSubstr("needs units and clock_mhz"));
    EXPECT_THAT(message("devices:\n  - {key: x, capability: abc}\n"), HasSubstr("two numbers"));
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

TEST(HostCpu, CountsCoresAndUnitsNotThreads) {
    std::string text;
    for (int thread = 0; thread < 4; ++thread)
        text += "processor\t: " + std::to_string(thread) +
                "\nvendor_id\t: GenuineIntel\nmodel name\t: Test CPU\ncpu MHz\t\t: 2000.0\nphysical id\t: 0\n"
                "core id\t\t: " +
                std::to_string(thread / 2) + "\nflags\t\t: sse fma avx2 avx512f avx512_vnni amx_bf16\n\n";
    const Device cpu = describe_cpu(text);
    EXPECT_EQ(cpu.vendor, "Intel");
    EXPECT_EQ(cpu.units, 2);
    EXPECT_DOUBLE_EQ(cpu.peak(UnitKind::kVector, Precision::kFp32)->dense, 2 * 2e9 * 64);
    EXPECT_DOUBLE_EQ(cpu.peak(UnitKind::kMatrix, Precision::kBf16)->dense, 2 * 2e9 * 1024);
    EXPECT_EQ(cpu.peak(UnitKind::kMatrix, Precision::kInt8), nullptr);
    EXPECT_TRUE(describe_cpu("").peaks.empty());
}

}  // namespace
}  // namespace opsight::hardware
