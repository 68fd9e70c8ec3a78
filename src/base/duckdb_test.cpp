#include "base/duckdb.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace opsight::duck {
namespace {

constexpr const char* kManyRows = "SELECT range FROM range(100000)";

Connection connected() {
    auto database = Database::open(":memory:", {});
    EXPECT_TRUE(database);
    auto connection = database->connect();
    EXPECT_TRUE(connection);
    return std::move(*connection);
}

TEST(Cursor, ReadsAllRowsBitByBit) {
    Connection connection = connected();
    auto cursor = connection.open_cursor(Statement(kManyRows));
    ASSERT_TRUE(cursor);
    std::vector<std::vector<Cell>> rows;
    while (true) {
        const auto more = cursor->read(rows);
        ASSERT_TRUE(more) << more.error().what;
        if (!*more) break;
    }
    EXPECT_EQ(rows.size(), 100000U);
}

// DuckDB itself then gives no rows and no error, which looks like an empty table.
TEST(Cursor, RefusesToBeReadAfterAnotherStatement) {
    const std::vector<std::function<void(Connection&)>> others = {
        [](Connection& c) { EXPECT_TRUE(c.query("SELECT 1")); },
        [](Connection& c) { EXPECT_TRUE(c.execute("SELECT 1")); },
        [](Connection& c) { EXPECT_TRUE(c.scan("SELECT 1::BIGINT", [](const Batch&) {})); },
        [](Connection& c) { EXPECT_TRUE(c.open_cursor(Statement("SELECT 1"))); },
        [](Connection& c) { EXPECT_FALSE(c.query("SELECT no_such_column")); },
        [](Connection& c) { EXPECT_TRUE(Appender::create(c, "temp", "taken", {Type::kBigint})); },
    };
    for (size_t i = 0; i < others.size(); ++i) {
        Connection connection = connected();
        ASSERT_TRUE(connection.execute("CREATE TEMP TABLE taken (number BIGINT)"));
        auto cursor = connection.open_cursor(Statement(kManyRows));
        ASSERT_TRUE(cursor);
        std::vector<std::vector<Cell>> rows;
        ASSERT_TRUE(cursor->read(rows));
        others[i](connection);
        const auto more = cursor->read(rows);
        ASSERT_FALSE(more) << "statement " << i;
        EXPECT_NE(more.error().what.find("another statement"), std::string::npos);
    }
}

TEST(Cursor, AnswersThatAreWholeStayReadable) {
    Connection connection = connected();
    const auto rows = connection.query(kManyRows);
    ASSERT_TRUE(rows);
    EXPECT_TRUE(connection.execute("SELECT 1"));
    EXPECT_EQ(rows->rows.size(), 100000U);
}

}  // namespace
}  // namespace opsight::duck
