// What a tool has to know of NVTX version 3: how a program's copy of NVTX hands over its tables of function
// pointers, and the structures that its calls pass. Only what Opsight uses. Where the CUDA toolkit's headers
// are found, abi_check.cpp compares all of it with them.
//
// The first NVTX call of each copy (every library that includes NVTX has its own) loads the library named by
// NVTX_INJECTION64_PATH and calls InitializeInjectionNvtx2 with a function that gives tables; the first call
// of an extension does the same with InitializeInjectionNvtxExtension. The tool writes its functions into
// the slots; slots that stay empty cost nothing.
#pragma once

#include <cstddef>
#include <cstdint>

namespace opsight::nvtx {

using Function = void (*)();
using Slots = Function**;  // slots[id] is where the pointer of call `id` lies

enum Module : int { kCore = 1, kCuda = 2, kOpenCl = 3, kCudaRt = 4, kCore2 = 5, kSync = 6 };
inline constexpr uint32_t kCallbackTable = 1, kVersionTable = 3;

struct CallbackTable {
    size_t struct_size;
    int (*module)(int module, Slots* slots, unsigned* count);
};
struct VersionTable {
    size_t struct_size;
    uint32_t version, reserved;
    void (*set_tool_version)(uint32_t version);
};
using GetTable = const void* (*)(uint32_t table);
inline constexpr uint32_t kNvtxVersion = 3;

enum CoreCall : unsigned {
    kMarkEx = 1,
    kMarkA,
    kMarkW,
    kRangeStartEx,
    kRangeStartA,
    kRangeStartW,
    kRangeEnd,
    kRangePushEx,
    kRangePushA,
    kRangePushW,
    kRangePop,
    kNameCategoryA,
    kNameCategoryW,
    kNameOsThreadA,
    kNameOsThreadW,
};
enum Core2Call : unsigned {
    kDomainMarkEx = 1,
    kDomainRangeStartEx,
    kDomainRangeEnd,
    kDomainRangePushEx,
    kDomainRangePop,
    kDomainResourceCreate,
    kDomainResourceDestroy,
    kDomainNameCategoryA,
    kDomainNameCategoryW,
    kDomainRegisterStringA,
    kDomainRegisterStringW,
    kDomainCreateA,
    kDomainCreateW,
    kDomainDestroy,
    kInitialize,
};
// The modules of CUDA, its runtime and OpenCL hold pairs of calls (text, wide text) that name an object each.
enum CudaCall : unsigned { kNameCuDeviceA = 1, kNameCuContextA = 3, kNameCuStreamA = 5, kNameCuEventA = 7 };
enum CudaRtCall : unsigned { kNameCudaDeviceA = 1, kNameCudaStreamA = 3, kNameCudaEventA = 5 };
inline constexpr unsigned kOpenClCalls = 14;
enum SyncCall : unsigned {
    kSyncCreate = 1,
    kSyncDestroy,
    kSyncAcquireStart,
    kSyncAcquireFailed,
    kSyncAcquireSuccess,
    kSyncReleasing,
};

enum ColorType : int32_t { kNoColor = 0, kArgb = 1 };
enum MessageType : int32_t { kNoMessage = 0, kAscii = 1, kUnicode = 2, kRegistered = 3 };
inline constexpr int32_t kSchemaPayload = static_cast<int32_t>(0xDFBD0009);  // of the payload extension
inline constexpr int kNoTracking = -2;  // what push and pop return for ranges that are not kept

union Message {
    const char* ascii;
    const wchar_t* unicode;
    const void* registered;
};
struct Attributes {
    uint16_t version, size;
    uint32_t category;
    int32_t color_type;
    uint32_t color;
    int32_t payload_type;   // 1 to 6: as wire::NvtxNumber
    int32_t payload_count;  // of kSchemaPayload
    uint64_t payload;
    int32_t message_type;
    Message message;
};
struct ResourceAttributes {
    uint16_t version, size;
    int32_t type;  // class << 16 | index
    uint64_t identifier;
    int32_t message_type;
    Message message;
};
inline constexpr int32_t kNativeThread = 1 << 16 | 3;
// Classes, and the indexes that they count from; those of OpenCL are all one to us.
inline constexpr int32_t kCudaClass = 4, kCudaRtClass = 5, kOpenClClass = 6;
inline constexpr int32_t kCudaDeviceIndex = 1, kCudaRtDeviceIndex = 0, kCudaRtStreamIndex = 1;
struct SyncAttributes {
    uint16_t version, size;
    int32_t message_type;
    Message message;
};

// ---- extensions

struct ExtensionSegment {
    size_t id, slots;
    intptr_t* slot;
};
struct ExtensionInfo {
    uint16_t nvtx_version, struct_size, module, compatible;
    size_t segment_count;
    ExtensionSegment* segments;
    intptr_t (*get_export)(uint32_t);
    const void* info;
};
enum Extension : uint16_t { kMemory = 1, kPayload = 2, kCounters = 4 };
inline constexpr uint16_t kCompatible = 1;  // high byte of `compatible` of all extensions that we know

enum PayloadCall : size_t {
    kSchemaRegister = 0,
    kEnumRegister,
    kMarkPayload,
    kRangePushPayload,
    kRangePopPayload,
    kRangeStartPayload,
    kRangeEndPayload,
    kDomainIsEnabled,
    kTimestampGet,
    kTimeDomainRegister,
    kTimerSource,
    kTimerSourceWithData,
    kScopeRegister,
    kTimeSyncPoint,
    kTimeSyncPointTable,
    kTimestampConversionFactor,
    kEventSubmit,
    kEventBatchSubmit,
};
struct PayloadData {
    uint64_t schema;
    size_t size;  // SIZE_MAX: as the schema says
    const void* payload;
};
struct SemanticsHeader {
    uint32_t struct_size;
    uint16_t id, version;
    const SemanticsHeader* next;
};
inline constexpr uint16_t kTimeSemantics = 2, kCounterSemantics = 5;
struct TimeSemantics {
    SemanticsHeader header;
    uint64_t domain;
};
struct CounterSemantics {
    SemanticsHeader header;
    uint64_t flags;
    const char* unit;
    uint64_t numerator, denominator;
    int64_t limit_type;
    uint64_t least, most;
};
struct SyncPoint {
    int64_t first, second;
};
struct SchemaEntry {
    uint64_t flags, type;
    const char* name;
    const char* description;
    uint64_t detail;  // length of arrays and texts, or which entry tells it
    uint64_t offset;
    const SemanticsHeader* semantics;
    const void* reserved;
};
struct SchemaAttributes {
    uint64_t fields;  // bits of SchemaField
    const char* name;
    uint64_t type, flags;
    const SchemaEntry* entries;
    size_t entry_count, static_size, pack;
    uint64_t id;
    void* extension;
};
enum SchemaField : uint64_t {
    kSchemaName = 1 << 1,
    kSchemaType = 1 << 2,
    kSchemaFlags = 1 << 3,
    kSchemaEntries = 1 << 4,
    kSchemaCount = 1 << 5,
    kSchemaSize = 1 << 6,
    kSchemaPack = 1 << 7,
    kSchemaId = 1 << 8,
};
struct EnumEntry {
    const char* name;
    uint64_t value;
    int8_t is_flag;
};
struct EnumAttributes {
    uint64_t fields;  // bits of EnumField
    const char* name;
    const EnumEntry* entries;
    size_t entry_count, size;
    uint64_t id;
    void* extension;
};
enum EnumField : uint64_t {
    kEnumName = 1 << 1,
    kEnumEntries = 1 << 2,
    kEnumCount = 1 << 3,
    kEnumSize = 1 << 4,
    kEnumId = 1 << 5,
};
struct ScopeAttributes {
    size_t struct_size;
    const char* path;
    uint64_t parent, id;
};
struct TimeDomainAttributes {
    uint64_t scope, clock, id, flags;
    int64_t resolution;
    uint64_t start;
};
struct EventBatch {
    uint64_t schema;
    size_t size;
    const void* events;
    uint64_t scope, flags;
    const void* flexible;
    size_t flexible_size, flexible_offset;
};
inline constexpr uint64_t kFirstDynamicId = uint64_t{1} << 32;
inline constexpr uint64_t kFirstStaticId = 1 << 24;
// Clocks of timestamps: our own, and those of the system that only a reading relates to it.
inline constexpr uint64_t kToolClock = 1, kRawClock = 15, kBootClock = 17;
// How the times of a batch of counters are told.
inline constexpr uint64_t kBeginAndInterval = uint64_t{1} << 32, kEndAndInterval = uint64_t{2} << 32;

enum CounterCall : size_t {
    kCounterRegister = 0,
    kCounterInt64,
    kCounterFloat64,
    kCounterSample,
    kCounterNoValue,
    kCounterBatch,
};
struct CounterAttributes {
    size_t struct_size;
    uint64_t schema;
    const char* name;
    const char* description;
    uint64_t scope;
    const SemanticsHeader* semantics;
    uint64_t id;
};
struct CounterBatch {
    uint64_t counter;
    const void* samples;
    size_t samples_size;
    uint64_t flags;
    const int64_t* timestamps;
    size_t timestamps_size;
};

enum MemoryCall : size_t {
    kHeapRegister = 0,
    kHeapUnregister,
    kHeapReset,
    kRegionsRegister,
    kRegionsResize,
    kRegionsUnregister,
    kRegionsName,
    kPermissionsAssign,
    kPermissionsCreate,
    kPermissionsDestroy,
    kPermissionsReset,
    kPermissionsBind,
    kPermissionsUnbind,
};
inline constexpr uint32_t kVirtualAddress = 1;  // type of heaps and regions
struct VirtualRange {
    size_t size;
    const void* address;
};
struct HeapDescription {
    uint16_t compatible, struct_size;
    uint32_t reserved, usage, type;
    size_t range_size;
    const void* range;
    uint32_t category, message_type;
    Message message;
};
struct RegionsRegister {
    uint16_t compatible, struct_size;
    uint32_t type;
    const void* heap;
    size_t count, element_size;
    const void* elements;
    const void** handles;
};
struct RegionsResize {
    uint16_t compatible, struct_size;
    uint32_t type;
    size_t count, element_size;
    const void* elements;
};
struct RegionsUnregister {
    uint16_t compatible, struct_size;
    uint32_t reference_type;
    size_t count, element_size;
    const void* elements;
};
struct RegionName {
    uint32_t reference_type, message_type;
    const void* region;
    Message name;
    uint32_t category, reserved;
};
struct RegionsName {
    uint16_t compatible, struct_size;
    uint32_t reserved;
    size_t count, element_size;
    const RegionName* elements;
    size_t reserved_too;
};

struct PermissionsRegion {
    uint32_t flags, reference_type;
    const void* region;
};
struct PermissionsAssign {
    uint16_t compatible, struct_size;
    uint32_t reserved;
    const void* permissions;
    size_t count, element_size;
    const PermissionsRegion* elements;
    size_t reserved_too;
};

}  // namespace opsight::nvtx
