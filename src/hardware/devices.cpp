#include "hardware/devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/small_file.h"
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

// What is said of memory: "80GB", "HBM3", "144G".
bool is_memory(std::string_view word) {
    if (word.starts_with("hbm")) return true;
    const size_t digits = std::min(word.find_first_not_of("0123456789"), word.size());
    return digits > 0 && (word.substr(digits) == "gb" || word.substr(digits) == "g");
}

using Words = std::vector<std::string>;

// Of a device's name, in lower case, without those of makers and series.
Words words_of(std::string_view name) {
    // "Intel(R) Arc(TM) B580 Graphics"
    constexpr std::string_view kLeftAway[] = {"nvidia", "amd",    "geforce", "tesla",    "instinct",
                                              "radeon", "quadro", "jetson",  "graphics", "corporation",
                                              "intel",  "r",      "tm"};
    Words words;
    std::string word;
    for (char c : lower(name) + " ") {
        if (std::isalnum(static_cast<unsigned char>(c)) || c == '+') {
            word += c;
            continue;
        }
        if (!word.empty() &&
            std::find(std::begin(kLeftAway), std::end(kLeftAway), word) == std::end(kLeftAway))
            words.push_back(word);
        word.clear();
    }
    return words;
}

Words without_memory(Words words) {
    std::erase_if(words, [](const std::string& word) { return is_memory(word); });
    return words;
}

// Drivers count memory in GiB, or less what error correction takes.
bool is_as_large(const Device& device, double bytes) {
    constexpr double kAlike = 0.12;
    const auto alike = [&](double own) { return std::abs(bytes - own) <= kAlike * own; };
    return device.memory_bytes <= 0 || alike(device.memory_bytes) ||
           std::any_of(device.memories.begin(), device.memories.end(), alike);
}

// The sizes that a name tells are those of the device.
bool memory_fits(const Device& device, const Words& words) {
    return std::all_of(words.begin(), words.end(), [&](const std::string& word) {
        if (!is_memory(word) || word.starts_with("hbm")) return true;
        return is_as_large(device, std::atof(word.c_str()) * 1e9);
    });
}

// HIP counts what a work group runs on as one multiprocessor: since RDNA a pair of compute units.
bool has_units(const Device& device, int64_t told) {
    return told == device.units || (device.architecture.starts_with("RDNA") && 2 * told == device.units);
}

// What a source knows beside the name.
bool agrees(const Device& device, const Device& known) {
    constexpr double kFastest = 1.2, kSlowest = 0.6;  // clocks of overclocked and of slowed cards
    if (known.units > 0 && device.units > 0 && !has_units(device, known.units)) return false;
    if (known.memory_bytes > 0 && !is_as_large(device, known.memory_bytes)) return false;
    const double clock = known.clock_hz > 0 && device.clock_hz > 0 ? known.clock_hz / device.clock_hz : 1;
    return clock <= kFastest && clock >= kSlowest;
}

// What a source does not tell of memory and cache: as of the device of the same chip, units and memory whose
// model's name ("V100" of "V100-DGXS-32GB") is the same, of several that with the nearest clock; where none
// has its name, as of the fastest.
void take_memory_of_relative(const std::vector<Device>& devices, Device& device) {
    if (device.memory_bytes <= 0 || (device.bandwidth > 0 && device.l2_bytes > 0)) return;
    const Words words = words_of(device.name);
    const auto far = [&](const Device& other) {
        const bool namesake =
            std::any_of(other.match.begin(), other.match.end(), [&](const std::string& name) {
                const Words own = words_of(name);
                return !own.empty() && !words.empty() && own[0] == words[0];
            });
        // Of another model the fastest memory: a bound that may be too wide, and not one that a run breaks.
        return std::tuple(!namesake, namesake ? 0 : -other.bandwidth,
                          std::abs(other.clock_hz - device.clock_hz), -other.bandwidth);
    };
    const Device* best = nullptr;
    for (const Device& other : devices) {
        const bool alike = other.major == device.major && other.minor == device.minor &&
                           other.units == device.units && is_as_large(other, device.memory_bytes);
        if (alike && other.bandwidth > 0 && (!best || far(other) < far(*best))) best = &other;
    }
    if (!best) return;
    if (device.bandwidth <= 0) {
        device.bandwidth = best->bandwidth;
        device.estimates.emplace_back("bandwidth_gbs");
        device.note += fmt::format("{}memory bandwidth of {}", device.note.empty() ? "" : "; ", best->name);
    }
    if (device.l2_bytes <= 0 && best->l2_bytes > 0) {
        device.l2_bytes = best->l2_bytes;
        device.estimates.emplace_back("l2_mib");
    }
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

double Peak::most(bool with_sparse) const {
    return with_sparse && sparse > 0 ? std::max(sparse, fp16_sums_sparse) : std::max(dense, fp16_sums);
}

void Peak::scale(double factor) {
    for (double* rate : {&dense, &sparse, &fp16_sums, &fp16_sums_sparse})
        *rate *= factor;
}

bool Device::is_estimate(std::string_view figure) const {
    return std::find(estimates.begin(), estimates.end(), figure) != estimates.end();
}

bool Device::is_estimate(const Peak& peak) const {
    const std::string_view unit = peak.unit == UnitKind::kMatrix ? "matrix" : "vector";
    return is_estimate(unit) || is_estimate(fmt::format("{} {}", unit, name_of(peak.precision))) ||
           (derived && (is_estimate("units") || is_estimate("clock_mhz")));
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
    OPSIGHT_ASSIGN(const std::string text, small_file(path, kLargestSettings));
    return with_text(text, path);
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

std::optional<Device> DeviceTable::match(std::string_view driver_name) const {
    Device known;
    known.name = driver_name;
    return match(known);
}

std::optional<Device> DeviceTable::match(const Device& known) const {
    const Words whole = words_of(known.name);
    const Words shorter = without_memory(whole);
    if (shorter.empty()) return std::nullopt;
    std::vector<const Device*> found;
    for (const bool exactly : {true, false}) {
        const auto is_name = [&](const Device& device, const std::string& name) {
            const Words words = words_of(name);
            return exactly ? words == whole : words == shorter && memory_fits(device, whole);
        };
        for (const Device& device : devices_)
            if (agrees(device, known) && std::any_of(device.match.begin(), device.match.end(),
                                                     [&](const auto& name) { return is_name(device, name); }))
                found.push_back(&device);
        // Of several that which has the name as its first one.
        if (found.size() > 1)
            std::erase_if(found, [&](const Device* each) { return !is_name(*each, each->match[0]); });
        if (!found.empty()) break;
    }
    if (found.size() != 1) return std::nullopt;
    Device device = *found[0];
    if (device.derived && device.clock_hz > 0 && known.clock_hz > device.clock_hz) {
        for (Peak& peak : device.peaks)
            peak.scale(known.clock_hz / device.clock_hz);
        device.clock_hz = known.clock_hz;
    }
    return device;
}

Device DeviceTable::derive(const Device& known) const {
    Device device = known;
    device.derived = true;
    const Rates* best = nullptr;
    const auto age = [](const Rates& rates) { return rates.major * 100 + rates.minor; };
    for (const Rates& rates : rates_) {
        if (age(rates) > known.major * 100 + known.minor) continue;
        const auto fit = [&](const Rates& each) {
            return (each.tensor_cores == known.tensor_cores ? 2 : 0) +
                   (each.consumer == known.consumer ? 1 : 0);
        };
        const bool nearer = !best || age(rates) > age(*best);
        if (nearer || (age(rates) == age(*best) && fit(rates) > fit(*best))) best = &rates;
    }
    if (!best) return device;
    device.peaks.clear();
    const double clocks = static_cast<double>(known.units) * known.clock_hz;
    for (Peak peak : best->peaks) {
        peak.scale(clocks);
        device.peaks.push_back(peak);
    }
    if (!known.tensor_cores)
        std::erase_if(device.peaks, [](const Peak& peak) { return peak.unit == UnitKind::kMatrix; });
    take_memory_of_relative(devices_, device);
    if (best->major != known.major || best->minor != known.minor)
        device.note += fmt::format("{}rates of compute capability {}.{}, the nearest known",
                                   device.note.empty() ? "" : "; ", best->major, best->minor);
    return device;
}

std::optional<Device> DeviceTable::derive_like(const Device& known) const {
    if (known.major == 0 || known.units <= 0) return std::nullopt;
    const Device* best = nullptr;
    const auto far = [&](const Device& device) {
        return std::tuple(device.consumer != known.consumer, std::abs(device.units - known.units),
                          std::abs(device.memory_bytes - known.memory_bytes));
    };
    for (const Device& device : devices_) {
        const bool same = device.major == known.major && device.minor == known.minor && device.units > 0 &&
                          device.clock_hz > 0 && device.tensor_cores == known.tensor_cores;
        if (same && (!best || far(device) < far(*best))) best = &device;
    }
    if (!best) return std::nullopt;
    Device clocked = known;
    clocked.clock_hz = best->clock_hz;
    Device device = derive(clocked);
    device.note += fmt::format("{}clock of {}, by compute capability and multiprocessors{}",
                               device.note.empty() ? "" : "; ", best->name,
                               device.bandwidth > 0 ? "" : "; bandwidth not known");
    device.estimates.emplace_back("clock_mhz");
    return device;
}

}  // namespace opsight::hardware
