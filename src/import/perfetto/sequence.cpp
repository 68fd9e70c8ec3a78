#include "import/perfetto/sequence.h"

namespace opsight::importer::perfetto {

using protobuf::Field;
using protobuf::Fields;

Interned kind_of_field(int number) {
    switch (number) {
        case 1:
            return Interned::kCategory;
        case 2:
            return Interned::kName;
        case 3:
            return Interned::kKey;
        case 29:
            return Interned::kText;
        default:
            return Interned::kCount;
    }
}

bool read_entry(std::string_view entry, uint64_t& number, std::string_view& bytes) {
    Fields fields(entry);
    for (Field field; fields.next(field);) {
        if (field.is(1, Field::Type::kVarint)) number = field.value;
        if (field.is(2, Field::Type::kBytes)) bytes = field.bytes;
    }
    return !fields.is_damaged();
}

void Sequence::take_defaults(std::string_view defaults) {
    constexpr int kClock = 58, kEvents = 11;
    Fields fields(defaults);
    for (Field field; fields.next(field);) {
        if (field.is(kClock, Field::Type::kVarint)) clock = static_cast<uint32_t>(field.value);
        if (field.is(kEvents, Field::Type::kBytes)) take_event_defaults(field.bytes);
    }
}

void Sequence::take_event_defaults(std::string_view defaults) {
    constexpr int kTrack = 11, kCounters = 31, kRealCounters = 45;
    counters.clear();
    real_counters.clear();
    Fields fields(defaults);
    for (Field field; fields.next(field);) {
        if (field.is(kTrack, Field::Type::kVarint)) track = field.value;
        if (field.is(kCounters, Field::Type::kVarint)) counters.push_back(field.value);
        if (field.is(kRealCounters, Field::Type::kVarint)) real_counters.push_back(field.value);
    }
}

}  // namespace opsight::importer::perfetto
