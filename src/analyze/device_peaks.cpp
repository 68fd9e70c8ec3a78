#include <algorithm>
#include <charconv>

#include "analyze/counted_work.h"
#include "hardware/tensor_cores.h"

namespace opsight::analyze {
namespace {

bool has_capability(const Device& device) {
    return !hardware::is_amd(device.name) && device.compute_major > 0 &&
           (device.warp_size == 0 || device.warp_size == 32);
}

// What a reader of the peaks must know of them: of two ways to add products up the faster one bounds them;
// and figures that no source gives.
void note_peaks(hardware::Device& model) {
    const auto add = [&model](const std::string& text) {
        model.note += (model.note.empty() ? "" : "; ") + text;
    };
    if (std::any_of(model.peaks.begin(), model.peaks.end(),
                    [](const hardware::Peak& peak) { return peak.fp16_sums > peak.dense; }))
        add("FP16 and FP8 peaks of products added up in FP16, twice those of FP32");
    std::string figures;
    for (const std::string& figure : model.estimates)
        figures += (figures.empty() ? "" : ", ") + figure;
    if (!figures.empty()) add("estimates, which no source gives: " + figures);
}

DevicePeaks peaks_of(const Device& device) {
    const hardware::DeviceTable& table = hardware::DeviceTable::built_in();
    DevicePeaks out;
    hardware::Device known;
    known.name = device.name;
    known.major = device.compute_major;
    known.minor = device.compute_minor;
    known.consumer = device.name.find("GeForce") != std::string::npos;
    known.units = device.sm_count;
    known.clock_hz = static_cast<double>(device.clock_hz);
    known.memory_bytes = static_cast<double>(device.memory_bytes);
    known.bandwidth = static_cast<double>(device.memory_bandwidth);
    known.l2_bytes = static_cast<double>(device.l2_bytes);
    known.tensor_cores =
        hardware::has_tensor_cores(device.name, device.compute_major, device.compute_minor).value_or(true);
    if (std::optional<hardware::Device> model = table.match(known)) {
        out.source = model->derived ? PeakSource::kDerived : PeakSource::kTable;
        out.model = std::move(*model);
        return out;
    }
    if (known.name.empty()) known.name = "device";
    if (!has_capability(device)) {
        out.model = known;
        return out;
    }
    if (known.clock_hz > 0 && known.units > 0) {
        out.model = table.derive(known);
    } else if (std::optional<hardware::Device> like = table.derive_like(known)) {
        out.model = std::move(*like);
    } else {
        out.model = known;
    }
    if (!out.model.peaks.empty()) out.source = PeakSource::kDerived;
    return out;
}

// What the source itself says of a device that no table has.
DevicePeaks told_peaks(const Device& device) {
    DevicePeaks out;
    out.source = PeakSource::kDerived;
    out.model.name = device.name.empty() ? "device" : device.name;
    out.model.units = device.sm_count;
    out.model.memory_bytes = static_cast<double>(device.memory_bytes);
    out.model.bandwidth = static_cast<double>(device.memory_bandwidth);
    hardware::Peak peak;
    peak.unit = hardware::UnitKind::kMatrix;
    peak.precision = hardware::Precision::kBf16;
    peak.dense = device.matrix_flops;
    out.model.peaks.push_back(peak);
    out.model.note = "peaks as the profile tells them; that of the matrix units is taken to be of BF16";
    return out;
}

// Work may run on a device that the source does not describe, beside others that it does: numbers of visible
// devices are not those of all. Where these are all alike, it is taken to be one of them. By rank.
std::vector<const Device*> alike_devices(const Profile& profile) {
    std::vector<const Device*> alike(profile.ranks.size(), nullptr);
    std::vector<bool> differ(profile.ranks.size(), false);
    for (const Device& each : profile.devices) {
        if (each.name.empty()) continue;
        const size_t rank = each.rank.index();
        if (alike[rank] && alike[rank]->name != each.name) differ[rank] = true;
        alike[rank] = &each;
    }
    for (size_t rank = 0; rank < alike.size(); ++rank)
        if (differ[rank]) alike[rank] = nullptr;
    return alike;
}

// The processor, by what the collector wrote down of it.
DevicePeaks host_peaks(const Profile& profile) {
    const auto text = [&profile](std::string_view key) -> std::string_view {
        for (const auto& [name, value] : profile.info.properties)
            if (name == key) return value;
        return {};
    };
    const auto number = [&text](std::string_view key) {
        const std::string_view value = text(key);
        int64_t out = 0;
        std::from_chars(value.data(), value.data() + value.size(), out);
        return std::max<int64_t>(0, out);
    };
    hardware::CpuFacts facts;
    facts.name = text("cpu_model");
    facts.vendor = text("cpu_vendor");
    facts.features = text("cpu_features");
    facts.family = number("cpu_family");
    facts.model = number("cpu_model_number");
    facts.cores = number("cpu_cores");
    facts.packages = number("cpu_packages");
    facts.clock_hz = static_cast<double>(number("cpu_clock_hz"));
    facts.cache_bytes = static_cast<double>(number("cpu_cache_bytes"));
    DevicePeaks out;
    out.model = hardware::describe_cpu(facts);
    if (!out.model.peaks.empty()) out.source = PeakSource::kDerived;
    return out;
}

}  // namespace

void find_device_peaks(const Profile& profile, Analysis& analysis) {
    analysis.host_peaks = host_peaks(profile);
    analysis.peaks.clear();
    const std::vector<const Device*> alike = alike_devices(profile);
    for (const Device& device : profile.devices) {
        const Device* other = device.name.empty() ? alike[device.rank.index()] : nullptr;
        analysis.peaks.push_back(peaks_of(other ? *other : device));
        if (analysis.peaks.back().source == PeakSource::kNone && device.matrix_flops > 0)
            analysis.peaks.back() = told_peaks(device);
        DevicePeaks& peaks = analysis.peaks.back();
        note_peaks(peaks.model);
        if (!other || peaks.source == PeakSource::kNone) continue;
        peaks.source = PeakSource::kDerived;
        peaks.model.note = "not described by the source; taken to be like the devices that are" +
                           (peaks.model.note.empty() ? "" : "; " + peaks.model.note);
    }
}

}  // namespace opsight::analyze
