#include "base/sql.h"

#include <gtest/gtest.h>

#include "base/duckdb.h"

namespace opsight::duck {
namespace {

TEST(Statement, ValuesStandInPlaceOfTheirNames) {
    Statement statement("SELECT $a, $ab, $none, '$a', \"$a\" -- $a\n/* $a */ + $a");
    statement.set("a", int64_t{1}).set("ab", std::string("it's")).set("unused", true);
    EXPECT_EQ(statement.written(),
              "SELECT '1'::BIGINT, ('it''s'), $none, '$a', \"$a\" -- $a\n/* $a */ + '1'::BIGINT");
}

TEST(Statement, CommentsMayHoldComments) {
    Statement statement("/* $a /* $a */ $a */ $a");
    statement.set("a", int64_t{1});
    EXPECT_EQ(statement.written(), "/* $a /* $a */ $a */ '1'::BIGINT");
    EXPECT_EQ(past_quoted("/* a /* b */ c", 0), std::string_view::npos);
}

// What DuckDB reads of a literal is the value itself, whatever it holds.
TEST(Statement, ValuesComeBackAsTheyWere) {
    const auto database = Database::open(":memory:", {});
    ASSERT_TRUE(database.has_value());
    auto connection = database->connect();
    ASSERT_TRUE(connection.has_value());
    const Cell values[] = {std::monostate{},
                           int64_t{-5},
                           INT64_MIN,
                           INT64_MAX,
                           0.1,
                           -1e300,
                           true,
                           std::string(),
                           std::string("a'b\"c--d/*e*/$a\\\n;"),
                           std::string("a\0b\0", 4),
                           std::string("\xc3\xa9")};
    for (const Cell& value : values) {
        const auto rows = connection->query(Statement(std::string("SELECT $a")).set("a", value));
        ASSERT_TRUE(rows.has_value()) << rows.error().what << literal(value);
        EXPECT_EQ(rows->rows.at(0)[0], value) << literal(value);
    }
}

TEST(Statement, ANameWithoutAValueIsAnError) {
    const auto database = Database::open(":memory:", {});
    ASSERT_TRUE(database.has_value());
    EXPECT_FALSE(database->connect()->query(Statement(std::string("SELECT $a"))).has_value());
}

}  // namespace
}  // namespace opsight::duck
