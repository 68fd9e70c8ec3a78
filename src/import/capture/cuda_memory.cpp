// Memory of devices: allocations, pools, and what unified memory moves.
#include <fmt/format.h>

#include <algorithm>

#include "import/capture/cuda.h"

namespace opsight::importer::capture {
namespace {

constexpr uint64_t kMostBytes = uint64_t{1} << 48;
constexpr int32_t kCudaDevice = 1;  // as in c10::DeviceType

MemoryKind kind_of(uint8_t kind) {
    const bool known = kind > 0 && kind <= static_cast<uint8_t>(MemoryKind::kUnknown);
    return known ? static_cast<MemoryKind>(kind - 1) : MemoryKind::kUnknown;
}

bool on_host(MemoryKind kind) {
    return kind == MemoryKind::kPageable || kind == MemoryKind::kPinned;
}

}  // namespace

void CudaImport::take_memory(const wire::CudaMemoryRecord& memory) {
    int64_t time = 0;
    if (!time_of(memory.time, "an allocation", time)) return;
    if (memory.bytes > kMostBytes) return note(Diag::kBadEvent, "an allocation of impossible size");
    if (memory.what != wire::CudaMemory::kAlloc && memory.what != wire::CudaMemory::kFree)
        return note(Diag::kBadEvent, "a change of memory of unknown kind");
    Allocation event{};
    event.time = time;
    event.address = memory.address;
    event.freed = memory.what == wire::CudaMemory::kFree;
    event.bytes = static_cast<int64_t>(memory.bytes);
    event.kind = kind_of(memory.memory_kind);
    event.device =
        on_host(event.kind)
            ? -1
            : static_cast<int32_t>(builder_.device_info(device_of(memory.device)).number & INT32_MAX);
    allocations_.push_back(event);
    if (memory.pool_kind != 0 && memory.pool != 0)
        sample_pool(time, memory.device, memory.pool, memory.pool_bytes, memory.pool_used);
}

void CudaImport::take_pool(const wire::CudaPoolRecord& pool) {
    int64_t time = 0;
    if (!time_of(pool.time, "a memory pool", time)) return;
    const bool gone = pool.what == wire::CudaPool::kDestroyed;
    sample_pool(time, pool.device, pool.address, gone ? 0 : pool.bytes, gone ? 0 : pool.used);
}

void CudaImport::sample_pool(int64_t time, uint32_t device, uint64_t pool, uint64_t bytes, uint64_t used) {
    if (bytes > kMostBytes || used > kMostBytes)
        return note(Diag::kBadEvent, "a memory pool of impossible size");
    auto known = pools_.find({device, pool});
    if (known == pools_.end()) {
        constexpr size_t kMostPools = 64;  // damage could make a pool of each event
        size_t others = 0;
        for (auto at = pools_.lower_bound({device, 0}); at != pools_.end() && at->first.first == device; ++at)
            ++others;
        if (others == kMostPools) return note(Diag::kUnreadRow, "more memory pools than are shown");
        known = pools_.try_emplace({device, pool}, others).first;
    }
    const size_t index = known->second;
    const std::string name =
        fmt::format("GPU {} memory pool {}", builder_.device_info(device_of(device)).number, index);
    const TrackId row = process_row("GPU memory");
    builder_.add_counter(time, row, builder_.text(name + " reserved (bytes)"), static_cast<double>(bytes));
    builder_.add_counter(time, row, builder_.text(name + " used (bytes)"), static_cast<double>(used));
}

void CudaImport::take_unified(const wire::CudaUnifiedRecord& event) {
    switch (event.what) {
        case wire::CudaUnified::kHostToDevice:
        case wire::CudaUnified::kDeviceToHost:
        case wire::CudaUnified::kDeviceToDevice:
            return take_migration(event);
        case wire::CudaUnified::kHostFaults:
        case wire::CudaUnified::kDeviceFaults:
            break;
        default:
            return note(Diag::kUnreadRow, "thrashing, throttling and remote maps of unified memory");
    }
    constexpr std::string_view kAccess[] = {"Unknown", "Read", "Write", "Atomic", "Prefetch"};
    PageFault fault;
    if (!time_of(event.begin, "a page fault", fault.time)) return;
    int64_t end = 0;
    if (event.end != 0 && time_of(event.end, "a page fault", end))
        fault.dur = std::max<int64_t>(0, end - fault.time);
    fault.track = process_row("page faults");
    fault.address = static_cast<int64_t>(event.address);
    if (event.what == wire::CudaUnified::kDeviceFaults) {
        const uint32_t device = event.to != wire::kNoCudaId ? event.to : event.from;
        if (device == wire::kNoCudaId) return note(Diag::kDanglingId, "a page fault of no device");
        fault.device = device_of(device);
        fault.count = static_cast<int64_t>(std::min(event.value, kMostBytes));
        fault.access = builder_.text(kAccess[event.cause < std::size(kAccess) ? event.cause : 0]);
    } else {
        fault.count = static_cast<int64_t>(std::clamp<uint64_t>(event.value, 1, kMostBytes));
    }
    builder_.add_page_fault(fault);
}

void CudaImport::take_migration(const wire::CudaUnifiedRecord& event) {
    const bool in = event.what == wire::CudaUnified::kHostToDevice;
    const bool out = event.what == wire::CudaUnified::kDeviceToHost;
    const uint32_t device = out ? event.from : event.to;
    if (device == wire::kNoCudaId) return note(Diag::kDanglingId, "a migration without a device");
    if (event.value > kMostBytes) return note(Diag::kBadEvent, "a migration of impossible size");
    DeviceSpan span;
    DeviceExtra extra;
    // Of no context: a stream of its own.
    const Where where{event.begin, event.end ? event.end : event.begin, device, 0, event.stream, 0};
    if (!begin_span(where, DeviceKind::kMemcpy, span, extra)) return;
    Transfer transfer;
    transfer.copy = in    ? CopyKind::kUnifiedHostToDevice
                    : out ? CopyKind::kUnifiedDeviceToHost
                          : CopyKind::kUnifiedDeviceToDevice;
    transfer.migration_cause = event.cause;
    span.bytes = static_cast<int64_t>(event.value);
    span.transfer = builder_.transfer(transfer);
    span.name = builder_.text(name_of_copy(transfer));
    extra.address = static_cast<int64_t>(event.address);
    add(span, extra);
}

void CudaImport::finish_memory() {
    std::stable_sort(allocations_.begin(), allocations_.end(),
                     [](const Allocation& a, const Allocation& b) { return a.time < b.time; });
    absl::flat_hash_map<uint64_t, int64_t> live;
    std::map<int32_t, int64_t> totals;
    for (const Allocation& event : allocations_) {
        MemoryEvent memory;
        memory.time = event.time;
        memory.bytes = event.bytes;
        const auto known = live.find(event.address);
        if (event.freed && known == live.end()) {
            note(Diag::kUnknownFree, "memory of a device");
            continue;
        }
        if (event.freed) memory.bytes = -known->second;
        int64_t& total = totals[event.device];
        int64_t sum = 0;
        if (__builtin_add_overflow(total, memory.bytes, &sum)) {
            note(Diag::kBadEvent, "more memory at a time than there can be");
            continue;
        }
        total = std::max<int64_t>(0, sum);
        if (event.freed)
            live.erase(known);
        else
            live[event.address] = event.bytes;
        memory.track = process_row("GPU memory");
        if (place_.framework_memory && event.device >= 0) {
            builder_.add_counter(event.time, memory.track,
                                 builder_.text(fmt::format("GPU {} allocated by CUDA (bytes)", event.device)),
                                 static_cast<double>(total));
            continue;
        }
        memory.address = static_cast<int64_t>(event.address);
        memory.total_allocated = total;
        memory.device_type = event.device < 0 ? 0 : kCudaDevice;
        memory.device = event.device;
        memory.kind = event.kind;
        builder_.add_memory(memory);
    }
}

}  // namespace opsight::importer::capture
