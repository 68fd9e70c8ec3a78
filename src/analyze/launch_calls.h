// Calls of the APIs that put work on devices.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "analyze/results.h"
#include "model/profile.h"

namespace opsight::analyze {

enum class LaunchCall : uint8_t { kOther, kKernel, kGraph, kCopy, kSet };

// By the name of the call, in CUDA, HIP and SYCL's runtime; kCopy and kSet: those that may be part of a
// graph's capture.
LaunchCall launch_call(std::string_view name);

// Kinds of calls by name, each looked at once.
class CallKinds {
  public:
    explicit CallKinds(const Profile& profile) : p_(profile), known_(profile.strings.size()) {}
    LaunchCall operator()(size_t row) {
        std::optional<LaunchCall>& known = known_[p_.host.name[row].index()];
        if (!known) known = launch_call(p_.strings.view(p_.host.name[row]));
        return *known;
    }

  private:
    const Profile& p_;
    std::vector<std::optional<LaunchCall>> known_;  // by name
};

inline bool is_api(HostKind kind) {
    return kind == HostKind::kRuntimeApi || kind == HostKind::kDriverApi;
}

// The calls of the API that put work of the profile on a device, and those around them: a runtime call
// launches by one of the driver. Beside Profile::host.
std::vector<bool> calls_with_work(const Profile& profile, const Analysis& analysis);

// An API call in no other one; and one that did not fail besides.
bool is_outermost_call(const Profile& profile, const Analysis& analysis, size_t row);
bool is_outer_call(const Profile& profile, const Analysis& analysis, size_t row);

}  // namespace opsight::analyze
