// What ran on devices, and the devices.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "import/capture/cuda.h"
#include "import/text/clean_text.h"
#include "import/text/demangle.h"

namespace opsight::importer::capture {
namespace {

// Counts that may be anything in a damaged capture.
int64_t count(uint64_t value) {
    return static_cast<int64_t>(std::min<uint64_t>(value, uint64_t{1} << 60));
}

// CUPTI counts kinds of memory from 1, 0 being unknown.
MemoryKind memory_kind(uint8_t kind) {
    const bool known = kind > 0 && kind <= static_cast<uint8_t>(MemoryKind::kUnknown);
    return known ? static_cast<MemoryKind>(kind - 1) : MemoryKind::kUnknown;
}

int64_t number(uint32_t id) {
    return id == wire::kNoCudaId ? -1 : int64_t{id};
}

std::string uuid_of(const uint8_t (&bytes)[16]) {
    if (std::all_of(std::begin(bytes), std::end(bytes), [](uint8_t byte) { return byte == 0; })) return {};
    std::string text = "GPU-";
    for (size_t i = 0; i < std::size(bytes); ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
        text += fmt::format("{:02x}", bytes[i]);
    }
    return text;
}

std::string place_of(const wire::CudaDeviceRecord& device) {
    if (!device.has_pci) return {};
    return fmt::format("{:04x}:{:02x}:{:02x}.0", device.pci_domain, device.pci_bus, device.pci_device);
}

// What tells a device from all others of a machine; empty: nothing does.
std::string identity_of(const wire::CudaDeviceRecord& device) {
    std::string identity = uuid_of(device.mig ? device.mig_uuid : device.uuid);
    if (identity.empty()) identity = uuid_of(device.uuid);
    if (identity.empty()) identity = place_of(device);
    return device.mig ? fmt::format("{} {}.{}", identity, device.gpu_instance, device.compute_instance)
                      : identity;
}

}  // namespace

DeviceId CudaDevices::find(RankId rank, uint32_t pid, uint32_t own_number, const CudaFacts& facts) {
    const auto [known, is_new] = known_.try_emplace({rank.value, pid, own_number});
    if (!is_new) return known->second;
    const auto record = facts.devices.find(own_number);
    const std::string identity = record == facts.devices.end() ? std::string() : identity_of(record->second);
    if (!identity.empty()) {
        const auto same = by_identity_.find({rank.value, identity});
        if (same != by_identity_.end()) return known->second = same->second;
    }
    // A number that another device of the rank has is replaced by the next free one.
    int64_t number = int64_t{own_number};
    while (!identity.empty() && used_.contains({rank.value, number}))
        ++number;
    used_[{rank.value, number}] = true;
    known->second = builder_.device(rank, number);
    if (!identity.empty()) by_identity_[{rank.value, identity}] = known->second;
    if (record != facts.devices.end()) {
        const auto name = facts.device_names.find(own_number);
        describe(builder_.device_info(known->second), record->second,
                 name == facts.device_names.end() ? std::string() : name->second);
        described_.insert(known->second.value);
    }
    return known->second;
}

void CudaDevices::describe(Device& device, const wire::CudaDeviceRecord& record, const std::string& name) {
    device.name = name;
    device.compute_major = static_cast<int>(std::min<uint32_t>(record.compute_major, 999));
    device.compute_minor = static_cast<int>(std::min<uint32_t>(record.compute_minor, 999));
    device.sm_count = record.sm_count;
    device.memory_bytes = count(record.memory_bytes);
    device.max_threads_per_sm = record.threads_per_sm
                                    ? int64_t{record.threads_per_sm}
                                    : std::min<int64_t>(record.warps_per_sm, 1 << 16) *
                                          std::min<int64_t>(record.threads_per_warp, 1 << 10);
    device.max_threads_per_block = record.threads_per_block;
    device.registers_per_sm = record.registers_per_sm;
    device.registers_per_block = record.registers_per_block;
    device.shared_memory_per_sm = record.shared_per_sm;
    device.shared_memory_per_block = record.shared_per_block;
    device.shared_memory_per_block_optin = record.shared_per_block_optin;
    device.warp_size = record.threads_per_warp;
    device.memory_bandwidth = count(record.memory_bytes_per_s);
    device.clock_hz = count(record.clock_hz);
    device.l2_bytes = record.l2_bytes;
    device.uuid = uuid_of(record.uuid);
    device.bus_location = place_of(record);
    device.declared = true;
}

DeviceId CudaImport::device_of(uint32_t number) {
    const DeviceId device = devices_.find(place_.rank, place_.pid, number, facts_);
    if (!devices_.is_described(device) && undescribed_.insert(number).second)
        note(Diag::kDanglingId, fmt::format("device {} is not described", number));
    return device;
}

TrackId CudaImport::stream_of(uint32_t device, uint32_t context, uint32_t stream) {
    const auto [known, is_new] = streams_.try_emplace({device, context, stream});
    if (!is_new) return known->second;
    known->second = builder_.stream_track(TrackKind::kDeviceStream, device_of(device), number(context),
                                          number(stream), place_.pid);
    const auto facts = facts_.streams.find({context, stream});
    if (facts != facts_.streams.end()) builder_.track(known->second).priority = facts->second.priority;
    const auto name = place_.stream_names.find({context, stream});
    if (name != place_.stream_names.end())
        builder_.track(known->second).name =
            builder_.text(fmt::format("{} (stream {})", name->second, stream));
    return known->second;
}

// Their beginnings and ends come in order of time, and before the calls after them.
void CudaRanges::take_range(const wire::CudaRangeRecord& range) {
    if (range.end == 0)
        ranges_.push_back({range.begin, UINT64_MAX, 0, 0, false});
    else if (!ranges_.empty() && ranges_.back().begin == range.begin)
        ranges_.back().end = range.end;
}

void CudaRanges::take_call(uint32_t correlation, uint64_t begin) {
    if (ranges_.empty()) return;
    const auto after = std::upper_bound(ranges_.begin(), ranges_.end(), begin,
                                        [](uint64_t time, const Range& range) { return time < range.begin; });
    if (after == ranges_.begin() || begin > std::prev(after)->end) {
        others_.insert(correlation);
        return;
    }
    Range& range = *std::prev(after);
    if (!range.any || static_cast<int32_t>(correlation - range.first) < 0) range.first = correlation;
    if (!range.any || static_cast<int32_t>(correlation - range.last) > 0) range.last = correlation;
    range.any = true;
}

bool CudaRanges::has(uint32_t correlation) const {
    if (ranges_.empty() || correlation == 0 || others_.contains(correlation)) return true;
    return std::any_of(ranges_.begin(), ranges_.end(), [&](const Range& range) {
        return range.any && static_cast<int32_t>(correlation - range.first) >= 0 &&
               static_cast<int32_t>(range.last - correlation) >= 0;
    });
}

bool CudaImport::begin_span(const Where& where, DeviceKind kind, DeviceSpan& span, DeviceExtra& extra) {
    if (!facts_.ranges.has(where.correlation)) return false;  // launched outside of what was to be recorded
    const std::string_view what = kind == DeviceKind::kKernel ? "a kernel" : "work of a device";
    int64_t end = 0;
    if (!time_of(where.begin, what, span.begin) || !time_of(where.end, what, end)) return false;
    if (end < span.begin) note(Diag::kNegativeDuration, what);
    span.dur = std::max<int64_t>(0, end - span.begin);
    span.kind = kind;
    span.track = stream_of(where.device, where.context, where.stream);
    set_call(span, where.correlation);
    if (where.graph_node) extra.graph_node = static_cast<int64_t>(where.graph_node);
    if (where.graph && where.graph != wire::kNoCudaId) extra.graph = where.graph;
    const auto context = facts_.contexts.find(where.context);
    if (context != facts_.contexts.end() && context->second.green) extra.green_context = where.context;
    return true;
}

void CudaImport::add(const DeviceSpan& span, const DeviceExtra& extra) {
    builder_.add_device(span);
    // -1: not told. An address of the upper half of memory is negative, and told.
    const bool any = extra.graph != -1 || extra.graph_node != -1 || extra.green_context != -1 ||
                     extra.address != -1 || extra.event != -1;
    if (any) builder_.extend_device(extra);
}

void CudaImport::take_kind(const wire::CudaKernelKindRecord& record) {
    Kind kind;
    const auto text = texts_.find(record.name);
    if (text == texts_.end()) {
        kind.name = text_of(record.name, "(name lost)");
    } else {
        const auto [known, is_new] = kernels_.try_emplace(text->second);
        if (is_new) {
            std::string full = demangle(text->second);
            clean_text(full);
            known->second = builder_.text(full);
            builder_.name_kernel({known->second, StringId(size_t{0}), builder_.text(text->second)});
        }
        kind.name = known->second;
    }
    LaunchConfig config;
    for (size_t axis = 0; axis < 3; ++axis) {
        config.grid[axis] = record.grid[axis];
        config.block[axis] = record.block[axis];
        if (record.cluster[axis]) config.cluster[axis] = record.cluster[axis];
    }
    config.registers_per_thread = record.registers;
    config.static_shared_bytes = record.static_shared;
    config.dynamic_shared_bytes = record.dynamic_shared;
    config.shared_executed_bytes = record.executed_shared;
    config.local_bytes_per_thread = record.local_per_thread;
    config.launch_type = int64_t{static_cast<uint8_t>(record.launch)} + 1;
    kind.config = builder_.launch_config(config);
    kinds_[record.id] = kind;
}

void CudaImport::take_kernel(const wire::CudaKernelRecord& kernel) {
    DeviceSpan span;
    DeviceExtra extra;
    const Where where{kernel.begin,  kernel.end,         kernel.device,     kernel.context,
                      kernel.stream, kernel.correlation, kernel.graph_node, kernel.graph};
    if (!begin_span(where, DeviceKind::kKernel, span, extra)) return;
    const auto kind = kinds_.find(kernel.kind);
    if (kind == kinds_.end()) {
        note(Diag::kDanglingId, "a kernel of a kind that was not recorded");
        span.name = builder_.text("(name lost)");
    } else {
        span.name = kind->second.name;
        span.config = kind->second.config;
    }
    add(span, extra);
}

void CudaImport::take_copy(const wire::CudaCopyRecord& copy) {
    DeviceSpan span;
    DeviceExtra extra;
    const Where where{copy.begin,  copy.end,         copy.device,     copy.context,
                      copy.stream, copy.correlation, copy.graph_node, copy.graph};
    if (!begin_span(where, DeviceKind::kMemcpy, span, extra)) return;
    Transfer transfer;
    const bool known = copy.copy_kind > 0 && copy.copy_kind <= static_cast<uint8_t>(CopyKind::kPeerToPeer);
    transfer.copy = known ? static_cast<CopyKind>(copy.copy_kind) : CopyKind::kUnknown;
    transfer.from = memory_kind(copy.from_kind);
    transfer.to = memory_kind(copy.to_kind);
    if (copy.between_devices) {
        transfer.from_device = number(copy.from_device);
        transfer.to_device = number(copy.to_device);
        transfer.from_context = number(copy.from_context);
        transfer.to_context = number(copy.to_context);
    }
    if (copy.count > 1) transfer.copies = count(copy.count);
    span.bytes = count(copy.bytes);
    span.transfer = builder_.transfer(transfer);
    span.name = builder_.text(name_of_copy(transfer));
    add(span, extra);
}

void CudaImport::take_set(const wire::CudaSetRecord& set) {
    DeviceSpan span;
    DeviceExtra extra;
    const Where where{set.begin,  set.end,         set.device,     set.context,
                      set.stream, set.correlation, set.graph_node, set.graph};
    if (!begin_span(where, DeviceKind::kMemset, span, extra)) return;
    Transfer transfer;
    transfer.value = set.value;
    transfer.to = memory_kind(set.memory_kind);
    span.bytes = count(set.bytes);
    span.transfer = builder_.transfer(transfer);
    span.name = builder_.text(name_of_set(transfer));
    add(span, extra);
}

// Waits tell their context only; the context tells the device.
void CudaImport::take_sync(const wire::CudaSyncRecord& sync) {
    constexpr std::string_view kNames[] = {"Unknown Sync", "Event Sync", "Stream Wait Event", "Stream Sync",
                                           "Context Sync"};
    const auto context = facts_.contexts.find(sync.context);
    if (context == facts_.contexts.end()) return note(Diag::kDanglingId, "a wait for an unknown context");
    DeviceSpan span;
    DeviceExtra extra;
    const Where where{sync.begin,   sync.end,    context->second.device,
                      sync.context, sync.stream, sync.correlation};
    if (!begin_span(where, DeviceKind::kSync, span, extra)) return;
    const auto type = static_cast<uint32_t>(sync.type);
    span.name = builder_.text(kNames[type < std::size(kNames) ? type : 0]);
    extra.event = number(sync.event);
    add(span, extra);
}

void CudaImport::take_graph_trace(const wire::CudaGraphTraceRecord& graph) {
    DeviceSpan span;
    DeviceExtra extra;
    const Where where{graph.begin,       graph.end, graph.device, graph.context, graph.stream,
                      graph.correlation, 0,         graph.graph};
    if (!begin_span(where, DeviceKind::kGraph, span, extra)) return;
    span.name = builder_.text(fmt::format("CUDA Graph {}", graph.graph));
    add(span, extra);
}

}  // namespace opsight::importer::capture
