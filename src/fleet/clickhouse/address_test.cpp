#include "fleet/clickhouse/address.h"

#include <gtest/gtest.h>

#include "fleet/clickhouse/native.h"

namespace opsight::fleet::clickhouse {
namespace {

TEST(ClickHouseAddress, HasAllItsParts) {
    const auto address = parse_address("clickhouse+tls://one,[::1]:9443/fleet_2?cluster=big&timeout=7");
    ASSERT_TRUE(address.has_value());
    ASSERT_EQ(address->hosts.size(), 2U);
    EXPECT_EQ(address->hosts[0].text(), "one:8443");
    EXPECT_EQ(address->hosts[1].text(), "[::1]:9443");
    EXPECT_EQ(address->database, "fleet_2");
    EXPECT_EQ(address->cluster, "big");
    EXPECT_EQ(address->timeout_s, 7);
    EXPECT_TRUE(address->tls);
}

TEST(ClickHouseAddress, RefusesWhatIsNone) {
    for (const char* bad :
         {"clickhouse://", "clickhouse://one", "clickhouse:///fleet", "clickhouse://one:0/fleet",
          "clickhouse://one:65536/fleet", "clickhouse://one/fle'et", "clickhouse://one/fleet?timeout=-1",
          "clickhouse://one/fleet?colour=red"})
        EXPECT_FALSE(parse_address(bad).has_value()) << bad;
}

TEST(ClickHouseAddress, APasswordIsRefusedAndNotRepeated) {
    const auto address = parse_address("clickhouse://me:secret@one/fleet");
    ASSERT_FALSE(address.has_value());
    const auto& error = address.error();
    EXPECT_EQ((error.what + error.file + error.place + error.remedy).find("secret"), std::string::npos);
}

TEST(ClickHouseNative, IsOneBlockOfColumns) {
    NativeBlock block({{"block", Kind::kUint64}, {"t", Kind::kString}, {"n", Kind::kInt64, true}});
    block.add_text(1, "ab");
    EXPECT_TRUE(block.add(2, duck::Cell()));
    block.end_row();
    using std::string_literals::operator""s;
    EXPECT_EQ(block.body(1, 5),
              "\x03\x01"
              "\x05"
              "block"
              "\x06"
              "UInt64"
              "\x05\0\0\0\0\0\0\0"
              "\x01"
              "t"
              "\x06"
              "String"
              "\x02"
              "ab"
              "\x01"
              "n"
              "\x0f"
              "Nullable(Int64)"
              "\x01"
              "\0\0\0\0\0\0\0\0"s);
}

TEST(ClickHouseNative, RefusesWhatAColumnCannotHold) {
    NativeBlock block({{"block", Kind::kUint64}, {"n", Kind::kInt64}});
    EXPECT_FALSE(block.add(1, duck::Cell()));
    EXPECT_FALSE(block.add(1, duck::Cell(std::string("text"))));
}

}  // namespace
}  // namespace opsight::fleet::clickhouse
