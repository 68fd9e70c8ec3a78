#include "exports/tensorboard/records.h"

#include <array>

namespace opsight::exports {
namespace {

constexpr std::array<uint32_t, 256> make_table() {
    constexpr uint32_t kCastagnoli = 0x82f63b78;  // bits reversed
    std::array<uint32_t, 256> table{};
    for (uint32_t byte = 0; byte < 256; ++byte) {
        uint32_t crc = byte;
        for (int bit = 0; bit < 8; ++bit)
            crc = (crc & 1) != 0 ? crc >> 1 ^ kCastagnoli : crc >> 1;
        table[byte] = crc;
    }
    return table;
}
constexpr std::array<uint32_t, 256> kTable = make_table();

template <class Number>
void put_number(std::string& out, Number value) {
    for (size_t i = 0; i < sizeof value; ++i)
        out.push_back(static_cast<char>(value >> (8 * i)));
}

}  // namespace

uint32_t masked_crc32c(std::string_view bytes) {
    uint32_t crc = ~uint32_t{0};
    for (const char byte : bytes)
        crc = kTable[(crc ^ static_cast<unsigned char>(byte)) & 0xff] ^ crc >> 8;
    crc = ~crc;
    constexpr uint32_t kMask = 0xa282ead8;  // a checksum of data that holds checksums tells little
    return (crc >> 15 | crc << 17) + kMask;
}

void put_record(std::string& out, std::string_view bytes) {
    std::string length;
    put_number(length, uint64_t{bytes.size()});
    out += length;
    put_number(out, masked_crc32c(length));
    out += bytes;
    put_number(out, masked_crc32c(bytes));
}

}  // namespace opsight::exports
