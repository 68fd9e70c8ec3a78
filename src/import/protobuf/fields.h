// Fields of a protobuf message, one after another and where they lie: a profile has millions of events, which
// are read and never held.
#pragma once

#include <google/protobuf/io/coded_stream.h>

#include <cstdint>
#include <optional>
#include <string_view>

namespace opsight::importer::protobuf {

struct Field {
    enum class Type : uint8_t { kVarint, kBytes, kFixed64, kFixed32 };
    int number = 0;
    Type type = Type::kVarint;
    uint64_t value = 0;      // of all but kBytes
    std::string_view bytes;  // of kBytes

    bool is(int wanted, Type of) const { return number == wanted && type == of; }
    int64_t integer() const { return static_cast<int64_t>(value); }
};

class Fields {
  public:
    // `message`: at most 2 GiB, as protobuf itself allows, and outlives this.
    explicit Fields(std::string_view message);
    // The next field; false at the end, and where the message is damaged.
    bool next(Field& field);
    bool is_damaged() const { return damaged_; }

  private:
    bool read_bytes(Field& field);
    bool read_value(Field& field, uint32_t type);

    google::protobuf::io::CodedInputStream stream_;
    const char* at_;  // of the message's first byte
    size_t size_;
    bool damaged_ = false;
};

inline constexpr size_t kMostBytes = (size_t{1} << 31) - 1;

}  // namespace opsight::importer::protobuf
