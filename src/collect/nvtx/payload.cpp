// The payload extension: schemas are written down when a program registers them, payloads as the bytes that
// they are; the import puts both together.
#include <sys/uio.h>
#include <unistd.h>

#include <new>

#include "collect/nvtx/ranges.h"
#include "wire/nvtx_schema.h"

namespace opsight::nvtx {
namespace {

// What a payload's copy needs of its schema.
struct KnownSchema {
    std::atomic<uint64_t> key{0};
    uint64_t size = 0;
    uint32_t texts = 0;  // addresses of texts lie at these offsets
    uint32_t text_at[8] = {};
};
constexpr size_t kSchemas = 4096;
KnownSchema g_schemas[kSchemas];

uint64_t key_of(uint32_t domain, uint64_t schema) {
    return collect::mix(schema ^ collect::kMixA, uint64_t{domain} + 1) | 1;
}

const KnownSchema* find_schema(uint32_t domain, uint64_t schema) {
    const uint64_t key = key_of(domain, schema);
    for (size_t i = 0; i < 16; ++i) {
        const KnownSchema& at = g_schemas[(key + i) % kSchemas];
        const uint64_t found = at.key.load(std::memory_order_acquire);
        if (found == key) return &at;
        if (found == 0) return nullptr;
    }
    return nullptr;
}

void remember(uint32_t domain, uint64_t schema, const SchemaAttributes& from, size_t count) {
    const uint64_t key = key_of(domain, schema);
    KnownSchema* place = nullptr;
    for (size_t i = 0; i < 16 && !place; ++i) {
        uint64_t empty = 0;
        KnownSchema& at = g_schemas[(key + i) % kSchemas];
        // Marked as taken first, so that two threads never fill one place.
        if (at.key.compare_exchange_strong(empty, 2)) place = &at;
        if (empty == key) return;
    }
    if (!place) return;
    place->size = from.fields & kSchemaSize ? from.static_size : 0;
    for (size_t i = 0; i < count && place->texts < std::size(place->text_at); ++i) {
        const SchemaEntry& entry = from.entries[i];
        if ((i == 0 || entry.offset != 0) &&
            wire::schema::is_text_address(entry.type, entry.flags, entry.detail))
            place->text_at[place->texts++] = static_cast<uint32_t>(entry.offset);
    }
    place->key.store(key, std::memory_order_release);
}

// Bytes for a definition, on the stack: a schema that is longer is cut at an entry.
class Blob {
  public:
    bool add(const void* from, size_t bytes) {
        if (bytes == 0) return true;
        if (bytes > sizeof bytes_ - used_) return false;
        std::memcpy(bytes_ + used_, from, bytes);
        used_ += bytes;
        return true;
    }
    void* at(size_t offset) { return bytes_ + offset; }
    std::string_view view() const { return {bytes_, used_}; }

  private:
    size_t used_ = 0;
    char bytes_[wire::kMaxPayload];
};

size_t length_of(const char* text) {
    return text ? strnlen(text, 512) : 0;
}

// `entry(i)` gives the entry and its name.
template <class Entry>
void define_schema(wire::NvtxFact fact, uint32_t domain, uint64_t id, wire::NvtxSchemaHead head,
                   const char* name, size_t count, Entry&& entry) {
    Blob blob;
    count = std::min<size_t>(count, wire::kMostSchemaEntries);
    head.name_length = static_cast<uint32_t>(length_of(name));
    blob.add(&head, sizeof head);
    for (size_t i = 0; i < count; ++i) {
        const std::pair<wire::NvtxSchemaEntry, const char*> one = entry(i);
        blob.add(&one.first, sizeof one.first);
    }
    bool fits = blob.add(name, head.name_length);
    for (size_t i = 0; i < count && fits; ++i) {
        const char* text = entry(i).second;
        fits = blob.add(text, length_of(text));
    }
    head.entries = static_cast<uint32_t>(count);
    std::memcpy(blob.at(0), &head, sizeof head);
    define(fact, domain, id, blob.view());
}

uint64_t schema_register(const void* domain, const SchemaAttributes* from) {
    if (!from || !(from->fields & kSchemaEntries) || !from->entries) return 0;
    const size_t count = from->fields & kSchemaCount ? from->entry_count : 0;
    const uint64_t id = from->fields & kSchemaId && from->id ? from->id : next_dynamic_id();
    wire::NvtxSchemaHead head{};
    head.type = from->fields & kSchemaType ? from->type : wire::schema::kStatic;
    head.flags = from->fields & kSchemaFlags ? from->flags : 0;
    head.size = from->fields & kSchemaSize ? from->static_size : 0;
    head.pack = from->fields & kSchemaPack ? from->pack : 0;
    const uint32_t number = domain_of(domain).number;
    remember(number, id, *from, count);
    define_schema(wire::NvtxFact::kSchema, number, id, head,
                  from->fields & kSchemaName ? from->name : nullptr, count, [&](size_t i) {
                      const SchemaEntry& entry = from->entries[i];
                      wire::NvtxSchemaEntry out{entry.flags, entry.type, entry.detail, entry.offset,
                                                length_of(entry.name)};
                      return std::pair(out, entry.name);
                  });
    return id;
}

uint64_t enum_register(const void* domain, const EnumAttributes* from) {
    if (!from || !(from->fields & kEnumEntries) || !from->entries) return 0;
    const size_t count = from->fields & kEnumCount ? from->entry_count : 0;
    const uint64_t id = from->fields & kEnumId && from->id ? from->id : next_dynamic_id();
    wire::NvtxSchemaHead head{};
    head.size = from->fields & kEnumSize ? from->size : sizeof(int);
    define_schema(wire::NvtxFact::kEnum, domain_of(domain).number, id, head,
                  from->fields & kEnumName ? from->name : nullptr, count, [&](size_t i) {
                      const EnumEntry& entry = from->entries[i];
                      wire::NvtxSchemaEntry out{entry.is_flag != 0, entry.value, 0, 0, length_of(entry.name)};
                      return std::pair(out, entry.name);
                  });
    return id;
}

uint64_t scope_register(const void* domain, const ScopeAttributes* from) {
    if (!from || from->struct_size < sizeof *from) return 0;
    const uint64_t id = from->id ? from->id : next_dynamic_id();
    define(wire::NvtxFact::kScope, domain_of(domain).number, id, from->path ? from->path : "", from->parent);
    return id;
}

void append_data(ThreadState& state, wire::NvtxDataKind kind, uint64_t id, const void* from, size_t size,
                 uint32_t domain) {
    if (size > wire::kMaxPayload) {
        state.stream.writer().count_lost();  // a part of it would be taken for the whole
        return;
    }
    const size_t bytes = sizeof(wire::NvtxDataRecord) + ((size + 7) & ~size_t{7});
    char* at = state.stream.reserve(bytes);
    if (!at) return;
    wire::NvtxDataRecord record{};
    record.header = {static_cast<uint16_t>(wire::RecordType::kNvtxData), static_cast<uint16_t>(bytes)};
    record.kind = kind;
    record.id = id;
    record.length = static_cast<uint32_t>(size);
    record.domain = domain;
    std::memcpy(at, &record, sizeof record);
    if (size > 0) std::memcpy(at + sizeof record, from, size);
    state.stream.commit(bytes);
}

// The text that a payload points to. Read through the kernel, which answers with an error where the address
// is none.
void append_text_at(ThreadState& state, const char* address, uint32_t domain) {
    char text[1024];
    size_t length = 0;
    constexpr uintptr_t kPage = 4096;
    while (length < sizeof text) {
        const uintptr_t at = reinterpret_cast<uintptr_t>(address) + length;
        const size_t part = std::min<size_t>(sizeof text - length, kPage - at % kPage);
        iovec here{text + length, part}, there{reinterpret_cast<void*>(at), part};
        if (process_vm_readv(getpid(), &here, 1, &there, 1, 0) != static_cast<ssize_t>(part)) break;
        const size_t found = strnlen(text + length, part);
        length += found;
        if (found < part) {
            append_data(state, wire::NvtxDataKind::kText, reinterpret_cast<uintptr_t>(address), text, length,
                        domain);
            return;
        }
    }
    append_data(state, wire::NvtxDataKind::kText, reinterpret_cast<uintptr_t>(address), text, length, domain);
}

// ---- events

Event event_of(const void* domain, const PayloadData* payloads, size_t count) {
    return {&domain_of(domain), {}, 0, 0, false, nullptr, payloads, payloads ? count : 0};
}
void mark_payload(const void* domain, const PayloadData* payloads, size_t count) {
    mark(event_of(domain, payloads, count));
}
int push_payload(const void* domain, const PayloadData* payloads, size_t count) {
    return push(event_of(domain, payloads, count));
}
int pop_payload(const void* domain, const PayloadData*, size_t) {
    return pop(domain_of(domain));
}
uint64_t start_payload(const void* domain, const PayloadData* payloads, size_t count) {
    return start(event_of(domain, payloads, count));
}
void end_payload(const void*, uint64_t id, const PayloadData*, size_t) {
    end(id);
}
uint8_t is_enabled(const void* domain) {
    return domain_of(domain).every != 0;
}
int64_t timestamp() {
    return static_cast<int64_t>(wire::read_ticks(wire::best_clock()));
}
uint64_t time_domain_register(const void*, const TimeDomainAttributes* from) {
    return from && from->id ? from->id : next_dynamic_id();
}
void submit(const void* domain, const PayloadData* payloads, size_t count) {
    Call call;
    for (size_t i = 0; call && payloads && i < count; ++i)
        append_data(*call, wire::NvtxDataKind::kDeferred, payloads[i].schema, payloads[i].payload,
                    payloads[i].size, domain_of(domain).number);
}
void submit_batch(const void* domain, const EventBatch* batch) {
    if (!batch || !batch->events) return;
    const uint32_t number = domain_of(domain).number;
    const KnownSchema* schema = find_schema(number, batch->schema);
    const size_t size = schema ? schema->size : 0;
    Call call;
    if (!call) return;
    if (size == 0) return call->stream.writer().count_lost();
    const char* at = static_cast<const char*>(batch->events);
    for (size_t left = batch->size; left >= size; left -= size, at += size)
        append_data(*call, wire::NvtxDataKind::kDeferred, batch->schema, at, size, number);
}

}  // namespace

void append_payloads(ThreadState& state, const PayloadData* payloads, size_t count, uint32_t domain) {
    constexpr size_t kMost = 16;
    for (size_t i = 0; payloads && i < count && i < kMost; ++i) {
        const PayloadData& from = payloads[i];
        const KnownSchema* schema = find_schema(domain, from.schema);
        const size_t size = from.size != SIZE_MAX ? from.size : schema ? schema->size : 0;
        if (!from.payload || size == 0) continue;
        append_data(state, wire::NvtxDataKind::kPayload, from.schema, from.payload, size, domain);
        for (uint32_t text = 0; schema && text < schema->texts; ++text) {
            const char* address = nullptr;
            if (schema->text_at[text] + sizeof address > size) continue;
            std::memcpy(&address, static_cast<const char*>(from.payload) + schema->text_at[text],
                        sizeof address);
            if (address) append_text_at(state, address, domain);
        }
    }
}

void fill_payload(const ExtensionSegment& segment) {
    fill(segment, kSchemaRegister, schema_register);
    fill(segment, kEnumRegister, enum_register);
    fill(segment, kMarkPayload, mark_payload);
    fill(segment, kRangePushPayload, push_payload);
    fill(segment, kRangePopPayload, pop_payload);
    fill(segment, kRangeStartPayload, start_payload);
    fill(segment, kRangeEndPayload, end_payload);
    fill(segment, kDomainIsEnabled, is_enabled);
    fill(segment, kTimestampGet, timestamp);
    fill(segment, kTimeDomainRegister, time_domain_register);
    fill(segment, kScopeRegister, scope_register);
    fill(segment, kEventSubmit, submit);
    fill(segment, kEventBatchSubmit, submit_batch);
}

}  // namespace opsight::nvtx
