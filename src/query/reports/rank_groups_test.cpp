// Rows of several ranks: parted by rank or host, and those of one rank alone.
#include <gmock/gmock.h>

#include <map>

#include "query/reports/test_reports.h"

namespace opsight::query {
namespace {

using ::testing::HasSubstr;

// Ranks 0 and 1 on host a, rank 4 on host b; the n-th launches n + 1 kernels of 10 ns.
StoredProfile three_ranks() {
    analyze::TestProfile t;
    const int64_t numbers[] = {0, 1, 4};
    for (int64_t nth = 0; nth < 3; ++nth) {
        if (nth > 0) t.add_rank(numbers[nth]);
        t.builder.rank(RankId(static_cast<size_t>(nth))).host = nth < 2 ? "a" : "b";
        t.op("aten::mm", 0, 1000, t.thread());
        for (int64_t i = 0; i <= nth; ++i) {
            t.api("cudaLaunchKernel", 10 + 100 * i, 5, t.thread(), i + 1);
            t.kernel("gemm", 20 + 100 * i, 10, t.stream(), i + 1);
        }
    }
    return StoredProfile(std::move(t));
}

size_t column_of(const ResultTable& table, std::string_view key) {
    const auto at = std::find_if(table.columns.begin(), table.columns.end(),
                                 [&](const Column& column) { return column.key == key; });
    EXPECT_NE(at, table.columns.end()) << key;
    return static_cast<size_t>(at - table.columns.begin());
}

using Sums = std::map<std::string, double>;

Sums time_by(Session& session, const char* report, const char* time, const TableShape& shape,
             const char* group) {
    auto made = make_report(session, report, shape);
    EXPECT_TRUE(made) << made.error().message();
    Sums sums;
    if (!made) return sums;
    const ResultTable& table = made->sections[0].table;
    for (size_t row = 0; row < table.rows.size(); ++row) {
        const Cell& of = table.rows[row][column_of(table, group)];
        const auto* text = std::get_if<std::string>(&of);
        sums[text ? *text : std::to_string(std::get<int64_t>(of))] +=
            number(table.rows[row][column_of(table, time)]);
    }
    return sums;
}

TEST(RankGroups, RowsAreParted) {
    const StoredProfile stored = three_ranks();
    Session session = stored.open();
    const std::pair<const char*, const char*> times[] = {{"kernel_name", "total_gpu_time_ns"},
                                                         {"kernel", "total_gpu_time_ns"},
                                                         {"op_type", "total_gpu_time_ns"},
                                                         {"detailed", "total_gpu_time_ns"},
                                                         {"group_op", "total_gpu_time_ns"}};
    for (const auto& [report, time] : times) {
        EXPECT_EQ(time_by(session, report, time, {.by_rank = true}, "rank"),
                  (Sums{{"0", 10}, {"1", 20}, {"4", 30}}))
            << report;
        EXPECT_EQ(time_by(session, report, time, {.by_host = true}, "host"), (Sums{{"a", 30}, {"b", 30}}))
            << report;
    }
    const ResultTable detailed = make_report(session, "detailed", {.by_host = true})->sections[0].table;
    EXPECT_EQ(number(cell(detailed, "calls", "host", "a")), 2);
    EXPECT_EQ(number(cell(detailed, "calls", "host", "b")), 1);
}

TEST(RankGroups, OneRankAlone) {
    const StoredProfile stored = three_ranks();
    Session whole = stored.open();
    Session session = stored.open({.rank = 4});
    EXPECT_EQ(session.contents().ranks, 1);
    EXPECT_THAT(session.range().notes.at(0), HasSubstr("of rank 4 alone, one of 3"));
    EXPECT_EQ(time_by(session, "kernel_name", "total_gpu_time_ns", {.by_rank = true}, "rank"),
              (Sums{{"4", 30}}));
    EXPECT_EQ(time_by(session, "op_type", "total_gpu_time_ns", {.by_host = true}, "host"), (Sums{{"b", 30}}));
    EXPECT_EQ(time_by(whole, "kernel_name", "total_gpu_time_ns", {.by_rank = true}, "rank").size(), 3u)
        << "another session sees them all";
}

TEST(RankGroups, HostsThatAreNotTold) {
    analyze::TestProfile t;
    t.op("aten::mm", 0, 10, t.thread());
    const StoredProfile stored(std::move(t));
    Session session = stored.open();
    const auto made = make_report(session, "op_type", {.by_host = true});
    ASSERT_FALSE(made);
    EXPECT_THAT(made.error().message(), HasSubstr("does not tell which hosts"));
}

TEST(RankGroups, ARankThatIsNotThere) {
    const StoredProfile stored = three_ranks();
    const auto session = Session::open(stored.path(), {.rank = 2});
    ASSERT_FALSE(session);
    EXPECT_THAT(session.error().message(), HasSubstr("the profile has no rank 2"));
    EXPECT_THAT(session.error().message(), HasSubstr("0, 1, 4"));
}

}  // namespace
}  // namespace opsight::query
