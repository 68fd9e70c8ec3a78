// What programs tell of events afterwards: payloads of ends, and events, marks and counters that they submit
// later, on clocks of their own. Each of those lies within "around", as the test checks.
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <vector>

#include "nvtx.h"

namespace {

int64_t clock_ns(clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}
// Clocks that nobody knows: one that can be asked, and one that only moments and a factor tell of.
int64_t own_clock() {
    return clock_ns(CLOCK_MONOTONIC) / 3 + 12345;
}
int64_t with_data(void* factor) {
    return clock_ns(CLOCK_MONOTONIC) / *static_cast<int64_t*>(factor);
}
int64_t double_clock() {
    return clock_ns(CLOCK_MONOTONIC) * 2 - 777;
}

struct Range {
    int64_t begin, end;
    const char* name;
    uint32_t category;
};
struct Mark {
    int64_t at;
    const char* name;
};
struct Sample {
    int64_t at;
    int64_t value;
};

nvtxSemanticsTime_t on_clock(uint64_t clock) {
    nvtxSemanticsTime_t semantics{};
    semantics.header.structSize = sizeof semantics;
    semantics.header.semanticId = NVTX_SEMANTIC_ID_TIME_V1;
    semantics.header.version = 1;
    semantics.timeDomainId = clock;
    return semantics;
}

uint64_t register_schema(nvtxDomainHandle_t domain, const std::vector<nvtxPayloadSchemaEntry_t>& entries) {
    nvtxPayloadSchemaAttr_t schema{};
    // No size is told: the tool has to find it out.
    schema.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
                       NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES;
    schema.type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC;
    schema.entries = entries.data();
    schema.numEntries = entries.size();
    return nvtxPayloadSchemaRegister(domain, &schema);
}

uint64_t range_schema(nvtxDomainHandle_t domain, const nvtxSemanticsTime_t* clock) {
    const nvtxSemanticsHeader_t* time = clock ? &clock->header : nullptr;
    return register_schema(
        domain, {{NVTX_PAYLOAD_ENTRY_FLAG_TIMESTAMP | NVTX_PAYLOAD_ENTRY_FLAG_RANGE_BEGIN,
                  NVTX_PAYLOAD_ENTRY_TYPE_INT64, "begin", nullptr, 0, 0, time, nullptr},
                 {NVTX_PAYLOAD_ENTRY_FLAG_TIMESTAMP | NVTX_PAYLOAD_ENTRY_FLAG_RANGE_END,
                  NVTX_PAYLOAD_ENTRY_TYPE_INT64, "end", nullptr, 0, 0, time, nullptr},
                 {NVTX_PAYLOAD_ENTRY_FLAG_EVENT_MESSAGE, NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, "name", nullptr, 0,
                  0, nullptr, nullptr},
                 {0, NVTX_PAYLOAD_ENTRY_TYPE_CATEGORY, "category", nullptr, 0, 0, nullptr, nullptr}});
}

uint64_t time_domain(nvtxDomainHandle_t domain, uint64_t type, uint64_t scope = 0) {
    nvtxTimeDomainAttr_t attributes{};
    attributes.scopeId = scope;
    attributes.timestampTypeId = type;
    return nvtxTimeDomainRegister(domain, &attributes);
}

void submit(nvtxDomainHandle_t domain, uint64_t schema, const Range& range, uint64_t scope = 0) {
    nvtxEventBatch_t batch{};
    batch.eventSchemaId = schema;
    batch.size = sizeof range;
    batch.events = &range;
    batch.scope = scope;
    nvtxEventBatchSubmit(domain, &batch);
}

uint64_t counter(nvtxDomainHandle_t domain, const char* name, uint64_t schema,
                 const nvtxSemanticsHeader_t* more) {
    nvtxCounterAttr_t attributes{};
    attributes.structSize = sizeof attributes;
    attributes.schemaId = schema;
    attributes.name = name;
    attributes.semantics = more;
    return nvtxCounterRegister(domain, &attributes);
}

void counters(nvtxDomainHandle_t domain, const nvtxSemanticsTime_t& clock, int64_t first, int64_t step) {
    nvtxSemanticsCounter_t unit{};
    unit.header.structSize = sizeof unit;
    unit.header.semanticId = NVTX_SEMANTIC_ID_COUNTERS_V1;
    unit.header.next = &clock.header;
    unit.flags = NVTX_COUNTER_FLAG_VALUETYPE_DELTA;
    unit.unit = "requests";
    unit.unitScaleNumerator = unit.unitScaleDenominator = 1;
    const int64_t values[] = {5, 7, -2}, times[] = {first, first + step, first + 2 * step};
    nvtxCounterBatch_t batch{};
    batch.counterId = counter(domain, "each", NVTX_PAYLOAD_ENTRY_TYPE_INT64, &unit.header);
    batch.counters = values;
    batch.countersSize = sizeof values;
    batch.timestamps = times;
    batch.timestampsSize = sizeof times;
    nvtxCounterBatchSubmit(domain, &batch);

    const int64_t begin_and_step[] = {first, step};
    batch.counterId = counter(domain, "steps", NVTX_PAYLOAD_ENTRY_TYPE_INT64, &clock.header);
    batch.flags = uint64_t{1} << 32;  // begin and interval; NVIDIA's header writes it as an int
    batch.timestamps = begin_and_step;
    batch.timestampsSize = sizeof begin_and_step;
    nvtxCounterBatchSubmit(domain, &batch);

    const uint64_t schema = register_schema(
        domain, {{NVTX_PAYLOAD_ENTRY_FLAG_TIMESTAMP, NVTX_PAYLOAD_ENTRY_TYPE_INT64, "at", nullptr, 0, 0,
                  &clock.header, nullptr},
                 {0, NVTX_PAYLOAD_ENTRY_TYPE_INT64, "value", nullptr, 0, 0, nullptr, nullptr}});
    const Sample samples[] = {{first, 1}, {first + step, 2}};
    batch = {};
    batch.counterId = counter(domain, "inside", schema, nullptr);
    batch.counters = samples;
    batch.countersSize = sizeof samples;
    nvtxCounterBatchSubmit(domain, &batch);
}

void permissions() {
    static char memory[64];
    nvtxMemPermissionsAssignRegionDesc_t region{};
    region.flags = NVTX_MEM_PERMISSIONS_REGION_FLAGS_READ;
    region.regionRefType = NVTX_MEM_REGION_REF_TYPE_POINTER;
    region.region.pointer = memory;
    nvtxMemPermissionsAssignBatch_t batch{};
    batch.extCompatID = NVTX_EXT_COMPATID_MEM;
    batch.structSize = sizeof batch;
    batch.permissions = nvtxMemPermissionsCreate(nullptr, 0);
    batch.regionCount = 1;
    batch.regionElementSize = sizeof region;
    batch.regionElements = &region;
    nvtxMemPermissionsAssign(nullptr, &batch);
    nvtxMemPermissionsBind(nullptr, batch.permissions, NVTX_MEM_PERMISSIONS_BIND_SCOPE_CPU_THREAD, 0);
    nvtxMemPermissionsUnbind(nullptr, NVTX_MEM_PERMISSIONS_BIND_SCOPE_CPU_THREAD);
    nvtxMemPermissionsDestroy(nullptr, batch.permissions);
}

void ends(nvtxDomainHandle_t domain) {
    const uint64_t result = register_schema(
        domain, {{0, NVTX_PAYLOAD_ENTRY_TYPE_UINT64, "bytes", nullptr, 0, 0, nullptr, nullptr}});
    const uint64_t renamed =
        register_schema(domain, {{NVTX_PAYLOAD_ENTRY_FLAG_EVENT_MESSAGE, NVTX_PAYLOAD_ENTRY_TYPE_CSTRING,
                                  "name", nullptr, 0, 0, nullptr, nullptr}});
    const uint64_t one = 1, two = 2;
    const char* name = "named at its end";
    const nvtxPayloadData_t first{result, sizeof one, &one}, second{result, sizeof two, &two};
    const nvtxPayloadData_t third{renamed, sizeof name, &name};
    const nvtxPayloadData_t text{NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, SIZE_MAX, "a text alone"};
    nvtxEventAttributes_t attributes{};
    attributes.version = NVTX_VERSION;
    attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
    attributes.message.ascii = "outer";
    nvtxDomainRangePushEx(domain, &attributes);
    nvtxRangePushPayload(domain, &first, 1);
    nvtxRangePopPayload(domain, &third, 1);
    nvtxRangePopPayload(domain, &second, 1);
    nvtxRangeEndPayload(domain, nvtxRangeStartPayload(domain, &first, 1), &text, 1);
}

}  // namespace

int main() {
    nvtxDomainHandle_t domain = nvtxDomainCreateA("later");
    nvtxDomainNameCategoryA(domain, 4, "fourth");
    static int64_t factor = 5;
    nvtxScopeAttr_t scope_attributes{sizeof scope_attributes, "device", 0, 0};
    const uint64_t scope = nvtxScopeRegister(domain, &scope_attributes);
    const uint64_t own = time_domain(domain, NVTX_TIMESTAMP_TYPE_NONE);
    const uint64_t scoped = time_domain(domain, NVTX_TIMESTAMP_TYPE_NONE, scope);
    const uint64_t twice = time_domain(domain, NVTX_TIMESTAMP_TYPE_NONE);
    nvtxTimerSource(domain, own, 0, own_clock);
    nvtxTimerSourceWithData(domain, scoped, 0, with_data, &factor);
    nvtxTimestampConversionFactor(domain, twice, NVTX_TIMESTAMP_TYPE_CPU_CLOCK_GETTIME_MONOTONIC, 0.5,
                                  1'000'001, 500'389);
    const nvtxSemanticsTime_t on_own = on_clock(own), on_twice = on_clock(twice);
    const nvtxSemanticsTime_t on_raw = on_clock(NVTX_TIMESTAMP_TYPE_CPU_CLOCK_GETTIME_MONOTONIC_RAW);
    const uint64_t own_range = range_schema(domain, &on_own), raw_range = range_schema(domain, &on_raw);
    const uint64_t twice_range = range_schema(domain, &on_twice), plain_range = range_schema(domain, nullptr);
    ends(domain);
    permissions();

    nvtxRangePushA("around");
    Range ranges[5] = {{own_clock(), 0, "on its own clock", 4},
                       {clock_ns(CLOCK_MONOTONIC_RAW), 0, "on a raw clock", 0},
                       {double_clock(), 0, "by a factor", 0},
                       {with_data(&factor), 0, "by its scope", 0},
                       {nvtxTimestampGet(), 0, "on the tool's clock", 0}};
    usleep(20'000);
    const int64_t ends[5] = {own_clock(), clock_ns(CLOCK_MONOTONIC_RAW), double_clock(), with_data(&factor),
                             nvtxTimestampGet()};
    const Mark mark{nvtxTimestampGet(), "a mark of before"};
    nvtxRangePop();
    for (int i = 0; i < 5; ++i)
        ranges[i].end = ends[i];
    submit(domain, own_range, ranges[0]);
    submit(domain, raw_range, ranges[1]);
    submit(domain, twice_range, ranges[2]);
    submit(domain, plain_range, ranges[3], scope);
    submit(domain, plain_range, ranges[4]);
    const uint64_t marks =
        register_schema(domain, {{NVTX_PAYLOAD_ENTRY_FLAG_TIMESTAMP | NVTX_PAYLOAD_ENTRY_FLAG_MARK,
                                  NVTX_PAYLOAD_ENTRY_TYPE_INT64, "at", nullptr, 0, 0, nullptr, nullptr},
                                 {NVTX_PAYLOAD_ENTRY_FLAG_EVENT_MESSAGE, NVTX_PAYLOAD_ENTRY_TYPE_CSTRING,
                                  "name", nullptr, 0, 0, nullptr, nullptr}});
    const nvtxPayloadData_t data{marks, sizeof mark, &mark};
    nvtxEventSubmit(domain, &data, 1);
    counters(domain, on_own, ranges[0].begin, (ranges[0].end - ranges[0].begin) / 4);
    puts("ran");
    return 9;
}
