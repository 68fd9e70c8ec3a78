/* A small NVTX of our own, for test programs where the CUDA toolkit's headers are not installed: it finds and
 * asks the tool as NVTX does, and offers the calls that the programs use under NVTX's names. Plain C. */
#ifndef OPSIGHT_NVTX_CLIENT_H
#define OPSIGHT_NVTX_CLIENT_H

#include "nvtx_numbers.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#define NVTX_VERSION 3
#define NVTX_COLOR_ARGB 1
#define NVTX_MESSAGE_TYPE_ASCII 1
#define NVTX_MESSAGE_TYPE_UNICODE 2
#define NVTX_MESSAGE_TYPE_REGISTERED 3
#define NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 1
#define NVTX_PAYLOAD_TYPE_INT64 2
#define NVTX_PAYLOAD_TYPE_DOUBLE 3
#define NVTX_PAYLOAD_TYPE_UNSIGNED_INT32 4
#define NVTX_PAYLOAD_TYPE_INT32 5
#define NVTX_PAYLOAD_TYPE_FLOAT 6
#define NVTX_PAYLOAD_TYPE_EXT ((int32_t)0xDFBD0009)
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxEventAttributes_t))

typedef uint64_t nvtxRangeId_t;
typedef struct nvtxDomain* nvtxDomainHandle_t;
typedef struct nvtxString* nvtxStringHandle_t;
typedef struct nvtxSync* nvtxSyncUser_t;
typedef union {
    const char* ascii;
    const wchar_t* unicode;
    nvtxStringHandle_t registered;
} nvtxMessageValue_t;
typedef struct {
    uint16_t version, size;
    uint32_t category;
    int32_t colorType;
    uint32_t color;
    int32_t payloadType, reserved0;
    union {
        uint64_t ullValue;
        int64_t llValue;
        double dValue;
        uint32_t uiValue;
        int32_t iValue;
        float fValue;
    } payload;
    int32_t messageType;
    nvtxMessageValue_t message;
} nvtxEventAttributes_t;
typedef struct {
    uint16_t version, size;
    int32_t messageType;
    nvtxMessageValue_t message;
} nvtxSyncUserAttributes_t;
#define NVTX_SYNCUSER_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxSyncUserAttributes_t))

typedef void (*opsight_fn)(void);
static opsight_fn opsight_core[16], opsight_cuda[9], opsight_cudart[7], opsight_core2[16], opsight_sync[7];
static opsight_fn* opsight_pointers[5][16];
static intptr_t opsight_extension[5][64];
static int opsight_is_ready;

static int opsight_table(int module, opsight_fn*** table, unsigned* count) {
    static const int sizes[7] = {0, 16, 9, 0, 7, 16, 7};
    static const int rows[7] = {0, 0, 1, 0, 2, 3, 4};
    opsight_fn* slots[7] = {NULL,           opsight_core,  opsight_cuda, NULL,
                            opsight_cudart, opsight_core2, opsight_sync};
    int i;
    if (module < 1 || module > 6 || !slots[module]) return 0;
    for (i = 0; i < sizes[module]; ++i)
        opsight_pointers[rows[module]][i] = slots[module] + i;
    *table = opsight_pointers[rows[module]];
    *count = (unsigned)sizes[module];
    return 1;
}
static void opsight_set_version(uint32_t version) {
    (void)version;
}
static const void* opsight_get_table(uint32_t id) {
    static const struct {
        size_t size;
        int (*module)(int, opsight_fn***, unsigned*);
    } callbacks = {sizeof callbacks, opsight_table};
    static const struct {
        size_t size;
        uint32_t version, reserved;
        void (*set)(uint32_t);
    } version = {sizeof version, NVTX_VERSION, 0, opsight_set_version};
    return id == 1 ? (const void*)&callbacks : id == 3 ? (const void*)&version : NULL;
}

struct opsight_segment {
    size_t id, count;
    intptr_t* slots;
};
struct opsight_info {
    uint16_t version, size, module, compatible;
    size_t segment_count;
    struct opsight_segment* segments;
    void* get_export;
    const void* info;
};

static void opsight_load(void) {
    static const uint16_t modules[3][2] = {{1, 0x0102}, {2, 0x0104}, {4, 0x0102}};
    const char* path = getenv("NVTX_INJECTION64_PATH");
    void* library = path ? dlopen(path, RTLD_LAZY) : NULL;
    int i;
    opsight_is_ready = 1;
    if (!library) return;
    int (*init)(const void* (*)(uint32_t));
    int (*extend)(struct opsight_info*);
    *(void**)&init = dlsym(library, "InitializeInjectionNvtx2");
    *(void**)&extend = dlsym(library, "InitializeInjectionNvtxExtension");
    if (!init || !init(opsight_get_table)) memset(opsight_core, 0, sizeof opsight_core);
    for (i = 0; extend && i < 3; ++i) {
        struct opsight_segment segment = {0, 63, opsight_extension[modules[i][0]]};
        struct opsight_info info = {NVTX_VERSION, sizeof info, modules[i][0], modules[i][1], 1,
                                    &segment,     NULL,        NULL};
        extend(&info);
    }
}

#define OPSIGHT_CALL(table, id, type, none, types, names)          \
    do {                                                           \
        if (!opsight_is_ready) opsight_load();                     \
        return table[id] ? ((type(*) types)table[id])names : none; \
    } while (0)
#define OPSIGHT_RUN(table, id, types, names)             \
    do {                                                 \
        if (!opsight_is_ready) opsight_load();           \
        if (table[id]) ((void(*) types)table[id]) names; \
    } while (0)
#define OPSIGHT_API static inline __attribute__((unused))

OPSIGHT_API void nvtxMarkA(const char* t) {
    OPSIGHT_RUN(opsight_core, 2, (const char*), (t));
}
OPSIGHT_API void nvtxMarkW(const wchar_t* t) {
    OPSIGHT_RUN(opsight_core, 3, (const wchar_t*), (t));
}
OPSIGHT_API nvtxRangeId_t nvtxRangeStartA(const char* t) {
    OPSIGHT_CALL(opsight_core, 5, nvtxRangeId_t, 0, (const char*), (t));
}
OPSIGHT_API void nvtxRangeEnd(nvtxRangeId_t id) {
    OPSIGHT_RUN(opsight_core, 7, (nvtxRangeId_t), (id));
}
OPSIGHT_API int nvtxRangePushEx(const nvtxEventAttributes_t* a) {
    OPSIGHT_CALL(opsight_core, 8, int, -2, (const nvtxEventAttributes_t*), (a));
}
OPSIGHT_API int nvtxRangePushA(const char* t) {
    OPSIGHT_CALL(opsight_core, 9, int, -2, (const char*), (t));
}
OPSIGHT_API int nvtxRangePushW(const wchar_t* t) {
    OPSIGHT_CALL(opsight_core, 10, int, -2, (const wchar_t*), (t));
}
OPSIGHT_API int nvtxRangePop(void) {
    OPSIGHT_CALL(opsight_core, 11, int, -2, (void), ());
}
OPSIGHT_API void nvtxNameCategoryA(uint32_t c, const char* t) {
    OPSIGHT_RUN(opsight_core, 12, (uint32_t, const char*), (c, t));
}
OPSIGHT_API void nvtxNameOsThreadA(uint32_t c, const char* t) {
    OPSIGHT_RUN(opsight_core, 14, (uint32_t, const char*), (c, t));
}
OPSIGHT_API void nvtxDomainMarkEx(nvtxDomainHandle_t d, const nvtxEventAttributes_t* a) {
    OPSIGHT_RUN(opsight_core2, 1, (nvtxDomainHandle_t, const nvtxEventAttributes_t*), (d, a));
}
OPSIGHT_API nvtxRangeId_t nvtxDomainRangeStartEx(nvtxDomainHandle_t d, const nvtxEventAttributes_t* a) {
    OPSIGHT_CALL(opsight_core2, 2, nvtxRangeId_t, 0, (nvtxDomainHandle_t, const nvtxEventAttributes_t*),
                 (d, a));
}
OPSIGHT_API void nvtxDomainRangeEnd(nvtxDomainHandle_t d, nvtxRangeId_t id) {
    OPSIGHT_RUN(opsight_core2, 3, (nvtxDomainHandle_t, nvtxRangeId_t), (d, id));
}
OPSIGHT_API int nvtxDomainRangePushEx(nvtxDomainHandle_t d, const nvtxEventAttributes_t* a) {
    OPSIGHT_CALL(opsight_core2, 4, int, -2, (nvtxDomainHandle_t, const nvtxEventAttributes_t*), (d, a));
}
OPSIGHT_API int nvtxDomainRangePop(nvtxDomainHandle_t d) {
    OPSIGHT_CALL(opsight_core2, 5, int, -2, (nvtxDomainHandle_t), (d));
}
OPSIGHT_API void nvtxDomainNameCategoryA(nvtxDomainHandle_t d, uint32_t c, const char* t) {
    OPSIGHT_RUN(opsight_core2, 8, (nvtxDomainHandle_t, uint32_t, const char*), (d, c, t));
}
OPSIGHT_API nvtxStringHandle_t nvtxDomainRegisterStringA(nvtxDomainHandle_t d, const char* t) {
    OPSIGHT_CALL(opsight_core2, 10, nvtxStringHandle_t, NULL, (nvtxDomainHandle_t, const char*), (d, t));
}
OPSIGHT_API nvtxDomainHandle_t nvtxDomainCreateA(const char* t) {
    OPSIGHT_CALL(opsight_core2, 12, nvtxDomainHandle_t, NULL, (const char*), (t));
}
OPSIGHT_API void nvtxDomainDestroy(nvtxDomainHandle_t d) {
    OPSIGHT_RUN(opsight_core2, 14, (nvtxDomainHandle_t), (d));
}
typedef struct CUstream_st *CUstream, *cudaStream_t;
OPSIGHT_API void nvtxNameCuStreamA(CUstream s, const char* t) {
    OPSIGHT_RUN(opsight_cuda, 5, (CUstream, const char*), (s, t));
}
OPSIGHT_API void nvtxNameCudaDeviceA(int d, const char* t) {
    OPSIGHT_RUN(opsight_cudart, 1, (int, const char*), (d, t));
}
OPSIGHT_API void nvtxNameCudaStreamA(cudaStream_t s, const char* t) {
    OPSIGHT_RUN(opsight_cudart, 3, (cudaStream_t, const char*), (s, t));
}
OPSIGHT_API nvtxSyncUser_t nvtxDomainSyncUserCreate(nvtxDomainHandle_t d, const nvtxSyncUserAttributes_t* a) {
    OPSIGHT_CALL(opsight_sync, 1, nvtxSyncUser_t, NULL, (nvtxDomainHandle_t, const nvtxSyncUserAttributes_t*),
                 (d, a));
}
OPSIGHT_API void nvtxDomainSyncUserAcquireStart(nvtxSyncUser_t s) {
    OPSIGHT_RUN(opsight_sync, 3, (nvtxSyncUser_t), (s));
}
OPSIGHT_API void nvtxDomainSyncUserAcquireSuccess(nvtxSyncUser_t s) {
    OPSIGHT_RUN(opsight_sync, 5, (nvtxSyncUser_t), (s));
}
OPSIGHT_API void nvtxDomainSyncUserReleasing(nvtxSyncUser_t s) {
    OPSIGHT_RUN(opsight_sync, 6, (nvtxSyncUser_t), (s));
}

/* ---- extensions */

typedef struct {
    uint64_t schemaId;
    size_t size;
    const void* payload;
} nvtxPayloadData_t;
typedef struct {
    uint64_t flags, type;
    const char *name, *description;
    uint64_t arrayOrUnionDetail, offset;
    const struct nvtxSemanticsHeader* semantics;
    const void* reserved;
} nvtxPayloadSchemaEntry_t;
typedef struct {
    uint64_t fieldMask;
    const char* name;
    uint64_t type, flags;
    const nvtxPayloadSchemaEntry_t* entries;
    size_t numEntries, payloadStaticSize, packAlign;
    uint64_t schemaId;
    void* extension;
} nvtxPayloadSchemaAttr_t;
typedef struct {
    const char* name;
    uint64_t value;
    int8_t isFlag;
} nvtxPayloadEnum_t;
typedef struct {
    uint64_t fieldMask;
    const char* name;
    const nvtxPayloadEnum_t* entries;
    size_t numEntries, sizeOfEnum;
    uint64_t schemaId;
    void* extension;
} nvtxPayloadEnumAttr_t;
typedef struct nvtxSemanticsHeader {
    uint32_t structSize;
    uint16_t semanticId, version;
    const struct nvtxSemanticsHeader* next;
} nvtxSemanticsHeader_t;
typedef struct {
    nvtxSemanticsHeader_t header;
    uint64_t timeDomainId;
} nvtxSemanticsTime_t;
typedef struct {
    nvtxSemanticsHeader_t header;
    uint64_t flags;
    const char* unit;
    uint64_t unitScaleNumerator, unitScaleDenominator;
    int64_t limitType;
    uint64_t min, max;
} nvtxSemanticsCounter_t;
typedef struct {
    size_t structSize;
    const char* path;
    uint64_t parentScope, scopeId;
} nvtxScopeAttr_t;
typedef struct {
    uint64_t scopeId, timestampTypeId, timeDomainId, timerFlags;
    int64_t timerResolution;
    uint64_t timerStart;
} nvtxTimeDomainAttr_t;
typedef struct {
    uint64_t eventSchemaId;
    size_t size;
    const void* events;
    uint64_t scope, flags;
    const void* flexData;
    size_t flexDataSize, flexDataOffset;
} nvtxEventBatch_t;
typedef struct {
    uint64_t counterId;
    const void* counters;
    size_t countersSize;
    uint64_t flags;
    const int64_t* timestamps;
    size_t timestampsSize;
} nvtxCounterBatch_t;
typedef struct {
    size_t structSize;
    uint64_t schemaId;
    const char *name, *description;
    uint64_t scopeId;
    const nvtxSemanticsHeader_t* semantics;
    uint64_t counterId;
} nvtxCounterAttr_t;
typedef struct nvtxHeap* nvtxMemHeapHandle_t;
typedef struct nvtxRegion* nvtxMemRegionHandle_t;
typedef union {
    const void* pointer;
    nvtxMemRegionHandle_t handle;
} nvtxMemRegionRef_t;
typedef struct {
    size_t size;
    const void* ptr;
} nvtxMemVirtualRangeDesc_t;
typedef struct {
    uint16_t extCompatID, structSize;
    uint32_t reserved0, usage, type;
    size_t typeSpecificDescSize;
    const void* typeSpecificDesc;
    uint32_t category, messageType;
    nvtxMessageValue_t message;
} nvtxMemHeapDesc_t;
typedef struct {
    uint16_t extCompatID, structSize;
    uint32_t regionType;
    nvtxMemHeapHandle_t heap;
    size_t regionCount, regionDescElementSize;
    const void* regionDescElements;
    nvtxMemRegionHandle_t* regionHandleElementsOut;
} nvtxMemRegionsRegisterBatch_t;
typedef struct {
    uint16_t extCompatID, structSize;
    uint32_t refType;
    size_t refCount, refElementSize;
    const nvtxMemRegionRef_t* refElements;
} nvtxMemRegionsUnregisterBatch_t;

typedef struct nvtxPermissions* nvtxMemPermissionsHandle_t;
typedef struct {
    uint32_t flags, regionRefType;
    nvtxMemRegionRef_t region;
} nvtxMemPermissionsAssignRegionDesc_t;
typedef struct {
    uint16_t extCompatID, structSize;
    uint32_t reserved0;
    nvtxMemPermissionsHandle_t permissions;
    size_t regionCount, regionElementSize;
    const nvtxMemPermissionsAssignRegionDesc_t* regionElements;
    size_t reserved1;
} nvtxMemPermissionsAssignBatch_t;

OPSIGHT_API uint64_t nvtxPayloadSchemaRegister(nvtxDomainHandle_t d, const nvtxPayloadSchemaAttr_t* a) {
    OPSIGHT_CALL(opsight_extension[2], 0, uint64_t, 0, (nvtxDomainHandle_t, const nvtxPayloadSchemaAttr_t*),
                 (d, a));
}
OPSIGHT_API uint64_t nvtxPayloadEnumRegister(nvtxDomainHandle_t d, const nvtxPayloadEnumAttr_t* a) {
    OPSIGHT_CALL(opsight_extension[2], 1, uint64_t, 0, (nvtxDomainHandle_t, const nvtxPayloadEnumAttr_t*),
                 (d, a));
}
OPSIGHT_API void nvtxMarkPayload(nvtxDomainHandle_t d, const nvtxPayloadData_t* p, size_t n) {
    OPSIGHT_RUN(opsight_extension[2], 2, (nvtxDomainHandle_t, const nvtxPayloadData_t*, size_t), (d, p, n));
}
OPSIGHT_API int nvtxRangePushPayload(nvtxDomainHandle_t d, const nvtxPayloadData_t* p, size_t n) {
    OPSIGHT_CALL(opsight_extension[2], 3, int, -2, (nvtxDomainHandle_t, const nvtxPayloadData_t*, size_t),
                 (d, p, n));
}
OPSIGHT_API int nvtxRangePopPayload(nvtxDomainHandle_t d, const nvtxPayloadData_t* p, size_t n) {
    OPSIGHT_CALL(opsight_extension[2], 4, int, -2, (nvtxDomainHandle_t, const nvtxPayloadData_t*, size_t),
                 (d, p, n));
}
OPSIGHT_API nvtxRangeId_t nvtxRangeStartPayload(nvtxDomainHandle_t d, const nvtxPayloadData_t* p, size_t n) {
    OPSIGHT_CALL(opsight_extension[2], 5, nvtxRangeId_t, 0,
                 (nvtxDomainHandle_t, const nvtxPayloadData_t*, size_t), (d, p, n));
}
OPSIGHT_API void nvtxRangeEndPayload(nvtxDomainHandle_t d, nvtxRangeId_t id, const nvtxPayloadData_t* p,
                                     size_t n) {
    OPSIGHT_RUN(opsight_extension[2], 6,
                (nvtxDomainHandle_t, nvtxRangeId_t, const nvtxPayloadData_t*, size_t), (d, id, p, n));
}
OPSIGHT_API int64_t nvtxTimestampGet(void) {
    OPSIGHT_CALL(opsight_extension[2], 8, int64_t, 0, (void), ());
}
OPSIGHT_API uint64_t nvtxTimeDomainRegister(nvtxDomainHandle_t d, const nvtxTimeDomainAttr_t* a) {
    OPSIGHT_CALL(opsight_extension[2], 9, uint64_t, 0, (nvtxDomainHandle_t, const nvtxTimeDomainAttr_t*),
                 (d, a));
}
OPSIGHT_API void nvtxTimerSource(nvtxDomainHandle_t d, uint64_t t, uint64_t f, int64_t (*read)(void)) {
    OPSIGHT_RUN(opsight_extension[2], 10, (nvtxDomainHandle_t, uint64_t, uint64_t, int64_t(*)(void)),
                (d, t, f, read));
}
OPSIGHT_API void nvtxTimerSourceWithData(nvtxDomainHandle_t d, uint64_t t, uint64_t f, int64_t (*read)(void*),
                                         void* data) {
    OPSIGHT_RUN(opsight_extension[2], 11, (nvtxDomainHandle_t, uint64_t, uint64_t, int64_t(*)(void*), void*),
                (d, t, f, read, data));
}
OPSIGHT_API uint64_t nvtxScopeRegister(nvtxDomainHandle_t d, const nvtxScopeAttr_t* a) {
    OPSIGHT_CALL(opsight_extension[2], 12, uint64_t, 0, (nvtxDomainHandle_t, const nvtxScopeAttr_t*), (d, a));
}
OPSIGHT_API void nvtxTimeSyncPoint(nvtxDomainHandle_t d, uint64_t a, uint64_t b, int64_t ta, int64_t tb) {
    OPSIGHT_RUN(opsight_extension[2], 13, (nvtxDomainHandle_t, uint64_t, uint64_t, int64_t, int64_t),
                (d, a, b, ta, tb));
}
OPSIGHT_API void nvtxTimestampConversionFactor(nvtxDomainHandle_t d, uint64_t a, uint64_t b, double slope,
                                               int64_t ta, int64_t tb) {
    OPSIGHT_RUN(opsight_extension[2], 15, (nvtxDomainHandle_t, uint64_t, uint64_t, double, int64_t, int64_t),
                (d, a, b, slope, ta, tb));
}
OPSIGHT_API void nvtxEventSubmit(nvtxDomainHandle_t d, const nvtxPayloadData_t* p, size_t n) {
    OPSIGHT_RUN(opsight_extension[2], 16, (nvtxDomainHandle_t, const nvtxPayloadData_t*, size_t), (d, p, n));
}
OPSIGHT_API void nvtxEventBatchSubmit(nvtxDomainHandle_t d, const nvtxEventBatch_t* b) {
    OPSIGHT_RUN(opsight_extension[2], 17, (nvtxDomainHandle_t, const nvtxEventBatch_t*), (d, b));
}
OPSIGHT_API uint8_t nvtxDomainIsEnabled(nvtxDomainHandle_t d) {
    OPSIGHT_CALL(opsight_extension[2], 7, uint8_t, 1, (nvtxDomainHandle_t), (d));
}
OPSIGHT_API uint64_t nvtxCounterRegister(nvtxDomainHandle_t d, const nvtxCounterAttr_t* a) {
    OPSIGHT_CALL(opsight_extension[4], 0, uint64_t, 0, (nvtxDomainHandle_t, const nvtxCounterAttr_t*),
                 (d, a));
}
OPSIGHT_API void nvtxCounterSampleInt64(nvtxDomainHandle_t d, uint64_t c, int64_t v) {
    OPSIGHT_RUN(opsight_extension[4], 1, (nvtxDomainHandle_t, uint64_t, int64_t), (d, c, v));
}
OPSIGHT_API void nvtxCounterSampleFloat64(nvtxDomainHandle_t d, uint64_t c, double v) {
    OPSIGHT_RUN(opsight_extension[4], 2, (nvtxDomainHandle_t, uint64_t, double), (d, c, v));
}
OPSIGHT_API void nvtxCounterSample(nvtxDomainHandle_t d, uint64_t c, const void* v, size_t n) {
    OPSIGHT_RUN(opsight_extension[4], 3, (nvtxDomainHandle_t, uint64_t, const void*, size_t), (d, c, v, n));
}
OPSIGHT_API void nvtxCounterBatchSubmit(nvtxDomainHandle_t d, const nvtxCounterBatch_t* b) {
    OPSIGHT_RUN(opsight_extension[4], 5, (nvtxDomainHandle_t, const nvtxCounterBatch_t*), (d, b));
}
OPSIGHT_API void nvtxMemPermissionsAssign(nvtxDomainHandle_t d, const nvtxMemPermissionsAssignBatch_t* b) {
    OPSIGHT_RUN(opsight_extension[1], 7, (nvtxDomainHandle_t, const nvtxMemPermissionsAssignBatch_t*),
                (d, b));
}
OPSIGHT_API nvtxMemPermissionsHandle_t nvtxMemPermissionsCreate(nvtxDomainHandle_t d, int32_t flags) {
    OPSIGHT_CALL(opsight_extension[1], 8, nvtxMemPermissionsHandle_t, NULL, (nvtxDomainHandle_t, int32_t),
                 (d, flags));
}
OPSIGHT_API void nvtxMemPermissionsDestroy(nvtxDomainHandle_t d, nvtxMemPermissionsHandle_t p) {
    OPSIGHT_RUN(opsight_extension[1], 9, (nvtxDomainHandle_t, nvtxMemPermissionsHandle_t), (d, p));
}
OPSIGHT_API void nvtxMemPermissionsBind(nvtxDomainHandle_t d, nvtxMemPermissionsHandle_t p, uint32_t scope,
                                        uint32_t flags) {
    OPSIGHT_RUN(opsight_extension[1], 11,
                (nvtxDomainHandle_t, nvtxMemPermissionsHandle_t, uint32_t, uint32_t), (d, p, scope, flags));
}
OPSIGHT_API void nvtxMemPermissionsUnbind(nvtxDomainHandle_t d, uint32_t scope) {
    OPSIGHT_RUN(opsight_extension[1], 12, (nvtxDomainHandle_t, uint32_t), (d, scope));
}
OPSIGHT_API nvtxMemHeapHandle_t nvtxMemHeapRegister(nvtxDomainHandle_t d, const nvtxMemHeapDesc_t* h) {
    OPSIGHT_CALL(opsight_extension[1], 0, nvtxMemHeapHandle_t, NULL,
                 (nvtxDomainHandle_t, const nvtxMemHeapDesc_t*), (d, h));
}
OPSIGHT_API void nvtxMemRegionsRegister(nvtxDomainHandle_t d, const nvtxMemRegionsRegisterBatch_t* b) {
    OPSIGHT_RUN(opsight_extension[1], 3, (nvtxDomainHandle_t, const nvtxMemRegionsRegisterBatch_t*), (d, b));
}
OPSIGHT_API void nvtxMemRegionsUnregister(nvtxDomainHandle_t d, const nvtxMemRegionsUnregisterBatch_t* b) {
    OPSIGHT_RUN(opsight_extension[1], 5, (nvtxDomainHandle_t, const nvtxMemRegionsUnregisterBatch_t*),
                (d, b));
}

#endif
