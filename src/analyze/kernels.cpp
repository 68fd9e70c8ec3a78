#include "analyze/kernels.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <algorithm>

#include "analyze/collective_ranges.h"
#include "analyze/kernel_labels.h"
#include "analyze/kernel_names.h"
#include "analyze/told_ops.h"
#include "base/text.h"
#include "hardware/occupancy.h"
#include "hardware/tensor_cores.h"
#include "model/source_limits.h"

namespace opsight::analyze {
namespace {

const Device* device_of(const Profile& profile, size_t span) {
    const DeviceId id = profile.tracks[profile.device.track[span].index()].device;
    return id.valid() ? &profile.devices[id.index()] : nullptr;
}

enum class Judging : uint8_t {
    kNever,     // the device has no Tensor Cores
    kByName,    // the name tells, and tells "no" too
    kOnlyYes,   // it is not known whose the device is: names of NVIDIA's and AMD's libraries tell
    kNotAtAll,  // another maker's, with kernel names that nothing is known of
};

bool is_cuda_or_hip_call(std::string_view name) {
    const bool driver = name.size() > 2 && name.starts_with("cu") && text::is_upper(name[2]);
    return driver || name.starts_with("cuda") || name.starts_with("hip");
}

// Traces often leave out what their devices are; calls of CUDA or HIP tell.
bool calls_cuda_or_hip(const Profile& profile) {
    const HostSpans& host = profile.host;
    StringId last;
    for (size_t span = 0; span < host.size(); ++span) {
        if (host.kind[span] != HostKind::kRuntimeApi && host.kind[span] != HostKind::kDriverApi) continue;
        if (host.name[span] == last) continue;
        last = host.name[span];
        if (is_cuda_or_hip_call(profile.strings.view(last))) return true;
    }
    return false;
}

std::vector<Judging> how_to_judge(const Profile& profile) {
    std::optional<bool> calls;
    const auto judging = [&](const Device& device) {
        if (!hardware::has_tensor_cores(device.name, device.compute_major, device.compute_minor)
                 .value_or(true))
            return Judging::kNever;
        const std::optional<bool> known = hardware::has_known_kernels(device.name, device.compute_major);
        if (known) return *known ? Judging::kByName : Judging::kNotAtAll;
        if (!calls) calls = has_limit(profile.info, kKernelsOfSource) || calls_cuda_or_hip(profile);
        return *calls ? Judging::kByName : Judging::kOnlyYes;
    };
    std::vector<Judging> out;
    for (const Device& device : profile.devices)
        out.push_back(judging(device));
    return out;
}

void judge_by_name(Profile& profile, Kernel& kernel, Judging judging) {
    hardware::TensorCoreVerdict verdict{hardware::NameVerdict::kUnknown, {}};
    if (judging != Judging::kNotAtAll) verdict = hardware::tensor_core_use(profile.strings.view(kernel.name));
    if (verdict.verdict == hardware::NameVerdict::kYes) {
        kernel.uses_tc = TensorCoreUse::kYes;
        kernel.evidence = TensorCoreEvidence::kName;
        kernel.tc_pattern = profile.strings.intern(verdict.pattern);
    } else if (verdict.verdict == hardware::NameVerdict::kUnknown || judging == Judging::kOnlyYes) {
        kernel.uses_tc = TensorCoreUse::kUnknown;
    }
}

Kernel describe(Profile& profile, size_t span, const KernelCode* code, const std::vector<Judging>& judging) {
    const std::string_view name = profile.strings.view(profile.device.name[span]);
    Kernel kernel;
    kernel.name = profile.device.name[span];
    kernel.short_name = profile.strings.intern(short_kernel_name(name));
    kernel.tc_pattern = StringId(size_t{0});
    kernel.kernel_class =
        profile.device.collective[span].valid() ? KernelClass::kCommunication : kernel_class(name);
    const DeviceId device = profile.tracks[profile.device.track[span].index()].device;
    const Judging how = device.valid() ? judging[device.index()] : Judging::kByName;
    if (kernel.kernel_class != KernelClass::kCompute || how == Judging::kNever) return kernel;
    if (code) {  // better evidence than any name
        kernel.evidence = TensorCoreEvidence::kSass;
        kernel.tc_pattern = code->matrix_instruction;
        if (code->matrix_instruction.value != 0) kernel.uses_tc = TensorCoreUse::kYes;
        return kernel;
    }
    judge_by_name(profile, kernel, how);
    return kernel;
}

std::optional<hardware::SmLimits> limits_of(const Device& device) {
    std::optional<hardware::SmLimits> limits =
        hardware::sm_limits(device.compute_major, device.compute_minor);
    // Register and warp rules are only known by compute capability.
    if (!limits || (device.warp_size > 0 && device.warp_size != limits->warp_size)) return std::nullopt;
    if (device.max_threads_per_sm > 0) {
        limits->threads = device.max_threads_per_sm;
        limits->warps = device.max_threads_per_sm / limits->warp_size;
    }
    if (device.registers_per_sm > 0) limits->registers = device.registers_per_sm;
    if (device.registers_per_block > 0) limits->registers_per_block = device.registers_per_block;
    if (device.shared_memory_per_sm > 0) limits->shared_bytes = device.shared_memory_per_sm;
    return limits;
}

// Sources may tell anything; no device has more.
constexpr int64_t kMostShared = int64_t{1} << 40;

struct Residency {
    double occupancy_pct = -1, waves = -1;
};

Residency residency(const LaunchConfig& config, const Device* device) {
    const bool told =
        config.registers_per_thread >= 0 && config.block[0] > 0 && config.block[1] > 0 && config.block[2] > 0;
    const bool sane = told && config.block[0] <= 1024 && config.block[1] <= 1024 && config.block[2] <= 1024;
    if (!sane || !device) return {};
    const std::optional<hardware::SmLimits> limits = limits_of(*device);
    if (!limits || limits->warps <= 0) return {};
    hardware::Launch launch;
    launch.threads_per_block = config.block[0] * config.block[1] * config.block[2];
    launch.registers_per_thread = config.registers_per_thread;
    const auto shared = [](int64_t bytes) { return std::clamp<int64_t>(bytes, 0, kMostShared); };
    launch.shared_bytes_per_block = shared(config.static_shared_bytes) + shared(config.dynamic_shared_bytes);
    Residency result;
    result.occupancy_pct = hardware::occupancy_pct(*limits, launch);
    const double at_once = static_cast<double>(device->sm_count) *
                           static_cast<double>(hardware::resident_blocks(*limits, launch));
    const bool grid = config.grid[0] > 0 && config.grid[1] > 0 && config.grid[2] > 0;
    if (grid && at_once > 0)
        result.waves = static_cast<double>(config.grid[0]) * static_cast<double>(config.grid[1]) *
                       static_cast<double>(config.grid[2]) / at_once;
    return result;
}

// What the device took for an op, whatever kernels those were.
bool is_time_of_op(const Profile& profile, const Analysis& analysis, size_t span) {
    const HostSpanId op = analysis.launch_op[span];
    return op.valid() && !analysis.launch[span].valid() &&
           profile.host.name[op.index()] == profile.device.name[span];
}

void label_kernels(Profile& profile, Analysis& analysis) {
    std::vector<KernelName> names;
    for (const Kernel& kernel : analysis.kernels)
        names.push_back({profile.strings.view(kernel.name), profile.strings.view(kernel.short_name)});
    const std::vector<std::string> labels = kernel_labels(names);
    for (size_t i = 0; i < labels.size(); ++i)
        analysis.kernels[i].label = profile.strings.intern(labels[i]);
}

}  // namespace

namespace {

// Older traces describe a collective with the op that called it, and not again with its kernel.
void take_collectives_of_ops(Profile& profile, const Analysis& analysis) {
    for (size_t span = 0; span < profile.device.size(); ++span) {
        CollectiveId& collective = profile.device.collective[span];
        const HostSpanId op = analysis.launch_op[span];
        const KernelId kernel = analysis.kernel[span];
        if (collective.valid() || !op.valid() || !kernel.valid()) continue;
        if (analysis.kernels[kernel.index()].kernel_class == KernelClass::kCommunication)
            collective = profile.op_details.collective[profile.host.detail[op.index()]];
    }
}

}  // namespace

// Counters saw it at work, or not. Communication stays what it is.
void judge_by_counters(const std::vector<CountedKernel>& counted, Kernel& kernel) {
    const auto found =
        std::lower_bound(counted.begin(), counted.end(), kernel.name,
                         [](const CountedKernel& each, StringId name) { return each.name < name; });
    if (found == counted.end() || found->name != kernel.name || kernel.kernel_class != KernelClass::kCompute)
        return;
    kernel.uses_tc = found->tensor_cores ? TensorCoreUse::kYes : TensorCoreUse::kNo;
    kernel.evidence = TensorCoreEvidence::kCounter;
    kernel.tc_pattern = StringId(size_t{0});
}

void find_kernels(Profile& profile, Analysis& analysis, const std::vector<CountedKernel>* counted) {
    std::vector<KernelId> by_name(profile.strings.size());
    const DeviceSpans& d = profile.device;
    absl::flat_hash_map<StringId, const KernelNames*> told;
    for (const KernelNames& names : profile.kernel_names)
        told.emplace(names.name, &names);
    absl::flat_hash_map<StringId, const KernelCode*> code;
    for (const KernelCode& known : profile.kernel_code)
        code.emplace(known.name, &known);
    const absl::flat_hash_set<StringId> without_tc(profile.kernels_without_tc.begin(),
                                                   profile.kernels_without_tc.end());
    const std::vector<Judging> judging = how_to_judge(profile);
    const std::vector<ToldOpId> told_ops = told_of_spans(profile);
    analysis.kernel.assign(d.size(), KernelId());
    for (size_t span = 0; span < d.size(); ++span) {
        if (d.kind[span] != DeviceKind::kKernel) continue;
        KernelId& id = by_name[d.name[span].index()];
        if (!id.valid()) {
            id = KernelId(analysis.kernels.size());
            const auto known = code.find(d.name[span]);
            analysis.kernels.push_back(
                describe(profile, span, known == code.end() ? nullptr : known->second, judging));
            if (is_time_of_op(profile, analysis, span)) {
                const bool plain = hardware::holds_no_product(profile.strings.view(d.name[span]));
                analysis.kernels.back().uses_tc = plain ? TensorCoreUse::kNo : TensorCoreUse::kUnknown;
                analysis.kernels.back().evidence = TensorCoreEvidence::kNone;
            }
            // A name that tells of a product knows better than the op that a source looked at.
            if (analysis.kernels.back().uses_tc == TensorCoreUse::kUnknown &&
                without_tc.contains(d.name[span]))
                analysis.kernels.back().uses_tc = TensorCoreUse::kNo;
            if (counted) judge_by_counters(*counted, analysis.kernels.back());
            if (const auto names = told.find(d.name[span]); names != told.end()) {
                analysis.kernels.back().base_name = names->second->base;
                analysis.kernels.back().mangled_name = names->second->mangled;
            }
        }
        analysis.kernel[span] = id;
        const Kernel& kernel = analysis.kernels[id.index()];
        const bool of_op = analysis.launch_op[span].valid() || (!told_ops.empty() && told_ops[span].valid());
        const bool seen = kernel.uses_tc == TensorCoreUse::kYes && of_op;
        if (seen) analysis.ops[analysis.device_op[span].index()].tc_eligible = true;
        if (kernel.uses_tc == TensorCoreUse::kUnknown) {
            Diagnostics& diagnostics = profile.diagnostics;
            const Diag diag = Diag::kUnknownTensorCoreUse;
            diagnostics.add(
                diag,
                diagnostics.wants_place(diag)
                    ? DiagOccurrence{{}, -1, d.begin[span], std::string(profile.strings.view(kernel.name))}
                    : DiagOccurrence{});
        }
    }
    take_collectives_of_ops(profile, analysis);
    take_collectives_of_ranges(profile, analysis);
    label_kernels(profile, analysis);
}

void find_occupancy(const Profile& profile, Analysis& analysis) {
    const DeviceSpans& d = profile.device;
    analysis.occupancy_pct.assign(profile.launch_configs.size(), -1);
    analysis.waves.assign(profile.launch_configs.size(), -1);
    std::vector<bool> seen(profile.launch_configs.size(), false);
    for (size_t span = 0; span < d.size(); ++span) {
        const LaunchConfigId id = d.config[span];
        if (!id.valid() || seen[id.index()]) continue;
        seen[id.index()] = true;
        const Residency found = residency(profile.launch_configs[id.index()], device_of(profile, span));
        analysis.occupancy_pct[id.index()] = found.occupancy_pct;
        analysis.waves[id.index()] = found.waves;
    }
}

}  // namespace opsight::analyze
