#include <algorithm>
#include <set>
#include <sstream>

#include "hardware/devices.h"

namespace opsight::hardware {
namespace {

std::string value_of(const std::string& line) {
    const size_t at = line.find(':');
    if (at == std::string::npos) return {};
    const size_t begin = line.find_first_not_of(" \t", at + 1);
    return begin == std::string::npos ? std::string() : line.substr(begin);
}

bool has_word(const std::string& words, const std::string& word) {
    return (" " + words + " ").find(" " + word + " ") != std::string::npos;
}

// Memory of one package: channels × 8 bytes × the fastest modules that it takes.
struct CpuMemory {
    std::string_view vendor;
    int64_t family, first_model, last_model;
    int64_t channels;
    double megatransfers;
    std::string_view name;
};
// https://www.tomshardware.com/uk/news/amd-confirms-12-ddr5-memory-channels-on-genoa (Zen 3 and Zen 4),
// https://frankdenneman.nl/2023/02/28/sapphire-rapids-memory-configuration/ and
// https://simmtester.com/News/IndustryArticle/25024 (Intel),
// https://servethehome.com/welcome-back-intel-xeon-6900p-reasserts-intel-server-leadership/2 (Xeon 6) and
// https://github.com/ggml-org/llama.cpp/discussions/16569 (Zen 5)
constexpr CpuMemory kMemory[] = {
    {"AuthenticAMD", 23, 0x31, 0x31, 8, 3200, "EPYC 7002"},
    {"AuthenticAMD", 25, 0x00, 0x0f, 8, 3200, "EPYC 7003"},
    {"AuthenticAMD", 25, 0x10, 0x1f, 12, 4800, "EPYC 9004"},
    {"AuthenticAMD", 25, 0xa0, 0xaf, 12, 4800, "EPYC 9004"},
    {"AuthenticAMD", 26, 0x00, 0x1f, 12, 6400, "EPYC 9005"},
    {"GenuineIntel", 6, 0x55, 0x55, 6, 2933, "Xeon Scalable of the first and second generation"},
    {"GenuineIntel", 6, 0x6a, 0x6a, 8, 3200, "Xeon Scalable of the third generation"},
    {"GenuineIntel", 6, 0x8f, 0x8f, 8, 4800, "Xeon Scalable of the fourth generation"},
    {"GenuineIntel", 6, 0xcf, 0xcf, 8, 5600, "Xeon Scalable of the fifth generation"},
    {"GenuineIntel", 6, 0xad, 0xad, 12, 8800, "Xeon 6 with fast modules"},
};

const CpuMemory* memory_of(const CpuFacts& facts) {
    for (const CpuMemory& memory : kMemory)
        if (memory.vendor == facts.vendor && memory.family == facts.family &&
            facts.model >= memory.first_model && facts.model <= memory.last_model)
            return &memory;
    return nullptr;
}

// FLOP per clock of one core in FP32. Two fused multiply-adds of full width per clock, as Intel's server
// cores since Skylake and AMD's since Zen 2 have; Zen 4 (family 25) takes two clocks for 512 bits.
double floats_per_clock(const CpuFacts& facts) {
    const bool halves = facts.vendor == "AuthenticAMD" && facts.family == 25;
    if (has_word(facts.features, "avx512f") && !halves) return 16 * 2 * 2;
    return has_word(facts.features, "fma") ? 8 * 2 * 2 : 0;
}

}  // namespace

CpuFacts read_cpuinfo(const std::string& cpuinfo) {
    CpuFacts facts;
    std::istringstream lines(cpuinfo);
    std::set<std::string> cores, packages;
    std::string package;
    int64_t threads = 0;
    for (std::string line; std::getline(lines, line);) {
        const std::string value = value_of(line);
        const auto number = [&value] { return std::strtoll(value.c_str(), nullptr, 10); };
        if (line.starts_with("processor")) ++threads;
        if (line.starts_with("vendor_id")) facts.vendor = value;
        if (line.starts_with("model name")) facts.name = value;
        if (line.starts_with("model\t")) facts.model = number();
        if (line.starts_with("cpu family")) facts.family = number();
        if (line.starts_with("flags")) facts.features = value;
        if (line.starts_with("physical id")) packages.insert(package = value);
        if (line.starts_with("core id")) cores.insert(package + "/" + value);
        if (line.starts_with("cpu MHz"))
            facts.clock_hz = std::max(facts.clock_hz, std::strtod(value.c_str(), nullptr) * 1e6);
    }
    facts.cores = cores.empty() ? threads : static_cast<int64_t>(cores.size());
    facts.packages = std::ssize(packages);
    return facts;
}

std::vector<Peak> cpu_peaks(const CpuFacts& facts) {
    const double clocks = static_cast<double>(facts.cores) * facts.clock_hz;
    const double floats = floats_per_clock(facts) * clocks;
    if (floats <= 0) return {};
    const auto has = [&facts](const char* word) { return has_word(facts.features, word); };
    // Without instructions of four products three others do their work, two of them where products are made:
    // https://oneapi-src.github.io/oneDNN/dev_guide_int8_computations.html
    const double int8 = has("avx512_vnni") || has("avx_vnni") ? 4 : has("avx2") ? 2 : 0;
    std::vector<Peak> peaks = {{UnitKind::kVector, Precision::kFp64, floats / 2},
                               {UnitKind::kVector, Precision::kFp32, floats}};
    if (has("avx512_fp16")) peaks.push_back({UnitKind::kVector, Precision::kFp16, 2 * floats});
    if (has("avx512_bf16")) peaks.push_back({UnitKind::kVector, Precision::kBf16, 2 * floats});
    if (int8 > 0) peaks.push_back({UnitKind::kVector, Precision::kInt8, int8 * floats});
    // AMX: 16×16 tiles of 64-byte rows in 16 clocks.
    if (has("amx_fp16")) peaks.push_back({UnitKind::kMatrix, Precision::kFp16, 1024 * clocks});
    if (has("amx_bf16")) peaks.push_back({UnitKind::kMatrix, Precision::kBf16, 1024 * clocks});
    if (has("amx_int8")) peaks.push_back({UnitKind::kMatrix, Precision::kInt8, 2048 * clocks});
    return peaks;
}

Device describe_cpu(const CpuFacts& facts) {
    Device device;
    device.key = "host";
    device.name = facts.name.empty() ? "processor of this machine" : facts.name;
    device.vendor = facts.vendor == "GenuineIntel"   ? "Intel"
                    : facts.vendor == "AuthenticAMD" ? "AMD"
                                                     : facts.vendor;
    device.architecture = "CPU";
    device.units = facts.cores;
    device.clock_hz = facts.clock_hz;
    device.l2_bytes = facts.cache_bytes;
    device.derived = true;
    device.sources = {"what the processor says of itself (/proc/cpuinfo)"};
    device.peaks = cpu_peaks(facts);
    device.note = "at the highest clock that was seen";
    if (const CpuMemory* memory = memory_of(facts)) {
        const auto packages = static_cast<double>(std::max<int64_t>(1, facts.packages));
        device.bandwidth = packages * static_cast<double>(memory->channels) * 8 * memory->megatransfers * 1e6;
        device.note += "; bandwidth of the memory channels of " + std::string(memory->name) +
                       ", more than a few cores can use";
    } else {
        device.note += "; the memory's bandwidth is not known, so it bounds nothing";
    }
    return device;
}

}  // namespace opsight::hardware
