#include "collect/cuda/decode.h"

#include <algorithm>
#include <cstring>

#include "collect/cuda/abi.h"

namespace opsight::cuda {
namespace {

using wire::RecordType;

template <class Record>
Record make(RecordType type) {
    Record record{};
    record.header.type = static_cast<uint16_t>(type);
    record.header.bytes = sizeof record;
    return record;
}

template <class Record>
void put(Sink& sink, const Record& record, std::string_view text = {}) {
    sink.put(record.header, text);
}

std::string_view view(const char* text) {
    return text ? std::string_view(text) : std::string_view();
}

// What a record has of the fields from which on it was appended to.
struct Extent {
    size_t bytes;
    bool has(size_t offset, size_t size) const { return bytes >= offset + size; }
};
#define HAS(Activity, field) extent.has(offsetof(Activity, field), sizeof(Activity::field))

uint32_t channel(uint32_t number, uint32_t type) {
    return type == 0 ? wire::kNoCudaId : number;
}

Decoded take(const KernelActivity& in, Extent, Sink& sink) {
    if (!sink.wants_work(in.correlation, in.start, in.end)) return Decoded::kLeftOut;
    wire::CudaKernelKindRecord kind{};
    kind.name = sink.text(view(in.name));
    for (int i = 0; i < 3; ++i) {
        kind.grid[i] = static_cast<uint32_t>(in.grid[i]);
        kind.block[i] = static_cast<uint32_t>(in.block[i]);
        kind.cluster[i] = in.cluster[i];
    }
    kind.cluster_policy = in.cluster_policy;
    kind.max_cluster = in.max_cluster;
    kind.active_clusters = in.active_clusters;
    kind.registers = in.registers;
    kind.static_shared = static_cast<uint32_t>(in.static_shared);
    kind.dynamic_shared = static_cast<uint32_t>(in.dynamic_shared);
    kind.executed_shared = in.shared_executed;
    kind.local_per_thread = in.local_per_thread;
    kind.local_total = in.local_total ? in.local_total : in.local_total_32;
    kind.launch = static_cast<wire::CudaLaunch>(in.launch);
    kind.cache_requested = in.cache & 0xf;
    kind.cache_executed = in.cache >> 4;
    kind.shared_bank = in.shared_bank;
    kind.carveout_requested = in.carveout_requested;
    kind.carveout_percent = in.carveout;
    kind.shared_optin = in.shared_limit == 1;
    kind.from_device = in.from_device;

    auto out = make<wire::CudaKernelRecord>(RecordType::kCudaKernel);
    out.kind = sink.kernel_kind(kind);
    out.begin = in.start;
    out.end = in.end;
    out.queued = in.queued;
    out.submitted = in.submitted;
    out.completed = in.completed == in.end ? 0 : in.completed;
    out.grid_id = in.grid_id;
    out.graph_node = in.graph_node;
    out.graph = in.graph;
    out.device = in.device;
    out.context = in.context;
    out.stream = in.stream;
    out.correlation = in.correlation;
    out.channel = channel(in.channel, in.channel_type);
    out.channel_type = static_cast<uint8_t>(in.channel_type);
    put(sink, out);
    return Decoded::kTaken;
}

// What copies within a device and between two have in common.
template <class Activity>
wire::CudaCopyRecord copy_of(const Activity& in) {
    auto out = make<wire::CudaCopyRecord>(RecordType::kCudaCopy);
    out.copy_kind = in.copy_kind;
    out.from_kind = in.from_kind;
    out.to_kind = in.to_kind;
    out.flags = in.flags;
    out.begin = in.start;
    out.end = in.end;
    out.bytes = in.bytes;
    out.graph_node = in.graph_node;
    out.graph = in.graph;
    out.device = in.device;
    out.context = in.context;
    out.stream = in.stream;
    out.correlation = in.correlation;
    out.channel = channel(in.channel, in.channel_type);
    out.channel_type = static_cast<uint8_t>(in.channel_type);
    return out;
}

Decoded take(const MemcpyActivity& in, Extent, Sink& sink) {
    if (!sink.wants_work(in.correlation, in.start, in.end)) return Decoded::kLeftOut;
    wire::CudaCopyRecord out = copy_of(in);
    out.from_device = out.from_context = out.to_device = out.to_context = wire::kNoCudaId;
    out.count = in.count;
    out.from_device_code = in.from_device;
    put(sink, out);
    return Decoded::kTaken;
}

Decoded take(const PeerActivity& in, Extent, Sink& sink) {
    if (!sink.wants_work(in.correlation, in.start, in.end)) return Decoded::kLeftOut;
    wire::CudaCopyRecord out = copy_of(in);
    out.from_device = in.from_device;
    out.from_context = in.from_context;
    out.to_device = in.to_device;
    out.to_context = in.to_context;
    out.between_devices = 1;
    put(sink, out);
    return Decoded::kTaken;
}

Decoded take(const MemsetActivity& in, Extent, Sink& sink) {
    if (!sink.wants_work(in.correlation, in.start, in.end)) return Decoded::kLeftOut;
    auto out = make<wire::CudaSetRecord>(RecordType::kCudaSet);
    out.value = in.value;
    out.begin = in.start;
    out.end = in.end;
    out.bytes = in.bytes;
    out.graph_node = in.graph_node;
    out.graph = in.graph;
    out.device = in.device;
    out.context = in.context;
    out.stream = in.stream;
    out.correlation = in.correlation;
    out.channel = channel(in.channel, in.channel_type);
    out.channel_type = static_cast<uint8_t>(in.channel_type);
    out.memory_kind = static_cast<uint8_t>(in.memory_kind);
    out.flags = static_cast<uint8_t>(in.flags);
    out.from_device_code = in.from_device;
    put(sink, out);
    return Decoded::kTaken;
}

Decoded take(const ApiActivity& in, Extent, Sink& sink) {
    const auto domain = in.kind == kRuntime ? wire::CudaDomain::kRuntime : wire::CudaDomain::kDriver;
    sink.saw_call(in.correlation, in.start);
    if (!sink.wants_time(in.start, in.end) || !sink.wants_api(domain, in.cbid, in.thread))
        return Decoded::kLeftOut;
    auto out = make<wire::CudaApiRecord>(RecordType::kCudaApi);
    out.name = sink.api_name(domain, in.cbid);
    out.begin = in.start;
    out.end = in.end;
    out.thread = in.thread;
    out.correlation = in.correlation;
    out.result = static_cast<int32_t>(in.result);
    out.cbid = static_cast<uint16_t>(in.cbid);
    out.domain = domain;
    put(sink, out);
    return Decoded::kTaken;
}

Decoded take(const DeviceActivity& in, Extent, Sink& sink) {
    auto out = make<wire::CudaDeviceRecord>(RecordType::kCudaDevice);
    out.device = in.id;
    out.compute_major = in.major;
    out.compute_minor = in.minor;
    out.sm_count = in.sms;
    out.copy_engines = in.copy_engines;
    out.threads_per_warp = in.threads_per_warp;
    out.warps_per_sm = in.warps;
    out.blocks_per_sm = in.blocks;
    out.threads_per_sm = in.warps * in.threads_per_warp;
    out.threads_per_block = in.threads_per_block;
    out.registers_per_sm = in.registers_per_sm;
    out.registers_per_block = in.registers_per_block;
    out.shared_per_sm = in.shared_per_sm;
    out.shared_per_block = in.shared_per_block;
    std::copy_n(in.block, 3, out.max_block);
    std::copy_n(in.grid, 3, out.max_grid);
    out.constant_bytes = in.constant;
    out.l2_bytes = in.l2;
    out.max_ipc = in.max_ipc;
    out.clock_hz = uint64_t{in.clock_khz} * 1000;
    out.memory_bytes = in.memory;
    out.memory_bytes_per_s = in.bandwidth_kb * 1000;
    std::memcpy(out.uuid, in.uuid.bytes, sizeof out.uuid);
    out.ecc_known = 1;
    out.ecc = in.ecc != 0;
    out.mig = in.mig;
    if (in.mig) {
        std::memcpy(out.mig_uuid, in.mig_uuid.bytes, sizeof out.mig_uuid);
        out.gpu_instance = in.gpu_instance;
        out.compute_instance = in.compute_instance;
    }
    const std::string_view name = view(in.name).substr(0, 255);
    out.length = static_cast<uint16_t>(name.size());
    put(sink, out, name);
    return Decoded::kTaken;
}

Decoded take(const ContextActivity& in, Extent, Sink& sink) {
    auto out = make<wire::CudaContextRecord>(RecordType::kCudaContext);
    out.context = in.context;
    out.device = in.device;
    out.null_stream = in.null_stream;
    out.green = in.green;
    out.parent = in.green ? in.parent : wire::kNoCudaId;
    out.sm_count = in.green ? in.sms : uint16_t{0};
    out.api = static_cast<wire::CudaApiKind>(in.api);
    put(sink, out);
    return Decoded::kTaken;
}

Decoded take(const StreamActivity& in, Extent, Sink& sink) {
    auto out = make<wire::CudaStreamRecord>(RecordType::kCudaStream);
    out.context = in.context;
    out.stream = in.stream;
    out.priority = static_cast<int32_t>(in.priority);
    out.flag = static_cast<wire::CudaStreamFlag>(in.flag);
    out.correlation = in.correlation;
    put(sink, out);
    return Decoded::kTaken;
}

Decoded take(const OverheadActivity& in, Extent, Sink& sink) {
    if (!sink.wants_time(in.start, in.end)) return Decoded::kLeftOut;
    auto out = make<wire::CudaOverheadRecord>(RecordType::kCudaOverhead);
    out.kind = in.overhead;
    out.begin = in.start;
    out.end = in.end;
    out.object = in.object;
    out.a = in.ids[0];
    out.b = in.ids[1];
    out.c = in.ids[2];
    out.correlation = in.correlation;
    put(sink, out);
    return Decoded::kTaken;
}

Decoded take(const UnifiedActivity& in, Extent, Sink& sink) {
    if (!sink.wants_time(in.start, in.end)) return Decoded::kLeftOut;
    auto out = make<wire::CudaUnifiedRecord>(RecordType::kCudaUnified);
    out.what = static_cast<wire::CudaUnified>(in.counter);
    // These have no end, and CUPTI's field for it no meaning.
    const bool point = out.what == wire::CudaUnified::kHostFaults ||
                       out.what == wire::CudaUnified::kThrashing || out.what == wire::CudaUnified::kRemoteMap;
    out.begin = in.start;
    out.end = point ? 0 : in.end;
    out.value = in.value;
    out.address = in.address;
    out.from = out.what == wire::CudaUnified::kHostFaults ? wire::kNoCudaId : in.from;
    const bool moves =
        out.what == wire::CudaUnified::kHostToDevice || out.what == wire::CudaUnified::kDeviceToHost ||
        out.what == wire::CudaUnified::kDeviceToDevice || out.what == wire::CudaUnified::kRemoteMap;
    out.to = moves ? in.to : wire::kNoCudaId;
    out.stream = wire::kNoCudaId;
    out.cause = in.flags;
    put(sink, out);
    return Decoded::kTaken;
}

Decoded take(const EventActivity& in, Extent extent, Sink& sink) {
    if (!sink.wants_work(in.correlation, 0, 0)) return Decoded::kLeftOut;
    auto out = make<wire::CudaEventRecord>(RecordType::kCudaEvent);
    out.event = in.event;
    out.event_sync = in.sync;
    out.device_time = in.device_time;
    out.device = HAS(EventActivity, device) ? in.device : wire::kNoCudaId;
    out.context = in.context;
    out.stream = in.stream;
    out.correlation = in.correlation;
    put(sink, out);
    return Decoded::kTaken;
}

Decoded take(const SyncActivity& in, Extent, Sink& sink) {
    if (!sink.wants_work(in.correlation, in.start, in.end)) return Decoded::kLeftOut;
    auto out = make<wire::CudaSyncRecord>(RecordType::kCudaSync);
    out.type = static_cast<wire::CudaSync>(in.type);
    out.begin = in.start;
    out.end = in.end;
    out.event_sync = in.sync;
    out.context = in.context;
    out.stream = in.stream;
    out.event = in.event;
    out.correlation = in.correlation;
    out.result = static_cast<int32_t>(in.result);
    put(sink, out);
    return Decoded::kTaken;
}

Decoded take(const ExternalActivity& in, Extent, Sink& sink) {
    if (!sink.wants_work(in.correlation, 0, 0)) return Decoded::kLeftOut;
    auto out = make<wire::CudaExternalRecord>(RecordType::kCudaExternal);
    out.kind = in.external_kind;
    out.external = in.id;
    out.correlation = in.correlation;
    put(sink, out);
    return Decoded::kTaken;
}

Decoded take(const MemoryActivity& in, Extent extent, Sink& sink) {
    auto out = make<wire::CudaMemoryRecord>(RecordType::kCudaMemory);
    out.what = static_cast<wire::CudaMemory>(in.operation);
    out.memory_kind = static_cast<uint8_t>(in.memory_kind);
    out.async = in.async != 0;
    out.pool_kind = static_cast<uint8_t>(in.pool_kind);
    out.time = in.time;
    out.address = in.address;
    out.bytes = in.bytes;
    out.code_address = in.pc;
    if (in.pool_kind != 0) {
        out.pool = in.pool;
        out.pool_threshold = in.threshold;
        out.pool_bytes = in.pool_kind == 1 ? in.size : 0;  // of imported ones the field is a process
        out.pool_used = HAS(MemoryActivity, used) ? in.used : 0;
    }
    out.device = in.device;
    out.context = in.context;
    out.stream = in.stream;
    out.correlation = in.correlation;
    out.name = sink.text(view(in.name));
    out.source = HAS(MemoryActivity, source) ? sink.text(view(in.source)) : 0;
    put(sink, out);
    return Decoded::kTaken;
}

Decoded take(const PoolActivity& in, Extent, Sink& sink) {
    auto out = make<wire::CudaPoolRecord>(RecordType::kCudaPool);
    out.what = static_cast<wire::CudaPool>(in.operation);
    out.pool_kind = static_cast<uint8_t>(in.pool_kind);
    out.managed = in.managed;
    out.time = in.time;
    out.address = in.address;
    out.bytes = in.size;
    out.used = in.used;
    out.threshold = in.threshold;
    out.kept = in.kept;
    out.device = in.device;
    out.correlation = in.correlation;
    put(sink, out);
    return Decoded::kTaken;
}

Decoded take(const JitActivity& in, Extent, Sink& sink) {
    if (!sink.wants_time(in.start, in.end)) return Decoded::kLeftOut;
    auto out = make<wire::CudaJitRecord>(RecordType::kCudaJit);
    out.entry = in.entry;
    out.begin = in.start;
    out.end = in.end;
    out.id = in.id;
    out.bytes = in.size;
    out.operation = in.operation;
    out.device = in.device;
    out.correlation = in.correlation;
    out.path = sink.text(view(in.path));
    out.thread = in.thread;
    put(sink, out);
    return Decoded::kTaken;
}

Decoded take(const GraphActivity& in, Extent extent, Sink& sink) {
    if (!sink.wants_work(in.correlation, in.start, in.end)) return Decoded::kLeftOut;
    auto out = make<wire::CudaGraphTraceRecord>(RecordType::kCudaGraphTrace);
    out.graph = in.graph;
    out.begin = in.start;
    out.end = in.end;
    out.device = in.device;
    out.context = in.context;
    out.stream = in.stream;
    out.correlation = in.correlation;
    out.end_device = HAS(GraphActivity, end_device) ? in.end_device : wire::kNoCudaId;
    out.end_context = HAS(GraphActivity, end_context) ? in.end_context : wire::kNoCudaId;
    out.launcher = wire::kNoCudaId;
    put(sink, out);
    return Decoded::kTaken;
}

Decoded take(const DeviceGraphActivity& in, Extent, Sink& sink) {
    if (!sink.wants_time(in.start, in.end)) return Decoded::kLeftOut;
    auto out = make<wire::CudaGraphTraceRecord>(RecordType::kCudaGraphTrace);
    out.graph = in.graph;
    out.begin = in.start;
    out.end = in.end;
    out.device = in.device;
    out.context = in.context;
    out.stream = static_cast<uint32_t>(in.stream);
    out.end_device = out.end_context = wire::kNoCudaId;
    out.launcher = in.launcher;
    out.launch_mode = in.mode;
    put(sink, out);
    return Decoded::kTaken;
}

// Copies what is there of a record into the newest layout; the rest of it is 0.
template <class Activity>
Decoded read(const void* record, size_t room, size_t smallest, Sink& sink, bool& newer) {
    if (room < smallest) return Decoded::kDamaged;
    Activity activity{};
    const Extent extent{std::min(room, sizeof activity)};
    std::memcpy(static_cast<void*>(&activity), record, extent.bytes);
    newer |= room > sizeof activity;
    return take(activity, extent, sink);
}

}  // namespace

// The smallest sizes are those of CUDA 12.0.
Decoded decode(const void* record, size_t room, Sink& sink, bool& newer) {
    uint32_t kind = 0;
    if (room < 8) return Decoded::kDamaged;
    std::memcpy(&kind, record, sizeof kind);
    sink.begin();
    switch (kind) {
        case kKernel:
        case kConcurrentKernel:
            return read<KernelActivity>(record, room, 144, sink, newer);
        case kMemcpy:
            return read<MemcpyActivity>(record, room, 80, sink, newer);
        case kMemcpyPeer:
            return read<PeerActivity>(record, room, 88, sink, newer);
        case kMemset:
            return read<MemsetActivity>(record, room, 80, sink, newer);
        case kRuntime:
        case kDriver:
            return read<ApiActivity>(record, room, sizeof(ApiActivity), sink, newer);
        case kDevice:
            return read<DeviceActivity>(record, room, 176, sink, newer);
        case kContext:
            return read<ContextActivity>(record, room, 16, sink, newer);
        case kStream:
            return read<StreamActivity>(record, room, sizeof(StreamActivity), sink, newer);
        case kOverhead:
            return read<OverheadActivity>(record, room, 40, sink, newer);
        case kUnifiedMemory:
            return read<UnifiedActivity>(record, room, 64, sink, newer);
        case kCudaEvent:
            return read<EventActivity>(record, room, 24, sink, newer);
        case kSynchronization:
            return read<SyncActivity>(record, room, 40, sink, newer);
        case kExternalCorrelation:
            return read<ExternalActivity>(record, room, sizeof(ExternalActivity), sink, newer);
        case kMemory:
            return read<MemoryActivity>(record, room, 112, sink, newer);
        case kMemoryPool:
            return read<PoolActivity>(record, room, 64, sink, newer);
        case kJit:
            return read<JitActivity>(record, room, 64, sink, newer);
        case kGraphTrace:
            return read<GraphActivity>(record, room, 48, sink, newer);
        case kDeviceGraphTrace:
            return read<DeviceGraphActivity>(record, room, sizeof(DeviceGraphActivity), sink, newer);
        default:
            return Decoded::kUnknownKind;
    }
}

}  // namespace opsight::cuda
