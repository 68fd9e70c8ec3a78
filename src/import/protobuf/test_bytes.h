// Writes messages of protobuf, for tests.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace opsight::importer::protobuf {

class Bytes {
  public:
    Bytes& number(int field, int64_t value) {
        varint(static_cast<uint64_t>(field) << 3);
        varint(static_cast<uint64_t>(value));
        return *this;
    }
    // A text, or a message.
    Bytes& text(int field, std::string_view value) {
        varint(static_cast<uint64_t>(field) << 3 | 2);
        varint(value.size());
        all += value;
        return *this;
    }
    Bytes& fixed(int field, uint64_t value) {
        varint(static_cast<uint64_t>(field) << 3 | 1);
        for (int i = 0; i < 8; ++i)
            all += static_cast<char>(value >> (8 * i));
        return *this;
    }
    Bytes& real(int field, double value) { return fixed(field, std::bit_cast<uint64_t>(value)); }
    std::string all;

  private:
    void varint(uint64_t value) {
        for (; value >= 0x80; value >>= 7)
            all += static_cast<char>(value | 0x80);
        all += static_cast<char>(value);
    }
};

}  // namespace opsight::importer::protobuf
