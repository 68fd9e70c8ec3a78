#include "analyze/launch_calls.h"

#include "base/text.h"

namespace opsight::analyze {

LaunchCall launch_call(std::string_view name) {
    for (const std::string_view prefix : {"cudaGraphLaunch", "cuGraphLaunch", "hipGraphLaunch"})
        if (name.starts_with(prefix)) return LaunchCall::kGraph;
    for (const std::string_view prefix : {"urEnqueueCommandBuffer", "urCommandBufferEnqueue"})
        if (name.starts_with(prefix)) return LaunchCall::kGraph;
    for (const std::string_view prefix :
         {"urEnqueueKernelLaunch", "urEnqueueCooperativeKernelLaunch", "piEnqueueKernelLaunch",
          "piextEnqueueKernelLaunch", "piextEnqueueCooperativeKernelLaunch"})
        if (name.starts_with(prefix)) return LaunchCall::kKernel;
    for (const std::string_view prefix : {"cudaLaunch", "cuLaunch", "hipLaunch", "hipModuleLaunch",
                                          "hipExtLaunch", "hipExtModuleLaunch", "hipDrvLaunch"})
        if (name.starts_with(prefix))
            return text::contains(name, "Host") ? LaunchCall::kOther : LaunchCall::kKernel;
    if (!text::contains(name, "Async")) return LaunchCall::kOther;
    for (const std::string_view prefix : {"cudaMemcpy", "cuMemcpy", "hipMemcpy"})
        if (name.starts_with(prefix)) return LaunchCall::kCopy;
    for (const std::string_view prefix : {"cudaMemset", "cuMemset", "hipMemset"})
        if (name.starts_with(prefix)) return LaunchCall::kSet;
    return LaunchCall::kOther;
}

std::vector<bool> calls_with_work(const Profile& profile, const Analysis& analysis) {
    std::vector<bool> found(profile.host.size(), false);
    for (const HostSpanId launch : analysis.launch)
        for (HostSpanId at = launch;
             at.valid() && is_api(profile.host.kind[at.index()]) && !found[at.index()];
             at = analysis.parent[at.index()])
            found[at.index()] = true;
    return found;
}

bool is_outermost_call(const Profile& profile, const Analysis& analysis, size_t row) {
    const HostSpanId around = analysis.parent[row];
    return is_api(profile.host.kind[row]) && !(around.valid() && is_api(profile.host.kind[around.index()]));
}

bool is_outer_call(const Profile& profile, const Analysis& analysis, size_t row) {
    return is_outermost_call(profile, analysis, row) && profile.api_result[profile.host.detail[row]] <= 0;
}

}  // namespace opsight::analyze
