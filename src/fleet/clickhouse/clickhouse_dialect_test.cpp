#include "fleet/clickhouse/clickhouse_dialect.h"

#include <gtest/gtest.h>

namespace opsight::fleet::clickhouse {
namespace {

Relation relation_of(std::string_view table) {
    const std::string name = "all_" + std::string(table);
    return {name, "block IN (7)", "SELECT run FROM " + name};
}

TEST(ClickHouseDialect, LiteralsCannotEnd) {
    const ClickHouseDialect dialect(relation_of);
    using std::string_literals::operator""s;
    EXPECT_EQ(dialect.literal("it's \\ \0x"s), "'it\\'s \\\\ \\0x'");
    EXPECT_EQ(dialect.literal(int64_t{-3}), "-3");
    EXPECT_EQ(dialect.literal(true), "1");
    EXPECT_EQ(dialect.literal(0.5), "toFloat64('0.5')");
    EXPECT_EQ(dialect.literal(duck::Cell()), "NULL");
}

TEST(ClickHouseDialect, NamesTheTablesOfAQuestion) {
    EXPECT_EQ(tables_of("SELECT {{median(x)}} FROM {{ops}} {{join}} {{ runs }} USING (run)"),
              (std::set<std::string>{"ops", "runs"}));
}

TEST(ClickHouseDialect, ATableReadFromStandsAsItself) {
    EXPECT_EQ(with_relations("SELECT 1 FROM {{ops}} WHERE x", relation_of),
              "SELECT 1 FROM all_ops PREWHERE block IN (7) WHERE x");
    EXPECT_EQ(with_relations("SELECT 1 FROM {{ops}} {{join}} {{runs}} USING (run) WHERE x", relation_of),
              "SELECT 1 FROM all_ops {{join}} (SELECT run FROM all_runs) USING (run) PREWHERE block IN (7) "
              "WHERE x");
}

TEST(ClickHouseDialect, JoinsSendOneSideToAllNodes) {
    const ClickHouseDialect dialect(relation_of);
    EXPECT_EQ(dialect.word("join", {}), "GLOBAL ALL INNER JOIN");
    EXPECT_EQ(dialect.word("ratio", {"a", "b"}), "((a) / nullIf(b, 0))");
    EXPECT_EQ(dialect.relation("ops"), "(SELECT run FROM all_ops)");
}

}  // namespace
}  // namespace opsight::fleet::clickhouse
