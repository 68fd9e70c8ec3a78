#include "query/ask/question.h"

#include <gtest/gtest.h>

#include "query/session/test_session.h"

namespace opsight::query {
namespace {

Question question_of(const char* rows) {
    Question q{"made", "Made"};
    q.columns = {
        {"rank", "Rank", Unit::kCount, 0, Role::kId}, {"name", "Name"}, {"ns", "Time (ns)", Unit::kNs}};
    q.rows = duck::Statement(std::string("FROM (VALUES ") + rows + ") v (rank, name, ns)");
    q.order = {{"ns", true}, {"name", false}};
    return q;
}

TEST(Questions, RowsThatOnlyTheRankTellsApartHaveAnOrder) {
    analyze::TestProfile t;
    t.op("aten::add", 0, 10);
    const StoredProfile stored(std::move(t));
    Session session = stored.open();
    const Question q = question_of("(3, 'a', 5), (1, 'a', 5), (2, 'a', 5), (0, 'b', 5), (9, 'a', 7)");
    const auto table = ask(session, q, {});
    ASSERT_TRUE(table.has_value()) << table.error().message();
    std::vector<int64_t> ranks;
    for (const auto& row : table->rows)
        ranks.push_back(std::get<int64_t>(row[0]));
    EXPECT_EQ(ranks, (std::vector<int64_t>{9, 1, 2, 3, 0}));
}

// A statement may have columns that are not the question's, of any type.
TEST(Questions, NobodySearchesInOtherColumns) {
    analyze::TestProfile t;
    t.op("aten::add", 0, 10);
    const StoredProfile stored(std::move(t));
    Session session = stored.open();
    Question q = question_of("(0, 'a', 1), (1, 'b', 2)");
    q.rows.text = "SELECT *, [0.5] AS quantiles, 'needle' AS hidden FROM (" + q.rows.text + ")";
    TableShape shape;
    shape.page.emplace().search = "needle";
    const auto table = ask(session, q, shape);
    ASSERT_TRUE(table.has_value()) << table.error().message();
    EXPECT_TRUE(table->rows.empty());
    shape.page->search.clear();
    shape.page->filters.push_back({"hidden", RowFilter::Is::kEqual, "needle"});
    EXPECT_FALSE(ask(session, q, shape).has_value());
}

// What somebody searches for stands in the statement as a value, whatever it holds.
TEST(Questions, SearchedTextsAreValues) {
    analyze::TestProfile t;
    t.op("aten::add", 0, 10);
    const StoredProfile stored(std::move(t));
    Session session = stored.open();
    const Question q = question_of("(0, 'it''s', 1), (1, '$page_0', 2), (2, '-- x', 3), (3, 'other', 4)");
    for (const auto& [searched, rank] : {std::pair("it's", 0), {"$page_0", 1}, {"-- x", 2}}) {
        TableShape shape;
        shape.page.emplace().search = searched;
        const auto table = ask(session, q, shape);
        ASSERT_TRUE(table.has_value()) << table.error().message();
        ASSERT_EQ(table->rows.size(), 1u) << searched;
        EXPECT_EQ(std::get<int64_t>(table->rows[0][0]), rank);
    }
}

}  // namespace
}  // namespace opsight::query
