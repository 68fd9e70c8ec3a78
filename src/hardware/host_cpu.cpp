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

struct CpuFacts {
    std::string name, vendor, flags;
    double mhz = 0;
    std::set<std::string> cores;  // of all packages
    int64_t threads = 0;
};

CpuFacts read_facts(const std::string& cpuinfo) {
    CpuFacts facts;
    std::istringstream lines(cpuinfo);
    std::string package;
    for (std::string line; std::getline(lines, line);) {
        const std::string value = value_of(line);
        if (line.starts_with("processor")) ++facts.threads;
        if (line.starts_with("vendor_id")) facts.vendor = value;
        if (line.starts_with("model name")) facts.name = value;
        if (line.starts_with("flags")) facts.flags = value;
        if (line.starts_with("physical id")) package = value;
        if (line.starts_with("core id")) facts.cores.insert(package + "/" + value);
        if (line.starts_with("cpu MHz")) facts.mhz = std::max(facts.mhz, std::strtod(value.c_str(), nullptr));
    }
    return facts;
}

}  // namespace

Device describe_cpu(const std::string& cpuinfo) {
    const CpuFacts facts = read_facts(cpuinfo);
    Device device;
    device.key = "host";
    device.name = facts.name.empty() ? "processor of this machine" : facts.name;
    device.vendor = facts.vendor == "GenuineIntel"   ? "Intel"
                    : facts.vendor == "AuthenticAMD" ? "AMD"
                                                     : facts.vendor;
    device.architecture = "CPU";
    device.units = facts.cores.empty() ? facts.threads : static_cast<int64_t>(facts.cores.size());
    device.clock_hz = facts.mhz * 1e6;
    device.derived = true;
    device.sources = {"/proc/cpuinfo"};
    // Two fused multiply-adds of full width per clock, as Intel's server cores since Skylake and AMD's since
    // Zen 2 (AVX2) or Zen 5 (AVX-512) have; AMX: 16×16 tiles of 64-byte rows in 16 clocks.
    double floats = 0;
    if (has_word(facts.flags, "fma")) floats = 8 * 2 * 2;
    if (has_word(facts.flags, "avx512f")) floats = 16 * 2 * 2;
    const double clocks = static_cast<double>(device.units) * device.clock_hz;
    if (floats > 0) {
        device.peaks = {{UnitKind::kVector, Precision::kFp64, floats / 2 * clocks},
                        {UnitKind::kVector, Precision::kFp32, floats * clocks}};
        if (has_word(facts.flags, "avx512_vnni") || has_word(facts.flags, "avx_vnni"))
            device.peaks.push_back({UnitKind::kVector, Precision::kInt8, 4 * floats * clocks});
        if (has_word(facts.flags, "amx_bf16"))
            device.peaks.push_back({UnitKind::kMatrix, Precision::kBf16, 1024 * clocks});
        if (has_word(facts.flags, "amx_int8"))
            device.peaks.push_back({UnitKind::kMatrix, Precision::kInt8, 2048 * clocks});
    }
    device.note =
        "at the clock that it runs at now; the memory's bandwidth is not known, so it bounds nothing";
    return device;
}

}  // namespace opsight::hardware
