// Schemas, enums and scopes are written down when a program registers them.
#include "collect/nvtx/schemas.h"

#include <algorithm>

#include "collect/nvtx/session.h"
#include "wire/nvtx_schema.h"

namespace opsight::nvtx {
namespace {

namespace in = wire::schema;

constexpr size_t kSchemas = 4096;
KnownSchema g_schemas[kSchemas];
// Entries of those schemas whose pointers are followed, or tell a length.
constexpr uint32_t kEntries = 16384;
KnownEntry g_entries[kEntries];
std::atomic<uint32_t> g_entry_count{0};

uint64_t key_of(uint32_t domain, uint64_t schema) {
    return collect::mix(schema ^ collect::kMixA, uint64_t{domain} + 1) | 1;
}

// A free place for a schema; null where it is known, or there is no room.
KnownSchema* claim(uint64_t key) {
    for (size_t i = 0; i < 16; ++i) {
        uint64_t empty = 0;
        KnownSchema& at = g_schemas[(key + i) % kSchemas];
        // Marked as taken first, so that two threads never fill one place.
        if (at.key.compare_exchange_strong(empty, 2)) return &at;
        if (empty == key) return nullptr;
    }
    return nullptr;
}

struct Extent {
    size_t size, alignment;
};
Extent extent_of(uint32_t domain, const SchemaEntry& entry) {
    const bool elsewhere = (entry.flags & (in::kPointer | in::kOffsetFromBase | in::kOffsetFromHere)) != 0 ||
                           in::is_text_address(entry.type, entry.flags, entry.detail);
    if (elsewhere) return {8, 8};
    size_t size = in::size_of(entry.type), alignment = size;
    if (size == 0)
        if (const KnownSchema* schema = find_schema(domain, entry.type)) {
            size = schema->size;
            alignment = schema->alignment;
        }
    const bool many = (entry.flags & in::kArrayMask) == in::kFixedArray || in::is_text(entry.type);
    return {many && entry.detail > 0 ? size * std::min<size_t>(entry.detail, wire::kMaxPayload) : size,
            std::max<size_t>(1, alignment)};
}

size_t alignment_of(uint32_t domain, const SchemaEntry& entry, const SchemaAttributes& from) {
    const size_t natural = extent_of(domain, entry).alignment;
    return from.fields & kSchemaPack && from.pack > 0 ? std::min(natural, from.pack) : natural;
}

bool refers_elsewhere(const SchemaEntry& entry) {
    return (entry.flags & (in::kPointer | in::kOffsetFromBase | in::kOffsetFromHere)) != 0;
}

// Members of a union stand behind its selector where no offsets are told, as the import has it.
uint32_t members_at(const SchemaAttributes& from, size_t count, uint32_t alignment) {
    const bool inner = from.fields & kSchemaType && from.type == in::kUnionWithSelector;
    const bool told = std::any_of(from.entries, from.entries + count,
                                  [](const SchemaEntry& entry) { return entry.offset > 0; });
    return inner && !told ? std::max<uint32_t>(sizeof(int), alignment) : 0;
}

// Keeps the entries of a schema that points somewhere, itself or in another one, or may be a length.
void keep_entries(KnownSchema& place, uint32_t domain, const SchemaAttributes& from, size_t count) {
    bool nested = false;
    for (size_t i = 0; i < count; ++i) {
        const SchemaEntry& entry = from.entries[i];
        const KnownSchema* inner = refers_elsewhere(entry) ? nullptr : find_schema(domain, entry.type);
        place.refers |= refers_elsewhere(entry) || (inner && inner->refers);
        const bool deep = (entry.flags & in::kPointer) != 0 && (entry.flags & in::kDeepCopy) != 0;
        place.follows |= deep || (inner && inner->follows);
        nested |= inner && inner->follows;
    }
    if (!place.follows && !nested && count != 1) return;
    const uint32_t first = g_entry_count.fetch_add(static_cast<uint32_t>(count), std::memory_order_relaxed);
    if (first > kEntries || count > kEntries - first) return;
    const uint32_t members = members_at(from, count, place.alignment);
    for (size_t i = 0; i < count; ++i) {
        const SchemaEntry& entry = from.entries[i];
        const bool member = entry.offset == 0 && entry.type != in::kUnionSelector;
        g_entries[first + i] = {
            entry.flags, entry.type, entry.detail,
            member && members > 0 ? members
                                  : static_cast<uint32_t>(std::min<size_t>(entry.offset, wire::kMaxPayload)),
            static_cast<uint32_t>(alignment_of(domain, entry, from))};
    }
    place.entries = g_entries + first;
    place.count = static_cast<uint32_t>(count);
}

void remember(uint32_t domain, uint64_t schema, const SchemaAttributes& from, size_t count) {
    const uint64_t key = key_of(domain, schema);
    KnownSchema* place = claim(key);
    if (!place) return;
    place->type = from.fields & kSchemaType ? from.type : in::kStatic;
    size_t end = 0;
    for (size_t i = 0; i < count; ++i) {
        const SchemaEntry& entry = from.entries[i];
        Extent extent = extent_of(domain, entry);
        extent.alignment = alignment_of(domain, entry, from);
        const size_t at = entry.offset > 0 || i == 0
                              ? std::min<size_t>(entry.offset, wire::kMaxPayload)
                              : (end + extent.alignment - 1) / extent.alignment * extent.alignment;
        end = std::max(end, at + extent.size);
        place->alignment = std::max(place->alignment, static_cast<uint32_t>(extent.alignment));
        if (in::is_text_address(entry.type, entry.flags, entry.detail) &&
            place->texts < std::size(place->text_at))
            place->text_at[place->texts++] = {static_cast<uint32_t>(at), in::size_of(entry.type)};
    }
    keep_entries(*place, domain, from, count);
    const bool told = from.fields & kSchemaSize && from.static_size > 0;
    const bool fixed = !(from.fields & kSchemaType) || from.type == in::kStatic;
    end = (end + place->alignment - 1) / place->alignment * place->alignment;
    const size_t size = told ? from.static_size : fixed ? end : 0;
    place->size = static_cast<uint32_t>(std::min<size_t>(size, UINT32_MAX));
    place->key.store(key, std::memory_order_release);
}

void remember_enum(uint32_t domain, uint64_t id, size_t size) {
    const uint64_t key = key_of(domain, id);
    KnownSchema* place = claim(key);
    if (!place) return;
    place->size = place->alignment = static_cast<uint32_t>(std::min<size_t>(std::max<size_t>(1, size), 8));
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
    head.type = from->fields & kSchemaType ? from->type : in::kStatic;
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
    for (size_t i = 0; i < count; ++i) {
        const SemanticsHeader* semantics = from->entries[i].semantics;
        if (const uint64_t clock = clock_of(semantics))
            define(wire::NvtxFact::kEntryClock, number, id, {}, clock, static_cast<uint32_t>(i));
        define_entry_counter(number, id, static_cast<uint32_t>(i), semantics);
    }
    return id;
}

uint64_t enum_register(const void* domain, const EnumAttributes* from) {
    if (!from || !(from->fields & kEnumEntries) || !from->entries) return 0;
    const size_t count = from->fields & kEnumCount ? from->entry_count : 0;
    const uint64_t id = from->fields & kEnumId && from->id ? from->id : next_dynamic_id();
    wire::NvtxSchemaHead head{};
    head.size = from->fields & kEnumSize ? from->size : sizeof(int);
    remember_enum(domain_of(domain).number, id, head.size);
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

}  // namespace

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

// No schema tells how wide the selector is: its lowest bytes are enough.
uint64_t selected_member(const KnownSchema& schema, const char* bytes, size_t size) {
    for (uint32_t i = 0; i < schema.count; ++i) {
        const KnownEntry& entry = schema.entries[i];
        const size_t width = schema.count <= 256 ? 1 : 2;
        if (entry.type != in::kUnionSelector) continue;
        if (entry.offset + width > size) return UINT64_MAX;
        uint64_t member = 0;
        std::memcpy(&member, bytes + entry.offset, width);
        const bool sane = member < schema.count && schema.entries[member].type != in::kUnionSelector;
        return sane ? member : UINT64_MAX;
    }
    return UINT64_MAX;
}

size_t size_of_schema(uint32_t domain, uint64_t schema) {
    if (const size_t size = in::size_of(schema)) return size;
    const KnownSchema* known = find_schema(domain, schema);
    return known ? known->size : 0;
}

void fill_schemas(const ExtensionSegment& segment) {
    fill(segment, kSchemaRegister, schema_register);
    fill(segment, kEnumRegister, enum_register);
    fill(segment, kScopeRegister, scope_register);
}

}  // namespace opsight::nvtx
