#include "import/nvtx/schema.h"

#include <algorithm>
#include <cstring>

namespace opsight::importer::nvtx {
namespace in = wire::schema;

namespace {

constexpr uint64_t kLargest = 1 << 20;  // of one schema; no payload is as large

}  // namespace

const Schema* Schemas::find(uint64_t domain, uint64_t id) const {
    const auto found = schemas_.find(Id(domain, id));
    return found == schemas_.end() ? nullptr : &found->second;
}

const std::string* Schemas::registered(uint64_t handle) const {
    const auto found = registered_.find(handle);
    return found == registered_.end() ? nullptr : &found->second;
}

bool Schemas::define(uint64_t domain, uint64_t id, std::string_view blob, bool is_enum) {
    wire::NvtxSchemaHead head;
    if (blob.size() < sizeof head) return false;
    std::memcpy(&head, blob.data(), sizeof head);
    blob.remove_prefix(sizeof head);
    if (head.entries > wire::kMostSchemaEntries || blob.size() < head.entries * sizeof(wire::NvtxSchemaEntry))
        return false;
    std::string_view texts = blob.substr(head.entries * sizeof(wire::NvtxSchemaEntry));
    const auto next_text = [&texts](uint64_t length) {
        const std::string_view text = texts.substr(0, length);
        texts.remove_prefix(text.size());
        return std::string(text);
    };
    Schema schema;
    schema.is_enum = is_enum;
    schema.type = head.type;
    schema.flags = head.flags;
    schema.size = std::min(head.size, kLargest);
    schema.pack = head.pack;
    next_text(head.name_length);
    for (uint32_t i = 0; i < head.entries; ++i) {
        wire::NvtxSchemaEntry entry;
        std::memcpy(&entry, blob.data() + i * sizeof entry, sizeof entry);
        schema.entries.push_back(
            {entry.flags, entry.type, entry.detail, entry.offset, next_text(entry.name_length)});
    }
    define(domain, id, std::move(schema));
    return true;
}

// Each round settles one level of schemas in each other; one that holds itself stays small.
void Schemas::settle() {
    for (const auto& [place, clock] : clocks_) {
        const auto& [domain, id, entry] = place;
        const auto found = schemas_.find(Id(domain, id));
        if (found != schemas_.end() && entry < found->second.entries.size())
            found->second.entries[entry].clock = clock;
    }
    for (const auto& [place, meaning] : meanings_) {
        const auto& [domain, id, entry] = place;
        const auto found = schemas_.find(Id(domain, id));
        if (found != schemas_.end() && entry < found->second.entries.size())
            found->second.entries[entry].meaning = std::make_shared<const CounterMeaning>(meaning);
    }
    bool changed = true;
    for (int round = 0; round < kDeepest && changed; ++round) {
        changed = false;
        for (auto& [id, schema] : schemas_)
            changed |= lay_out(id.first, schema);
    }
}

// A selector that is told no place stands before the members, as an int does.
uint64_t Schemas::members_at(uint64_t domain, const Schema& schema) const {
    const auto told = [](const SchemaEntry& entry) { return entry.offset > 0; };
    if (schema.type != in::kUnionWithSelector ||
        std::any_of(schema.entries.begin(), schema.entries.end(), told))
        return 0;
    uint64_t at = sizeof(int);
    for (const SchemaEntry& entry : schema.entries)
        at = std::max(at, std::min(alignment_of(domain, entry), kLargest));
    return at;
}

bool Schemas::lay_out(uint64_t domain, Schema& schema) const {
    const uint64_t old_extent = schema.extent, old_alignment = schema.alignment;
    if (schema.is_enum) {
        schema.extent = std::clamp<uint64_t>(schema.size, 1, 8);
        schema.alignment = schema.extent;
        return schema.extent != old_extent;
    }
    uint64_t end = 0, most = 1;
    schema.members_at = members_at(domain, schema);
    for (const SchemaEntry& entry : schema.entries) {
        const bool address = is_elsewhere(entry);
        const bool many = (entry.flags & in::kArrayMask) == in::kFixedArray || in::is_text(entry.type);
        const uint64_t count = many && !address && entry.detail > 0 ? std::min(entry.detail, kLargest) : 1;
        uint64_t alignment = alignment_of(domain, entry);
        if (schema.pack > 0) alignment = std::min(alignment, schema.pack);
        const uint64_t begin = is_union(schema)   ? std::min(member_offset(schema, entry), kLargest)
                               : entry.offset > 0 ? std::min(entry.offset, kLargest)
                                                  : (end + alignment - 1) / alignment * alignment;
        end = std::min(kLargest, std::max(end, begin + (address ? 8 : size_of(domain, entry.type)) * count));
        most = std::max(most, alignment);
    }
    schema.alignment = most;
    if (schema.type != in::kDynamic)
        schema.extent = schema.size > 0 ? schema.size : std::min(kLargest, (end + most - 1) / most * most);
    return schema.extent != old_extent || schema.alignment != old_alignment;
}

uint64_t Schemas::size_of(uint64_t domain, uint64_t type) const {
    if (const uint64_t size = in::size_of(type)) return size;
    const Schema* schema = find(domain, type);
    return schema ? schema->extent : 0;
}

uint64_t Schemas::alignment_of(uint64_t domain, const SchemaEntry& entry) const {
    if (is_elsewhere(entry)) return 8;
    if (const uint64_t size = in::size_of(entry.type)) return size;
    const Schema* schema = find(domain, entry.type);
    return schema ? schema->alignment : 1;
}

}  // namespace opsight::importer::nvtx
