// The payload extension: payloads are written down as the bytes that they are; the import puts them together
// with their schemas (schemas.cpp).
#include <sys/uio.h>
#include <unistd.h>

#include <optional>

#include "collect/nvtx/deep.h"
#include "collect/nvtx/ranges.h"
#include "collect/nvtx/schemas.h"
#include "wire/nvtx_schema.h"

namespace opsight::nvtx {

void append_data(ThreadState& state, wire::NvtxDataKind kind, uint64_t id, const void* from, size_t size,
                 uint32_t domain) {
    if (size > wire::kMaxPayload) {
        state.stream.writer().count_refused();  // a part of it would be taken for the whole
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

namespace {

// How many bytes stand before the first zero, in characters of `width` bytes; at most `size`.
size_t text_length(const char* text, size_t size, size_t width) {
    if (width == 1) return strnlen(text, size);
    constexpr char kZero[4] = {};
    size_t at = 0;
    while (at + width <= size && std::memcmp(text + at, kZero, width) != 0)
        at += width;
    return at;
}

// The text that a payload points to. Read through the kernel, which answers with an error where the address
// is none.
void append_text_at(ThreadState& state, const char* address, size_t width, uint32_t domain) {
    char text[1024];
    size_t length = 0;
    constexpr uintptr_t kPage = 4096;
    while (length < sizeof text) {
        const uintptr_t at = reinterpret_cast<uintptr_t>(address) + length;
        const size_t part = std::min<size_t>(sizeof text - length, kPage - at % kPage);
        iovec here{text + length, part}, there{reinterpret_cast<void*>(at), part};
        if (process_vm_readv(getpid(), &here, 1, &there, 1, 0) != static_cast<ssize_t>(part)) break;
        // Pages hold whole characters: those of several bytes that do not begin at one are not read.
        if (part % width != 0) break;
        const size_t found = text_length(text + length, part, width);
        length += found;
        if (found < part) {
            append_data(state, wire::NvtxDataKind::kText, reinterpret_cast<uintptr_t>(address), text, length,
                        domain);
            return;
        }
    }
    append_data(state, wire::NvtxDataKind::kText, reinterpret_cast<uintptr_t>(address), text, length, domain);
}

void append_texts(ThreadState& state, const KnownSchema* schema, const char* payload, size_t size,
                  uint32_t domain) {
    for (uint32_t text = 0; schema && text < schema->texts; ++text) {
        const char* address = nullptr;
        const KnownSchema::Text& place = schema->text_at[text];
        if (place.at + sizeof address > size) continue;
        std::memcpy(&address, payload + place.at, sizeof address);
        if (address) append_text_at(state, address, place.width, domain);
    }
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
int pop_payload(const void* domain, const PayloadData* payloads, size_t count) {
    return pop(domain_of(domain), payloads, payloads ? count : 0);
}
uint64_t start_payload(const void* domain, const PayloadData* payloads, size_t count) {
    return start(event_of(domain, payloads, count));
}
void end_payload(const void* domain, uint64_t id, const PayloadData* payloads, size_t count) {
    end(id, &domain_of(domain), payloads, payloads ? count : 0);
}
uint8_t is_enabled(const void* domain) {
    return domain_of(domain).every != 0;
}

// ---- events that the program submits later

void append_deferred(ThreadState& state, uint64_t schema, const void* from, size_t size, uint32_t domain) {
    append_data(state, wire::NvtxDataKind::kDeferred, schema, from, size, domain);
    const KnownSchema* known = find_schema(domain, schema);
    const char* bytes = static_cast<const char*>(from);
    append_texts(state, known, bytes, size, domain);
    if (!known || !known->follows) return;
    DeepCopy copy(state, domain, nullptr, 0);
    copy.payload(*known, bytes, size);
}

// What the events of a batch may point into, or tell offsets in.
void append_flexible(ThreadState& state, const EventBatch& batch, uint32_t domain) {
    constexpr size_t kMost = 1 << 20, kPiece = wire::kMaxPayload - sizeof(wire::NvtxFlexible);
    if (batch.flexible_size > kMost) state.stream.writer().count_refused();
    const size_t size = std::min(batch.flexible_size, kMost);
    const char* from = static_cast<const char*>(batch.flexible) + batch.flexible_offset;
    for (size_t at = 0; at < size; at += kPiece) {
        char piece[wire::kMaxPayload];
        const size_t part = std::min(size - at, kPiece);
        const wire::NvtxFlexible head{reinterpret_cast<uintptr_t>(batch.flexible),
                                      batch.flexible_offset + at};
        std::memcpy(piece, &head, sizeof head);
        std::memcpy(piece + sizeof head, from + at, part);
        append_data(state, wire::NvtxDataKind::kFlexible, 0, piece, sizeof head + part, domain);
    }
}
void submit(const void* domain, const PayloadData* payloads, size_t count) {
    read_clocks();
    const uint32_t number = domain_of(domain).number;
    Call call;
    for (size_t i = 0; call && payloads && i < count; ++i) {
        const PayloadData& from = payloads[i];
        const size_t size = from.size != SIZE_MAX ? from.size : size_of_schema(number, from.schema);
        if (!from.payload || size == 0)
            call->stream.writer().count_refused();
        else
            append_deferred(*call, from.schema, from.payload, size, number);
    }
}
void submit_batch(const void* domain, const EventBatch* batch) {
    if (!batch || !batch->events) return;
    read_clocks();
    const uint32_t number = domain_of(domain).number;
    const size_t size = size_of_schema(number, batch->schema);
    Call call;
    if (!call) return;
    if (size == 0) return call->stream.writer().count_refused();
    append_data(*call, wire::NvtxDataKind::kScope, batch->scope, nullptr, 0, number);
    const KnownSchema* known = find_schema(number, batch->schema);
    if (known && known->refers && batch->flexible && batch->flexible_size > 0)
        append_flexible(*call, *batch, number);
    const char* at = static_cast<const char*>(batch->events);
    for (size_t left = batch->size; left >= size; left -= size, at += size)
        append_deferred(*call, batch->schema, at, size, number);
    append_data(*call, wire::NvtxDataKind::kScope, 0, nullptr, 0, number);
}

}  // namespace

void append_payloads(ThreadState& state, const PayloadData* payloads, size_t count, uint32_t domain) {
    constexpr size_t kMost = 16;
    bool refer = false;
    std::optional<DeepCopy> copy;
    for (size_t i = 0; payloads && i < count && i < kMost; ++i) {
        const KnownSchema* schema = find_schema(domain, payloads[i].schema);
        refer = refer || (schema && schema->refers);
    }
    for (size_t i = 0; payloads && i < count && i < kMost; ++i) {
        const PayloadData& from = payloads[i];
        if (!from.payload) continue;
        // Of a text alone the tool may find out the length.
        const bool is_text = from.schema == wire::schema::kText || from.schema == wire::schema::kText8;
        const size_t size = from.size != SIZE_MAX ? from.size
                            : is_text ? strnlen(static_cast<const char*>(from.payload), wire::kMaxPayload)
                                      : size_of_schema(domain, from.schema);
        if (size == 0) continue;
        append_data(state, wire::NvtxDataKind::kPayload, from.schema, from.payload, size, domain);
        if (refer)
            append_data(state, wire::NvtxDataKind::kPlace, reinterpret_cast<uintptr_t>(from.payload), nullptr,
                        0, domain);
        const KnownSchema* schema = find_schema(domain, from.schema);
        const char* bytes = static_cast<const char*>(from.payload);
        append_texts(state, schema, bytes, size, domain);
        if (!schema || !schema->follows) continue;
        if (!copy) copy.emplace(state, domain, payloads, count);
        copy->payload(*schema, bytes, size);
    }
}

void amend(ThreadState& state, uint64_t id, uint64_t begin, const PayloadData* payloads, size_t count,
           uint32_t domain) {
    const wire::NvtxAmended range{begin};
    append_data(state, wire::NvtxDataKind::kAmend, id, &range, sizeof range, domain);
    append_payloads(state, payloads, count, domain);
}

void fill_payload(const ExtensionSegment& segment) {
    fill_schemas(segment);
    fill_clocks(segment);
    fill(segment, kMarkPayload, mark_payload);
    fill(segment, kRangePushPayload, push_payload);
    fill(segment, kRangePopPayload, pop_payload);
    fill(segment, kRangeStartPayload, start_payload);
    fill(segment, kRangeEndPayload, end_payload);
    fill(segment, kDomainIsEnabled, is_enabled);
    fill(segment, kEventSubmit, submit);
    fill(segment, kEventBatchSubmit, submit_batch);
}

}  // namespace opsight::nvtx
