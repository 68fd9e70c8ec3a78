// From a row of a table to its place on the timeline: by id or path, never by a name that others share.
#include "query/timeline/first_event.h"

#include "query/ask/test_cells.h"
#include "query/session/test_session.h"
#include "query/tables/tables.h"
#include "query/timeline/timeline.h"

namespace opsight::query {
namespace {

// Layers 1 and 10, each with an addition; both launch kernels of one name.
analyze::TestProfile two_layers() {
    analyze::TestProfile t;
    int64_t id = 0;
    for (const auto& [name, at] : {std::pair("Layer_10", int64_t{0}), std::pair("Layer_1", int64_t{1000})}) {
        t.host(HostKind::kModule, std::string("nn.Module: ") + name, at, 500, t.thread());
        t.op("aten::add", at + 100, 200);
        t.api("cudaLaunchKernel", at + 150, 10, t.thread(), ++id);
        t.kernel("vectorized<float>", at + 400, 80, t.stream(), id);
    }
    t.annotation("step", 5000, 100, t.thread());
    t.annotation("step", 6000, 100, t.thread());
    t.annotation("step 2", 4000, 100, t.thread());
    return t;
}

ResultTable filtered(Session& session, std::string_view table, const std::string& column, RowFilter::Is is,
                     const std::string& value) {
    TableShape shape;
    shape.page = Page{.filters = {{column, is, value}}};
    auto made = make_table(session, table, {}, shape);
    if (!made) {
        ADD_FAILURE() << made.error().message();
        return {};
    }
    return std::move(made).value();
}

class FirstEventTest : public ::testing::Test {
  protected:
    StoredProfile stored_{two_layers()};
    Session session_ = stored_.open();

    FirstEvent first(const EventSubject& subject) {
        auto found = first_event(session_, subject);
        if (!found || !*found) {
            ADD_FAILURE() << (found ? "nothing found" : found.error().message());
            return {};
        }
        // What it says is where the timeline has it.
        auto timeline = Timeline::open(stored_.path());
        EXPECT_TRUE(timeline);
        auto event = timeline->event((*found)->track, static_cast<uint32_t>((*found)->span));
        if (!event)
            ADD_FAILURE() << event.error().message();
        else
            EXPECT_EQ(event->place.begin_ns, (*found)->begin_ns);
        return **found;
    }
    int64_t op_of(const std::string& layer) {
        const ResultTable ops = filtered(session_, "detailed", "layer", RowFilter::Is::kUnder, layer);
        EXPECT_EQ(ops.rows.size(), 1u) << layer;
        return static_cast<int64_t>(number(cell(ops, "op_id")));
    }
};

TEST_F(FirstEventTest, OpsOfOneNameAreToldApart) {
    EXPECT_EQ(first({.op = op_of("Layer_1")}).begin_ns, 1100);
    EXPECT_EQ(first({.op = op_of("Layer_10")}).begin_ns, 100);
}

TEST_F(FirstEventTest, LayersByTheirPath) {
    EXPECT_EQ(first({.layer = "/Layer_1"}).begin_ns, 1000);
    EXPECT_EQ(first({.layer = "Layer_10"}).begin_ns, 0);
    EXPECT_EQ(first({.layer = "/"}).begin_ns, 100);  // no call is the whole model: the first op
}

TEST_F(FirstEventTest, AKernelOfAnOp) {
    const FirstEvent kernel = first({.op = op_of("Layer_1"), .kernel = "vectorized<float>"});
    EXPECT_EQ(kernel.begin_ns, 1400);
    EXPECT_EQ(kernel.dur_ns, 80);
    EXPECT_EQ(first({.kernel = "vectorized<float>"}).begin_ns, 400);
}

TEST_F(FirstEventTest, ARange) {
    const ResultTable ranges = filtered(session_, "ranges", "range", RowFilter::Is::kEqual, "step");
    const auto id = static_cast<int64_t>(number(cell(ranges, "range_id")));
    EXPECT_EQ(first({.range = id}).begin_ns, 5000);
    EXPECT_EQ(first({.range = id}).name, "step");
}

TEST_F(FirstEventTest, NothingWhereItDoesNotRun) {
    for (const EventSubject& subject : {EventSubject{.op = 1 << 20}, EventSubject{.layer = "/Layer"},
                                        EventSubject{.kernel = "no"}, EventSubject{.range = 1 << 20}}) {
        const auto found = first_event(session_, subject);
        ASSERT_TRUE(found);
        EXPECT_FALSE(found->has_value());
    }
}

}  // namespace
}  // namespace opsight::query
