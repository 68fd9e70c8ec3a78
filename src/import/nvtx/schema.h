// Schemas of NVTX payloads, wherever they come from: captures and exports of Nsight Systems. payload.h reads
// payloads by them.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "wire/nvtx_schema.h"

namespace opsight::importer::nvtx {

inline constexpr int kDeepest = 8;  // schemas in each other, and pointers

// What the values of a counter mean. Limits and the way between two samples are for those who draw it.
struct CounterMeaning {
    uint64_t flags = 0;  // NVTX_COUNTER_FLAG_*
    uint64_t numerator = 1, denominator = 1;
    std::string unit;
    uint64_t limit_type = 0;  // 1 int64, 2 uint64, 3 double; 0: no limits
    uint64_t least = 0, most = 0;
    friend bool operator==(const CounterMeaning&, const CounterMeaning&) = default;
};

// Of enums: `type` is the value, and `flags` is not 0 where it is a flag of a bit set.
struct SchemaEntry {
    uint64_t flags = 0, type = 0, detail = 0, offset = 0;
    std::string name;
    uint64_t clock = 0;                                  // of a time: its time domain; 0: not told
    std::shared_ptr<const CounterMeaning> meaning = {};  // of a counter in a group; null: as of the group
    friend bool operator==(const SchemaEntry&, const SchemaEntry&) = default;
};

struct Schema {
    uint64_t type = wire::schema::kStatic, flags = 0;
    uint64_t size = 0, pack = 0;  // as the program told them; 0: it did not
    std::vector<SchemaEntry> entries;
    bool is_enum = false;
    bool ambiguous = false;  // several were defined in one place, and they differ
    // Of settle().
    uint64_t extent = 0, alignment = 1;
    uint64_t members_at = 0;  // of a union whose entries tell no offsets, behind its selector
};

class Schemas {
  public:
    // A schema or enum as a capture holds it (wire/nvtx_schema.h); false where it does not hold together.
    bool define(uint64_t domain, uint64_t id, std::string_view blob, bool is_enum);
    void define(uint64_t domain, uint64_t id, Schema schema) { schemas_[Id(domain, id)] = std::move(schema); }
    // The time domain of an entry, known before or after its schema.
    void define_clock(uint64_t domain, uint64_t id, uint64_t entry, uint64_t clock) {
        clocks_[{domain, id, entry}] = clock;
    }
    // The same of what the values of an entry mean: to be filled in.
    CounterMeaning& meaning(uint64_t domain, uint64_t id, uint64_t entry) {
        return meanings_[{domain, id, entry}];
    }
    void define_text(uint64_t handle, std::string_view text) { registered_.emplace(handle, text); }
    // After all definitions: how large they are that lie in others, and how they are aligned.
    void settle();

    const Schema* find(uint64_t domain, uint64_t id) const;
    const std::string* registered(uint64_t handle) const;
    // Bytes and alignment of one value of a type; 0 bytes: not known before it is read.
    uint64_t size_of(uint64_t domain, uint64_t type) const;
    uint64_t alignment_of(uint64_t domain, const SchemaEntry& entry) const;

  private:
    using Id = std::pair<uint64_t, uint64_t>;  // domain and schema
    bool lay_out(uint64_t domain, Schema& schema) const;
    uint64_t members_at(uint64_t domain, const Schema& schema) const;

    absl::flat_hash_map<Id, Schema> schemas_;
    using Place = std::tuple<uint64_t, uint64_t, uint64_t>;  // domain, schema and entry
    std::map<Place, uint64_t> clocks_;
    std::map<Place, CounterMeaning> meanings_;
    absl::flat_hash_map<uint64_t, std::string> registered_;
};

// True where the value is an address or an offset, and what it means lies elsewhere.
inline bool is_elsewhere(const SchemaEntry& entry) {
    namespace in = wire::schema;
    return (entry.flags & (in::kPointer | in::kOffsetFromBase | in::kOffsetFromHere)) != 0 ||
           in::is_text_address(entry.type, entry.flags, entry.detail);
}

inline bool is_selector(const SchemaEntry& entry) {
    return entry.type == wire::schema::kUnionSelector;
}

// Where an entry of a union begins.
inline uint64_t member_offset(const Schema& schema, const SchemaEntry& entry) {
    return is_selector(entry) || entry.offset > 0 ? entry.offset : schema.members_at;
}

inline bool is_union(const Schema& schema) {
    return schema.type == wire::schema::kUnion || schema.type == wire::schema::kUnionWithSelector;
}

}  // namespace opsight::importer::nvtx
