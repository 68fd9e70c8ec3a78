#include "fleet/clickhouse/free_sql.h"

#include <gtest/gtest.h>

namespace opsight::fleet::clickhouse {
namespace {

Result<FreeSql> safe(const std::string& sql) {
    return made_safe(sql, [](std::string_view table) {
        return Relation{"all_" + std::string(table), "1", "SELECT * FROM all_" + std::string(table)};
    });
}

std::string written(const std::string& sql) {
    const Result<FreeSql> out = safe(sql);
    return out ? out->text : "refused: " + out.error().what;
}

std::string refusal(const std::string& sql) {
    const Result<FreeSql> out = safe(sql);
    return out ? "let through: " + out->text : out.error().what;
}

TEST(FreeSql, WritesTablesOut) {
    EXPECT_EQ(written("SELECT count() FROM ops;"), "SELECT count() FROM (SELECT * FROM all_ops) AS ops");
    EXPECT_EQ(written("select op from ops o where op in ('a', 'b') limit 3"),
              "select op from (SELECT * FROM all_ops) o where op in ('a', 'b') limit 3");
    const Result<FreeSql> both =
        safe("SELECT a, b FROM (SELECT run AS a FROM ops) AS x JOIN runs USING run, a WHERE a IN (1, 2)");
    ASSERT_TRUE(both) << both.error().what;
    EXPECT_EQ(both->tables, (std::set<std::string>{"ops", "runs"}));
}

TEST(FreeSql, TextsAndCommentsAreNoTables) {
    EXPECT_EQ(
        written("SELECT 'from system.one, #$', \"FROM x\" -- from y\nFROM runs /* , z */ WHERE 1"),
        "SELECT 'from system.one, #$', \"FROM x\" -- from y\nFROM (SELECT * FROM all_runs) AS runs /* , z */ "
        "WHERE 1");
}

TEST(FreeSql, RefusesCommasBetweenTables) {
    for (const char* sql :
         {"SELECT 1 FROM ops, runs", "SELECT 1 FROM ops o, system.tables", "SELECT 1 FROM ops AS o, runs",
          "SELECT 1 FROM (SELECT 1 FROM ops), system.tables",
          "SELECT 1 FROM ops JOIN runs USING run JOIN ranks ON a = b, system.tables",
          "SELECT 1 WHERE 1 IN (SELECT 1 FROM ops o, system.tables)"})
        EXPECT_NE(refusal(sql).find("a comma between tables"), std::string::npos)
            << sql << ": " << refusal(sql);
    for (const char* sql : {"SELECT 1, 2 FROM ops ORDER BY a, b", "SELECT 1 FROM ops GROUP BY a, b",
                            "SELECT f(a, b) FROM ops JOIN runs ON f(a, b) = 1 WHERE (1, 2) = (a, b)",
                            "SELECT a, (SELECT 1 FROM ops), b"})
        EXPECT_TRUE(safe(sql)) << sql << ": " << refusal(sql);
}

TEST(FreeSql, RefusesWhatOtherReleasesReadInAnotherWay) {
    EXPECT_NE(refusal("SELECT 1 # comment\nFROM ops").find("a # outside of quotes"), std::string::npos);
    EXPECT_NE(refusal("SELECT $$ FROM ops $$").find("a $ outside of quotes"), std::string::npos);
    EXPECT_NE(refusal("SELECT \xe2\x80\x98 FROM ops").find("beyond ASCII"), std::string::npos);
    EXPECT_TRUE(safe("SELECT '\xc3\xa4#$' FROM ops"));
}

TEST(FreeSql, RefusesWhatIsNestedTooDeep) {
    EXPECT_TRUE(
        safe("SELECT 1 FROM ops WHERE run IN (" + std::string(50, '(') + "1" + std::string(50, ')') + ")"));
    const std::string open(100'000, '('), close(100'000, ')');
    EXPECT_NE(refusal("SELECT 1 FROM ops WHERE run IN (" + open + "1" + close + ")").find("parentheses"),
              std::string::npos);
}

TEST(FreeSql, RefusesNamesAfterIn) {
    for (const char* sql :
         {"SELECT 1 FROM ops WHERE run IN (system.one)", "SELECT 1 FROM ops WHERE run IN system.one",
          "SELECT 1 FROM ops WHERE run NOT IN ((ops))", "SELECT in(run, system.one) FROM ops",
          "SELECT globalNotIn(1, `system`.`one`) FROM ops"})
        EXPECT_FALSE(safe(sql)) << sql;
    EXPECT_TRUE(
        safe("SELECT 1 FROM ops WHERE run IN ((1, 2), (3, 4)) AND x IN (SELECT run, a, b FROM runs)"));
}

TEST(FreeSql, RefusesAllElse) {
    for (const char* sql :
         {"", "DROP TABLE ops", "SELECT 1 FROM system.tables", "SELECT 1 FROM ops.x",
          "SELECT 1 FROM numbers(3)", "SELECT 1 FROM `ops`", "SELECT 1; DROP TABLE ops",
          "SELECT 1 INTO OUTFILE 'x'", "SELECT 1 FORMAT Null", "SELECT 1 FROM ops SETTINGS x = 1",
          "SELECT dictGetString('a', 'b', 1)", "SELECT file('/etc/passwd')", "SELECT url('http://x')",
          "SELECT sleep(3)", "SELECT 'a", "SELECT (1", "SELECT 1)", "SELECT /* 1", "SELECT {x:Int8}"})
        EXPECT_FALSE(safe(sql)) << sql;
}

}  // namespace
}  // namespace opsight::fleet::clickhouse
