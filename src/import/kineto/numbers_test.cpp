#include "import/kineto/numbers.h"

#include <gtest/gtest.h>

#include "base/time.h"

namespace opsight::importer::kineto {
namespace {

TEST(Numbers, TimesKeepEveryNanosecond) {
    EXPECT_EQ(parse_us("0"), 0);
    EXPECT_EQ(parse_us("1620000000000100"), 1620000000000100000);
    EXPECT_EQ(parse_us("3520313169213.123"), 3520313169213123);
    EXPECT_EQ(parse_us("1712195495406752.8"), 1712195495406752800);  // a double would be 50 ns off
    EXPECT_EQ(parse_us("13.470 "), 13470);
    EXPECT_EQ(parse_us("\"12.5\""), 12500);
    EXPECT_EQ(parse_us("-3.25"), -3250);
    EXPECT_EQ(parse_us("0.0005"), 1);
    EXPECT_EQ(parse_us("0.0004999"), 0);
    EXPECT_EQ(parse_us("-0.0005"), -1);
    EXPECT_EQ(parse_us("1.7e+15"), 1700000000000000000);
    EXPECT_EQ(parse_us("5e-05"), 0);
    EXPECT_EQ(parse_us("1234567.123456789"), 1234567123);
}

TEST(Numbers, TimesOutOfRangeAreRefused) {
    for (const char* bad :
         {"", "NaN", "Infinity", "-Infinity", "1e400", "1e16", "9e18", "99999999999999999999999", "abc",
          "1.2.3", "--1", "1e", "null", "[1]", "0x10", "1 2", ".", "-"})
        EXPECT_EQ(parse_us(bad), std::nullopt) << bad;
    EXPECT_EQ(parse_us("4611686018427387.903"), kMaxNs);
    EXPECT_EQ(parse_us("4611686018427387.904"), std::nullopt);
}

TEST(Numbers, Integers) {
    EXPECT_EQ(parse_int("42"), 42);
    EXPECT_EQ(parse_int("\"42\""), 42);
    EXPECT_EQ(parse_int("-1"), -1);
    EXPECT_EQ(parse_int("7.0"), 7);
    EXPECT_EQ(parse_int("\"0x1f\""), 31);
    EXPECT_EQ(parse_int("9223372036854775807"), INT64_MAX);
    EXPECT_EQ(parse_int("9223372036854775808"), std::nullopt);
    EXPECT_EQ(parse_int("stream 7"), std::nullopt);
}

TEST(Numbers, IdsThatAreNoNumbersAreHashed) {
    EXPECT_EQ(parse_id("5").value, 5);
    EXPECT_FALSE(parse_id("5").hashed);
    const ParsedId huge = parse_id("10159970886766084423"), text = parse_id("\"abc\"");
    EXPECT_TRUE(huge.hashed && huge.too_big);
    EXPECT_TRUE(text.hashed && !text.too_big);
    EXPECT_GE(huge.value, 0);
    EXPECT_EQ(text.value, parse_id("\"abc\"").value);
    EXPECT_NE(text.value, parse_id("\"abd\"").value);
}

}  // namespace
}  // namespace opsight::importer::kineto
