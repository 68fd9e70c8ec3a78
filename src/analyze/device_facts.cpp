#include "analyze/device_facts.h"

#include <algorithm>

#include "hardware/op_tables.h"
#include "hardware/tensor_cores.h"

namespace opsight::analyze {
namespace {

// How an op, or one that encloses it, can use Tensor Cores.
enum class Eligible : uint8_t { kNot, kOnlySeen, kByName };

// By op: a compiled region, for one, is known to be able to only because it was seen to.
std::vector<Eligible> eligible_ops(const Profile& profile, const Analysis& analysis) {
    std::vector<Eligible> eligible;
    for (const Op& op : analysis.ops) {
        const bool by_name = hardware::is_tensor_core_op(profile.strings.view(op.name)) ||
                             hardware::is_tensor_core_node_type(profile.strings.view(op.type));
        eligible.push_back(!op.tc_eligible ? Eligible::kNot
                           : by_name       ? Eligible::kByName
                                           : Eligible::kOnlySeen);
    }
    return eligible;
}

// By row of op_details. Ops come before what they enclose, so one pass in row order sees every parent before
// its children.
std::vector<Eligible> in_eligible_op(const Profile& profile, const Analysis& analysis,
                                     const std::vector<Eligible>& of_op) {
    const HostSpans& host = profile.host;
    std::vector<Eligible> eligible(profile.op_details.size(), Eligible::kNot);
    for (size_t row = 0; row < host.size(); ++row) {
        if (host.kind[row] != HostKind::kOp) continue;
        const OpId op = analysis.op[host.detail[row]];
        const HostSpanId parent = analysis.op_span[row];
        eligible[host.detail[row]] =
            std::max(op.valid() ? of_op[op.index()] : Eligible::kNot,
                     parent.valid() ? eligible[host.detail[parent.index()]] : Eligible::kNot);
    }
    return eligible;
}

// By kernel: whether it could use Tensor Cores in no op. Code or a counter that saw it use them knows better.
std::vector<bool> without_products(const Profile& profile, const Analysis& analysis) {
    std::vector<bool> without;
    for (const Kernel& kernel : analysis.kernels)
        without.push_back(kernel.kernel_class == KernelClass::kCompute &&
                          kernel.uses_tc == TensorCoreUse::kNo &&
                          hardware::is_plain_kernel(profile.strings.view(kernel.name)));
    return without;
}

void flag_spans(const Profile& profile, Analysis& analysis) {
    const std::vector<Eligible> of_op = eligible_ops(profile, analysis);
    const std::vector<Eligible> eligible = in_eligible_op(profile, analysis, of_op);
    const std::vector<bool> without = without_products(profile, analysis);
    std::vector<bool> launch_seen(profile.host.size(), false);
    analysis.device_flags = profile.device.flags;
    for (size_t row = 0; row < profile.device.size(); ++row) {
        uint8_t& flags = analysis.device_flags[row];
        if (const HostSpanId launch = analysis.launch[row]; launch.valid() && !launch_seen[launch.index()]) {
            launch_seen[launch.index()] = true;
            flags |= Analysis::kFirstOfLaunch;
        }
        const KernelId kernel = analysis.kernel[row];
        const bool plain = kernel.valid() && without[kernel.index()];
        if (plain) flags |= kHoldsNoProduct;
        const OpId counts_for = analysis.device_op[row];  // of graphs: the op at the capture
        const HostSpanId op = analysis.launch_op[row];
        const Eligible found =
            std::max(counts_for.valid() ? of_op[counts_for.index()] : Eligible::kNot,
                     op.valid() ? eligible[profile.host.detail[op.index()]] : Eligible::kNot);
        // That other kernels of a compiled region use them says nothing of its pointwise ones.
        if (found == Eligible::kByName || (found == Eligible::kOnlySeen && !plain))
            flags |= Analysis::kInEligibleOp;
    }
}

void find_devices_of_ops(const Profile& profile, Analysis& analysis) {
    std::vector<uint32_t> work_of(profile.op_details.size(), Id<void>::kNone);
    for (uint32_t i = 0; i < analysis.op_work.size(); ++i)
        work_of[profile.host.detail[analysis.op_work[i].span.index()]] = i;
    for (size_t row = 0; row < profile.device.size(); ++row) {
        const DeviceId device = profile.tracks[profile.device.track[row].index()].device;
        const int32_t number = static_cast<int32_t>(device.value);
        for (HostSpanId op = analysis.launch_op[row]; op.valid(); op = analysis.op_span[op.index()]) {
            const uint32_t work = work_of[profile.host.detail[op.index()]];
            if (work == Id<void>::kNone) continue;
            int32_t& seen = analysis.op_work[work].device;
            if (seen == number || seen == OpWork::kSeveralDevices) break;  // so have all that enclose it
            seen = seen == OpWork::kNoDevice ? number : OpWork::kSeveralDevices;
        }
    }
}

}  // namespace

void mark_device_work(const Profile& profile, Analysis& analysis) {
    flag_spans(profile, analysis);
    find_devices_of_ops(profile, analysis);
}

}  // namespace opsight::analyze
