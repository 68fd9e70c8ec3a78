// What a writer of packets has told before, so that its later packets need only name it.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "import/perfetto/clocks.h"
#include "import/protobuf/fields.h"

namespace opsight::importer::perfetto {

enum class Interned : uint8_t { kCategory, kName, kKey, kText, kCount };

struct Sequence {
    // Texts by number, of each kind.
    std::array<absl::flat_hash_map<uint64_t, std::string>, static_cast<size_t>(Interned::kCount)> texts;
    bool has_state = false;  // it told that it begins anew; before, what it names may have been lost
    uint32_t clock = kBoottime;
    uint64_t track = 0;
    std::vector<uint64_t> counters, real_counters;  // tracks of the counters that stand at events

    void forget() { *this = {}; }
    // An InternedData. `clean` makes a text of bytes. False: it is damaged.
    template <class Clean>
    bool learn(std::string_view data, Clean clean);
    void take_defaults(std::string_view defaults);
    // Empty and null: nothing told the number.
    const std::string* find(Interned kind, uint64_t number) const {
        const auto& known = texts[static_cast<size_t>(kind)];
        const auto found = known.find(number);
        return found == known.end() ? nullptr : &found->second;
    }

  private:
    void take_event_defaults(std::string_view defaults);
};

// Of the fields of InternedData; kCount: of another kind.
Interned kind_of_field(int number);
// The number and the bytes of an entry; false: it is damaged.
bool read_entry(std::string_view entry, uint64_t& number, std::string_view& bytes);

template <class Clean>
bool Sequence::learn(std::string_view data, Clean clean) {
    protobuf::Fields fields(data);
    for (protobuf::Field field; fields.next(field);) {
        const Interned kind = kind_of_field(field.number);
        if (kind == Interned::kCount || field.type != protobuf::Field::Type::kBytes) continue;
        uint64_t number = 0;
        std::string_view bytes;
        if (!read_entry(field.bytes, number, bytes)) return false;
        texts[static_cast<size_t>(kind)][number] = clean(bytes);
    }
    return !fields.is_damaged();
}

}  // namespace opsight::importer::perfetto
