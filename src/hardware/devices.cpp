#include "hardware/devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "hardware/devices_data.h"

namespace opsight::hardware {
namespace {

constexpr std::array<std::string_view, 9> kNames = {"fp64", "fp32", "tf32", "fp16", "bf16",
                                                    "fp8",  "fp4",  "int8", "int4"};
constexpr std::array<int64_t, 9> kBits = {64, 32, 32, 16, 16, 8, 4, 8, 4};

std::string lower(std::string_view text) {
    std::string out(text);
    for (char& c : out)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return out;
}

size_t common_prefix(std::string_view a, std::string_view b) {
    const auto [end, other] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
    return static_cast<size_t>(end - a.begin());
}

}  // namespace

std::string_view name_of(Precision precision) {
    return kNames[static_cast<size_t>(precision)];
}

std::optional<Precision> parse_precision(std::string_view name) {
    const std::string wanted = lower(name);
    for (size_t i = 0; i < kNames.size(); ++i)
        if (kNames[i] == wanted) return static_cast<Precision>(i);
    return std::nullopt;
}

int64_t bits_of(Precision precision) {
    return kBits[static_cast<size_t>(precision)];
}

const Peak* Device::peak(UnitKind unit, Precision precision) const {
    for (const Peak& peak : peaks)
        if (peak.unit == unit && peak.precision == precision) return &peak;
    return nullptr;
}

const DeviceTable& DeviceTable::built_in() {
    static const DeviceTable table = [] {
        Result<DeviceTable> parsed = parse_device_table(kDevicesYaml, "devices.yaml", {});
        return parsed ? std::move(*parsed) : DeviceTable();
    }();
    return table;
}

Result<DeviceTable> DeviceTable::with_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    if (!file || !(text << file.rdbuf()))
        return fail("cannot read the file of devices", path, {}, "give a readable YAML file");
    return with_text(text.str(), path);
}

Result<DeviceTable> DeviceTable::with_text(const std::string& text, const std::string& origin) {
    return parse_device_table(text, origin, built_in());
}

Result<Device> DeviceTable::find(std::string_view key) const {
    const std::string wanted = lower(key);
    const Device* nearest = nullptr;
    size_t most = 1;
    for (const Device& device : devices_) {
        if (lower(device.key) == wanted) return device;
        if (const size_t common = common_prefix(lower(device.key), wanted); common > most) {
            most = common;
            nearest = &device;
        }
    }
    return fail(Error{
        .what = fmt::format("there is no device '{}' in the table", key),
        .remedy = nearest ? fmt::format("did you mean '{}'? 'opsight devices' lists them all", nearest->key)
                          : "'opsight devices' lists them; --devices FILE adds your own",
        .exit_code = 2});
}

const Device* DeviceTable::match(std::string_view driver_name) const {
    const std::string name = lower(driver_name);
    const Device* best = nullptr;
    size_t longest = 0;
    for (const Device& device : devices_) {
        for (const std::string& part : device.match) {
            const std::string wanted = lower(part);
            const size_t at = name.find(wanted);
            if (at == std::string::npos || part.size() <= longest) continue;
            // "NVIDIA A10" is no part of "NVIDIA A100".
            const size_t end = at + wanted.size();
            if (end < name.size() && std::isalnum(static_cast<unsigned char>(name[end]))) continue;
            // And an "RTX 4080 SUPER" or a laptop's card is no RTX 4080.
            if (device.consumer && end < name.size()) continue;
            best = &device;
            longest = part.size();
        }
    }
    return best;
}

Device DeviceTable::derive(const Device& known) const {
    Device device = known;
    device.derived = true;
    const Rates* best = nullptr;
    const auto age = [](const Rates& rates) { return rates.major * 100 + rates.minor; };
    for (const Rates& rates : rates_) {
        if (age(rates) > known.major * 100 + known.minor) continue;
        const bool nearer = !best || age(rates) > age(*best);
        const bool fits = best && age(rates) == age(*best) && rates.consumer == known.consumer;
        if (nearer || fits) best = &rates;
    }
    if (!best) return device;
    device.peaks.clear();
    const double clocks = static_cast<double>(known.units) * known.clock_hz;
    for (Peak peak : best->peaks) {
        peak.dense *= clocks;
        peak.sparse *= clocks;
        device.peaks.push_back(peak);
    }
    if (best->major != known.major || best->minor != known.minor)
        device.note += fmt::format("{}rates of compute capability {}.{}, the nearest known",
                                   device.note.empty() ? "" : "; ", best->major, best->minor);
    return device;
}

std::optional<Device> DeviceTable::derive_like(const Device& known) const {
    const Device* best = nullptr;
    const auto far = [&](const Device& device) {
        return std::pair(std::abs(device.units - known.units),
                         std::abs(device.memory_bytes - known.memory_bytes));
    };
    for (const Device& device : devices_) {
        const bool same = device.major == known.major && device.minor == known.minor && device.units > 0;
        if (same && (!best || far(device) < far(*best))) best = &device;
    }
    if (!best || known.major == 0 || known.units <= 0) return std::nullopt;
    Device device = *best;
    device.derived = true;
    const double scale = static_cast<double>(known.units) / static_cast<double>(best->units);
    for (Peak& peak : device.peaks) {
        peak.dense *= scale;
        peak.sparse *= scale;
    }
    constexpr double kAsLarge = 0.1;
    const bool as_large = std::abs(best->memory_bytes - known.memory_bytes) <= kAsLarge * best->memory_bytes;
    if (!as_large || scale != 1) device.bandwidth = 0;
    if (known.bandwidth > 0) device.bandwidth = known.bandwidth;
    device.units = known.units;
    device.name = known.name;
    device.note = fmt::format("peaks of {}, by compute capability and multiprocessors{}", best->name,
                              device.bandwidth > 0 ? "" : "; bandwidth not known");
    return device;
}

}  // namespace opsight::hardware
