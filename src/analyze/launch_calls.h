// Calls of the APIs that put work on devices.
#pragma once

#include <string_view>

#include "analyze/results.h"
#include "model/profile.h"

namespace opsight {

enum class LaunchCall : uint8_t { kOther, kKernel, kGraph, kCopy, kSet };

// By the name of the call, in CUDA and HIP; kCopy and kSet: those that may be part of a graph's capture.
LaunchCall launch_call(std::string_view name);

inline bool is_api(HostKind kind) {
    return kind == HostKind::kRuntimeApi || kind == HostKind::kDriverApi;
}

// The calls of the API that put work of the profile on a device, and those around them: a runtime call
// launches by one of the driver. Beside Profile::host.
std::vector<bool> calls_with_work(const Profile& profile, const Analysis& analysis);

// An API call in no other one, that did not fail.
bool is_outer_call(const Profile& profile, const Analysis& analysis, size_t row);

}  // namespace opsight
