#include "import/protobuf/parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "import/protobuf/fields.h"

namespace opsight::importer::protobuf {
namespace {

constexpr size_t kWindow = size_t{1} << 16;
constexpr int kMostVarint = 10;  // bytes

tl::unexpected<Error> damaged(uint64_t at, std::string what) {
    return fail(std::move(what), {}, fmt::format("byte {}", at),
                "copy the file again, in binary mode: what has passed through a text editor or a text "
                "column is lost");
}

}  // namespace

Result<bool> PartReader::fill() {
    if (used_ < window_.size()) return true;
    window_.resize(kWindow);
    used_ = 0;
    OPSIGHT_ASSIGN(const size_t size, source_.read(window_.data(), window_.size()));
    window_.resize(size);
    return size > 0;
}

Result<bool> PartReader::varint(uint64_t& value) {
    value = 0;
    const uint64_t begin = at_;
    for (int i = 0; i < kMostVarint; ++i) {
        OPSIGHT_ASSIGN(const bool any, fill());
        if (!any) return false;
        const auto byte = static_cast<uint8_t>(window_[used_++]);
        ++at_;
        value |= uint64_t{byte & 0x7fu} << (7 * i);
        if (byte < 0x80) return true;
    }
    return damaged(begin, "is damaged: a number has no end");
}

Status PartReader::take(uint64_t length, Part& part) {
    part.bytes.clear();
    while (part.bytes.size() < length) {
        OPSIGHT_ASSIGN(const bool any, fill());
        if (!any) {
            part.is_cut = true;
            return {};
        }
        const size_t size = std::min<uint64_t>(length - part.bytes.size(), window_.size() - used_);
        part.bytes.append(window_, used_, size);
        used_ += size;
        at_ += size;
    }
    return {};
}

Result<bool> PartReader::next(Part& part) {
    part.number = 0;
    part.is_cut = false;
    part.bytes.clear();
    OPSIGHT_ASSIGN(const bool any, fill());
    if (!any) return false;
    part.begin = at_;
    uint64_t tag = 0, value = 0;
    OPSIGHT_ASSIGN(const bool whole, varint(tag));
    const uint64_t type = tag & 7, number = tag >> 3;
    if (whole && (number == 0 || number >= (1u << 29) || type == 3 || type == 4 || type > 5))
        return damaged(part.begin, "is damaged: no field of a message begins here");
    part.number = static_cast<int>(number);
    part.is_cut = !whole;
    if (part.is_cut) return true;
    if (type == 1 || type == 5) {
        OPSIGHT_TRY(take(type == 1 ? 8 : 4, part));
        part.bytes.clear();
        return true;
    }
    OPSIGHT_ASSIGN(const bool told, varint(value));
    part.is_cut = !told;
    if (type == 0 || part.is_cut) return true;
    if (value > kMostBytes)
        return damaged(part.begin, fmt::format("is damaged: a part of {} bytes, more than 2 GiB", value));
    OPSIGHT_TRY(take(value, part));
    return true;
}

}  // namespace opsight::importer::protobuf
