#include "collect/nvtx/deep.h"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>

#include "wire/nvtx_schema.h"

namespace opsight::nvtx {
namespace {

namespace in = wire::schema;

constexpr size_t kPage = 4096;

bool read_memory(uint64_t address, void* to, size_t bytes) {
    iovec here{to, bytes}, there{reinterpret_cast<void*>(address), bytes};
    return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == static_cast<ssize_t>(bytes);
}

// Where lengths may stand.
bool is_integer(uint64_t type) {
    constexpr uint64_t kFirst = 1, kLast = 18, kSize = 22;
    return (type >= kFirst && type <= kLast) || type == kSize;
}
bool is_signed(uint64_t type) {
    constexpr uint64_t kInt64 = 17;
    return type <= kInt64 && type % 2 == 1;
}

// A number that is a length; a negative one is none.
uint64_t integer_at(uint64_t type, const char* at, size_t size) {
    uint64_t value = 0;
    std::memcpy(&value, at, std::min(size, sizeof value));
    const bool negative = is_signed(type) && size > 0 && size <= 8 && value >> (size * 8 - 1) != 0;
    return negative ? 0 : value;
}

// Of several lengths; too many become a number that no memory holds.
uint64_t product_at(uint64_t type, const char* at, size_t size, uint64_t count) {
    uint64_t product = 1;
    for (uint64_t i = 0; i < count; ++i)
        product = std::min<uint64_t>(
            product * std::min<uint64_t>(integer_at(type, at + i * size, size), UINT32_MAX), UINT32_MAX);
    return product;
}

}  // namespace

DeepCopy::~DeepCopy() {
    if (cut_ > 0) append_data(state_, wire::NvtxDataKind::kCut, cut_, nullptr, 0, domain_);
}

size_t DeepCopy::size_of(const KnownEntry& entry) const {
    return size_of_schema(domain_, entry.type);
}

bool DeepCopy::is_copied(uint64_t address, size_t bytes) const {
    return std::any_of(copied_, copied_ + copies_,
                       [&](const Copied& one) { return one.address == address && one.bytes >= bytes; });
}

void DeepCopy::remember(uint64_t address, size_t bytes) {
    copied_[copies_++] = {address, bytes};
    left_ -= bytes;
}

// The length that stands in another payload of the event.
uint64_t DeepCopy::length_in(uint64_t payload) const {
    if (payload >= payload_count_ || !payloads_[payload].payload) return kUnknown;
    const PayloadData& from = payloads_[payload];
    uint64_t type = from.schema;
    if (const KnownSchema* schema = find_schema(domain_, type)) {
        if (schema->count != 1 || schema->entries[0].offset != 0) return kUnknown;
        type = schema->entries[0].type;
    }
    const size_t one = in::size_of(type);
    if (!is_integer(type)) return kUnknown;
    const size_t bytes = from.size == SIZE_MAX ? one : std::min(from.size, kPage);
    return bytes < one ? kUnknown
                       : product_at(type, static_cast<const char*>(from.payload), one, bytes / one);
}

// How many values an entry has; kUnknown where that ends with a zero, or is not told.
uint64_t DeepCopy::length_of(const KnownEntry& entry, const uint64_t* before, size_t known) const {
    switch (entry.flags & in::kArrayMask) {
        case in::kFixedArray:
            return entry.detail;
        case in::kLengthIndex:
            return entry.detail < known ? before[entry.detail] : kUnknown;
        case in::kLengthPayload:
            return length_in(entry.detail);
        case in::kZeroTerminated:
            return kUnknown;
        default:
            return in::is_text(entry.type) ? (entry.detail > 0 ? entry.detail : kUnknown) : 1;
    }
}

// Zero-terminated ones are read page by page, as far as the zero.
void DeepCopy::follow_terminated(uint64_t address, size_t one) {
    char bytes[kPage];
    const size_t most = std::min(sizeof bytes, left_) / one * one;
    size_t got = 0, zero = SIZE_MAX;
    while (got < most && zero == SIZE_MAX) {
        const size_t part = std::min<size_t>(most - got, kPage - (address + got) % kPage);
        if (!read_memory(address + got, bytes + got, part)) break;
        got += part;
        for (size_t at = 0; at + one <= got && zero == SIZE_MAX; at += one)
            if (std::all_of(bytes + at, bytes + at + one, [](char byte) { return byte == 0; }))
                zero = at + one;
    }
    cut_ += zero == SIZE_MAX;
    const size_t size = zero != SIZE_MAX ? zero : got / one * one;
    if (size == 0 || is_copied(address, size)) return;
    append_data(state_, wire::NvtxDataKind::kMemory, address, bytes, size, domain_);
    remember(address, size);
}

void DeepCopy::follow(const KnownEntry& entry, uint64_t address, uint64_t count, int depth) {
    const size_t one = size_of(entry);
    if (depth >= kDeepest || copies_ == kMostCopies || one == 0 || left_ < one) {
        ++cut_;
        return;
    }
    const bool terminated = (entry.flags & in::kArrayMask) == in::kZeroTerminated ||
                            (in::is_text(entry.type) && count == kUnknown);
    if (terminated) return follow_terminated(address, one);
    if (count == kUnknown) {
        ++cut_;
        return;
    }
    const uint64_t fits = std::min<uint64_t>(count, left_ / one);
    cut_ += fits < count;
    const size_t size = fits * one;
    if (size == 0 || is_copied(address, size)) return;
    // Straight into the capture: what was copied is walked there.
    const size_t bytes = sizeof(wire::NvtxDataRecord) + ((size + 7) & ~size_t{7});
    char* at = state_.stream.reserve(bytes);
    if (!at) return;
    char* const copy = at + sizeof(wire::NvtxDataRecord);
    if (!read_memory(address, copy, size)) {
        std::memset(copy, 0, size);
        ++cut_;
        return;
    }
    wire::NvtxDataRecord record{};
    record.header = {static_cast<uint16_t>(wire::RecordType::kNvtxData), static_cast<uint16_t>(bytes)};
    record.kind = wire::NvtxDataKind::kMemory;
    record.id = address;
    record.length = static_cast<uint32_t>(size);
    record.domain = domain_;
    std::memcpy(at, &record, sizeof record);
    state_.stream.commit(bytes);
    remember(address, size);
    const KnownSchema* schema = find_schema(domain_, entry.type);
    for (size_t i = 0; schema && schema->follows && i < fits; ++i)
        object(*schema, copy + i * one, one, depth + 1, kNoMember);
}

// One entry that stands at `bytes`. How many bytes it takes; SIZE_MAX: that is not known.
size_t DeepCopy::value(const KnownEntry& entry, const char* bytes, size_t size, uint64_t count, int depth,
                       uint64_t member) {
    constexpr uint64_t kElsewhere = in::kPointer | in::kOffsetFromBase | in::kOffsetFromHere;
    if ((entry.flags & kElsewhere) != 0 || in::is_text_address(entry.type, entry.flags, entry.detail)) {
        uint64_t address = 0;
        if (size < sizeof address) return SIZE_MAX;
        std::memcpy(&address, bytes, sizeof address);
        const bool wanted = (entry.flags & in::kPointer) != 0 && (entry.flags & in::kDeepCopy) != 0;
        if (wanted && address != 0) follow(entry, address, count, depth);
        return sizeof address;
    }
    const size_t one = size_of(entry);
    if (one == 0) return SIZE_MAX;
    if (count == kUnknown) {  // ends with a zero
        size_t at = 0;
        while (at + one <= size && !std::all_of(bytes + at, bytes + at + one, [](char b) { return b == 0; }))
            at += one;
        return at + one <= size ? at + one : SIZE_MAX;
    }
    if (count > size / one) return SIZE_MAX;
    const KnownSchema* schema = find_schema(domain_, entry.type);
    for (uint64_t i = 0; schema && schema->follows && depth < kDeepest && i < count; ++i)
        object(*schema, bytes + i * one, one, depth + 1, member);
    return count * one;
}

// Walks over the entries as the import does: an entry lies where its offset tells, else behind the one before
// it. Where one's size is not known, only those are found behind it that tell an offset.
void DeepCopy::object(const KnownSchema& schema, const char* bytes, size_t size, int depth, uint64_t member) {
    const bool is_union = schema.type == in::kUnion || schema.type == in::kUnionWithSelector;
    uint64_t integers[kMostEntries];
    const size_t count = std::min<size_t>(schema.count, kMostEntries);
    if (schema.type == in::kUnionWithSelector) member = selected_member(schema, bytes, size);
    if (is_union && member >= count) return;
    size_t end = 0;
    for (size_t i = 0; i < count; ++i) {
        const KnownEntry& entry = schema.entries[i];
        integers[i] = kUnknown;
        if (is_union && i != member) continue;
        const bool placed = entry.offset > 0 || i == 0 || is_union;
        if (!placed && end == SIZE_MAX) continue;
        const size_t at =
            placed ? entry.offset : (end + entry.alignment - 1) / entry.alignment * entry.alignment;
        if (at > size) {
            end = SIZE_MAX;
            continue;
        }
        const uint64_t length = length_of(entry, integers, i);
        const uint64_t chosen = entry.detail < i ? integers[entry.detail] : kNoMember;  // of a union in it
        const size_t taken = value(entry, bytes + at, size - at, length, depth, chosen);
        end = taken == SIZE_MAX ? SIZE_MAX : at + taken;
        const bool here = taken != SIZE_MAX && taken > 0 && (entry.flags & in::kPointer) == 0;
        if (here && is_integer(entry.type) && length != kUnknown)
            integers[i] =
                product_at(entry.type, bytes + at, in::size_of(entry.type), std::min<uint64_t>(length, 8));
    }
}

}  // namespace opsight::nvtx
