// Peaks of processors: of the machine, and of those in the table.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hardware/devices.h"

namespace opsight::hardware {
namespace {

using ::testing::HasSubstr;

Device known(std::string_view key) {
    return DeviceTable::built_in().find(key).value();
}

TEST(HostCpu, CountsCoresAndUnitsNotThreads) {
    std::string text;
    for (int thread = 0; thread < 4; ++thread)
        text += "processor\t: " + std::to_string(thread) +
                "\nvendor_id\t: GenuineIntel\nmodel name\t: Test CPU\ncpu MHz\t\t: 2000.0\nphysical id\t: 0\n"
                "core id\t\t: " +
                std::to_string(thread / 2) + "\nflags\t\t: sse fma avx2 avx512f avx512_vnni amx_bf16\n\n";
    const Device cpu = describe_cpu(read_cpuinfo(text));
    EXPECT_EQ(cpu.vendor, "Intel");
    EXPECT_EQ(cpu.units, 2);
    EXPECT_DOUBLE_EQ(cpu.peak(UnitKind::kVector, Precision::kFp32)->dense, 2 * 2e9 * 64);
    EXPECT_DOUBLE_EQ(cpu.peak(UnitKind::kMatrix, Precision::kBf16)->dense, 2 * 2e9 * 1024);
    EXPECT_EQ(cpu.peak(UnitKind::kMatrix, Precision::kInt8), nullptr);
    EXPECT_EQ(cpu.bandwidth, 0);
    EXPECT_THAT(cpu.note, HasSubstr("not known"));
    EXPECT_TRUE(describe_cpu(read_cpuinfo("")).peaks.empty());
}

// A processor by name and one that describes itself have one rule.
TEST(HostCpu, NamedOnesHaveThePeaksOfTheirInstructions) {
    const auto rate = [](const char* key, UnitKind unit, Precision precision) {
        const Device cpu = known(key);
        const Peak* peak = cpu.peak(unit, precision);
        return peak ? peak->dense / static_cast<double>(cpu.units) / cpu.clock_hz : 0;
    };
    using enum Precision;
    EXPECT_DOUBLE_EQ(rate("xeon-8380", UnitKind::kVector, kFp32), 64);
    EXPECT_DOUBLE_EQ(rate("xeon-8380", UnitKind::kVector, kInt8), 256) << "VNNI";
    EXPECT_DOUBLE_EQ(rate("xeon-8480", UnitKind::kVector, kFp16), 128) << "AVX512-FP16";
    EXPECT_DOUBLE_EQ(rate("xeon-8480", UnitKind::kMatrix, kInt8), 2048) << "AMX";
    EXPECT_DOUBLE_EQ(rate("epyc-7763", UnitKind::kVector, kFp32), 32);
    EXPECT_DOUBLE_EQ(rate("epyc-7763", UnitKind::kVector, kInt8), 64) << "AVX2";
    EXPECT_DOUBLE_EQ(rate("epyc-9654", UnitKind::kVector, kInt8), 128) << "512 bits in two clocks";
    EXPECT_DOUBLE_EQ(rate("epyc-9965", UnitKind::kVector, kBf16), 128);
    const Device named = known("xeon-8380");
    CpuFacts facts{.vendor = "GenuineIntel", .features = "fma avx2 avx512f avx512_vnni"};
    facts.cores = named.units;
    facts.clock_hz = named.clock_hz;
    for (const Peak& peak : cpu_peaks(facts))
        EXPECT_DOUBLE_EQ(named.peak(peak.unit, peak.precision)->dense, peak.dense);
}

TEST(HostCpu, KnowsTheMemoryOfServersByTheirFamily) {
    CpuFacts facts{.name = "AMD EPYC", .vendor = "AuthenticAMD", .features = "fma avx512f avx512_bf16"};
    facts.family = 25;
    facts.model = 17;
    facts.cores = 4;
    facts.packages = 2;
    facts.clock_hz = 3e9;
    facts.cache_bytes = 64e6;
    const Device cpu = describe_cpu(facts);
    EXPECT_DOUBLE_EQ(cpu.bandwidth, 2 * 460.8e9);
    EXPECT_EQ(cpu.l2_bytes, 64e6);
    // Its 512-bit instructions take two clocks.
    EXPECT_DOUBLE_EQ(cpu.peak(UnitKind::kVector, Precision::kFp32)->dense, 4 * 3e9 * 32);
    EXPECT_DOUBLE_EQ(cpu.peak(UnitKind::kVector, Precision::kBf16)->dense, 4 * 3e9 * 64);
    facts.clock_hz = 0;
    for (const Peak& peak : describe_cpu(facts).peaks)
        ADD_FAILURE() << "without a clock there is no peak, but " << peak.dense;
}

}  // namespace
}  // namespace opsight::hardware
