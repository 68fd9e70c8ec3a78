// Loops of which nothing repeats but the launch of a graph.
#include "analyze/graph_cycles.h"

#include <gtest/gtest.h>

#include "analyze/analyze.h"
#include "analyze/test_profile.h"

namespace opsight::analyze {
namespace {

// A graph launched again and again is one symbol; the copies and waits around it tell where rounds begin, and
// what is done before and behind the loop is no part of it.
TEST(GraphCycles, IterationsAreInferredFromTheCallsAround) {
    const auto run = [](TestProfile& to, DeviceKind kind, bool regular) {
        const TrackId thread = to.thread();
        to.api("cudaMalloc", 0, 10, thread);
        to.api("cudaGraphInstantiate", 100, 10, thread);
        int64_t correlation = 1;
        for (int64_t step = 0; step < 9; ++step) {
            const int64_t at = 1000 + step * 1000;
            if (regular) to.api("cudaMemcpyAsync", at, 10, thread, 100 + step);
            to.api("cudaGraphLaunch", at + 100, 10, thread, correlation);
            if (regular) to.api("cudaStreamSynchronize", at + 200, 600, thread);
            for (int64_t k = 0; k < (kind == DeviceKind::kGraph ? 1 : 3); ++k)
                to.kernel("work" + std::to_string(k), at + 300 + k * 100, 90, to.stream(), correlation, kind);
            ++correlation;
        }
        to.api("cudaMemcpyAsync", 11000, 10, thread, 1000);
        to.api("cudaFree", 11100, 10, thread);
    };
    for (const DeviceKind kind : {DeviceKind::kKernel, DeviceKind::kGraph}) {
        TestProfile loop;
        run(loop, kind, true);
        Profile profile = loop.finish();
        const Iterations found = analyze(profile, {}).iterations;
        ASSERT_EQ(found.list.size(), 9u);
        EXPECT_EQ(found.source, IterationSource::kInferred);
        EXPECT_EQ(found.description, "a period of 3 calls seen 9 times");
        EXPECT_EQ(found.list[0].begin_ns, 1000) << "the copy before the launch belongs to it";
        EXPECT_EQ(found.list[8].begin_ns, 9000);
        EXPECT_EQ(found.list[8].end_ns, 9800) << "with the wait for it, and not what follows";
        EXPECT_DOUBLE_EQ(found.confidence, 0.8 * 0.8) << "few calls, and of a graph alone";
        TestProfile alone;
        run(alone, kind, false);
        profile = alone.finish();
        EXPECT_TRUE(analyze(profile, {}).iterations.list.empty()) << "launches and nothing else";
        TestProfile within;
        run(within, kind, true);
        within.annotation("one request", 500, 10000, within.thread());
        profile = within.finish();
        EXPECT_TRUE(analyze(profile, {}).iterations.list.empty()) << "one range around all";
    }
}

}  // namespace
}  // namespace opsight::analyze
