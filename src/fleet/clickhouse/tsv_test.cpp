#include "fleet/clickhouse/tsv.h"

#include <gtest/gtest.h>

namespace opsight::fleet::clickhouse {
namespace {

TEST(Tsv, ReadsEachTypeExactly) {
    const auto rows = read_tsv(
        "n\tu\tf\ttext\n"
        "Nullable(Int64)\tUInt8\tFloat64\tString\n"
        "-9223372036854775808\t255\t0.1\ta\\tb\\nc\\\\d\\'\n"
        "\\N\t0\tinf\t\\N\n");
    ASSERT_TRUE(rows) << rows.error().what;
    ASSERT_EQ(rows->rows.size(), 2U);
    EXPECT_EQ(rows->columns[3].name, "text");
    EXPECT_EQ(std::get<int64_t>(rows->rows[0][0]), INT64_MIN);
    EXPECT_EQ(std::get<int64_t>(rows->rows[0][1]), 255);
    EXPECT_EQ(std::get<double>(rows->rows[0][2]), 0.1);
    EXPECT_EQ(std::get<std::string>(rows->rows[0][3]), "a\tb\nc\\d'");
    EXPECT_TRUE(std::holds_alternative<std::monostate>(rows->rows[1][0]));
    EXPECT_TRUE(std::holds_alternative<std::monostate>(rows->rows[1][3]));
}

TEST(Tsv, AnAnswerWithoutRowsIsWhole) {
    const auto rows = read_tsv("a\tb\nInt8\tString\n");
    ASSERT_TRUE(rows);
    EXPECT_TRUE(rows->rows.empty());
    EXPECT_EQ(rows->columns.size(), 2U);
}

TEST(Tsv, RefusesWhatIsNotWhole) {
    for (const char* text :
         {"", "a\tb", "a\tb\n", "a\tb\nInt8", "a\tb\nInt8\tString", "a\tb\nInt8\tString\n1\t2",
          "a\tb\nInt8\tString\n1\n", "a\tb\nInt8\tString\n1\tx\ty\n", "a\nInt8\n\n"})
        EXPECT_FALSE(read_tsv(text)) << text;
}

TEST(Tsv, RefusesNumbersThatDoNotFit) {
    const auto rows = read_tsv("n\nUInt64\n18446744073709551615\n");
    ASSERT_FALSE(rows);
    EXPECT_NE(rows.error().what.find("18446744073709551615"), std::string::npos);
}

}  // namespace
}  // namespace opsight::fleet::clickhouse
