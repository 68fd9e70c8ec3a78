#include "analyze/device_facts.h"

namespace opsight::analyze {
namespace {

// By row of op_details: whether the op, or one that encloses it, can use Tensor Cores. Ops come before what
// they enclose, so one pass in row order sees every parent before its children.
std::vector<bool> in_eligible_op(const Profile& profile, const Analysis& analysis) {
    const HostSpans& host = profile.host;
    std::vector<bool> eligible(profile.op_details.size(), false);
    for (size_t row = 0; row < host.size(); ++row) {
        if (host.kind[row] != HostKind::kOp) continue;
        const OpId op = analysis.op[host.detail[row]];
        const HostSpanId parent = analysis.op_span[row];
        eligible[host.detail[row]] = (op.valid() && analysis.ops[op.index()].tc_eligible) ||
                                     (parent.valid() && eligible[host.detail[parent.index()]]);
    }
    return eligible;
}

void flag_spans(const Profile& profile, Analysis& analysis) {
    const std::vector<bool> eligible = in_eligible_op(profile, analysis);
    std::vector<bool> launch_seen(profile.host.size(), false);
    analysis.device_flags = profile.device.flags;
    for (size_t row = 0; row < profile.device.size(); ++row) {
        uint8_t& flags = analysis.device_flags[row];
        if (const HostSpanId launch = analysis.launch[row]; launch.valid() && !launch_seen[launch.index()]) {
            launch_seen[launch.index()] = true;
            flags |= Analysis::kFirstOfLaunch;
        }
        const OpId counts_for = analysis.device_op[row];  // of graphs: the op at the capture
        const HostSpanId op = analysis.launch_op[row];
        if ((counts_for.valid() && analysis.ops[counts_for.index()].tc_eligible) ||
            (op.valid() && eligible[profile.host.detail[op.index()]]))
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
