#include "model/profile_builder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "base/time.h"

namespace opsight {
namespace {

TEST(ProfileBuilder, OrdersSpansByTrackBeginLengthAndSource) {
    std::mt19937 random(3);
    ProfileBuilder builder;
    const RankId rank = builder.begin_rank({});
    struct Row {
        uint32_t track;
        int64_t begin, dur;
        uint32_t source;
    };
    std::vector<Row> rows;
    for (uint32_t i = 0; i < 50000; ++i) {
        const TrackId track = builder.host_track(rank, 1, static_cast<int64_t>(random() % 4));
        // One track comes in order but for a few late rows, the others in any order, with many ties.
        const int64_t begin =
            track.value == 0 && i % 50 ? 5000 + i : 5000 + static_cast<int64_t>(random() % 500);
        const auto dur = static_cast<int64_t>(random() % 3);
        rows.push_back({track.value, begin, dur, i});
        builder.add_api({begin, dur, track, builder.text("call"), HostKind::kRuntimeApi}, i);
    }
    std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
        return std::tuple(a.track, a.begin, -a.dur) < std::tuple(b.track, b.begin, -b.dur);
    });
    const Profile p = std::move(builder).finish();
    const int64_t first = std::min_element(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
                              return a.begin < b.begin;
                          })->begin;
    EXPECT_EQ(p.info.origin_ns, first);
    for (size_t i = 0; i < rows.size(); ++i) {
        ASSERT_EQ(p.host.track[i].value, rows[i].track);
        ASSERT_EQ(p.host.begin[i], rows[i].begin - first);
        ASSERT_EQ(p.host.dur[i], rows[i].dur);
        ASSERT_EQ(p.api_correlation[p.host.detail[i]], rows[i].source);
    }
}

TEST(ProfileBuilder, ShiftsOnlyWhatCameLater) {
    ProfileBuilder builder;
    const RankId rank = builder.begin_rank({});
    const TrackId track = builder.host_track(rank, 1, 1);
    builder.add_host({100, 10, track, builder.text("a"), HostKind::kAnnotation});
    const RowCounts mark = builder.row_counts();
    builder.add_host({0, 10, track, builder.text("b"), HostKind::kAnnotation});
    EXPECT_FALSE(builder.shift_times(mark, kMaxNs - 5));
    EXPECT_TRUE(builder.shift_times(mark, 150));
    const Profile p = std::move(builder).finish();
    EXPECT_EQ(p.info.origin_ns, 100);
    EXPECT_EQ(p.host.begin, (std::vector<int64_t>{0, 50}));
    EXPECT_EQ(p.info.end_ns, 60);
}

TEST(ProfileBuilder, ReserveKeepsWhatIsThere) {
    ProfileBuilder builder;
    const RankId rank = builder.begin_rank({});
    const TrackId track = builder.host_track(rank, 1, 1);
    builder.add_op({7, 1, track, builder.text("op"), HostKind::kOp}, {});
    builder.reserve({1000, 1000, 10, 10, 10, 10, 10});
    const Profile p = std::move(builder).finish();
    EXPECT_EQ(p.host.size(), 1u);
    EXPECT_EQ(p.op_details.size(), 1u);
    EXPECT_EQ(p.info.origin_ns, 7);
}

TEST(ProfileBuilder, EmptyProfile) {
    const Profile p = ProfileBuilder().finish();
    EXPECT_EQ(p.host.size(), 0u);
    EXPECT_EQ(p.info.end_ns, 0);
}

}  // namespace
}  // namespace opsight
