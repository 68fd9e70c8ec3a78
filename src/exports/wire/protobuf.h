// Messages in protobuf's wire format (https://protobuf.dev/programming-guides/encoding/), for formats whose
// messages are few: fields go out in the order of the calls.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace opsight::exports {

class Message {
  public:
    Message& number(uint32_t field, uint64_t value) {
        varint(uint64_t{field} << 3);
        varint(value);
        return *this;
    }
    Message& integer(uint32_t field, int64_t value) { return number(field, static_cast<uint64_t>(value)); }
    Message& fixed(uint32_t field, uint64_t value) { return eight_bytes(field, value); }
    Message& real(uint32_t field, double value) {
        uint64_t bits = 0;
        std::memcpy(&bits, &value, sizeof bits);
        return eight_bytes(field, bits);
    }
    Message& real32(uint32_t field, float value) {
        uint32_t bits = 0;
        std::memcpy(&bits, &value, sizeof bits);
        varint(uint64_t{field} << 3 | 5);
        for (int i = 0; i < 4; ++i)
            bytes_.push_back(static_cast<char>(bits >> (8 * i)));
        return *this;
    }
    // A text, bytes, or a message that is done.
    Message& text(uint32_t field, std::string_view value) {
        varint(uint64_t{field} << 3 | 2);
        varint(value.size());
        bytes_ += value;
        return *this;
    }
    Message& message(uint32_t field, const Message& inner) { return text(field, inner.bytes_); }

    const std::string& bytes() const { return bytes_; }
    void clear() { bytes_.clear(); }

  private:
    void varint(uint64_t value) {
        for (; value >= 0x80; value >>= 7)
            bytes_.push_back(static_cast<char>(value | 0x80));
        bytes_.push_back(static_cast<char>(value));
    }
    Message& eight_bytes(uint32_t field, uint64_t value) {
        varint(uint64_t{field} << 3 | 1);
        for (int i = 0; i < 8; ++i)
            bytes_.push_back(static_cast<char>(value >> (8 * i)));
        return *this;
    }

    std::string bytes_;
};

}  // namespace opsight::exports
