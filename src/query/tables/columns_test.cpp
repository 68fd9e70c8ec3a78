// What every column says of itself.
#include <gtest/gtest.h>

#include <algorithm>

#include "query/ask/definitions.h"
#include "query/session/test_session.h"
#include "query/tables/tables.h"

namespace opsight::query {
namespace {

bool names_something(std::string_view key) {
    constexpr std::string_view kNames[] = {"rank",        "own_rank", "last_rank", "device",    "node",
                                           "stream",      "group",    "start",     "stop",      "context",
                                           "correlation", "track",    "span",      "iteration", "call",
                                           "clock",       "max_rank", "min_rank"};
    return key.ends_with("_id") || std::find(std::begin(kNames), std::end(kNames), key) != std::end(kNames);
}

bool is_moment(std::string_view key) {
    return key == "begin_ns" || key == "end_ns" || key.ends_with("_begin_ns") || key.ends_with("start_ns");
}

// Where the source tells work of devices alone these are not known.
bool is_of_host(std::string_view key) {
    constexpr std::string_view kWords[] = {"cpu_time", "cpu_overhead", "api_time"};
    return std::any_of(std::begin(kWords), std::end(kWords),
                       [key](std::string_view word) { return key.find(word) != key.npos; });
}

bool is_number(const Cell& cell) {
    return std::holds_alternative<int64_t>(cell) || std::holds_alternative<double>(cell);
}

void check(const ResultTable& table) {
    EXPECT_FALSE(table.columns.empty()) << table.name;
    for (const Column& column : table.columns) {
        const std::string place = table.name + '.' + column.key;
        EXPECT_EQ(column.role == Role::kId, names_something(column.key) && !is_text(column)) << place;
        EXPECT_EQ(column.role == Role::kMoment, is_moment(column.key)) << place;
        EXPECT_EQ(column.host_only, is_of_host(column.key)) << place;
        EXPECT_EQ(column.role == Role::kDirection, column.key == "direction") << place;
        EXPECT_EQ(column.role == Role::kShapes, column.key.ends_with("shapes") && is_text(column)) << place;
        EXPECT_FALSE(column.header.empty()) << place;
        EXPECT_NE(definition_of(table.name, column.header), "") << place;
        EXPECT_TRUE(choices_of(column.role).empty() || is_text(column)) << place;
    }
    for (const std::vector<Cell>& row : table.rows)
        for (size_t c = 0; c < row.size(); ++c)
            EXPECT_FALSE(is_text(table.columns[c]) && is_number(row[c]))
                << table.name << '.' << table.columns[c].key;
    for (const std::string_view key : table.shown)
        EXPECT_TRUE(std::any_of(table.columns.begin(), table.columns.end(),
                                [key](const Column& column) { return column.key == key; }))
            << table.name << '.' << key;
}

StoredProfile profile() {
    analyze::TestProfile t;
    t.gpu(0, "Tesla V100-SXM2-16GB", 7, 0);
    t.op("aten::mm", 1000, 200, t.thread());
    t.api("cudaLaunchKernel", 1010, 5, t.thread(), 1);
    t.kernel("volta_h884gemm", 1100, 40, t.stream(), 1);
    return StoredProfile(std::move(t));
}

TEST(Columns, OfTablesHaveRolesThatFitThem) {
    const StoredProfile stored = profile();
    Session session = stored.open();
    TableShape shape;
    shape.by_rank = shape.by_device = true;
    for (const std::string_view name : table_family().names()) {
        const auto table = make_table(session, name, {.op = 0}, shape);
        ASSERT_TRUE(table) << name << ": " << table.error().message();
        check(*table);
        const auto with_path = make_table(session, name, {.op = 0}, {.critical_path = true});
        ASSERT_TRUE(with_path) << name << ": " << with_path.error().message();
        check(*with_path);
    }
}

TEST(Columns, OfReportsHaveRolesThatFitThem) {
    const StoredProfile stored = profile();
    Session session = stored.open();
    for (const ReportInfo& info : report_family().members) {
        const auto report = make_report(session, info.name, {});
        ASSERT_TRUE(report) << info.name << ": " << report.error().message();
        for (const Section& section : report->sections)
            check(section.table);
    }
}

}  // namespace
}  // namespace opsight::query
