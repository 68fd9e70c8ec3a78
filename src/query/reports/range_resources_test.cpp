// How much of a resource lies within spans, and pauses before work that was launched already.
#include "query/reports/range_resources.h"

#include <gmock/gmock.h>

#include "query/reports/headline.h"
#include "query/reports/queued_pauses.h"
#include "query/session/cells.h"
#include "query/session/test_session.h"

namespace opsight::query {
namespace {

using analyze::Resource;

// Steps of 1000 ns. In each two kernels are launched at once, and begin 30 ns after each other; a third is
// launched 4 ns before the device gets to it.
analyze::TestProfile steps(int count) {
    analyze::TestProfile t;
    const TrackId thread = t.thread(), stream = t.stream();
    int64_t next = 1;
    const auto launched = [&](int64_t call, int64_t begin, int64_t ns) {
        t.api("cudaLaunchKernel", call, 5, thread, next);
        t.kernel("k", begin, ns, stream, next++);
    };
    for (int i = 0; i < count; ++i) {
        const int64_t at = 1000 * i;
        t.annotation("ProfilerStep#" + std::to_string(i), at, 1000, thread);
        t.op("aten::mm", at + 10, 200 + i, thread);
        launched(at + 20, at + 300, 100);
        launched(at + 30, at + 430, 70);
        launched(at + 521, at + 530, 20);
        t.api("cudaDeviceSynchronize", at + 600, 300 - i, thread);
    }
    return t;
}

// Of calls a rank at a time, and of one of no known rank.
constexpr const char* kCalls =
    "WITH calls AS (SELECT t.rank, a.begin_ns - 7 AS begin_ns, a.begin_ns + a.dur_ns AS end_ns FROM "
    "raw.api_calls a JOIN raw.tracks t ON t.id = a.track UNION ALL SELECT NULL, 0, 5000) ";

TEST(RangeResources, HoldWhatTheSegmentsHold) {
    const StoredProfile stored(steps(6));
    for (const RangeOptions& range : {RangeOptions(), RangeOptions{.start = 2, .stop = 3}}) {
        Session session = stored.open(range);
        ASSERT_TRUE(prepare_headline(session).has_value());
        ASSERT_TRUE(prepare_within(session).has_value());
        for (const char* resource : {"cpu", "host", "idle", "unknown_kernel"}) {
            const std::string name = "'" + std::string(resource) + "'";
            EXPECT_EQ(
                value_of(session, kCalls + ("SELECT coalesce(sum(within_ns), 0)::BIGINT FROM "
                                            "within_resource('calls', " +
                                            name + ")")),
                value_of(session, kCalls + ("SELECT coalesce(sum(least(c.end_ns, s.end_ns) - "
                                            "greatest(c.begin_ns, s.begin_ns)), 0)::BIGINT FROM calls c "
                                            "JOIN resource_time(" +
                                            name +
                                            ") s ON s.rank = c.rank AND "
                                            "s.begin_ns < c.end_ns AND s.end_ns > c.begin_ns")))
                << resource;
        }
        const auto resources = range_resources(session);
        ASSERT_TRUE(resources.has_value());
        EXPECT_EQ(duck::Cell((*resources)->ns(Resource::kCpu)),
                  value_of(session, "SELECT sum(end_ns - begin_ns)::BIGINT FROM resource_time('cpu')"));
    }
}

TEST(RangeResources, PausesBeforeQueuedWorkAreApart) {
    const StoredProfile stored(steps(3));
    Session session = stored.open();
    const auto pauses = queued_pauses(session);
    const auto resources = range_resources(session);
    ASSERT_TRUE(pauses.has_value() && resources.has_value());
    ASSERT_EQ((*pauses)->size(), 3u);
    for (int64_t i = 0; i < 3; ++i) {
        EXPECT_EQ((**pauses)[static_cast<size_t>(i)].begin, 1000 * i + 400);
        EXPECT_EQ((**pauses)[static_cast<size_t>(i)].end, 1000 * i + 430);
    }
    int64_t queued = 0;
    for (const Resource rest : {Resource::kIdle, Resource::kHost, Resource::kCpu})
        queued += (*resources)->queued_ns(rest);
    EXPECT_EQ(queued, 3 * 30);
    ASSERT_TRUE(prepare_within(session).has_value());
    const auto held = [&session](const char* macro) {
        int64_t ns = 0;
        for (const char* name : {"idle", "host", "cpu"})
            ns += integer(value_of(session,
                                   "WITH all_of_it AS (SELECT 0 AS rank, 0 AS begin_ns, 3000 AS end_ns) "
                                   "SELECT sum(within_ns)::BIGINT FROM " +
                                       std::string(macro) + "('all_of_it', '" + name + "')"));
        return ns;
    };
    EXPECT_EQ(held("within_resource") - held("within_unqueued"), 3 * 30);
}

// The functions of a database are shared by its sessions; each has its own range.
TEST(RangeResources, SessionsOfOneProfileHaveTheirOwn) {
    const StoredProfile stored(steps(6));
    auto profile = db::open_profile(stored.path());
    ASSERT_TRUE(profile.has_value());
    const auto held = [](Session& session) {
        return integer(value_of(session, kCalls + std::string("SELECT sum(within_ns)::BIGINT FROM "
                                                              "within_resource('calls', 'cpu')")));
    };
    auto all = Session::open_on(*profile, stored.path(), {});
    auto one = Session::open_on(*profile, stored.path(), RangeOptions{.start = 2, .stop = 2});
    ASSERT_TRUE(all && one);
    ASSERT_TRUE(prepare_within(*all) && prepare_within(*one));
    const int64_t in_all = held(*all), in_one = held(*one);
    EXPECT_GT(in_one, 0);
    EXPECT_GT(in_all, 3 * in_one);
    EXPECT_EQ(held(*all), in_all);
}

}  // namespace
}  // namespace opsight::query
