// Repeated numbers of a message, which stand one by one or packed into bytes.
#pragma once

#include "import/protobuf/fields.h"

namespace opsight::importer::protobuf {

// Calls add(value) for each varint of the field.
template <class Add>
void each_number(const Field& field, Add add) {
    if (field.type != Field::Type::kBytes) return add(field.value);
    uint64_t value = 0;
    int shift = 0;
    for (const char c : field.bytes) {
        const auto byte = static_cast<uint8_t>(c);
        if (shift < 64) value |= uint64_t{byte & 0x7fu} << shift;
        shift += 7;
        if (byte >= 0x80) continue;
        add(value);
        value = 0;
        shift = 0;
    }
}

// The same of fixed64.
template <class Add>
void each_fixed(const Field& field, Add add) {
    if (field.type != Field::Type::kBytes) return add(field.value);
    for (size_t at = 0; at + 8 <= field.bytes.size(); at += 8) {
        uint64_t value = 0;
        for (size_t i = 0; i < 8; ++i)
            value |= uint64_t{static_cast<uint8_t>(field.bytes[at + i])} << (8 * i);
        add(value);
    }
}

}  // namespace opsight::importer::protobuf
