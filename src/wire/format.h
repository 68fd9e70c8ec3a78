// The capture format: what a profiled process writes while it runs, one file per process.
//
//   FileHeader (one page) | chunk 0 | chunk 1 | ...          every chunk is kChunkBytes long
//   chunk = ChunkHeader | record | record | ...              all records of a chunk come from one stream
//   record = RecordHeader | payload                          padded to 8 bytes
//
// The file is mapped shared, so what was written survives the death of the process. A record counts once
// ChunkHeader::used covers it; only the duration of a span is filled in later, when the span ends (0 until
// then). All numbers are little-endian. Times are ticks of FileHeader::clock; records of type kClock tie
// ticks to nanoseconds. A stream is written by one thread at a time; when that ends another may take it over,
// and a ThreadRecord says so. Texts and kinds of ops are numbered per stream and are defined before their
// first use in it.
//
// A capture that keeps the newest records (FileHeader::keeps_last) uses its chunks again, oldest first. So
// each chunk there stands by itself: it begins with a ChunkStartRecord, the thread, and what was open when
// the one before it was full ("carried" from there: definitions, then the records, then a CarriedEndRecord),
// and defines all that it names. Facts of the whole process lie in streams whose chunks are never used again.
// docs/decisions/0017-keeping-the-newest.md tells why.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace opsight::wire {

inline constexpr char kMagic[8] = {'O', 'P', 'S', 'C', 'A', 'P', '\r', '\n'};
inline constexpr uint32_t kVersion = 2;
inline constexpr uint32_t kEndianMark = 0x01020304;
inline constexpr uint32_t kChunkMagic = 0x4b4e4843;  // "CHNK"
inline constexpr uint32_t kHeaderBytes = 4096;
inline constexpr uint32_t kChunkBytes = 64 * 1024;
inline constexpr uint32_t kNoId = 0;  // ids of texts and kinds of ops begin at 1

enum class ClockKind : uint32_t { kTsc = 1, kMonotonicNs = 2 };

struct ClockSnapshot {
    uint64_t ticks = 0;
    int64_t monotonic_ns = 0, realtime_ns = 0;
    int64_t error_ns = 0;  // length of the window in which the three clocks were read
};

struct FileHeader {
    char magic[8];
    uint32_t version, endian, header_bytes, chunk_bytes;
    uint32_t capacity_chunks;
    ClockKind clock;
    uint32_t pid, parent_pid;
    ClockSnapshot begin;
    std::atomic<uint32_t> chunks;    // handed out; may run past capacity_chunks when the file is full
    std::atomic<uint32_t> threads;   // handed out
    std::atomic<uint64_t> lost;      // records that found no room
    std::atomic<uint32_t> finished;  // 1: the process closed the capture itself
    uint32_t keeps_last;             // 1: the newest records are kept, not the first
    std::atomic<uint64_t>
        interrupted;  // records of signal handlers that interrupted the writing of another one
    std::atomic<uint64_t> cut_texts;  // that were longer than kMaxBlob
    std::atomic<uint64_t> left_open;  // ends of calls that lay too deep within others to be remembered
    std::atomic<uint64_t>
        refused;       // what the program gave and no record can hold, as payloads of no known size
    uint32_t limited;  // 1: capacity_chunks is what the program's own limits left
    std::atomic<uint64_t> overwritten;  // events in chunks that were used again, for who looks meanwhile
};
static_assert(sizeof(FileHeader) <= kHeaderBytes);

struct ChunkHeader {
    uint32_t magic;
    uint32_t thread;    // number of the stream in this file
    uint32_t sequence;  // 0, 1, ... within the stream
    uint32_t os_thread;
    std::atomic<uint32_t> used;  // bytes, this header included
    uint32_t events;             // of a full chunk, where the newest are kept: see is_event()
};
static_assert(sizeof(ChunkHeader) == 24);

enum class RecordType : uint16_t {
    kPadding = 0,
    kString = 1,       // text
    kOpKind = 2,       // name, scope and inputs that ops share
    kOp = 3,           // a framework op
    kModule = 4,       // a call of a module
    kAlloc = 5,        // memory got
    kFree = 6,         // memory given back
    kClock = 7,        // ClockSnapshot
    kThread = 8,       // facts about the thread that writes the stream from here on
    kProperty = 9,     // "key\0value": facts about the process
    kAsyncBegin = 10,  // an op that may end on another thread
    kAsyncEnd = 11,
    kLinkedOp = 12,  // a kOp with its place in the autograd graph
    // NVTX, see nvtx.h
    kNvtxKind = 13,     // text, domain, category and colour that ranges share
    kNvtxRange = 14,    // an OpRecord: a range of one thread
    kNvtxMark = 15,     // a point in time
    kNvtxStart = 16,    // a range that may end on another thread
    kNvtxEnd = 17,      // of one that did, or that its thread no longer remembers
    kNvtxNumber = 18,   // numeric payload of the NVTX event before it
    kNvtxData = 19,     // payload with a schema, or a text that one points to, of the NVTX event before it
    kNvtxDefine = 20,   // facts of the whole process: domains, categories, names, schemas, counters
    kNvtxCounter = 21,  // a sample of a counter
    kNvtxSample = 22,   // a sample whose layout a schema tells
    kNvtxSync = 23,     // use of a lock that the program describes
    kNvtxMemory = 24,   // a region of a heap that the program describes
    // CUDA, see cuda.h
    kCudaDevice = 25,
    kCudaContext = 26,
    kCudaStream = 27,
    kCudaApi = 28,         // a call of the runtime or driver
    kCudaKernelKind = 29,  // name and launch shape that kernels share
    kCudaKernel = 30,
    kCudaCopy = 31,
    kCudaSet = 32,
    kCudaSync = 33,  // a wait
    kCudaEvent = 34,
    kCudaMemory = 35,  // an allocation or its end
    kCudaPool = 36,
    kCudaUnified = 37,  // migrations and faults of unified memory
    kCudaOverhead = 38,
    kCudaJit = 39,
    kCudaGraphTrace = 40,  // a graph that ran as a whole
    kCudaExternal = 41,
    kCudaGraph = 42,        // a graph or a node of one was made
    kCudaModule = 43,       // code was loaded
    kCudaModuleBytes = 44,  // a piece of it
    kCudaDropped = 45,
    kCudaClock = 46,
    kCudaState = 47,   // whether CUDA is recorded, and why not
    kCudaRange = 48,   // recording was limited to a time
    kCudaHandle = 49,  // what the program calls a context or stream
    // Where the newest are kept.
    kChunkStart = 50,
    kCarriedEnd = 51,
    kCountedOp = 52,  // a kLinkedOp with counters of the processor
    kRunQueue = 53,   // how long the thread waited for a processor until then
    kCount
};

// Set in the type of a record that was carried to the next chunk: there it counts, here it is context.
inline constexpr uint16_t kMovedBit = 0x8000;

struct RecordHeader {
    uint16_t type;
    uint16_t bytes;  // of the whole record, a multiple of 8
};

enum class OpScope : uint8_t { kFunction = 0, kBackward = 1, kScript = 2, kUser = 3, kOther = 4 };

// A text, a property, or a kind of op (its inputs, see signature.h); `length` bytes follow the struct.
struct BlobRecord {
    RecordHeader header;
    uint32_t id;
    uint32_t name;  // of kinds of ops: the text that names the op
    uint16_t length;
    OpScope scope;  // of kinds of ops
    uint8_t reserved;
};
static_assert(sizeof(BlobRecord) == 16);

// Small on purpose: the memory that a capture touches is most of what recording costs.
struct OpRecord {
    RecordHeader header;
    uint32_t kind;  // kNoId where it could not be defined
    uint64_t begin;
    uint64_t dur;  // 0: not ended yet
};
static_assert(sizeof(OpRecord) == 24);

// An op that autograd links: forward ops under gradient recording, and backward ops.
struct LinkedOpRecord {
    OpRecord op;
    uint64_t link;  // sequence number << 16 | the framework's number of the forward thread (0: none)
};

// Behind it stand 8 bytes for each bit of `counters`, in the order of the slots (base/cpu_counters.h): what
// was counted from the op's begin to its end, kNotCounted where that is not known. Until `dur` is set they
// are the readings at the begin.
struct CountedOpRecord {
    OpRecord op;
    uint64_t link;  // kNoLink: autograd does not link it
    uint32_t counters, reserved;
};
static_assert(sizeof(CountedOpRecord) == 40);
inline constexpr uint64_t kNoLink = UINT64_MAX, kNotCounted = UINT64_MAX;
constexpr size_t counted_values(uint32_t counters) {
    return static_cast<size_t>(std::popcount(counters));
}
// What became of `values`, read at the begin, until `now`: their differences, in place.
inline void take_difference(uint64_t* values, const uint64_t* now, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        const bool known = values[i] != kNotCounted && now[i] != kNotCounted && now[i] >= values[i];
        values[i] = known ? now[i] - values[i] : kNotCounted;
    }
}

// How long the thread that writes the stream was ready to run and had no processor, since it began.
struct RunQueueRecord {
    RecordHeader header;
    uint32_t reserved;
    uint64_t time, waited_ns;
};

struct ModuleRecord {
    RecordHeader header;
    uint32_t name;
    uint64_t begin, dur;
};

struct AllocRecord {
    RecordHeader header;
    int32_t device;  // device type in the low 8 bits, index + 1 above
    uint64_t time, address, bytes;
};

struct FreeRecord {
    RecordHeader header;
    int32_t device;
    uint64_t time, address;
};

struct ClockRecord {
    RecordHeader header;
    uint32_t reserved;
    ClockSnapshot snapshot;
};

struct ThreadRecord {
    RecordHeader header;
    uint32_t os_thread;
    uint64_t framework_thread;  // the framework's own number of this thread; 0: none
    uint32_t name, reserved;
};

struct AsyncBeginRecord {
    OpRecord op;
    uint64_t key;
};

struct AsyncEndRecord {
    RecordHeader header;
    uint32_t reserved;
    uint64_t time, key;
};

struct ChunkStartRecord {
    RecordHeader header;
    uint32_t reserved;
    uint64_t events_before;  // of the stream, in all chunks before this one
};

struct CarriedEndRecord {
    RecordHeader header;
    uint32_t goes_on;  // 1: what belongs to an event and comes next belongs to the last carried one
};

// Whether a record is something that happened, so that it is missed where its chunk was used again. What only
// defines, or belongs to another record, is not.
constexpr bool is_event(RecordType type) {
    switch (type) {
        case RecordType::kOp:
        case RecordType::kLinkedOp:
        case RecordType::kCountedOp:
        case RecordType::kModule:
        case RecordType::kAlloc:
        case RecordType::kFree:
        case RecordType::kAsyncBegin:
        case RecordType::kNvtxRange:
        case RecordType::kNvtxMark:
        case RecordType::kNvtxStart:
        case RecordType::kNvtxCounter:
        case RecordType::kNvtxSample:
        case RecordType::kNvtxSync:
        case RecordType::kNvtxMemory:
        case RecordType::kCudaApi:
        case RecordType::kCudaKernel:
        case RecordType::kCudaCopy:
        case RecordType::kCudaSet:
        case RecordType::kCudaSync:
        case RecordType::kCudaEvent:
        case RecordType::kCudaMemory:
        case RecordType::kCudaPool:
        case RecordType::kCudaUnified:
        case RecordType::kCudaOverhead:
        case RecordType::kCudaJit:
        case RecordType::kCudaGraphTrace:
        case RecordType::kCudaExternal:
            return true;
        default:
            return false;
    }
}

// Longest text that fits a record; longer ones are cut.
inline constexpr size_t kMaxBlob = 4096;

}  // namespace opsight::wire
