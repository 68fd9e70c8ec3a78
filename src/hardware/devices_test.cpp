#include "hardware/devices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

namespace opsight::hardware {
namespace {

using ::testing::HasSubstr;

const Device& device(std::string_view key) {
    for (const Device& device : DeviceTable::built_in().devices())
        if (device.key == key) return device;
    throw std::runtime_error(std::string(key));
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
        SCOPED_TRACE(device.key);
        EXPECT_FALSE(device.sources.empty());
        EXPECT_TRUE(device.peak(UnitKind::kVector, Precision::kFp32));
        for (double value : {device.memory_bytes, device.bandwidth})
            EXPECT_GT(value, 0);
        if (!device.match.empty()) {
            const std::optional<Device> found = DeviceTable::built_in().match("NVIDIA " + device.match.at(0));
            EXPECT_TRUE(found && found->key == device.key);
        }
        if (device.vendor != "NVIDIA" && device.vendor != "AMD") continue;
        for (double value : {device.clock_hz, device.l2_bytes, static_cast<double>(device.units)})
            EXPECT_GT(value, 0);
        if (device.major < 7) continue;
        EXPECT_GT(device.shared_unit_bytes, 0);
        EXPECT_GT(device.power_w, 0);
        EXPECT_EQ(device.peak(UnitKind::kMatrix, Precision::kFp16) != nullptr, device.tensor_cores);
    }
}

TEST(Devices, EveryOneNamesAnAddressWhereItsFiguresWereRead) {
    for (const Device& device : DeviceTable::built_in().devices())
        EXPECT_THAT(device.sources, ::testing::Contains(HasSubstr("https://"))) << device.key;
}

// Matrix peaks that their makers state at another clock than the boost clock; those of FP64 are not among
// them. B200's datasheet does not name its clock: 1856 MHz is the one that FP16, FP8 and FP4 fit.
double matrix_clock(const Device& device) {
    static const std::map<std::string, double> clocks = {
        {"h100-sxm", 1830e6}, {"h200", 1830e6},      {"h100-pcie", 1620e6}, {"b200", 1856e6},
        {"gh200", 1830e6},    {"gh200-144", 1830e6}, {"h800", 1830e6},      {"h100-nvl", 1545e6},
        {"h200-nvl", 1545e6}, {"b300", 1856e6},      {"gb200", 2008e6},     {"gb300", 2008e6}};
    const auto found = clocks.find(device.key);
    return found == clocks.end() ? device.clock_hz : found->second;
}

// Published peaks that do not fit the rates, and why.
bool is_exception(const Device& device, const Peak& peak) {
    // The datasheet gives INT4 the same peak as INT8.
    if (device.key == "l40s" && peak.precision == Precision::kInt4) return true;
    // Limited by their maker.
    if (device.key.starts_with("h20") && !device.key.starts_with("h200")) return true;
    const bool halved = device.key == "l40" || device.key == "l20" || device.key == "a10g";
    if (halved && peak.unit == UnitKind::kMatrix) return true;
    if (device.key == "h800" && peak.precision == Precision::kFp64) return true;
    // Two or three digits.
    const bool rounded = peak.precision == Precision::kFp64 || peak.precision == Precision::kInt8 ||
                         peak.precision == Precision::kFp4;
    if ((device.key == "b300" || device.key == "gb300") && rounded) return true;
    // "1.1 PFLOPS": two digits cannot be within 2 %.
    return device.key == "b200" && peak.precision == Precision::kTf32;
}

void expect_near(double published, double computed, const Device& device, const Peak& peak) {
    EXPECT_NEAR(published / computed, 1, 0.02) << device.key << " " << name_of(peak.precision)
                                               << (peak.unit == UnitKind::kMatrix ? " matrix" : " vector");
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
            if (is_exception(device, published)) continue;
            const bool slower =
                published.unit == UnitKind::kMatrix && published.precision != Precision::kFp64;
            const double clock = slower ? matrix_clock(device) / device.clock_hz : 1;
            expect_near(published.dense, other->dense * clock, device, published);
            if (published.sparse > 0) expect_near(published.sparse, other->sparse * clock, device, published);
            ++compared;
        }
    }
    EXPECT_GT(compared, 80);
}

// The same for AMD's, which have no rates in the table: FLOP per clock and compute unit of CDNA 2 and CDNA 3.
TEST(Devices, PublishedPeaksOfAmdFitUnitsAndClock) {
    using enum Precision;
    const std::map<Precision, double> vector2 = {{kFp64, 128}, {kFp32, 128}, {kFp16, 256}};
    const std::map<Precision, double> vector3 = {{kFp64, 128}, {kFp32, 256}, {kFp16, 256}};
    const std::map<Precision, double> matrix2 = {
        {kFp64, 256}, {kFp32, 256}, {kFp16, 1024}, {kBf16, 1024}, {kInt8, 1024}};
    const std::map<Precision, double> matrix3 = {{kFp64, 256},  {kFp32, 256}, {kTf32, 1024}, {kFp16, 2048},
                                                 {kBf16, 2048}, {kFp8, 4096}, {kInt8, 4096}};
    int compared = 0;
    for (const Device& device : DeviceTable::built_in().devices()) {
        if (device.architecture != "CDNA 2" && device.architecture != "CDNA 3") continue;
        const bool cdna2 = device.architecture == "CDNA 2";
        for (const Peak& peak : device.peaks) {
            const auto& rates =
                peak.unit == UnitKind::kVector ? (cdna2 ? vector2 : vector3) : (cdna2 ? matrix2 : matrix3);
            const auto rate = rates.find(peak.precision);
            ASSERT_NE(rate, rates.end()) << device.key << " " << name_of(peak.precision);
            const double computed = static_cast<double>(device.units) * device.clock_hz * rate->second;
            expect_near(peak.dense, computed, device, peak);
            if (peak.sparse > 0) expect_near(peak.sparse, 2 * computed, device, peak);
            ++compared;
        }
    }
    EXPECT_EQ(compared, 4 * 8 + 4 * 10);
}

// Peaks of cards whose table is derived, as NVIDIA's papers and pages print them.
struct Printed {
    const char* key;
    UnitKind unit;
    Precision precision;
    double dense;
    double sparse;
};
using enum Precision;
using enum UnitKind;
constexpr Printed kPrinted[] = {{"rtx-2080-ti", kVector, kFp32, 14.2, 0},
                                {"rtx-2080-ti", kVector, kFp16, 28.5, 0},
                                {"rtx-2080-ti", kMatrix, kFp16, 56.9, 0},
                                {"rtx-2080-ti", kMatrix, kInt8, 227.7, 0},
                                {"rtx-2080-ti", kMatrix, kInt4, 455.4, 0},
                                {"rtx-3080", kVector, kFp32, 29.77, 0},
                                {"rtx-3090", kVector, kFp32, 35.6, 0},
                                {"rtx-3090", kMatrix, kFp16, 71, 142},
                                {"rtx-3090", kMatrix, kInt8, 284, 568},
                                {"rtx-4080", kVector, kFp32, 48.7, 0},
                                {"rtx-4090", kVector, kFp32, 82.6, 0},
                                {"rtx-4090", kMatrix, kFp16, 165.2, 330.4},
                                {"rtx-4090", kMatrix, kBf16, 165.2, 330.4},
                                {"rtx-4090", kMatrix, kFp8, 330.3, 660.6},
                                {"rtx-4090", kMatrix, kInt8, 660.6, 1321.2},
                                {"rtx-5070", kVector, kFp32, 30.87, 0},
                                {"rtx-5080", kVector, kFp32, 56.28, 0},
                                {"rtx-5090", kVector, kFp32, 104.8, 0},
                                {"rtx-5090", kMatrix, kBf16, 209.5, 419},
                                {"rtx-5090", kMatrix, kFp8, 419, 838},
                                {"rtx-5090", kMatrix, kFp4, 1676, 3352},
                                {"agx-orin", kVector, kFp32, 5.3, 0},
                                {"orin-nano", kMatrix, kInt8, 20, 40},
                                {"a40", kVector, kFp32, 37.4, 0},
                                {"a40", kMatrix, kTf32, 74.8, 149.6},
                                {"a40", kMatrix, kFp16, 149.7, 299.4},
                                {"a40", kMatrix, kInt8, 299.3, 598.6},
                                {"a40", kMatrix, kInt4, 598.7, 1197.4},
                                {"a16", kMatrix, kFp16, 17.9, 0},
                                {"a16", kMatrix, kInt8, 35.9, 0},
                                {"a30", kMatrix, kFp16, 165, 330},
                                {"a30", kMatrix, kInt8, 330, 660},
                                {"rtx-a6000", kVector, kFp32, 38.7, 0},
                                {"quadro-rtx-6000", kMatrix, kFp16, 130.5, 0},
                                {"titan-rtx", kMatrix, kFp16, 130.5, 0},
                                {"v100s", kVector, kFp32, 16.4, 0},
                                {"p100-sxm2", kVector, kFp32, 10.6, 0},
                                {"rtx-6000-ada", kVector, kFp32, 91.1, 0},
                                {"rtx-6000-ada", kMatrix, kFp8, 728.5, 1457},
                                {"gb10", kVector, kFp32, 31, 0},
                                {"rtx-5090-laptop", kMatrix, kFp4, 911.9, 1823.8}};

TEST(Devices, DerivedPeaksAreThoseOfThePapers) {
    for (const Printed& printed : kPrinted) {
        const Device& card = device(printed.key);
        EXPECT_TRUE(card.derived) << printed.key;
        const Peak* peak = card.peak(printed.unit, printed.precision);
        ASSERT_TRUE(peak) << printed.key;
        // 20 and 40 TOPS are printed without a digit behind the point, and so are 71, 142, 284 and 568.
        const double tolerance = printed.dense == 20 ? 0.03 : 0.005;
        EXPECT_NEAR(peak->dense / 1e12 / printed.dense, 1, tolerance)
            << printed.key << " " << name_of(printed.precision);
        if (printed.sparse > 0) {
            EXPECT_NEAR(peak->sparse / 1e12 / printed.sparse, 1, tolerance)
                << printed.key << " " << name_of(printed.precision);
        }
    }
    EXPECT_FALSE(device("h100-sxm").derived);
}

std::string key_of(std::string_view name, int64_t units = 0, double memory_gb = 0, double clock_mhz = 0) {
    Device known;
    known.name = name;
    known.units = units;
    known.memory_bytes = memory_gb * 1e9;
    known.clock_hz = clock_mhz * 1e6;
    const std::optional<Device> device = DeviceTable::built_in().match(known);
    return device ? device->key : std::string();
}

TEST(Devices, DriverNamesFindTheirDevice) {
    const std::map<std::string, std::string> names = {
        {"NVIDIA A100-SXM4-40GB", "a100-40"},
        {"NVIDIA A100-SXM4-80GB", "a100-80"},
        {"NVIDIA A10", "a10"},
        {"NVIDIA A10G", "a10g"},
        {"NVIDIA GeForce RTX 3090", "rtx-3090"},
        {"NVIDIA GeForce RTX 5070 Ti", "rtx-5070-ti"},
        {"NVIDIA GeForce RTX 4080 SUPER", "rtx-4080-super"},
        {"NVIDIA GeForce RTX 4090 Laptop GPU", "rtx-4090-laptop"},
        {"Tesla V100-SXM2-16GB", "v100-sxm2"},
        {"NVIDIA H100 80GB HBM3", "h100-sxm"},
        {"NVIDIA H200", "h200"},
        {"Some Other Card", ""},
        {"", ""},
        {"NVIDIA", ""},
        // Names that end or begin with another's.
        {"NVIDIA GH200 480GB", "gh200"},
        {"NVIDIA GH200 144G HBM3e", "gh200-144"},
        {"NVIDIA GB200", "gb200"},
        {"NVIDIA H200 NVL", "h200-nvl"},
        {"NVIDIA H100 NVL", "h100-nvl"},
        {"NVIDIA A40", "a40"},
        {"NVIDIA RTX A6000", "rtx-a6000"},
        {"NVIDIA RTX A5000", "rtx-a5000"},
        {"NVIDIA A2", "a2"},
        {"NVIDIA L40", "l40"},
        {"NVIDIA L40S", "l40s"},
        {"NVIDIA H20", "h20"},
        {"NVIDIA GeForce RTX 4070 SUPER", "rtx-4070-super"},
        {"NVIDIA GeForce GTX 1660", "gtx-1660"},
        {"NVIDIA GeForce GTX 1660 Ti", "gtx-1660-ti"},
        {"Tesla V100S-PCIE-32GB", "v100s"},
        {"NVIDIA TITAN V", "titan-v"},
        {"NVIDIA B300 SXM6 AC", "b300"},
        {"NVIDIA GB10", "gb10"},
        {"AMD Instinct MI250X", "mi250x-gcd"},
        {"AMD Instinct MI300X", "mi300x"},
        {"AMD Instinct MI355X", "mi355x"},
        {"AMD Radeon RX 7900 XTX", "rx-7900-xtx"},
        {"Tesla P100-SXM2-16GB", "p100-sxm2"},
        {"NVIDIA A30", "a30"},
        {"NVIDIA RTX 6000 Ada Generation", "rtx-6000-ada"},
        {"Quadro RTX 6000", "quadro-rtx-6000"},
        {"Intel(R) Arc(TM) B580 Graphics", "arc-b580"},
        {"Intel(R) Data Center GPU Max 1100", "max-1100"},
        {"Intel(R) Data Center GPU Max 1550", "max-1550-stack"},
        // A part of a device, and names that say too little.
        {"NVIDIA A100-SXM4-40GB MIG 1g.5gb", ""},
        {"NVIDIA H100", ""},
        {"Orin", ""},
        {"AMD Radeon Graphics", ""}};
    for (const auto& [name, key] : names)
        EXPECT_EQ(key_of(name), key) << name;
}

TEST(Devices, UnitsMemoryAndClockMustAgreeWhereTheyAreKnown) {
    EXPECT_EQ(key_of("NVIDIA H100", 132, 85.0), "h100-sxm");
    EXPECT_EQ(key_of("NVIDIA H100", 114, 85.0), "h100-pcie");
    EXPECT_EQ(key_of("NVIDIA H200", 132, 150.1, 1980), "h200");
    EXPECT_EQ(key_of("NVIDIA H200", 60, 150.1, 1980), "") << "a part of one";
    EXPECT_EQ(key_of("AMD Instinct MI250X / MI250", 110), "mi250x-gcd");
    EXPECT_EQ(key_of("AMD Instinct MI250X / MI250", 104), "mi250-gcd");
    EXPECT_EQ(key_of("Intel(R) Data Center GPU Max 1550", 0, 68.7), "max-1550-stack");
    EXPECT_EQ(key_of("Intel(R) Data Center GPU Max 1550", 0, 137.4), "max-1550");
    EXPECT_EQ(key_of("NVIDIA GeForce RTX 3080", 70, 12.6), "rtx-3080-12gb");
    EXPECT_EQ(key_of("NVIDIA GeForce RTX 3080", 68, 10.5), "rtx-3080");
    EXPECT_EQ(key_of("Tesla V100-SXM2-16GB", 80, 16.9), "v100-sxm2");
    EXPECT_EQ(key_of("Orin", 16, 64.3), "agx-orin");
    EXPECT_EQ(key_of("Orin", 8, 7.9), "orin-nano");
    EXPECT_EQ(key_of("NVIDIA GeForce RTX 4090", 128, 25.3, 900), "") << "far from its clock";
    EXPECT_EQ(key_of("NVIDIA GH200 120GB", 132, 97.9, 1980), "gh200")
        << "the name tells the processor's memory";
    EXPECT_EQ(key_of("NVIDIA RTX A5500", 80, 25.4, 1665), "rtx-a5500");
    Device fast;
    fast.name = "NVIDIA GeForce RTX 4090";
    fast.units = 128;
    fast.clock_hz = 2.6e9;
    const std::optional<Device> found = DeviceTable::built_in().match(fast);
    ASSERT_TRUE(found);
    EXPECT_DOUBLE_EQ(found->peak(UnitKind::kVector, Precision::kFp32)->dense, 128 * 256 * 2.6e9)
        << "a card that is sold with a higher clock";
}

// HIP counts pairs of compute units since RDNA, and the units themselves in GPU_ENABLE_WGP_MODE=0 and on
// CDNA.
TEST(Devices, RadeonsTellPairsOfTheirUnits) {
    EXPECT_EQ(key_of("AMD Radeon RX 7900 XTX", 48, 25.8, 2482), "rx-7900-xtx");
    EXPECT_EQ(key_of("AMD Radeon RX 7900 XTX", 96, 25.8, 2482), "rx-7900-xtx");
    EXPECT_EQ(key_of("AMD Radeon RX 9070 XT", 32, 17.1, 2970), "rx-9070-xt");
    EXPECT_EQ(key_of("Radeon RX 6900 XT", 40, 17.2, 2660), "rx-6900-xt");
    EXPECT_EQ(key_of("AMD Radeon RX 7900 XTX", 24, 25.8, 2482), "");
    EXPECT_EQ(key_of("AMD Instinct MI300X", 152, 206.1, 2100), "")
        << "half of one, whose units are told each";
}

TEST(Devices, TuringWithoutTensorCores) {
    const Device& card = device("gtx-1660");
    EXPECT_FALSE(card.tensor_cores);
    EXPECT_EQ(card.peak(UnitKind::kMatrix, Precision::kFp16), nullptr);
    EXPECT_NEAR(card.peak(UnitKind::kVector, Precision::kFp32)->dense / 1e12, 5.0, 0.05);
    Device known;
    known.name = "NVIDIA GeForce GTX 1630";
    known.major = 7;
    known.minor = 5;
    known.units = 8;
    known.clock_hz = 1785e6;
    known.consumer = true;
    known.tensor_cores = false;
    EXPECT_EQ(DeviceTable::built_in().derive(known).peak(UnitKind::kMatrix, Precision::kFp16), nullptr);
}

// 80 units, 32 GB: so have the V100S, whose memory is faster, and the V100 SXM2.
TEST(Devices, DerivedOnesHaveTheMemoryOfTheirNamesakes) {
    EXPECT_EQ(key_of("Tesla V100-DGXS-32GB", 80, 34), "v100-dgxs");
    EXPECT_EQ(key_of("Tesla V100-DGXS-16GB", 80, 17), "v100-dgxs");
    EXPECT_EQ(device("v100-dgxs").bandwidth, 900e9);
    for (const auto& [name, bandwidth] :
         {std::pair("Tesla V100-SXM9-32GB", 900e9), std::pair("Tesla V100S-SXM9-32GB", 1134e9)}) {
        Device known;
        known.name = name;
        known.major = 7;
        known.units = 80;
        known.memory_bytes = 34e9;
        for (const double clock_mhz : {0.0, 1590.0}) {
            known.clock_hz = clock_mhz * 1e6;
            const std::optional<Device> like = DeviceTable::built_in().derive_like(known);
            const Device made = clock_mhz > 0 ? DeviceTable::built_in().derive(known) : like.value();
            EXPECT_EQ(made.bandwidth, bandwidth) << name;
            EXPECT_EQ(made.l2_bytes, 6.0 * 1024 * 1024) << name;
            EXPECT_TRUE(made.is_estimate("bandwidth_gbs")) << name;
        }
    }
}

TEST(Devices, LimitedOnesKeepTheirPublishedPeaks) {
    EXPECT_DOUBLE_EQ(device("h20").peak(UnitKind::kMatrix, Precision::kFp16)->dense, 148e12);
    EXPECT_NEAR(device("l40").peak(UnitKind::kMatrix, Precision::kFp16)->most() / 1e12, 181, 1);
    EXPECT_NEAR(device("l40").peak(UnitKind::kMatrix, Precision::kInt8)->dense / 1e12, 362, 1);
    EXPECT_NEAR(device("l40").peak(UnitKind::kMatrix, Precision::kInt4)->dense / 1e12, 724, 1);
    EXPECT_DOUBLE_EQ(device("l20").peak(UnitKind::kMatrix, Precision::kFp16)->most(), 119.5e12);
    EXPECT_DOUBLE_EQ(device("l20").peak(UnitKind::kMatrix, Precision::kInt8)->dense, 239e12);
    EXPECT_DOUBLE_EQ(device("a10g").peak(UnitKind::kMatrix, Precision::kInt8)->dense, 140e12);
    EXPECT_NEAR(device("a2").peak(UnitKind::kMatrix, Precision::kFp16)->dense / 1e12, 18.1, 0.1);
}

TEST(Devices, GeForceCardsAddUpInFp16TwiceAsFast) {
    const Device& card = device("rtx-4090");
    EXPECT_NEAR(card.peak(UnitKind::kMatrix, Precision::kFp16)->dense / 1e12, 165.2, 0.1);
    EXPECT_NEAR(card.peak(UnitKind::kMatrix, Precision::kFp16)->most() / 1e12, 330.3, 0.1);
    EXPECT_NEAR(card.peak(UnitKind::kMatrix, Precision::kFp16)->most(true) / 1e12, 660.6, 0.1);
    EXPECT_NEAR(card.peak(UnitKind::kMatrix, Precision::kFp8)->most() / 1e12, 660.6, 0.2);
    for (const Precision other : {Precision::kBf16, Precision::kInt8})
        EXPECT_EQ(card.peak(UnitKind::kMatrix, other)->most(), card.peak(UnitKind::kMatrix, other)->dense);
}

// Bounds take the faster of cards that have one name.
TEST(Devices, OfVariantsTheFasterMemory) {
    EXPECT_DOUBLE_EQ(device("gtx-1650").bandwidth, 192e9);
    EXPECT_DOUBLE_EQ(device("b200").bandwidth, 8000e9);
    EXPECT_DOUBLE_EQ(device("epyc-9965").bandwidth, 614.4e9);
}

Device clockless(const char* name, int minor, int64_t units, double memory_gb) {
    Device known;
    known.name = name;
    known.major = 8;
    known.minor = minor;
    known.units = units;
    known.memory_bytes = memory_gb * 1e9;
    return known;
}

// The nearest card by multiprocessors may be a GeForce, with other rates.
TEST(Devices, WithoutAClockTheRatesAreThoseOfItsKind) {
    const DeviceTable& table = DeviceTable::built_in();
    const auto fp16 = [](const Device& device) { return device.peak(UnitKind::kMatrix, Precision::kFp16); };
    for (const Device& known : {clockless("NVIDIA RTX A5500", 6, 80, 24), clockless("NVIDIA A10M", 6, 64, 24),
                                clockless("NVIDIA RTX 2000 Ada Generation", 9, 22, 16)}) {
        const std::optional<Device> made = table.derive_like(known);
        ASSERT_TRUE(made) << known.name;
        EXPECT_DOUBLE_EQ(fp16(*made)->dense, 1024.0 * static_cast<double>(known.units) * made->clock_hz);
        EXPECT_EQ(fp16(*made)->most(), fp16(*made)->dense) << known.name;
        EXPECT_THAT(made->note, HasSubstr("clock of NVIDIA"));
        EXPECT_TRUE(made->is_estimate(*fp16(*made)));
    }
    Device laptop = clockless("NVIDIA GeForce RTX 3080 Ti Max", 6, 80, 24);
    laptop.consumer = true;
    EXPECT_DOUBLE_EQ(fp16(*table.derive_like(laptop))->dense, 512.0 * 80 * device("rtx-3080-ti").clock_hz);
    // Of its capability the table has a GeForce alone.
    Device spark;
    spark.name = "NVIDIA T1";
    spark.major = 12;
    spark.minor = 1;
    spark.units = 20;
    EXPECT_DOUBLE_EQ(fp16(*table.derive_like(spark))->dense, 1024.0 * 20 * device("gb10").clock_hz);
}

TEST(Devices, FiguresThatNoSourceGivesAreNamed) {
    for (const Device& each : DeviceTable::built_in().devices())
        EXPECT_THAT(each.note,
                    ::testing::Not(::testing::AnyOf(HasSubstr("estimate"), HasSubstr("do not give"))))
            << each.key << ": what is an estimate is told by name";
    const Device& gaudi = device("gaudi2");
    EXPECT_TRUE(gaudi.is_estimate(*gaudi.peak(UnitKind::kMatrix, Precision::kBf16)));
    EXPECT_TRUE(gaudi.is_estimate("bandwidth_gbs"));
    const Device& h800 = device("h800");
    EXPECT_TRUE(h800.is_estimate(*h800.peak(UnitKind::kMatrix, Precision::kFp64)));
    EXPECT_FALSE(h800.is_estimate(*h800.peak(UnitKind::kMatrix, Precision::kFp16)));
    const Device& derived = device("rtx-3050");  // by a clock that no source gives
    EXPECT_TRUE(derived.is_estimate(*derived.peak(UnitKind::kVector, Precision::kFp32)));
    EXPECT_FALSE(
        device("rtx-3090").is_estimate(*device("rtx-3090").peak(UnitKind::kMatrix, Precision::kFp16)));
}

TEST(Devices, ADerivedOneHasTheBandwidthOfItsLike) {
    Device known;
    known.name = "NVIDIA GRID A100X";
    known.major = 8;
    known.units = 108;
    known.clock_hz = 1.4e9;
    known.memory_bytes = 42.3e9;
    EXPECT_DOUBLE_EQ(DeviceTable::built_in().derive(known).bandwidth, 1555e9);
    known.memory_bytes = 20e9;
    EXPECT_EQ(DeviceTable::built_in().derive(known).bandwidth, 0);
}

// Of chips alike whose names do not help: A10G 600 GB/s at a clock that is nearer, RTX A5500 768.
TEST(Devices, OfOthersTheFastestMemory) {
    Device known = clockless("NVIDIA Test", 6, 80, 24);
    known.clock_hz = 1710e6;
    const Device made = DeviceTable::built_in().derive(known);
    EXPECT_DOUBLE_EQ(made.bandwidth, 768e9);
    EXPECT_TRUE(made.is_estimate("bandwidth_gbs"));
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

}  // namespace
}  // namespace opsight::hardware
