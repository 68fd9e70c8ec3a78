#include "import/protobuf/fields.h"

namespace opsight::importer::protobuf {
namespace {

// The lower three bits of a tag.
constexpr uint32_t kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5;

}  // namespace

Fields::Fields(std::string_view message)
    : stream_(reinterpret_cast<const uint8_t*>(message.data()), static_cast<int>(message.size())),
      at_(message.data()),
      size_(message.size()) {}

bool Fields::next(Field& field) {
    if (damaged_ || static_cast<size_t>(stream_.CurrentPosition()) >= size_) return false;
    const uint32_t tag = stream_.ReadTagNoLastTag();
    field.number = static_cast<int>(tag >> 3);
    field.value = 0;
    field.bytes = {};
    damaged_ = tag == 0 || field.number == 0 || !read_value(field, tag & 7);
    return !damaged_;
}

bool Fields::read_value(Field& field, uint32_t type) {
    switch (type) {
        case kVarint:
            field.type = Field::Type::kVarint;
            return stream_.ReadVarint64(&field.value);
        case kFixed64:
            field.type = Field::Type::kFixed64;
            return stream_.ReadLittleEndian64(&field.value);
        case kFixed32: {
            uint32_t value = 0;
            field.type = Field::Type::kFixed32;
            const bool told = stream_.ReadLittleEndian32(&value);
            field.value = value;
            return told;
        }
        case kBytes:
            field.type = Field::Type::kBytes;
            return read_bytes(field);
        default:
            return false;
    }
}

bool Fields::read_bytes(Field& field) {
    uint32_t length = 0;
    if (!stream_.ReadVarint32(&length)) return false;
    const auto begin = static_cast<size_t>(stream_.CurrentPosition());
    if (length > size_ - begin || !stream_.Skip(static_cast<int>(length))) return false;
    field.bytes = {at_ + begin, length};
    return true;
}

}  // namespace opsight::importer::protobuf
