#include "model/profile_builder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "base/time.h"

namespace opsight {
namespace {

// An allocator counts from 0 what tracers of AMD's devices number as the machine does.
TEST(ProfileBuilder, MemoryIsOfTheDeviceThatWorked) {
    for (const bool second : {false, true}) {
        ProfileBuilder builder;
        const RankId rank = builder.begin_rank({});
        const TrackId thread = builder.host_track(rank, 1, 1);
        for (const int64_t number : second ? std::vector<int64_t>{2, 3} : std::vector<int64_t>{2}) {
            DeviceSpan kernel;
            kernel.dur = 10;
            kernel.track = builder.stream_track(TrackKind::kDeviceStream, builder.device(rank, number), 0, 0);
            kernel.kind = DeviceKind::kKernel;
            kernel.name = builder.text("k");
            builder.add_device(kernel);
        }
        for (const int32_t type : {1, 0}) {
            MemoryEvent event;
            event.track = thread;
            event.bytes = 8;
            event.device_type = type;
            event.device = type == 0 ? -1 : 0;
            builder.add_memory(event);
        }
        builder.join_memory_device({});
        const Profile p = std::move(builder).finish();
        EXPECT_EQ(p.memory.device, (std::vector<int32_t>{second ? 0 : 2, -1})) << "of two it may be either";
    }
}

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

TEST(ProfileBuilder, FactsOfSpansFollowThemIntoOrder) {
    ProfileBuilder b;
    const RankId rank = b.begin_rank({});
    const TrackId thread = b.host_track(rank, 1, 1), other = b.host_track(rank, 1, 2);
    const TrackId crossing = b.other_track(rank, "1", "across threads");
    NvtxAttributes attributes;
    attributes.type = NvtxType::kStartEnd;
    const NvtxAttributesId start_end = b.nvtx_attributes(attributes), push = b.nvtx_attributes({});
    const auto range = [&](TrackId row, TrackId from, TrackId to, int64_t begin, NvtxAttributesId kind) {
        b.add_host({begin, 10, row, b.text("at " + std::to_string(begin)), HostKind::kAnnotation});
        b.extend_nvtx({from, to, b.text("text " + std::to_string(begin)), kind});
    };
    range(thread, thread, TrackId(), 300, push);
    NvtxPayload payload;
    payload.integer = 42;
    b.extend_payload(payload);
    range(crossing, thread, other, 200, start_end);
    range(thread, thread, TrackId(), 100, push);
    b.add_host({50, 5, thread, b.text("MPI_Send"), HostKind::kMessagePassing}, b.text("MPI").value);
    Message message;
    message.tag = 7;
    b.extend_message(message);

    const TrackId stream = b.stream_track(TrackKind::kDeviceStream, b.device(rank, 0), 1, 7);
    for (const int64_t begin : {90, 80}) {
        DeviceSpan span;
        span.begin = begin;
        span.track = stream;
        span.name = b.text("k");
        span.kind = DeviceKind::kKernel;
        b.add_device(span);
        DeviceExtra extra;
        extra.graph_node = begin;
        b.extend_device(extra);
    }
    const Profile p = std::move(b).finish();

    ASSERT_EQ(p.nvtx.size(), 3u);
    for (size_t i = 0; i < 3; ++i) {
        const std::string at = std::to_string(100 * (i + 1));
        EXPECT_EQ(p.strings.view(p.nvtx.text[i]), "text " + at);
        EXPECT_EQ(p.strings.view(p.host.name[p.nvtx.row[i]]), "at " + at);
        EXPECT_EQ(p.nvtx.track[i], thread);
    }
    EXPECT_EQ(p.nvtx.end_track[1], other);
    EXPECT_EQ(p.nvtx.attributes[1], start_end);
    ASSERT_EQ(p.nvtx_payloads.size(), 1u);
    EXPECT_EQ(p.nvtx_payloads[0].row, p.nvtx.row[2]);
    ASSERT_EQ(p.messages.size(), 1u);
    EXPECT_EQ(p.host.kind[p.messages[0].row], HostKind::kMessagePassing);
    ASSERT_EQ(p.device_extras.size(), 2u);
    for (size_t i = 0; i < 2; ++i)
        EXPECT_EQ(p.device_extras.graph_node[i], p.device.begin[p.device_extras.row[i]] + 50);
}

TEST(ProfileBuilder, NamesOfCopiesTellWhatTheyMove) {
    ProfileBuilder b;
    const TrackId stream = b.stream_track(TrackKind::kDeviceStream, b.device(b.begin_rank({}), 0), 1, 7);
    for (const char* name : {"Memcpy HtoD (Pageable -> Device)", "Memset (Device)", "Memcpy",
                             "Memcpy PtoP (Device -> Device)"}) {
        DeviceSpan span;
        span.track = stream;
        span.name = b.text(name);
        span.kind = std::string_view(name).starts_with("Memset") ? DeviceKind::kMemset : DeviceKind::kMemcpy;
        b.add_device(span);
    }
    const Profile p = std::move(b).finish();
    const auto transfer = [&](size_t row) { return p.transfers[p.device.transfer[row].index()]; };
    EXPECT_EQ(transfer(0).copy, CopyKind::kHostToDevice);
    EXPECT_EQ(transfer(0).from, MemoryKind::kPageable);
    EXPECT_EQ(transfer(0).to, MemoryKind::kDevice);
    EXPECT_EQ(transfer(1).to, MemoryKind::kDevice);
    EXPECT_EQ(transfer(1).copy, CopyKind::kUnspecified);
    EXPECT_EQ(transfer(2), Transfer());
    EXPECT_EQ(transfer(3).copy, CopyKind::kPeerToPeer);
    for (const size_t row : {0, 2, 3})
        EXPECT_EQ(name_of_copy(transfer(row)), p.strings.view(p.device.name[row]));
    EXPECT_EQ(name_of_set(transfer(1)), "Memset (Device)");
}

}  // namespace
}  // namespace opsight
