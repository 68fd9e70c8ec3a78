// Records of NVTX events. Kinds are numbered per thread, like texts; domains and all that kNvtxDefine tells
// count within the process.
#pragma once

#include "wire/format.h"

namespace opsight::wire {

// What ranges and marks share; `length` bytes of text follow.
struct NvtxKindRecord {
    RecordHeader header;
    uint32_t id;
    uint32_t domain;  // 0: the default one
    uint32_t category;
    uint32_t color;  // ARGB
    uint16_t length;
    uint8_t has_color, reserved;
};
static_assert(sizeof(NvtxKindRecord) == 24);

struct NvtxMarkRecord {
    RecordHeader header;
    uint32_t kind;
    uint64_t time;
};

// `range.dur` is filled in where the range ends on its own thread soon enough; else its end is a record.
struct NvtxStartRecord {
    OpRecord range;
    uint64_t id;
};

struct NvtxEndRecord {
    RecordHeader header;
    uint32_t reserved;
    uint64_t time, id;
};

enum class NvtxNumber : uint32_t { kUint64 = 1, kInt64, kDouble, kUint32, kInt32, kFloat };

struct NvtxNumberRecord {
    RecordHeader header;
    NvtxNumber type;
    uint64_t bits;
};

enum class NvtxDataKind : uint32_t {
    kPayload = 0,   // `id` is the schema
    kText = 1,      // `id` is the address that a payload names
    kDeferred = 2,  // an event of its own, whose schema tells its time and text
    kScope = 3,     // `id` is the scope of the deferred events after it
    kAmend = 4,     // payloads and texts up to the next event belong to an earlier range: `id` as in its
                    // NvtxStartRecord, or 0 and an NvtxAmended follows
    kPlace = 5,     // `id` is the address of the payload before it, which others may point into
    kMemory = 6,    // what lay at the address `id`, which a payload points to
    kCut = 7,       // `id` pointers of the payloads were not followed, or not to the end
    kFlexible = 8,  // flexible data of the deferred events up to the next kScope: an NvtxFlexible, then bytes
};

// A piece of flexible data, in order.
struct NvtxFlexible {
    uint64_t base;    // address that offsets count from
    uint64_t offset;  // from there to this piece
};

// `length` bytes follow.
struct NvtxDataRecord {
    RecordHeader header;
    NvtxDataKind kind;
    uint64_t id;
    uint32_t length, domain;
};
static_assert(sizeof(NvtxDataRecord) == 24);

// Tells a range of this thread.
struct NvtxAmended {
    uint64_t begin;
};

enum class NvtxFact : uint16_t {
    kDomain = 1,  // text: its name
    kCategory,    // id: its number
    kThread,      // id: of the system
    kResource,    // id: handle or address; detail: NvtxResource in the low byte, above it when, in ticks
    kText,        // a registered string, id: its handle
    kSchema,      // id; the blob is an NvtxSchema, see nvtx_schema.h
    kEnum,        // id; the blob is an NvtxSchema whose entries are the values
    kCounter,     // id; detail: schema or type of a sample; text: name
    kScope,       // id; detail: parent scope; text: path
    kSync,        // id; text: name
    kHeap,        // id; text: name
    kRegion,      // id: handle or address; text: name
    kDomainDestroyed,
    kEntryClock,     // id: schema; detail: time domain; extra: number of the entry
    kTimeDomain,     // id; the blob is an NvtxTimeDomain
    kTimePoint,      // id, detail: two time domains; the blob is an NvtxTimePoint
    kCounterInfo,    // id: counter; the blob is an NvtxCounterInfo and the unit
    kEntryCounter,   // id: schema; extra: number of the entry; the blob as of kCounterInfo
    kCounterLimits,  // id: counter, or schema; extra: number of the entry + 1, or 0; the blob:
                     // NvtxCounterLimits
};

// `length` bytes follow.
struct NvtxDefineRecord {
    RecordHeader header;
    NvtxFact fact;
    uint16_t length;
    uint64_t id, detail;
    uint32_t domain, extra;
};
static_assert(sizeof(NvtxDefineRecord) == 32);

// Time domains below 2^24 are those that NVTX names (NVTX_TIMESTAMP_TYPE_*); 1 is our own ticks.
struct NvtxTimeDomain {
    uint64_t type;        // of those that NVTX names
    uint64_t scope;       // whose events are on this clock
    uint64_t resolution;  // ticks per second; 0: not told
};
// A moment on two clocks.
struct NvtxTimePoint {
    int64_t first, second;
    double slope;  // ticks of the second for one of the first; 0: not told
};
struct NvtxCounterInfo {
    uint64_t clock, scope;  // 0: not told
    uint64_t flags;         // NVTX_COUNTER_FLAG_*
    uint64_t numerator, denominator;
};

struct NvtxCounterLimits {
    uint64_t type;  // of the limits: 1 int64, 2 uint64, 3 double
    uint64_t least, most;
};

enum class NvtxResource : uint64_t { kOther, kDevice, kContext, kStream, kEvent, kOpenCl };
inline constexpr uint64_t kResourceMask = 0xff;

enum class NvtxSampleType : uint32_t { kInt64 = 0, kDouble = 1, kZero = 2, kUnchanged = 3, kUnavailable = 4 };

struct NvtxCounterRecord {
    RecordHeader header;
    NvtxSampleType type;
    uint64_t counter, time, bits;
};

// What `time` of a sample counts: our ticks, or those of the counter's clock, or it stands in the sample.
enum class NvtxClock : uint32_t { kTicks = 0, kCounter = 3, kInSample = 4 };

// `length` bytes follow.
struct NvtxSampleRecord {
    RecordHeader header;
    NvtxClock clock;
    uint64_t counter, time;
    uint32_t length, reserved;
};
static_assert(sizeof(NvtxSampleRecord) == 32);

enum class NvtxSync : uint32_t { kAcquireStart = 1, kAcquireFailed, kAcquired, kReleasing };

struct NvtxSyncRecord {
    RecordHeader header;
    NvtxSync what;
    uint64_t time, object;
};

enum class NvtxMemory : uint32_t {
    kRegister = 1,
    kResize,
    kUnregister,
    kResetHeap,
    // Permissions: `heap` is their handle, `bytes` are flags.
    kAssign,
    kCreate,
    kDestroy,
    kReset,
    kBind,
    kUnbind,
};

struct NvtxMemoryRecord {
    RecordHeader header;
    NvtxMemory what;
    uint64_t time, heap, address, bytes;
};

// Longest payload that is kept; longer ones are cut.
inline constexpr size_t kMaxPayload = 32 * 1024;

}  // namespace opsight::wire
