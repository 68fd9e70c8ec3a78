// Stretches of time: united from any order, cut by each other, and sums before a moment.
#include "query/reports/time_spans.h"

#include <gtest/gtest.h>

#include <random>

#include "query/reports/range_resources.h"

namespace opsight::query {

static bool operator==(const TimeSpan& a, const TimeSpan& b) {
    return a.rank == b.rank && a.begin == b.begin && a.end == b.end;
}

namespace {

constexpr int64_t kRanks = 2, kEnd = 200;

std::vector<TimeSpan> any_spans(std::mt19937& random, int count, int64_t longest) {
    std::vector<TimeSpan> spans;
    for (int i = 0; i < count; ++i) {
        const auto begin = static_cast<int64_t>(random() % (kEnd - 50));
        spans.push_back({static_cast<int64_t>(random() % kRanks), begin,
                         begin + static_cast<int64_t>(random() % (static_cast<uint64_t>(longest) + 1))});
    }
    return spans;
}

// Moments that lie in none of the spans, or in some.
std::vector<bool> moments(const std::vector<TimeSpan>& spans) {
    std::vector<bool> held(kRanks * kEnd);
    for (const TimeSpan& span : spans)
        for (int64_t ns = span.begin; ns < span.end; ++ns)
            held[static_cast<size_t>(span.rank * kEnd + ns)] = true;
    return held;
}

void expect_apart(const TimeSpans& spans) {
    for (size_t i = 0; i < spans.size(); ++i) {
        EXPECT_LT(spans[i].begin, spans[i].end);
        if (i == 0 || spans[i - 1].rank < spans[i].rank) continue;
        EXPECT_EQ(spans[i - 1].rank, spans[i].rank);
        EXPECT_LT(spans[i - 1].end, spans[i].begin);
    }
}

TEST(TimeSpans, OfAnyOrderAreTheMomentsThatTheyHold) {
    std::mt19937 random(7);
    for (int i = 0; i < 200; ++i) {
        std::vector<TimeSpan> a = any_spans(random, i % 23, 12), b = any_spans(random, i % 17, 30);
        SpanCollector collected;
        for (const TimeSpan& span : a)
            collected.add(span);
        const TimeSpans first = merged(a), second = merged(b);
        expect_apart(first);
        EXPECT_EQ(moments(first), moments(a));
        EXPECT_EQ(collected.take(), first);
        const std::vector<bool> in_a = moments(a), in_b = moments(b);
        std::vector<bool> either = in_a, both = in_a;
        for (size_t at = 0; at < either.size(); ++at) {
            either[at] = in_a[at] || in_b[at];
            both[at] = in_a[at] && in_b[at];
        }
        EXPECT_EQ(moments(united(first, second)), either);
        expect_apart(united(first, second));
        EXPECT_EQ(moments(common(first, second)), both);
    }
}

TEST(TimeSpans, RunsAreSortedAndStayInTheirOrderWhereTheyBeginTogether) {
    std::mt19937 random(3);
    for (int i = 0; i < 100; ++i) {
        std::vector<TimeSpan> spans = any_spans(random, i, 9), expected = spans;
        sort_runs(spans);
        std::stable_sort(expected.begin(), expected.end(), starts_before);
        EXPECT_EQ(spans, expected);
    }
}

TEST(TimeSpans, WithoutOthersIsTheRest) {
    const TimeSpans whole = {{0, 0, 100}, {1, 50, 60}}, spans = {{0, 10, 20}, {0, 90, 100}, {1, 52, 53}};
    const TimeSpans rest = {{0, 0, 10}, {0, 20, 90}, {1, 50, 52}, {1, 53, 60}};
    EXPECT_EQ(without(whole, spans), rest);
    EXPECT_EQ(without(whole, {}), whole);
}

TEST(TimeSpans, SumsBeforeAMomentAreTheMomentsHeldUntilThen) {
    std::mt19937 random(5);
    for (int i = 0; i < 50; ++i) {
        const TimeSpans spans = merged(any_spans(random, i % 20, 15));
        StretchSums sums;
        for (const TimeSpan& span : spans)
            sums.add(span);
        EXPECT_EQ(sums.all_ns(), length_of(spans));
        const std::vector<bool> held = moments(spans);
        for (int64_t rank = 0; rank < kRanks; ++rank)
            for (int64_t ns = 0, before = 0; ns < kEnd; ++ns) {
                ASSERT_EQ(sums.before(rank, ns), before) << rank << ' ' << ns;
                before += held[static_cast<size_t>(rank * kEnd + ns)];
            }
        EXPECT_EQ(sums.before(kRanks, 10), 0);
    }
}

}  // namespace
}  // namespace opsight::query
