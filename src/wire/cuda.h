// Records of CUDA activity: what CUPTI tells, in a layout of our own that does not change with its versions.
//
// All of a process's CUDA records stand in one stream of its capture (the one of the thread that first had
// something to write), in the order in which CUPTI delivered them, which is not the order of time: a kernel
// may stand before the API call that launched it, and both long after they ran. Ids of texts (RecordType::
// kString, here up to kMaxCudaText long) and of kernel kinds count within that stream. Every record belongs
// to the process that the file header names.
//
// Times, unless said otherwise, are ticks of FileHeader::clock where the last CudaClockRecord before them (or
// none) says so, and 0 means: not known. Ids of devices are CUDA's ordinals within the process (after
// CUDA_VISIBLE_DEVICES); ids of contexts and streams are CUPTI's numbers, as tools show them. A correlation
// id ties an API call to what it put on the device; it counts within the process, 0 means none, 32 bits may
// wrap around in long runs, and one graph launch has many kernels. A driver call that a runtime call makes
// may be recorded too, then with the same correlation id, within the time and thread of the runtime call.
#pragma once

#include "wire/format.h"

namespace opsight::wire {

inline constexpr size_t kMaxCudaText = 32 * 1024;  // mangled names of templates are long
inline constexpr uint32_t kNoCudaId = UINT32_MAX;  // of a device, context, stream, graph: not told

// A device. Several records may describe the same one: what is 0 in a later one is not told there, and does
// not undo what an earlier one told. `length` bytes follow: its name.
struct CudaDeviceRecord {
    RecordHeader header;
    uint32_t device;
    uint32_t compute_major, compute_minor;
    uint32_t sm_count, copy_engines;
    uint32_t threads_per_warp, warps_per_sm, blocks_per_sm, threads_per_sm, threads_per_block;
    uint32_t registers_per_sm, registers_per_block;      // 32-bit ones
    uint32_t shared_per_sm, shared_per_block;            // bytes
    uint32_t shared_per_block_optin, shared_reserved;    // bytes: most by choice; what CUDA keeps per block
    uint32_t max_block[3], max_grid[3];                  // threads; blocks
    uint32_t constant_bytes, l2_bytes, memory_bus_bits;  // bytes, bytes, bits
    uint32_t max_ipc;                                    // instructions per cycle of an SM
    uint64_t clock_hz, memory_clock_hz;                  // highest clocks
    uint64_t memory_bytes, memory_bytes_per_s;           // size, peak bandwidth
    uint8_t uuid[16], mig_uuid[16];                      // all 0: not told
    uint32_t pci_domain, pci_bus, pci_device;            // valid where has_pci
    uint32_t gpu_instance, compute_instance;             // of MIG
    uint8_t ecc, mig, has_pci, ecc_known;                // yes: 1
    uint16_t length, reserved;
};
static_assert(sizeof(CudaDeviceRecord) == 208);

enum class CudaApiKind : uint8_t { kUnknown = 0, kCuda = 1, kMps = 2 };

struct CudaContextRecord {
    RecordHeader header;
    uint32_t context, device;
    uint32_t null_stream;  // the number of its default stream
    uint32_t parent;       // of a green context; kNoCudaId: none
    uint16_t sm_count;     // that a green context has; 0: all
    CudaApiKind api;
    uint8_t green;
};
static_assert(sizeof(CudaContextRecord) == 24);

enum class CudaStreamFlag : uint32_t { kUnknown = 0, kDefault = 1, kNonBlocking = 2, kNull = 3 };

struct CudaStreamRecord {
    RecordHeader header;
    uint32_t context, stream;
    int32_t priority;  // lower numbers go first
    CudaStreamFlag flag;
    uint32_t correlation;  // the call that made it
};
static_assert(sizeof(CudaStreamRecord) == 24);

enum class CudaDomain : uint16_t { kDriver = 1, kRuntime = 2 };

// A call of the runtime or driver API.
struct CudaApiRecord {
    RecordHeader header;
    uint32_t name;        // text: "cudaLaunchKernel"; where CUPTI adds a version ("_v3020") it is cut off
    uint64_t begin, end;  // end 0: had not returned when the recording ended
    uint32_t thread;      // of the operating system, as ChunkHeader::os_thread
    uint32_t correlation;
    int32_t result;  // cudaError_t or CUresult: 0 is success
    uint16_t cbid;   // CUPTI's number of the function
    CudaDomain domain;
};
static_assert(sizeof(CudaApiRecord) == 40);

enum class CudaLaunch : uint8_t {
    kRegular = 0,
    kCooperative = 1,
    kCooperativeMultiDevice = 2,
    kCommandList = 3
};

// What kernels share that run the same code in the same shape. CUDA's numbers where nothing is said.
struct CudaKernelKindRecord {
    RecordHeader header;
    uint32_t id;
    uint32_t name;                           // text: the mangled name
    uint32_t grid[3];                        // blocks
    uint32_t block[3];                       // threads
    uint32_t cluster[3];                     // blocks; 0: no clusters
    uint32_t cluster_policy;                 // scheduling policy
    uint32_t max_cluster, active_clusters;   // most blocks of a cluster; clusters that fit; 0: not told
    uint32_t registers;                      // per thread
    uint32_t static_shared, dynamic_shared;  // bytes per block, as asked for
    uint32_t executed_shared;                // bytes per SM set aside for shared memory
    uint32_t local_per_thread;               // bytes
    uint64_t local_total;                    // bytes, of all threads that may run
    CudaLaunch launch;
    uint8_t cache_requested, cache_executed;       // CUfunc_cache
    uint8_t shared_bank;                           // CUsharedconfig
    uint8_t carveout_requested, carveout_percent;  // whether; shared memory's share of the L1
    uint8_t shared_optin;                          // 1: more dynamic shared memory than the default limit
    uint8_t from_device;                           // 1: launched by a kernel
    uint32_t reserved[2];
};
static_assert(sizeof(CudaKernelKindRecord) == 104);

struct CudaKernelRecord {
    RecordHeader header;
    uint32_t kind;  // kNoId where it could not be defined
    uint64_t begin, end;
    uint64_t queued, submitted, completed;  // 0: not recorded, which is the rule
    int64_t grid_id;                        // CUDA's number of the launch
    uint64_t graph_node;                    // of the graph that was launched; 0: not of a graph
    uint32_t graph;                         // the executable graph; 0: not of a graph
    uint32_t device, context, stream;
    uint32_t correlation;
    uint32_t channel;      // hardware queue; kNoCudaId: not told
    uint8_t channel_type;  // 1 compute, 2 asynchronous copies
    uint8_t reserved[7];
};
static_assert(sizeof(CudaKernelRecord) == 96);

// Kinds of copies and of memory have CUPTI's numbers: copies 1 host to device, 2 device to host, 3 host to
// array, 4 array to host, 5 array to array, 6 array to device, 7 device to array, 8 device to device, 9 host
// to host, 10 peer to peer; memory 1 pageable, 2 pinned, 3 device, 4 array, 5 managed, 6 static on the
// device, 7 static managed; 0 unknown.
struct CudaCopyRecord {
    RecordHeader header;
    uint8_t copy_kind, from_kind, to_kind, flags;  // flags: 1 asynchronous
    uint64_t begin, end, bytes;
    uint64_t count;  // copies that a batch made as one; 0: not told, 1
    uint64_t graph_node;
    uint32_t graph;
    uint32_t device, context, stream;
    uint32_t correlation;
    uint32_t channel;
    uint32_t from_device, from_context, to_device, to_context;  // between devices; else kNoCudaId
    uint8_t channel_type, between_devices,
        from_device_code;  // whether it is such a copy; launched by a kernel
    uint8_t reserved[5];
};
static_assert(sizeof(CudaCopyRecord) == 96);

struct CudaSetRecord {
    RecordHeader header;
    uint32_t value;  // that is written, once per byte, 2 or 4 bytes
    uint64_t begin, end, bytes;
    uint64_t graph_node;
    uint32_t graph;
    uint32_t device, context, stream;
    uint32_t correlation;
    uint32_t channel;
    uint8_t memory_kind, flags, channel_type, from_device_code;
    uint32_t reserved;
};
static_assert(sizeof(CudaSetRecord) == 72);

enum class CudaSync : uint32_t {
    kUnknown = 0,
    kEvent = 1,            // the host waits for an event
    kStreamWaitEvent = 2,  // a stream waits for an event
    kStream = 3,           // the host waits for a stream
    kContext = 4,          // the host waits for all of a context
};

struct CudaSyncRecord {
    RecordHeader header;
    CudaSync type;
    uint64_t begin, end;
    uint64_t event_sync;       // ties a wait to the CudaEventRecord of the recording it is for; 0: not told
    uint32_t context, stream;  // stream kNoCudaId: not of one stream
    uint32_t event;            // CUPTI's number of the event; kNoCudaId: none
    uint32_t correlation;
    int32_t result;  // of the call; 0 is success
    uint32_t reserved;
};
static_assert(sizeof(CudaSyncRecord) == 56);

// An event was recorded on a stream.
struct CudaEventRecord {
    RecordHeader header;
    uint32_t event;
    uint64_t event_sync;   // as in CudaSyncRecord
    uint64_t device_time;  // when the device came by it; 0: not told
    uint32_t device, context, stream, correlation;
};
static_assert(sizeof(CudaEventRecord) == 40);

enum class CudaMemory : uint8_t { kUnknown = 0, kAlloc = 1, kFree = 2 };

struct CudaMemoryRecord {
    RecordHeader header;
    CudaMemory what;
    uint8_t memory_kind;  // as of copies
    uint8_t async;        // 1: in the order of the stream
    uint8_t pool_kind;    // 0 not of a pool, 1 of a local one, 2 of an imported one
    uint64_t time, address, bytes;
    uint64_t code_address;                                 // instruction that called; 0: not told
    uint64_t pool, pool_bytes, pool_used, pool_threshold;  // address; bytes; kept when unused
    uint32_t device, context, stream, correlation;
    uint32_t name;    // text: of a static variable; 0: none
    uint32_t source;  // text: library that allocated; 0: not told
};
static_assert(sizeof(CudaMemoryRecord) == 96);

enum class CudaPool : uint8_t { kUnknown = 0, kCreated = 1, kDestroyed = 2, kTrimmed = 3 };

struct CudaPoolRecord {
    RecordHeader header;
    CudaPool what;
    uint8_t pool_kind;  // 1 local, 2 imported
    uint8_t managed, reserved;
    uint64_t time, address;
    uint64_t bytes, used, threshold, kept;  // kept: what a trim was to leave
    uint32_t device, correlation;
};
static_assert(sizeof(CudaPoolRecord) == 64);

enum class CudaUnified : uint32_t {
    kUnknown = 0,
    kHostToDevice = 1,  // value: bytes
    kDeviceToHost = 2,  // value: bytes
    kHostFaults = 3,    // value: page faults
    kDeviceFaults = 4,  // value: groups of page faults
    kThrashing = 5,
    kThrottling = 6,
    kRemoteMap = 7,
    kDeviceToDevice = 8,  // value: bytes
};

struct CudaUnifiedRecord {
    RecordHeader header;
    CudaUnified what;
    uint64_t begin, end;  // end 0: a point in time
    uint64_t value, address;
    uint32_t from, to;  // devices; kNoCudaId: the host
    uint32_t stream;
    uint32_t cause;  // why: CUPTI's flags of this kind of event (access type of faults, cause of a migration)
};
static_assert(sizeof(CudaUnifiedRecord) == 56);

// Time that the tools or the driver took. `kind` has CUPTI's numbers: 1 the driver compiled; 1 << 16 CUPTI
// flushed, 2 << 16 instrumented, 3 << 16 made resources; 4 << 16 a module was loaded on demand, 5 << 16 a
// function; 6 << 16 the command buffer was full, 7 << 16 CUPTI asked for a buffer, 8 << 16 prepared unified
// memory.
struct CudaOverheadRecord {
    RecordHeader header;
    uint32_t kind;
    uint64_t begin, end;
    uint32_t object;   // 1 process, 2 thread, 3 device, 4 context, 5 stream
    uint32_t a, b, c;  // process and thread; or device, context, stream
    uint32_t correlation, reserved;
};
static_assert(sizeof(CudaOverheadRecord) == 48);

struct CudaJitRecord {
    RecordHeader header;
    uint32_t entry;  // 1 PTX to cubin, 2 NVVM IR to PTX
    uint64_t begin, end;
    uint64_t id;         // ties the operations of one compilation
    uint64_t bytes;      // of the entry in the cache
    uint32_t operation;  // 1 read from the cache, 2 written to it, 3 compiled
    uint32_t device, correlation;
    uint32_t path;    // text: of the cache; 0: none
    uint32_t thread;  // 0: not told
    uint32_t reserved;
};
static_assert(sizeof(CudaJitRecord) == 64);

// A graph that ran as a whole; its nodes have no records of their own.
struct CudaGraphTraceRecord {
    RecordHeader header;
    uint32_t graph;
    uint64_t begin, end;
    uint32_t device, context, stream, correlation;
    uint32_t end_device, end_context;  // where its last node ran; kNoCudaId: not told
    uint32_t launcher;                 // graph that launched it from the device; kNoCudaId: the host did
    uint32_t launch_mode;              // from the device: CUPTI's number
};
static_assert(sizeof(CudaGraphTraceRecord) == 56);

// What the program (or a library in it) tied to its API calls; `kind` has CUPTI's numbers (3 to 5 are free to
// use, PyTorch uses 3 and 4).
struct CudaExternalRecord {
    RecordHeader header;
    uint32_t kind;
    uint64_t external;
    uint32_t correlation, reserved;
};
static_assert(sizeof(CudaExternalRecord) == 24);

enum class CudaGraph : uint32_t {
    kCreated = 1,  // an empty graph, or one that is being captured
    kCloned,       // graph: the copy; original_graph
    kNodeCreated,  // by capture or by a call
    kNodeCloned,   // node: the copy; original_node. Graphs that are made executable are cloned
    kExecCreated,  // graph: the executable one; original_graph: the graph it is made of
    kNodeDestroyed,
    kDestroyed,
    kExecDestroyed,
};

// Written by the thread that made it, so the op and the ranges open then are those of `thread` at `time`.
struct CudaGraphRecord {
    RecordHeader header;
    CudaGraph what;
    uint64_t time;
    uint64_t node, original_node;    // as CudaKernelRecord::graph_node; 0: none
    uint32_t graph, original_graph;  // as CudaKernelRecord::graph; 0: none
    uint32_t thread;                 // of the operating system
    uint32_t node_type;  // CUgraphNodeType: 0 kernel, 1 copy, 2 set, 3 host, 4 graph, 5 empty, ...
};
static_assert(sizeof(CudaGraphRecord) == 48);

// A module was loaded: code of kernels.
struct CudaModuleRecord {
    RecordHeader header;
    uint32_t module;  // CUPTI's number
    uint64_t time;
    uint64_t bytes;    // of its cubin
    uint64_t content;  // number of the cubin's content in this capture: equal content, equal number
    uint32_t context;  // kNoCudaId: not told
    uint32_t whole;    // 1: the bytes of `content` stand in CudaModuleBytesRecords; 0: left out (limit)
};
static_assert(sizeof(CudaModuleRecord) == 40);

// A piece of a cubin, each content once per capture, in order; `length` bytes follow.
struct CudaModuleBytesRecord {
    RecordHeader header;
    uint32_t length;
    uint64_t content;
    uint64_t offset;
};
static_assert(sizeof(CudaModuleBytesRecord) == 24);
inline constexpr size_t kCudaPiece = 32 * 1024;

enum class CudaLoss : uint32_t {
    kDropped = 1,  // CUPTI had no room for them
    kUnknownKind,  // `kind` is a kind of record that Opsight does not decode
    kNoBuffer,     // times that CUPTI asked for a buffer and got none: the limit was reached
    kUndecoded,    // damaged: the rest of a buffer was left out
};

// Records that are missing.
struct CudaDroppedRecord {
    RecordHeader header;
    CudaLoss what;
    uint64_t time, count;
    uint32_t kind, reserved;
};
static_assert(sizeof(CudaDroppedRecord) == 32);

enum class CudaTimes : uint32_t {
    kTicks = 0,  // FileHeader::clock
    kOther = 1,  // only the pairs of CudaClockRecord relate it
};

// Where CUPTI did not take our clock: its time, read between two readings of ours. The first stands before
// all records with times; between two of them times are interpolated, before and after continued.
struct CudaClockRecord {
    RecordHeader header;
    CudaTimes times;         // what the times of CUDA records count
    uint64_t cupti;          // CUPTI's time
    uint64_t before, after;  // ticks: `cupti` lies between them
};
static_assert(sizeof(CudaClockRecord) == 32);

// What became of the recording of CUDA.
enum class CudaState : uint32_t {
    kRecording = 1,
    kNoCupti,  // no libcupti could be opened
    kTooOld,   // a libcupti that lacks what is needed
    kHeld,     // another tool of this process has subscribed
    kNoPermission,
    kNoDriver,  // CUPTI cannot work with this driver, or there is none
    kFailed,    // another error of CUPTI
    kNewer,     // records of a newer CUPTI are read as the newest version that is known
    kPart,      // one kind of record cannot be had
};

// `length` bytes follow: a line for people, which names the library or call and what to do.
struct CudaStateRecord {
    RecordHeader header;
    CudaState state;
    uint64_t time;
    int32_t result;  // of the call of CUPTI; 0: none
    uint16_t length, reserved;
};
static_assert(sizeof(CudaStateRecord) == 24);

// A time that recording is limited to: written when it begins, and with its end when it is over, each before
// the calls that begin later. Only calls that are open in such a time are recorded. Where there is a record
// of this type, only what those calls put on devices belongs to the recording: what else ran there may stand
// in the stream, too.
struct CudaRangeRecord {
    RecordHeader header;
    uint32_t reserved;
    uint64_t begin, end;  // on the clock of the calls; end 0: not yet
};
static_assert(sizeof(CudaRangeRecord) == 24);

enum class CudaObject : uint32_t { kContext = 1, kStream = 2 };

// What the program calls an object from `time` on: its handle, which may come again when the object is gone.
struct CudaHandleRecord {
    RecordHeader header;
    CudaObject what;
    uint64_t time;  // ticks of FileHeader::clock
    uint64_t handle;
    uint32_t context, stream;  // CUPTI's numbers; stream kNoCudaId: of a context
};
static_assert(sizeof(CudaHandleRecord) == 32);

// Versions are properties of the process: "cupti_version" (130001), "cupti_library" (its path),
// "cuda_driver_version" and "cuda_runtime_version" (13000).

}  // namespace opsight::wire
