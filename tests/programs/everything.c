/* Calls all of NVTX once, with values that the test knows. */
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "nvtx.h"

static nvtxRangeId_t crossing;

static void* other_thread(void* unused) {
    (void)unused;
    nvtxNameOsThreadA((uint32_t)syscall(SYS_gettid), "the other thread");
    nvtxRangePushA("in the other thread");
    nvtxRangeEnd(crossing);
    nvtxRangePop();
    return NULL;
}

static nvtxEventAttributes_t attributes(const char* text) {
    nvtxEventAttributes_t a;
    memset(&a, 0, sizeof a);
    a.version = NVTX_VERSION;
    a.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    a.messageType = NVTX_MESSAGE_TYPE_ASCII;
    a.message.ascii = text;
    return a;
}

/* More ranges at a time than a tool may care to remember, ended in the order of their starts. */
static void many_open(void) {
    nvtxRangeId_t ids[100];
    for (int i = 0; i < 100; ++i)
        ids[i] = nvtxRangeStartA("one of a hundred");
    for (int i = 0; i < 100; ++i)
        nvtxRangeEnd(ids[i]);
}

static void plain(void) {
    int outer = nvtxRangePushA("outer"), inner = nvtxRangePushW(L"inner \u00e9\u4e16");
    int after_inner = nvtxRangePop(), after_outer = nvtxRangePop(), too_many = nvtxRangePop();
    nvtxMarkA("a mark");
    nvtxMarkW(L"a wide mark");
    nvtxRangeEnd(nvtxRangeStartA("started and ended"));
    nvtxRangeStartA("never ended");
    many_open();
    printf("depths %d %d %d %d %d\n", outer, inner, after_inner, after_outer, too_many < 0 ? -1 : too_many);
}

static void domains(void) {
    nvtxDomainHandle_t domain = nvtxDomainCreateA("test.domain"), again = nvtxDomainCreateA("test.domain");
    nvtxStringHandle_t text = nvtxDomainRegisterStringA(domain, "registered text");
    nvtxEventAttributes_t a = attributes(NULL);
    nvtxDomainNameCategoryA(domain, 7, "seventh");
    a.category = 7;
    a.colorType = NVTX_COLOR_ARGB;
    a.color = 0xff336699;
    a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    a.message.registered = text;
    a.payloadType = NVTX_PAYLOAD_TYPE_INT64;
    a.payload.llValue = -42;
    nvtxDomainRangePushEx(domain, &a);
    /* Domains interleave: each has a stack of its own. */
    nvtxRangePushA("default domain");
    nvtxDomainRangePop(domain);
    nvtxRangePop();
    a.payloadType = NVTX_PAYLOAD_TYPE_FLOAT;
    a.payload.fValue = 1.5f;
    nvtxDomainRangeEnd(domain, nvtxDomainRangeStartEx(again, &a));
    nvtxDomainDestroy(domain);
}

static void numbers(void) {
    nvtxEventAttributes_t a = attributes("payloads");
    a.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
    a.payload.ullValue = 1;
    nvtxDomainMarkEx(NULL, &a);
    a.payloadType = NVTX_PAYLOAD_TYPE_DOUBLE;
    a.payload.dValue = 2.5;
    nvtxDomainMarkEx(NULL, &a);
    a.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT32;
    a.payload.uiValue = 3;
    nvtxDomainMarkEx(NULL, &a);
    a.payloadType = NVTX_PAYLOAD_TYPE_INT32;
    a.payload.iValue = -4;
    nvtxDomainMarkEx(NULL, &a);
}

struct job {
    int kind;
    double load[2];
    uint64_t bytes;
    const char* name;
};

static void counters(nvtxDomainHandle_t domain, uint64_t id) {
    nvtxCounterAttr_t counter;
    memset(&counter, 0, sizeof counter);
    counter.structSize = sizeof counter;
    counter.schemaId = NVTX_PAYLOAD_ENTRY_TYPE_INT64;
    counter.name = "queue";
    const uint64_t queue = nvtxCounterRegister(domain, &counter);
    nvtxCounterSampleInt64(domain, queue, 5);
    nvtxCounterSampleInt64(domain, queue, 9);
    counter.schemaId = id;
    counter.name = "group";
    const uint64_t group = nvtxCounterRegister(domain, &counter);
    const struct job sample = {1, {10, 20}, 30, NULL};
    nvtxCounterSample(domain, group, &sample, sizeof sample);
}

static uint64_t register_kind(nvtxDomainHandle_t domain) {
    const nvtxPayloadEnum_t kinds[] = {{"read", 1, 0}, {"write", 2, 0}};
    nvtxPayloadEnumAttr_t kind;
    memset(&kind, 0, sizeof kind);
    kind.fieldMask = NVTX_PAYLOAD_ENUM_ATTR_FIELD_NAME | NVTX_PAYLOAD_ENUM_ATTR_FIELD_ENTRIES |
                     NVTX_PAYLOAD_ENUM_ATTR_FIELD_NUM_ENTRIES | NVTX_PAYLOAD_ENUM_ATTR_FIELD_SIZE;
    kind.name = "kind";
    kind.entries = kinds;
    kind.numEntries = 2;
    kind.sizeOfEnum = sizeof(int);
    return nvtxPayloadEnumRegister(domain, &kind);
}

static void schemas(void) {
    nvtxDomainHandle_t domain = nvtxDomainCreateA("schemas");
    nvtxPayloadSchemaEntry_t entries[4];
    nvtxPayloadSchemaAttr_t schema;
    uint64_t id;
    memset(entries, 0, sizeof entries);
    entries[0].type = register_kind(domain);
    entries[0].name = "kind";
    entries[1].flags = NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_FIXED_SIZE;
    entries[1].type = NVTX_PAYLOAD_ENTRY_TYPE_DOUBLE;
    entries[1].name = "load";
    entries[1].arrayOrUnionDetail = 2;
    entries[1].offset = offsetof(struct job, load);
    entries[2].type = NVTX_PAYLOAD_ENTRY_TYPE_UINT64;
    entries[2].name = "bytes";
    entries[2].offset = offsetof(struct job, bytes);
    entries[3].type = NVTX_PAYLOAD_ENTRY_TYPE_CSTRING;
    entries[3].name = "name";
    entries[3].offset = offsetof(struct job, name);
    memset(&schema, 0, sizeof schema);
    schema.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NAME | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE |
                       NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES |
                       NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE;
    schema.name = "job";
    schema.type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC;
    schema.entries = entries;
    schema.numEntries = 4;
    schema.payloadStaticSize = sizeof(struct job);
    id = nvtxPayloadSchemaRegister(domain, &schema);
    {
        const struct job job = {2, {0.5, 1.5}, 4096, "checkpoint"};
        const nvtxPayloadData_t data = {id, sizeof job, &job};
        nvtxEventAttributes_t a = attributes("with a schema");
        a.payloadType = NVTX_PAYLOAD_TYPE_EXT;
        a.reserved0 = 1;
        a.payload.ullValue = (uint64_t)(uintptr_t)&data;
        nvtxDomainRangePushEx(domain, &a);
        nvtxDomainRangePop(domain);
        nvtxRangePushPayload(domain, &data, 1);
        nvtxRangePopPayload(domain, &data, 1);
    }
    counters(domain, id);
}

static void memory(void) {
    static char pool[4096];
    nvtxMemHeapDesc_t heap;
    nvtxMemRegionsRegisterBatch_t batch;
    nvtxMemRegionsUnregisterBatch_t gone;
    const nvtxMemVirtualRangeDesc_t all = {sizeof pool, pool};
    const nvtxMemVirtualRangeDesc_t regions[2] = {{1000, pool}, {200, pool + 1000}};
    nvtxMemRegionHandle_t handles[2];
    nvtxMemRegionRef_t reference;
    memset(&heap, 0, sizeof heap);
    heap.extCompatID = NVTX_EXT_COMPATID_MEM;
    heap.structSize = sizeof heap;
    heap.usage = NVTX_MEM_HEAP_USAGE_TYPE_SUB_ALLOCATOR;
    heap.type = NVTX_MEM_TYPE_VIRTUAL_ADDRESS;
    heap.typeSpecificDescSize = sizeof all;
    heap.typeSpecificDesc = &all;
    heap.messageType = NVTX_MESSAGE_TYPE_ASCII;
    heap.message.ascii = "pool";
    memset(&batch, 0, sizeof batch);
    batch.extCompatID = NVTX_EXT_COMPATID_MEM;
    batch.structSize = sizeof batch;
    batch.regionType = NVTX_MEM_TYPE_VIRTUAL_ADDRESS;
    batch.heap = nvtxMemHeapRegister(NULL, &heap);
    batch.regionCount = 2;
    batch.regionDescElementSize = sizeof regions[0];
    batch.regionDescElements = regions;
    batch.regionHandleElementsOut = handles;
    nvtxMemRegionsRegister(NULL, &batch);
    reference.pointer = pool;
    memset(&gone, 0, sizeof gone);
    gone.extCompatID = NVTX_EXT_COMPATID_MEM;
    gone.structSize = sizeof gone;
    gone.refType = NVTX_MEM_REGION_REF_TYPE_POINTER;
    gone.refCount = 1;
    gone.refElementSize = sizeof reference;
    gone.refElements = &reference;
    nvtxMemRegionsUnregister(NULL, &gone);
}

static void locks(void) {
    nvtxSyncUserAttributes_t a;
    nvtxSyncUser_t lock;
    memset(&a, 0, sizeof a);
    a.version = NVTX_VERSION;
    a.size = NVTX_SYNCUSER_ATTRIB_STRUCT_SIZE;
    a.messageType = NVTX_MESSAGE_TYPE_ASCII;
    a.message.ascii = "the lock";
    lock = nvtxDomainSyncUserCreate(NULL, &a);
    nvtxDomainSyncUserAcquireStart(lock);
    nvtxDomainSyncUserAcquireSuccess(lock);
    nvtxDomainSyncUserReleasing(lock);
}

int main(void) {
    pthread_t thread;
    nvtxNameOsThreadA((uint32_t)getpid(), "the main thread");
    plain();
    domains();
    numbers();
    schemas();
    memory();
    locks();
    crossing = nvtxRangeStartA("across threads");
    pthread_create(&thread, NULL, other_thread, NULL);
    pthread_join(thread, NULL);
    return 7;
}
