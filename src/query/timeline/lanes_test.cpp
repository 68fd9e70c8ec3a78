// Lanes of the timeline against plain scans over random spans.
#include "query/timeline/lanes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

namespace opsight::query {
namespace {

struct Plain {
    int64_t begin, dur;
    int64_t end() const { return begin + dur; }
};

// Spans as a source may have them: nested ones, overlapping ones, instants, bursts and gaps.
std::vector<Plain> random_spans(std::mt19937& random, size_t count, bool nested) {
    std::vector<Plain> out;
    int64_t at = 0;
    while (out.size() < count) {
        at += static_cast<int64_t>(random() % 5000);
        const int64_t dur = random() % 7 == 0 ? 0 : static_cast<int64_t>(random() % 40'000) + 2001;
        out.push_back({at, dur});
        if (!nested) continue;
        for (int64_t inner = at, end = at + dur; inner < end && random() % 3;) {
            const int64_t inner_dur = std::min<int64_t>(static_cast<int64_t>(random() % 9000), end - inner);
            out.push_back({inner, inner_dur});
            inner += inner_dur + static_cast<int64_t>(random() % 500);
        }
        at += dur;
    }
    std::stable_sort(out.begin(), out.end(), [](const Plain& a, const Plain& b) {
        return a.begin != b.begin ? a.begin < b.begin : a.dur > b.dur;
    });
    return out;
}

SpanLanes lanes_of(const std::vector<Plain>& spans) {
    std::vector<SpanRun> runs(3);  // as from several tables
    for (size_t i = 0; i < spans.size(); ++i)
        runs[i * 7 % 3].add(spans[i].begin, spans[i].dur, static_cast<uint32_t>(i % 17),
                            static_cast<uint32_t>(i), SpanKind::kKernel);
    return SpanLanes(std::move(runs));
}

struct Entry {
    int64_t begin, end, busy;
    size_t count;
    int64_t longest;
    friend bool operator==(const Entry&, const Entry&) = default;
};

// What the lane shows in a window, by a scan over all its spans.
std::vector<Entry> plain_window(const SpanLanes& lanes, size_t lane, int64_t begin, int64_t end,
                                int64_t pixel_ns) {
    std::map<int64_t, Entry> by_pixel;
    for (size_t i = lanes.lane_begin(lane); i < lanes.lane_end(lane); ++i) {
        const int64_t from = lanes.begin(i), to = lanes.end(i);
        if (from >= end || (from < begin && to <= begin)) continue;
        const int64_t pixel = from < begin ? -1 : (from - begin) / pixel_ns;
        const auto [at, added] =
            by_pixel.try_emplace(pixel, Entry{from, to, to - from, 1, static_cast<int64_t>(i)});
        if (added) continue;
        Entry& entry = at->second;
        entry.end = to;
        entry.busy += to - from;
        ++entry.count;
        if (to - from > lanes.dur(static_cast<size_t>(entry.longest)))
            entry.longest = static_cast<int64_t>(i);
    }
    std::vector<Entry> out;
    for (const auto& [pixel, entry] : by_pixel)
        out.push_back(entry);
    return out;
}

TEST(SpanLanes, NoSpansOfALaneOverlapAndNoneIsLost) {
    std::mt19937 random(1);
    for (const bool nested : {true, false}) {
        const std::vector<Plain> spans = random_spans(random, 5000, nested);
        const SpanLanes lanes = lanes_of(spans);
        ASSERT_EQ(lanes.size(), spans.size());
        std::set<uint32_t> met;
        for (size_t lane = 0; lane < lanes.lanes(); ++lane)
            for (size_t i = lanes.lane_begin(lane); i < lanes.lane_end(lane); ++i) {
                met.insert(lanes.ref(i));
                ASSERT_EQ(lanes.begin(i), spans[lanes.ref(i)].begin);
                ASSERT_LE(lanes.dur(i), spans[lanes.ref(i)].dur);
                ASSERT_GE(lanes.dur(i), spans[lanes.ref(i)].dur - SpanLanes::kRoundingNs);
                if (i > lanes.lane_begin(lane)) {
                    ASSERT_LE(lanes.end(i - 1), lanes.begin(i));
                }
            }
        EXPECT_EQ(met.size(), spans.size());
    }
}

TEST(SpanLanes, NestingIsTheDepth) {
    // 0: [0, 100), in it [10, 50) with [20, 30), and [50, 90); then [100, 120), and an instant in it.
    const SpanLanes lanes = lanes_of({{0, 100'000},
                                      {10'000, 40'000},
                                      {20'000, 10'000},
                                      {50'000, 40'000},
                                      {100'000, 20'000},
                                      {110'000, 0}});
    ASSERT_EQ(lanes.lanes(), 3u);
    const auto refs = [&](size_t lane) {
        std::vector<uint32_t> out;
        for (size_t i = lanes.lane_begin(lane); i < lanes.lane_end(lane); ++i)
            out.push_back(lanes.ref(i));
        return out;
    };
    EXPECT_EQ(refs(0), (std::vector<uint32_t>{0, 4}));
    EXPECT_EQ(refs(1), (std::vector<uint32_t>{1, 3, 5}));
    EXPECT_EQ(refs(2), (std::vector<uint32_t>{2}));
    EXPECT_TRUE(lanes.first_covers());
}

TEST(SpanLanes, RoundingIsNoOverlap) {
    // The first ends 800 ns after the second begins: cut off. The third overlaps by more: a lane of its own.
    const SpanLanes lanes = lanes_of({{0, 10'800}, {10'000, 10'000}, {15'000, 10'000}});
    ASSERT_EQ(lanes.lanes(), 2u);
    EXPECT_EQ(lanes.dur(0), 10'000);
    EXPECT_EQ(lanes.lane_end(0), 2u);
    EXPECT_FALSE(lanes.first_covers());
    // An overlap that is most of the span is none of rounding.
    EXPECT_EQ(lanes_of({{0, 900}, {100, 900}}).lanes(), 2u);
}

TEST(SpanLanes, WindowsEqualAPlainScan) {
    std::mt19937 random(2);
    for (const bool nested : {true, false})
        for (int round = 0; round < 8; ++round) {
            const SpanLanes lanes = lanes_of(random_spans(random, round % 2 ? 20'000 : 300, nested));
            const int64_t last = lanes.end(lanes.lane_end(0) - 1);
            for (int question = 0; question < 20; ++question) {
                const int64_t begin = static_cast<int64_t>(random() % static_cast<uint64_t>(last)) - 1000;
                const int64_t length =
                    1 + static_cast<int64_t>(random() % static_cast<uint64_t>(question % 3 ? last : 50'000));
                const int64_t pixel = 1 + length / static_cast<int64_t>(1 + random() % 2000);
                for (size_t lane = 0; lane < lanes.lanes(); ++lane) {
                    std::vector<Entry> entries;
                    lanes.window(lane, begin, begin + length, pixel, [&](size_t first, size_t end) {
                        entries.push_back({lanes.begin(first), lanes.end(end - 1),
                                           lanes.busy(lane, first, end), end - first,
                                           static_cast<int64_t>(lanes.longest(lane, first, end))});
                    });
                    ASSERT_EQ(entries, plain_window(lanes, lane, begin, begin + length, pixel));
                }
            }
        }
}

TEST(SpanLanes, SumsAndLongestOverAnyRun) {
    std::mt19937 random(3);
    const SpanLanes lanes = lanes_of(random_spans(random, 30'000, true));
    for (int question = 0; question < 300; ++question) {
        const size_t lane = random() % lanes.lanes();
        const size_t size = lanes.lane_end(lane) - lanes.lane_begin(lane);
        size_t first = lanes.lane_begin(lane) + random() % size;
        size_t last = question % 4 ? lanes.lane_begin(lane) + random() % (size + 1) : lanes.lane_end(lane);
        if (first > last) std::swap(first, last);
        if (first == last) continue;
        int64_t busy = 0;
        size_t longest = first;
        for (size_t i = first; i < last; ++i) {
            busy += lanes.dur(i);
            if (lanes.dur(i) > lanes.dur(longest)) longest = i;
        }
        ASSERT_EQ(lanes.busy(lane, first, last), busy);
        ASSERT_EQ(lanes.longest(lane, first, last), longest);
    }
}

TEST(SpanLanes, LongDurationsAreKept) {
    const int64_t hour = 3'600'000'000'000;
    const SpanLanes lanes = lanes_of({{0, 3 * hour}, {hour, hour}, {4 * hour, 5}});
    EXPECT_EQ(lanes.dur(0), 3 * hour);
    EXPECT_EQ(lanes.end(1), 4 * hour + 5);
    EXPECT_EQ(lanes.dur(2), hour);
    EXPECT_EQ(lanes.busy(0, 0, 2), 3 * hour + 5);
}

TEST(SpanLanes, MoreOverlapsThanLanesEndInTheLast) {
    std::vector<Plain> spans;
    for (int64_t i = 0; i < 2000; ++i)
        spans.push_back({i * 10, 1'000'000});
    const SpanLanes lanes = lanes_of(spans);
    EXPECT_EQ(lanes.lanes(), SpanLanes::kMostLanes);
    EXPECT_EQ(lanes.size(), spans.size());
    const size_t last = lanes.lanes() - 1;
    for (size_t i = lanes.lane_begin(last) + 1; i < lanes.lane_end(last); ++i)
        ASSERT_LE(lanes.end(i - 1), lanes.begin(i));
}

TEST(SpanLanes, FindsASpanByItsNumber) {
    const SpanLanes lanes = lanes_of({{0, 100'000}, {10'000, 40'000}, {10'000, 20'000}});
    const auto [lane, place] = lanes.find(2, 10'000);
    EXPECT_EQ(lane, 2u);
    EXPECT_EQ(lanes.ref(place), 2u);
    EXPECT_EQ(lanes.find(2, 10'001).first, lanes.lanes());
    EXPECT_EQ(SpanLanes().find(0, 0).first, 0u);
}

}  // namespace
}  // namespace opsight::query
