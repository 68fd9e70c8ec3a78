#include "exports/tensorboard/records.h"

#include <gtest/gtest.h>

namespace opsight::exports {
namespace {

// The mask taken off again; values of RFC 3720, B.4.
uint32_t crc32c(std::string_view bytes) {
    const uint32_t rotated = masked_crc32c(bytes) - 0xa282ead8;
    return rotated >> 17 | rotated << 15;
}

TEST(Records, ChecksumsAreThoseOfTheStandard) {
    EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aau);
    EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62a8ab43u);
    EXPECT_EQ(crc32c("123456789"), 0xe3069283u);
}

TEST(Records, FrameLengthAndBytes) {
    std::string out;
    put_record(out, "abc");
    EXPECT_EQ(out.size(), 8u + 4 + 3 + 4);
    EXPECT_EQ(out.substr(0, 8), std::string("\3\0\0\0\0\0\0\0", 8));
    EXPECT_EQ(out.substr(12, 3), "abc");
}

}  // namespace
}  // namespace opsight::exports
