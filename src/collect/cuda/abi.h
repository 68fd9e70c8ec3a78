// CUPTI's binary interface, as far as it is used: declared here, so that nothing of CUDA is needed to build.
// abi_check.cpp compares it with NVIDIA's headers where they are installed.
//
// Records of activity grow by appending: fields keep their places from version to version, and padding
// becomes fields. Each struct below is the newest layout that is known (CUDA 13.0); the sizes of those before
// it stand beside it. How much of a record is there is told by where the next one begins.
#pragma once

#include <cstddef>
#include <cstdint>

namespace opsight::cuda {

using Result = uint32_t;  // CUptiResult
inline constexpr Result kSuccess = 0, kInvalidParameter = 1, kOutOfMemory = 8, kMaxLimitReached = 12,
                        kNotCompatible = 14, kNotInitialized = 15, kInvalidKind = 21, kNotSupported = 27,
                        kVirtualDevice = 33, kInsufficientPrivileges = 35, kMultipleSubscribers = 39,
                        kVirtualPrivileges = 40, kUnknownError = 999;

enum Kind : uint32_t {
    kMemcpy = 1,
    kMemset = 2,
    kKernel = 3,
    kDriver = 4,
    kRuntime = 5,
    kDevice = 8,
    kContext = 9,
    kConcurrentKernel = 10,
    kOverhead = 17,
    kMemcpyPeer = 22,
    kUnifiedMemory = 25,
    kCudaEvent = 36,
    kStream = 37,
    kSynchronization = 38,
    kExternalCorrelation = 39,
    kMemory = 49,
    kMemoryPool = 50,
    kGraphTrace = 51,
    kJit = 52,
    kDeviceGraphTrace = 53,
};

struct Uuid {
    uint8_t bytes[16];
};

struct KernelActivity {  // 144, 160, 168, 176, 200, 208
    uint32_t kind;
    uint8_t cache;  // requested in the low half, executed in the high one
    uint8_t shared_bank;
    uint16_t registers;
    uint32_t global_cache_requested, global_cache_executed;
    uint64_t start, end, completed;
    uint32_t device, context, stream;
    int32_t grid[3], block[3];
    int32_t static_shared, dynamic_shared;
    uint32_t local_per_thread, local_total_32, correlation;
    int64_t grid_id;
    const char* name;
    void* reserved;
    uint64_t queued, submitted;
    uint8_t launch, carveout_requested, carveout, padding;
    uint32_t shared_executed;
    uint64_t graph_node;
    uint32_t shared_limit, graph;
    void* access_policy;
    uint32_t channel, channel_type;
    uint32_t cluster[3], cluster_policy;
    uint64_t local_total;
    uint32_t max_cluster, active_clusters;
    uint8_t from_device, padding2[7];
};

struct MemcpyActivity {  // 80, 88
    uint32_t kind;
    uint8_t copy_kind, from_kind, to_kind, flags;
    uint64_t bytes, start, end;
    uint32_t device, context, stream, correlation, runtime_correlation, padding;
    void* reserved;
    uint64_t graph_node;
    uint32_t graph, channel, channel_type;
    uint8_t from_device, padding2[3];
    uint64_t count;
};

struct PeerActivity {  // 88
    uint32_t kind;
    uint8_t copy_kind, from_kind, to_kind, flags;
    uint64_t bytes, start, end;
    uint32_t device, context, stream, from_device, from_context, to_device, to_context, correlation;
    void* reserved;
    uint64_t graph_node;
    uint32_t graph, channel, channel_type;
};

struct MemsetActivity {  // 80
    uint32_t kind, value;
    uint64_t bytes, start, end;
    uint32_t device, context, stream, correlation;
    uint16_t flags, memory_kind;
    uint32_t padding;
    void* reserved;
    uint64_t graph_node;
    uint32_t graph, channel, channel_type;
    uint8_t from_device, padding2[3];
};

struct ApiActivity {
    uint32_t kind, cbid;
    uint64_t start, end;
    uint32_t process, thread, correlation, result;
};

struct DeviceActivity {  // 176
    uint32_t kind, flags;
    uint64_t bandwidth_kb, memory;
    uint32_t constant, l2, threads_per_warp, clock_khz, copy_engines, sms, max_ipc, warps, blocks;
    uint32_t shared_per_sm, registers_per_sm, registers_per_block, shared_per_block, threads_per_block;
    uint32_t block[3], grid[3];
    uint32_t major, minor, id, ecc;
    Uuid uuid;
    const char* name;
    uint8_t visible, mig, padding[6];
    uint32_t gpu_instance, compute_instance;
    Uuid mig_uuid;
    uint32_t is_numa, numa;
};

struct ContextActivity {  // 16, 24
    uint32_t kind, context, device;
    uint16_t api, null_stream;
    uint32_t parent;
    uint8_t green, padding;
    uint16_t sms;
    uint32_t cig, padding2;
};

struct StreamActivity {
    uint32_t kind, context, stream, priority, flag, correlation;
};

struct OverheadActivity {  // 40, 48
    uint32_t kind, overhead, object, ids[3];
    uint64_t start, end;
    uint32_t correlation, reserved;
    void* data;
};

struct UnifiedActivity {  // 64
    uint32_t kind, counter;
    uint64_t value, start, end, address;
    uint32_t from, to, stream, process, flags, padding;
    uint64_t processors[5];
};

struct EventActivity {  // 24
    uint32_t kind, correlation, context, stream, event, padding, device, padding2;
    void* reserved;
    uint64_t device_time, sync;
};

struct SyncActivity {  // 40
    uint32_t kind, type;
    uint64_t start, end;
    uint32_t correlation, context, stream, event;
    uint64_t sync;
    uint32_t result, padding;
};

struct ExternalActivity {
    uint32_t kind, external_kind;
    uint64_t id;
    uint32_t correlation, reserved;
};

struct MemoryActivity {  // 112, 120
    uint32_t kind, operation, memory_kind, correlation;
    uint64_t address, bytes, time, pc;
    uint32_t process, device, context, stream;
    const char* name;
    uint32_t async, padding;
    uint32_t pool_kind, padding2;
    uint64_t pool, threshold, size, used;
    const char* source;
};

struct PoolActivity {  // 64, 72
    uint32_t kind, operation, pool_kind, correlation, process, device;
    uint64_t kept, address, size, threshold, time, used;
    uint8_t managed, padding[7];
};

struct JitActivity {  // 64
    uint32_t kind, entry, operation, device;
    uint64_t start, end;
    uint32_t correlation, padding;
    uint64_t id, size;
    const char* path;
    uint32_t process, thread;
};

struct GraphActivity {  // 48
    uint32_t kind, correlation;
    uint64_t start, end;
    uint32_t device, graph, context, stream;
    void* reserved;
    uint32_t end_device, end_context;
};

struct DeviceGraphActivity {
    uint32_t kind, device;
    uint64_t start, end;
    uint32_t graph, launcher, mode, context;
    uint64_t stream;
    void* reserved;
};

// ---- Callbacks

enum Domain : uint32_t { kDriverApi = 1, kRuntimeApi = 2, kResource = 3 };
enum Resource : uint32_t {
    kContextCreated = 1,
    kStreamCreated = 3,
    kInitFinished = 5,
    kModuleLoaded = 6,
    kGraphCreated = 9,
    kGraphDestroyed = 10,
    kGraphCloned = 11,
    kNodeCreated = 13,
    kNodeDestroyed = 14,
    kExecCreated = 18,
    kExecDestroyed = 19,
    kNodeCloned = 20,
};

using Handle = void*;  // CUcontext, CUgraph, ...

struct ResourceData {
    Handle context, stream;
    const void* descriptor;
};
struct ModuleData {
    uint32_t module;
    size_t bytes;
    const char* cubin;
};
struct GraphData {
    Handle graph, original_graph, node, original_node;
    uint32_t node_type;
    Handle dependency, exec;
};
struct ApiData {
    uint32_t site;  // 0 enter, 1 exit
    const char* function;
};

struct UnifiedConfig {
    uint32_t scope, counter, device, enable;
};
inline constexpr uint32_t kOneDevice = 1;  // scope

inline constexpr uint32_t kSystemThreads = 1;  // CUpti_ActivityThreadIdType
inline constexpr uint32_t kForced = 1;         // flag of cuptiActivityFlushAll

// What is used of CUPTI. Those from kOptional on may be missing.
#define OPSIGHT_CUPTI_CALLS(X)                                                                      \
    X(cuptiGetVersion, (uint32_t*))                                                                 \
    X(cuptiSubscribe, (void**, void (*)(void*, uint32_t, uint32_t, const void*), void*))            \
    X(cuptiEnableCallback, (uint32_t, void*, uint32_t, uint32_t))                                   \
    X(cuptiActivityRegisterCallbacks,                                                               \
      (void (*)(uint8_t**, size_t*, size_t*), void (*)(void*, uint32_t, uint8_t*, size_t, size_t))) \
    X(cuptiActivityEnable, (uint32_t))                                                              \
    X(cuptiActivityDisable, (uint32_t))                                                             \
    X(cuptiActivityFlushAll, (uint32_t))                                                            \
    X(cuptiActivityGetNextRecord, (uint8_t*, size_t, uint8_t**))                                    \
    X(cuptiActivityGetNumDroppedRecords, (void*, uint32_t, size_t*))                                \
    X(cuptiGetCallbackName, (uint32_t, uint32_t, const char**))                                     \
    X(cuptiGetTimestamp, (uint64_t*))
#define OPSIGHT_CUPTI_OPTIONAL_CALLS(X)                                       \
    X(cuptiActivityRegisterTimestampCallback, (uint64_t(*)()))                \
    X(cuptiActivityEnableRuntimeApi, (uint32_t, uint8_t))                     \
    X(cuptiActivityEnableDriverApi, (uint32_t, uint8_t))                      \
    X(cuptiActivityEnableAllSyncRecords, (uint8_t))                           \
    X(cuptiActivityConfigureUnifiedMemoryCounter, (UnifiedConfig*, uint32_t)) \
    X(cuptiSetThreadIdType, (uint32_t))                                       \
    X(cuptiGetContextId, (Handle, uint32_t*))                                 \
    X(cuptiGetStreamIdEx, (Handle, Handle, uint8_t, uint32_t*))               \
    X(cuptiActivityEnableCudaEventDeviceTimestamps, (uint8_t))                \
    X(cuptiGetGraphId, (Handle, uint32_t*))                                   \
    X(cuptiGetGraphExecId, (Handle, uint32_t*))                               \
    X(cuptiGetGraphNodeId, (Handle, uint64_t*))                               \
    X(cuptiGetResultString, (uint32_t, const char**))

}  // namespace opsight::cuda
