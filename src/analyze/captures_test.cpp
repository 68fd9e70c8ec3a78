#include "analyze/captures.h"

#include <gtest/gtest.h>

#include "analyze/analyze.h"
#include "analyze/test_profile.h"

namespace opsight::analyze {
namespace {

class Captured : public ::testing::Test {
  protected:
    Captured() : thread(t.thread()), stream(t.stream()) {
        t.host(HostKind::kModule, "nn.Module: Linear_0", 0, 400, thread);
        t.op("aten::linear", 0, 300, thread);
        t.op("aten::addmm", 100, 100, thread);
        t.annotation("my range", 500, 100, thread);
        t.api("cudaGraphLaunch", 1000, 50, thread, 1);
    }
    void node(int64_t time, int64_t number, int64_t original = -1) {
        t.builder.add_graph_node({thread, time, number, original});
    }
    void kernel(int64_t begin, int64_t number) {
        t.kernel("k", begin, 10, stream, 1);
        DeviceExtra extra;
        extra.graph = 5;
        extra.graph_node = number;
        t.builder.extend_device(extra);
    }
    void run() {
        p = t.finish();
        a = analyze(p, {});
    }
    std::string op_of(size_t span) const {
        return std::string(p.strings.view(a.ops[a.device_op[span].index()].name));
    }

    TestProfile t;
    TrackId thread, stream;
    Profile p;
    Analysis a;
};

TEST_F(Captured, KernelsOfAGraphCountForTheOpsOfTheirNodes) {
    node(150, 10);
    node(250, 11);
    node(550, 12);
    node(700, 13);  // nothing was open
    for (int64_t i = 0; i < 5; ++i)
        kernel(2000 + 100 * i, 10 + i);  // of node 14 no creation is told
    run();
    EXPECT_EQ(op_of(0), "aten::addmm");
    EXPECT_EQ(op_of(1), "aten::linear");
    EXPECT_EQ(op_of(2), "my range");
    EXPECT_EQ(op_of(3), "unassociated_cudaGraphLaunch");
    EXPECT_EQ(op_of(4), "unassociated_cudaGraphLaunch");
    const Op& op = a.ops[a.device_op[0].index()];
    EXPECT_EQ(p.strings.view(a.layers[op.layer.index()].path), "Linear_0");
    // The call that launched them is still the graph's.
    EXPECT_EQ(a.launch[0].value, host_row(p, "cudaGraphLaunch"));
    EXPECT_FALSE(a.launch_op[0].valid());
    EXPECT_EQ(a.host_ns[0], 1000);
}

TEST_F(Captured, ACloneStandsForWhatItWasClonedFrom) {
    node(150, 10);
    node(990, 20, 10);  // as the graph was made ready to run
    node(995, 30, 20);
    node(996, 40, 41);  // a clone of what is not told: its own creation
    kernel(2000, 30);
    kernel(2100, 40);
    run();
    EXPECT_EQ(op_of(0), "aten::addmm");
    EXPECT_EQ(op_of(1), "unassociated_cudaGraphLaunch");
}

TEST_F(Captured, ClonesInACircleEnd) {
    node(150, 10, 20);
    node(160, 20, 10);
    kernel(2000, 10);
    run();
    EXPECT_EQ(op_of(0), "aten::addmm");
}

TEST_F(Captured, NodesOfOtherRanksDoNotCount) {
    t.add_rank(1);
    t.builder.add_graph_node({t.thread(), 150, 10});
    kernel(2000, 10);
    run();
    EXPECT_EQ(op_of(0), "unassociated_cudaGraphLaunch");
}

TEST_F(Captured, TimesBeginWithTheProfile) {
    TestProfile late;
    const TrackId on = late.thread();
    late.op("aten::mm", 1'000'000, 100, on);
    late.builder.add_graph_node({on, 1'000'050, 3});
    late.api("cudaGraphLaunch", 1'000'200, 10, on, 1);
    late.kernel("k", 1'000'300, 10, late.stream(), 1);
    DeviceExtra extra;
    extra.graph_node = 3;
    late.builder.extend_device(extra);
    p = late.finish();
    a = analyze(p, {});
    EXPECT_EQ(op_of(0), "aten::mm");
}

TEST_F(Captured, ACopyOfANodeThatIsNotInTheProfileTellsNothing) {
    node(150, 20, 19);  // made executable while an op was open; 19 was captured before the recording
    kernel(2000, 20);
    run();
    EXPECT_EQ(op_of(0), "unassociated_cudaGraphLaunch");
}

}  // namespace
}  // namespace opsight::analyze
