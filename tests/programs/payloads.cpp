// Payloads that refer to more than themselves: pointers to arrays, texts and other payloads, offsets, unions
// that tell their member, the flexible data of a batch; and what the values of counters mean. Each stands in
// a mark that is named for it, and the test knows what is to be seen.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "nvtx.h"

namespace {

nvtxDomainHandle_t domain;

using Entries = std::vector<nvtxPayloadSchemaEntry_t>;

nvtxPayloadSchemaEntry_t entry(uint64_t type, const char* name, uint64_t flags = 0, uint64_t detail = 0,
                               uint64_t offset = 0, const nvtxSemanticsHeader_t* semantics = nullptr) {
    return {flags, type, name, nullptr, detail, offset, semantics, nullptr};
}

uint64_t schema(const Entries& entries, uint64_t type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC, uint64_t flags = 0,
                uint64_t id = 0) {
    nvtxPayloadSchemaAttr_t attributes{};
    attributes.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_FLAGS |
                           NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
                           NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES |
                           (id ? NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_SCHEMA_ID : 0);
    attributes.type = type;
    attributes.flags = flags;
    attributes.entries = entries.data();
    attributes.numEntries = entries.size();
    attributes.schemaId = id;
    return nvtxPayloadSchemaRegister(domain, &attributes);
}

void mark(const char* name, const std::vector<nvtxPayloadData_t>& payloads) {
    nvtxEventAttributes_t attributes{};
    attributes.version = NVTX_VERSION;
    attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
    attributes.message.ascii = name;
    attributes.payloadType = NVTX_PAYLOAD_TYPE_EXT;
    attributes.reserved0 = static_cast<int32_t>(payloads.size());
    attributes.payload.ullValue = reinterpret_cast<uintptr_t>(payloads.data());
    nvtxDomainMarkEx(domain, &attributes);
}

constexpr uint64_t kDeep = NVTX_PAYLOAD_ENTRY_FLAG_POINTER | NVTX_PAYLOAD_ENTRY_FLAG_DEEP_COPY;

void arrays() {
    struct Arrays {
        uint32_t count;
        const int* counted;
        const double* three;
        const uint16_t* ended;
        const uint8_t* raw;
        const char16_t* wide;
        const float* none;
        const int* nowhere;
    };
    const uint64_t id = schema(
        {entry(NVTX_PAYLOAD_ENTRY_TYPE_UINT32, "count"),
         entry(NVTX_PAYLOAD_ENTRY_TYPE_INT, "counted", kDeep | NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_LENGTH_INDEX, 0),
         entry(NVTX_PAYLOAD_ENTRY_TYPE_DOUBLE, "three", kDeep | NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_FIXED_SIZE, 3),
         entry(NVTX_PAYLOAD_ENTRY_TYPE_UINT16, "ended",
               kDeep | NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_ZERO_TERMINATED),
         entry(NVTX_PAYLOAD_ENTRY_TYPE_BYTE, "raw", kDeep | NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_FIXED_SIZE, 2),
         entry(NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF16, "wide", kDeep),
         entry(NVTX_PAYLOAD_ENTRY_TYPE_FLOAT, "none", kDeep | NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_FIXED_SIZE, 9),
         entry(NVTX_PAYLOAD_ENTRY_TYPE_INT, "nowhere", kDeep)},
        NVTX_PAYLOAD_SCHEMA_TYPE_STATIC, NVTX_PAYLOAD_SCHEMA_FLAG_DEEP_COPY);
    // What they point to is gone when the payload is read.
    std::vector<int> counted{-1, 2, -3};
    std::vector<double> three{0.5, 1, 2};
    const uint16_t ended[] = {7, 8, 0, 9};
    const uint8_t raw[] = {0xab, 0x01};
    Arrays arrays{3,   counted.data(), three.data(), ended,
                  raw, u"w\u00efde",   nullptr,      reinterpret_cast<const int*>(0x10)};
    mark("arrays", {{id, sizeof arrays, &arrays}});
    std::fill(counted.begin(), counted.end(), 99);
}

struct Node {
    int value;
    const Node* next;
};

void lists() {
    constexpr uint64_t kNode = (1 << 24) + 5;  // it names itself
    schema({entry(NVTX_PAYLOAD_ENTRY_TYPE_INT, "value"), entry(kNode, "next", kDeep)},
           NVTX_PAYLOAD_SCHEMA_TYPE_STATIC, NVTX_PAYLOAD_SCHEMA_FLAG_DEEP_COPY, kNode);
    const Node third{3, nullptr}, second{2, &third}, first{1, &second};
    mark("a list", {{kNode, sizeof first, &first}});
    Node circle{1, nullptr};
    circle.next = &circle;
    mark("a circle", {{kNode, sizeof circle, &circle}});
    std::vector<Node> chain(100, Node{0, nullptr});
    for (size_t i = 0; i < chain.size(); ++i)
        chain[i] = {static_cast<int>(i), i + 1 < chain.size() ? &chain[i + 1] : nullptr};
    mark("a long list", {{kNode, sizeof chain[0], chain.data()}});
    const std::vector<int> many(20'000, 5);
    struct Many {
        const int* values;
    } large{many.data()};
    const uint64_t id = schema({entry(NVTX_PAYLOAD_ENTRY_TYPE_INT, "values",
                                      kDeep | NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_FIXED_SIZE, many.size())});
    mark("a large array", {{id, sizeof large, &large}});
}

// A pointer that is not to be followed: only into payloads of the same event.
void referenced() {
    struct Shape {
        uint32_t rank;
        const int64_t* sizes;
        const int* elsewhere;
    };
    const uint64_t id =
        schema({entry(NVTX_PAYLOAD_ENTRY_TYPE_UINT32, "rank"),
                entry(NVTX_PAYLOAD_ENTRY_TYPE_INT64, "sizes",
                      NVTX_PAYLOAD_ENTRY_FLAG_POINTER | NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_LENGTH_INDEX, 0),
                entry(NVTX_PAYLOAD_ENTRY_TYPE_INT, "elsewhere", NVTX_PAYLOAD_ENTRY_FLAG_POINTER)});
    const int64_t sizes[] = {0, 32, 64};
    static int not_of_the_event = 1;
    const Shape shape{2, sizes + 1, &not_of_the_event};
    mark("referenced",
         {{NVTX_TYPE_PAYLOAD_SCHEMA_REFERENCED, sizeof sizes, sizes}, {id, sizeof shape, &shape}});

    const uint64_t by_payload = schema(
        {entry(NVTX_PAYLOAD_ENTRY_TYPE_FLOAT, "data", NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_LENGTH_PAYLOAD_INDEX, 0)},
        NVTX_PAYLOAD_SCHEMA_TYPE_DYNAMIC);
    const size_t lengths[] = {2, 2};
    const float data[] = {1, 2, 3, 4};
    mark("by another payload",
         {{NVTX_PAYLOAD_ENTRY_TYPE_SIZE, sizeof lengths, lengths}, {by_payload, sizeof data, data}});

    struct Offsets {
        uint64_t name, value;
        char text[8];
        int number;
    };
    const uint64_t offsets =
        schema({entry(NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, "name", NVTX_PAYLOAD_ENTRY_FLAG_OFFSET_FROM_BASE),
                entry(NVTX_PAYLOAD_ENTRY_TYPE_INT, "value", NVTX_PAYLOAD_ENTRY_FLAG_OFFSET_FROM_HERE)});
    Offsets inside{offsetof(Offsets, text), offsetof(Offsets, number) - offsetof(Offsets, text), "inside",
                   17};
    mark("offsets", {{offsets, sizeof inside, &inside}});
}

void unions() {
    struct Either {
        uint32_t which;
        union {
            int64_t number;
            double real;
            const int* pointed;
        };
    };
    const uint64_t id =
        schema({entry(NVTX_PAYLOAD_ENTRY_TYPE_UNION_SELECTOR, "which"),
                entry(NVTX_PAYLOAD_ENTRY_TYPE_INT64, "number", 0, 0, 8),
                entry(NVTX_PAYLOAD_ENTRY_TYPE_DOUBLE, "real", 0, 0, 8),
                entry(NVTX_PAYLOAD_ENTRY_TYPE_INT, "pointed", kDeep, 0, 8)},
               NVTX_PAYLOAD_SCHEMA_TYPE_UNION_WITH_INTERNAL_SELECTOR, NVTX_PAYLOAD_SCHEMA_FLAG_DEEP_COPY);
    const int far = 42;
    Either one{1, {-7}}, two{2, {}}, three{3, {}}, wrong{9, {}};
    two.real = 2.5;
    three.pointed = &far;
    const uint64_t pair = schema({entry(id, "first"), entry(NVTX_PAYLOAD_ENTRY_TYPE_INT, "behind")});
    struct Pair {
        Either first;
        int behind;
    } both{two, 5};
    mark("union of a number", {{id, sizeof one, &one}});
    mark("union of a real", {{pair, sizeof both, &both}});
    mark("union of a pointer", {{id, sizeof three, &three}});
    mark("union of nothing", {{id, sizeof wrong, &wrong}});
}

// Events that are submitted later, whose texts and arrays stand behind each other in flexible data.
void flexible() {
    struct Event {
        int64_t at;
        uint64_t name;  // an offset
        uint32_t count;
        const int* values;
    };
    const uint64_t id =
        schema({entry(NVTX_PAYLOAD_ENTRY_TYPE_INT64, "at",
                      NVTX_PAYLOAD_ENTRY_FLAG_TIMESTAMP | NVTX_PAYLOAD_ENTRY_FLAG_MARK),
                entry(NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, "name",
                      NVTX_PAYLOAD_ENTRY_FLAG_OFFSET_FROM_BASE | NVTX_PAYLOAD_ENTRY_FLAG_EVENT_MESSAGE),
                entry(NVTX_PAYLOAD_ENTRY_TYPE_UINT32, "count"),
                entry(NVTX_PAYLOAD_ENTRY_TYPE_INT, "values",
                      NVTX_PAYLOAD_ENTRY_FLAG_POINTER | NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_LENGTH_INDEX, 2)});
    struct Flexible {
        char head[16];  // not part of it
        char names[16];
        int values[3];
    } data{"head", "first\0second", {10, 20, 30}};
    const int64_t now = nvtxTimestampGet();
    const Event events[] = {{now, 16, 1, data.values}, {now, 22, 2, data.values + 1}};
    nvtxEventBatch_t batch{};
    batch.eventSchemaId = id;
    batch.size = sizeof events;
    batch.events = events;
    batch.flexData = &data;
    batch.flexDataOffset = offsetof(Flexible, names);
    batch.flexDataSize = sizeof data - batch.flexDataOffset;
    nvtxEventBatchSubmit(domain, &batch);
}

nvtxSemanticsCounter_t meaning(uint64_t flags, const char* unit = nullptr) {
    nvtxSemanticsCounter_t semantics{};
    semantics.header.structSize = sizeof semantics;
    semantics.header.semanticId = NVTX_SEMANTIC_ID_COUNTERS_V1;
    semantics.header.version = 2;
    semantics.flags = flags;
    semantics.unit = unit;
    semantics.unitScaleNumerator = semantics.unitScaleDenominator = 1;
    return semantics;
}

uint64_t counter(const char* name, uint64_t type, const nvtxSemanticsCounter_t* semantics) {
    nvtxCounterAttr_t attributes{};
    attributes.structSize = sizeof attributes;
    attributes.schemaId = type;
    attributes.name = name;
    attributes.semantics = semantics ? &semantics->header : nullptr;
    return nvtxCounterRegister(domain, &attributes);
}

void counters() {
    const nvtxSemanticsCounter_t share = meaning(NVTX_COUNTER_FLAG_NORMALIZE);
    nvtxSemanticsCounter_t limited = meaning(
        NVTX_COUNTER_FLAG_LIMIT_MIN | NVTX_COUNTER_FLAG_LIMIT_MAX | NVTX_COUNTER_FLAG_INTERPOLATION_LINEAR,
        "C");
    limited.limitType = NVTX_COUNTER_LIMIT_I64;
    reinterpret_cast<int64_t&>(limited.min) = -20;
    reinterpret_cast<int64_t&>(limited.max) = 110;
    const uint8_t whole = 255, third = 85;
    const int8_t low = -128, high = 127;
    const uint64_t unsigned_one = counter("share", NVTX_PAYLOAD_ENTRY_TYPE_UINT8, &share);
    const uint64_t signed_one = counter("swing", NVTX_PAYLOAD_ENTRY_TYPE_INT8, &share);
    nvtxCounterSample(domain, unsigned_one, &whole, sizeof whole);
    nvtxCounterSample(domain, unsigned_one, &third, sizeof third);
    nvtxCounterSampleInt64(domain, unsigned_one, 51);
    nvtxCounterSample(domain, signed_one, &low, sizeof low);
    nvtxCounterSample(domain, signed_one, &high, sizeof high);
    // In a group, entries may mean something of their own.
    const uint64_t group = schema({entry(NVTX_PAYLOAD_ENTRY_TYPE_UINT16, "load", 0, 0, 0, &share.header),
                                   entry(NVTX_PAYLOAD_ENTRY_TYPE_INT16, "heat", 0, 0, 0, &limited.header),
                                   entry(NVTX_PAYLOAD_ENTRY_TYPE_INT16, "plain")},
                                  NVTX_PAYLOAD_SCHEMA_TYPE_STATIC, NVTX_PAYLOAD_SCHEMA_FLAG_COUNTER_GROUP);
    const struct {
        uint16_t load;
        int16_t heat, plain;
    } sample{65535, -5, 6};
    nvtxCounterSample(domain, counter("group", group, nullptr), &sample, sizeof sample);
}

}  // namespace

int main() {
    domain = nvtxDomainCreateA("payloads");
    arrays();
    lists();
    referenced();
    unions();
    flexible();
    counters();
    puts("ran");
    return 9;
}
