// What a source cannot tell, so that nothing may be made of it. Readers say so by properties of the profile.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "model/profile.h"

namespace opsight {

// How long work took and not when, as tables of Nsight Compute: it stands one behind the other in the order
// of the source, and nothing that needs a clock is known. The database has it in meta, too.
inline constexpr std::string_view kTimesOfSource = "source.times";

// Parts of ops, as primitives of oneDNN: a network repeats them many times, so what comes again and again is
// no iteration.
inline constexpr std::string_view kPeriodsOfSource = "source.periods";

inline bool has_limit(const ProfileInfo& info, std::string_view limit) {
    return std::any_of(info.properties.begin(), info.properties.end(),
                       [limit](const auto& property) { return property.first == limit; });
}

inline void set_durations_only(ProfileInfo& info) {
    if (!has_limit(info, kTimesOfSource)) info.properties.emplace_back(kTimesOfSource, "in order");
}
// Of such a source that tells no durations either, as tables of counters and samples: moments in its order.
inline void set_moments_only(ProfileInfo& info) {
    for (auto& [key, value] : info.properties)
        if (key == kTimesOfSource) value = "none";
}
// Either of these.
inline bool has_durations_only(const ProfileInfo& info) {
    return has_limit(info, kTimesOfSource);
}

// Launches that are made of sums over all of a kernel: none of them is one that was.
inline constexpr std::string_view kLaunchesOfSource = "source.launches";

inline void set_sums_only(ProfileInfo& info) {
    if (!has_limit(info, kLaunchesOfSource)) info.properties.emplace_back(kLaunchesOfSource, "of sums");
}
inline bool has_sums_only(const ProfileInfo& info) {
    return has_limit(info, kLaunchesOfSource);
}

// Work of devices alone: ops stand for what ran there, and have no time on the host. The value says in words
// what is shown instead of the run; reports note it.
inline constexpr std::string_view kHostOfSource = "source.host";

inline void set_device_only(ProfileInfo& info, std::string what_is_shown) {
    if (!has_limit(info, kHostOfSource))
        info.properties.emplace_back(kHostOfSource, std::move(what_is_shown));
}

// Work that ran on devices of which the source tells nothing: what is recorded of it is the host's part. The
// value says so in words; reports note it.
inline constexpr std::string_view kDevicesOfSource = "source.devices";

// Whether these are GPUs, or may be anything that computes, the CPU too.
enum class UntoldDevices : uint8_t { kGpus, kAny };
inline constexpr std::string_view kUntoldKind = "source.devices.kind";

inline void set_devices_untold(ProfileInfo& info, std::string what_is_shown, UntoldDevices kind) {
    if (has_limit(info, kDevicesOfSource)) return;
    info.properties.emplace_back(kDevicesOfSource, std::move(what_is_shown));
    if (kind == UntoldDevices::kAny) info.properties.emplace_back(kUntoldKind, "any");
}

// Not a limit: the source is of CUDA or HIP alone, so kernels have names of NVIDIA's or AMD's libraries, even
// where it names neither a device nor a call.
inline constexpr std::string_view kKernelsOfSource = "source.kernels";

inline void set_kernels_of_cuda_or_hip(ProfileInfo& info) {
    if (!has_limit(info, kKernelsOfSource)) info.properties.emplace_back(kKernelsOfSource, "of CUDA or HIP");
}

inline void set_parts_of_ops(ProfileInfo& info) {
    if (!has_limit(info, kPeriodsOfSource)) info.properties.emplace_back(kPeriodsOfSource, "parts of ops");
}
inline bool has_parts_of_ops(const ProfileInfo& info) {
    return has_limit(info, kPeriodsOfSource);
}

}  // namespace opsight
