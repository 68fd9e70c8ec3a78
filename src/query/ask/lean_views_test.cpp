#include "query/ask/lean_views.h"

#include <gmock/gmock.h>

namespace opsight::query {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(LeanViews, JoinsWhatTheColumnsNeedAlone) {
    const std::string calls =
        "SELECT name, sum(dur_ns) FROM api_calls WHERE iteration BETWEEN 0 AND 3 GROUP BY 1";
    EXPECT_THAT(with_lean_views(calls),
                AllOf(StartsWith("WITH api_calls AS NOT MATERIALIZED (SELECT "), HasSubstr("raw.strings x"),
                      HasSubstr("raw.tracks t"), Not(HasSubstr("raw.ops")), Not(HasSubstr("raw.call_chains")),
                      HasSubstr(") " + calls)));
    // What a wanted join is joined by stays: a layer is its op's.
    EXPECT_THAT(with_lean_views("SELECT k.layer, count(*) FROM kernels k GROUP BY 1"),
                AllOf(HasSubstr("raw.layers l"), HasSubstr("raw.op_identities i"),
                      Not(HasSubstr("raw.launch_configs"))));
}

TEST(LeanViews, NewRelationsStandBeforeThoseOfTheStatement) {
    EXPECT_THAT(
        with_lean_views("WITH a AS (SELECT begin_ns FROM ops UNION ALL SELECT begin_ns FROM api_calls) "
                        "SELECT max(begin_ns) FROM a"),
        AllOf(HasSubstr("api_calls AS NOT MATERIALIZED ("), HasSubstr("ops AS NOT MATERIALIZED ("),
              HasSubstr("), a AS (SELECT begin_ns FROM ops UNION ALL"), Not(HasSubstr("raw.op_work"))));
}

TEST(LeanViews, LeavesOtherStatementsAsTheyAre) {
    for (const std::string statement :
         {"SELECT * FROM ops", "SELECT o.* FROM ops o", "SELECT max(n) FROM (FROM ops WHERE depth = 0)",
          "FROM ops", "SELECT 'FROM ops' AS name", "SELECT rank FROM layers", "", "ops",
          "SELECT value FROM meta"})
        EXPECT_EQ(with_lean_views(statement), statement);
}

}  // namespace
}  // namespace opsight::query
