// Reads the device table's form. What it does not understand is an error with its line: a misspelt key would
// otherwise be a device without bandwidth.
#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <cmath>
#include <cstdio>

#include "hardware/devices.h"
#include "hardware/memory_levels.h"

namespace opsight::hardware {
namespace {

struct Problem {
    std::string what;
    int line = 0;
};

[[noreturn]] void refuse(const YAML::Node& node, std::string what) {
    throw Problem{std::move(what), node.Mark().line + 1};
}

void check_keys(const YAML::Node& map, std::initializer_list<std::string_view> known,
                const std::string& what) {
    if (!map.IsMap()) refuse(map, what + " must be a map of keys and values");
    for (const auto& entry : map) {
        const std::string key = entry.first.as<std::string>("");
        if (std::find(known.begin(), known.end(), key) == known.end())
            refuse(entry.first, fmt::format("{} has no key '{}'", what, key));
    }
}

double number(const YAML::Node& map, const char* key, double scale, double fallback = 0) {
    const YAML::Node node = map[key];
    if (!node) return fallback;
    const double value = node.as<double>(-1.0);
    if (!(value > 0) || !std::isfinite(value * scale) || value > 1e12)
        refuse(node, fmt::format("{} must be a number above 0", key));
    return value * scale;
}

std::string text(const YAML::Node& map, const char* key) {
    const YAML::Node node = map[key];
    if (!node) return {};
    if (!node.IsScalar()) refuse(node, fmt::format("{} must be a text", key));
    return node.Scalar();
}

std::vector<std::string> texts(const YAML::Node& map, const char* key) {
    std::vector<std::string> out;
    const YAML::Node node = map[key];
    if (!node) return out;
    if (!node.IsSequence()) refuse(node, fmt::format("{} must be a list", key));
    for (const YAML::Node& item : node) {
        if (!item.IsScalar()) refuse(item, fmt::format("{} must be a list of texts", key));
        out.push_back(item.Scalar());
    }
    return out;
}

std::vector<double> numbers(const YAML::Node& map, const char* key, double scale) {
    std::vector<double> out;
    const YAML::Node node = map[key];
    if (!node) return out;
    if (!node.IsSequence()) refuse(node, fmt::format("{} must be a list", key));
    for (const YAML::Node& item : node) {
        const double value = item.as<double>(-1.0);
        if (!(value > 0) || value > 1e12)
            refuse(item, fmt::format("{} must be a list of numbers above 0", key));
        out.push_back(value * scale);
    }
    return out;
}

double positive(const YAML::Node& node) {
    const double value = node.as<double>(-1.0);
    if (!(value > 0) || value > 1e12) refuse(node, "a peak must be a number above 0");
    return value;
}

// A number, or [dense, sparse].
Peak read_peak(const YAML::Node& format, const YAML::Node& value, UnitKind unit, double scale) {
    const std::optional<Precision> precision = parse_precision(format.as<std::string>(""));
    if (!precision)
        refuse(format, fmt::format("'{}' is not a number format: use fp64, fp32, tf32, fp16, bf16, fp8, fp4, "
                                   "int8 or int4",
                                   format.as<std::string>("")));
    Peak peak{unit, *precision};
    if (value.IsSequence() && value.size() == 2) {
        peak.dense = positive(value[0]) * scale;
        peak.sparse = positive(value[1]) * scale;
    } else if (value.IsScalar()) {
        peak.dense = positive(value) * scale;
    } else {
        refuse(value, "a peak must be a number, or [dense, sparse]");
    }
    return peak;
}

std::vector<Peak> read_peaks(const YAML::Node& map, const char* key, UnitKind unit, double scale) {
    std::vector<Peak> out;
    const YAML::Node node = map[key];
    if (!node) return out;
    if (!node.IsMap()) refuse(node, fmt::format("{} must be a map of number formats and peaks", key));
    for (const auto& entry : node)
        out.push_back(read_peak(entry.first, entry.second, unit, scale));
    return out;
}

std::vector<Peak> read_all_peaks(const YAML::Node& map, double scale) {
    std::vector<Peak> peaks = read_peaks(map, "vector", UnitKind::kVector, scale);
    std::vector<Peak> matrix = read_peaks(map, "matrix", UnitKind::kMatrix, scale);
    for (const Peak& sums : read_peaks(map, "fp16_sums", UnitKind::kMatrix, scale)) {
        const auto same = std::find_if(matrix.begin(), matrix.end(), [&sums](const Peak& peak) {
            return peak.precision == sums.precision;
        });
        if (same == matrix.end())
            refuse(map["fp16_sums"],
                   fmt::format("fp16_sums has {}, but matrix has not", name_of(sums.precision)));
        same->fp16_sums = sums.dense;
        same->fp16_sums_sparse = sums.sparse;
    }
    peaks.insert(peaks.end(), matrix.begin(), matrix.end());
    return peaks;
}

void read_capability(const YAML::Node& map, int& major, int& minor) {
    const std::string capability = text(map, "capability");
    if (capability.empty()) return;
    int used = 0;
    if (capability.size() > 5 || std::sscanf(capability.c_str(), "%2d.%2d%n", &major, &minor, &used) != 2 ||
        used != static_cast<int>(capability.size()) || major < 1 || minor < 0)
        refuse(map["capability"], "capability must be two numbers with a dot between, in quotes: \"9.0\"");
}

bool flag(const YAML::Node& map, const char* key, bool fallback = false) {
    const YAML::Node node = map[key];
    if (!node) return fallback;
    bool value = false;
    if (!YAML::convert<bool>::decode(node, value)) refuse(node, fmt::format("{} must be true or false", key));
    return value;
}

Rates read_rates(const YAML::Node& node) {
    check_keys(node, {"capability", "consumer", "tensor_cores", "vector", "matrix", "fp16_sums"}, "a rate");
    Rates rates;
    read_capability(node, rates.major, rates.minor);
    if (rates.major == 0) refuse(node, "a rate needs a capability");
    rates.consumer = flag(node, "consumer");
    rates.tensor_cores = flag(node, "tensor_cores", true);
    rates.peaks = read_all_peaks(node, 1);
    return rates;
}

MemoryLevel read_level(const YAML::Node& node, double units, double clock_hz) {
    check_keys(node, {"name", "gbs", "bytes_per_clock", "unit_bytes_per_clock", "estimate", "source"},
               "a memory level");
    MemoryLevel level{.name = text(node, "name"),
                      .shared = !node["unit_bytes_per_clock"],
                      .estimate = text(node, "estimate"),
                      .source = text(node, "source")};
    if (level.name.empty()) refuse(node, "a memory level needs a name");
    const int rates = (node["gbs"] ? 1 : 0) + (node["bytes_per_clock"] ? 1 : 0) + (level.shared ? 0 : 1);
    if (rates != 1)
        refuse(node, fmt::format("memory level '{}' needs one of gbs, bytes_per_clock and "
                                 "unit_bytes_per_clock",
                                 level.name));
    if (!node["gbs"] && (clock_hz <= 0 || (!level.shared && units <= 0)))
        refuse(node, fmt::format("memory level '{}' by the clock needs the device's clock_mhz{}", level.name,
                                 level.shared ? "" : " and units"));
    level.bandwidth = number(node, "gbs", 1e9) + number(node, "bytes_per_clock", clock_hz) +
                      number(node, "unit_bytes_per_clock", units * clock_hz);
    return level;
}

std::vector<MemoryLevel> read_levels(const YAML::Node& device) {
    std::vector<MemoryLevel> out;
    const YAML::Node node = device["levels"];
    if (!node) return out;
    if (!node.IsSequence()) refuse(node, "levels must be a list");
    const double units = number(device, "units", 1), clock_hz = number(device, "clock_mhz", 1e6);
    for (const YAML::Node& each : node) {
        out.push_back(read_level(each, units, clock_hz));
        if (out.size() > 1 && out.back().bandwidth < out[out.size() - 2].bandwidth)
            refuse(each, "levels must be in order, those next to the memory, which are slowest, first");
    }
    return out;
}

// A processor's peaks follow from what it says of itself, in the words of /proc/cpuinfo.
void read_processor(const YAML::Node& node, Device& device) {
    if (!node["features"]) return;
    if (!device.peaks.empty())
        refuse(node["features"],
               "a processor's peaks follow from its features: leave vector and matrix away");
    CpuFacts facts;
    facts.vendor = device.vendor == "AMD" ? "AuthenticAMD" : device.vendor == "Intel" ? "GenuineIntel" : "";
    facts.features = text(node, "features");
    facts.family = static_cast<int64_t>(number(node, "family", 1));
    facts.cores = device.units;
    facts.clock_hz = device.clock_hz;
    device.peaks = cpu_peaks(facts);
    device.derived = true;
    if (device.peaks.empty())
        refuse(node["features"], fmt::format("device '{}' needs units, clock_mhz and features that tell its "
                                             "rate (fma, avx512f) to derive its peaks",
                                             device.key));
}

// Figures that the device has: its keys, and formats of its peaks.
void read_estimates(const YAML::Node& node, Device& device) {
    device.estimates = texts(node, "estimate");
    for (const std::string& figure : device.estimates) {
        constexpr std::string_view kFigures[] = {"units",  "clock_mhz",      "memory_gb", "bandwidth_gbs",
                                                 "l2_mib", "last_cache_mib", "power_w"};
        const bool plain = std::find(std::begin(kFigures), std::end(kFigures), figure) != std::end(kFigures);
        const bool known =
            plain
                ? node[figure].IsDefined()
                : std::any_of(device.peaks.begin(), device.peaks.end(), [&](const Peak& peak) {
                      const std::string_view unit = peak.unit == UnitKind::kMatrix ? "matrix" : "vector";
                      return figure == unit || figure == fmt::format("{} {}", unit, name_of(peak.precision));
                  });
        if (!known)
            refuse(node["estimate"],
                   fmt::format("estimate names '{}', which the device does not have: use units, clock_mhz, "
                               "memory_gb, bandwidth_gbs, l2_mib, last_cache_mib, power_w, vector, matrix or "
                               "one peak (\"matrix fp8\")",
                               figure));
    }
}

Device read_device(const YAML::Node& node) {
    check_keys(node, {"key",           "name",        "match",          "vendor",    "architecture",
                      "capability",    "consumer",    "units",          "clock_mhz", "memory_gb",
                      "bandwidth_gbs", "l2_mib",      "last_cache_mib", "power_w",   "shared_kib",
                      "levels",        "vector",      "matrix",         "sources",   "note",
                      "tensor_cores",  "memories_gb", "fp16_sums",      "estimate",  "features",
                      "family"},
               "a device");
    Device device;
    device.key = text(node, "key");
    if (device.key.empty()) refuse(node, "a device needs a key");
    device.name = text(node, "name");
    if (device.name.empty()) device.name = device.key;
    device.vendor = text(node, "vendor");
    if (device.vendor.empty() && node["capability"]) device.vendor = "NVIDIA";
    device.architecture = text(node, "architecture");
    read_capability(node, device.major, device.minor);
    device.consumer = flag(node, "consumer");
    device.tensor_cores = flag(node, "tensor_cores", true);
    device.units = static_cast<int64_t>(number(node, "units", 1));
    device.clock_hz = number(node, "clock_mhz", 1e6);
    device.memory_bytes = number(node, "memory_gb", 1e9);
    device.memories = numbers(node, "memories_gb", 1e9);
    device.bandwidth = number(node, "bandwidth_gbs", 1e9);
    device.l2_bytes = number(node, "l2_mib", 1024 * 1024);
    device.last_cache_bytes = number(node, "last_cache_mib", 1024 * 1024);
    device.shared_unit_bytes = number(node, "shared_kib", 1024);
    device.power_w = number(node, "power_w", 1);
    device.match = texts(node, "match");
    device.sources = texts(node, "sources");
    device.note = text(node, "note");
    device.peaks = read_all_peaks(node, 1e12);
    read_processor(node, device);
    read_estimates(node, device);
    read_levels(node);  // kept apart (memory_levels.h); here so that whoever reads devices hears of mistakes
    return device;
}

}  // namespace

Result<DeviceTable> parse_device_table(const std::string& yaml, const std::string& origin, DeviceTable base) {
    try {
        const YAML::Node root = YAML::Load(yaml);
        check_keys(root, {"rates", "devices"}, "a file of devices");
        for (const char* list : {"rates", "devices"})
            if (root[list] && !root[list].IsSequence())
                refuse(root[list], fmt::format("{} must be a list", list));
        if (const YAML::Node rates = root["rates"])
            for (const YAML::Node& node : rates)
                base.rates_.push_back(read_rates(node));
        if (const YAML::Node devices = root["devices"])
            for (const YAML::Node& node : devices) {
                Device device = read_device(node);
                if (device.peaks.empty()) device = base.derive(device);
                if (device.peaks.empty())
                    refuse(node, fmt::format("device '{}' has neither peaks (vector, matrix) nor a known "
                                             "capability to derive them from",
                                             device.key));
                if (device.derived && (device.units == 0 || device.clock_hz == 0))
                    refuse(node, fmt::format("device '{}' needs units and clock_mhz to derive its peaks",
                                             device.key));
                const auto same = [&](const Device& other) { return other.key == device.key; };
                std::erase_if(base.devices_, same);
                base.devices_.push_back(std::move(device));
            }
    } catch (const Problem& problem) {
        return fail(problem.what, origin, fmt::format("line {}", problem.line),
                    "docs/DEVICES.md shows the form of the file");
    } catch (const YAML::Exception& problem) {
        return fail(problem.msg, origin, fmt::format("line {}", problem.mark.line + 1),
                    "docs/DEVICES.md shows the form of the file");
    }
    return base;
}

// Whatever is wrong with the file, the table of devices says so.
MemoryLevels parse_memory_levels(const std::string& yaml, MemoryLevels base) {
    const YAML::Node devices = YAML::Load(yaml)["devices"];
    if (!devices) return base;
    for (const YAML::Node& node : devices) {
        const std::string key = text(node, "key"), name = text(node, "name");
        std::erase_if(base, [&](const DeviceLevels& other) { return other.key == key; });
        base.push_back({key, name.empty() ? key : name, read_levels(node)});
    }
    return base;
}

}  // namespace opsight::hardware
