#include "analyze/iterations.h"
#include "analyze/find_iterations.h"

#include <gtest/gtest.h>

#include "analyze/analyze.h"
#include "analyze/test_profile.h"
#include "store/string_pool.h"

namespace opsight::analyze {
namespace {

const RankId kRank(size_t{0});

std::vector<std::pair<int64_t, int64_t>> bounds(const Iterations& iterations) {
    std::vector<std::pair<int64_t, int64_t>> result;
    for (const Iteration& it : iterations.list)
        result.push_back({it.begin_ns, it.end_ns});
    return result;
}
using Bounds = std::vector<std::pair<int64_t, int64_t>>;

IterationCandidate span(int64_t begin, int64_t end, size_t name = 1) {
    return {kRank, begin, end, StringId(name)};
}

TEST(Iterations, KeyOpEndsCut) {
    const Iterations it =
        iterations_from_key_op({span(80, 100), span(180, 210), span(200, 220)}, {{kRank, 10}}, "loss");
    EXPECT_EQ(bounds(it), (Bounds{{10, 100}, {100, 220}})) << "the third is part of the second";
    EXPECT_EQ(it.source, IterationSource::kKeyOp);
    EXPECT_EQ(it.list[1].number, 1);
    EXPECT_TRUE(iterations_from_key_op({}, {{kRank, 10}}, "loss").list.empty());
}

TEST(Iterations, RangesAreIterations) {
    const Iterations it =
        iterations_from_ranges({span(200, 300), span(0, 100), span(50, 120), span(150, 150)}, "x");
    EXPECT_EQ(bounds(it), (Bounds{{0, 100}, {200, 300}}));
}

// A duration is rounded by itself: steps that abut may seem to overlap.
TEST(Iterations, OverlapsOfRoundingAreNone) {
    const Iterations it =
        iterations_from_markers({span(0, 3'720'002), span(3'720'000, 7'440'999), span(7'440'000, 11'000'000),
                                 span(10'998'000, 12'000'000)});
    EXPECT_EQ(bounds(it), (Bounds{{0, 3'720'000}, {3'720'000, 7'440'000}, {7'440'000, 11'000'000}}))
        << "two microseconds are no rounding";
    EXPECT_EQ(bounds(iterations_from_markers({span(0, 1010), span(1000, 2000)})).size(), 2u);
    EXPECT_EQ(bounds(iterations_from_markers({span(0, 1020), span(1000, 2000)})).size(), 1u);
}

TEST(Iterations, IndexIsHalfOpenAndByRank) {
    const Iterations it = iterations_from_markers({span(0, 100), span(100, 200), span(300, 400)});
    const IterationIndex index(it.list);
    EXPECT_EQ(index.at(kRank, -1), -1);
    EXPECT_EQ(index.at(kRank, 0), 0);
    EXPECT_EQ(index.at(kRank, 99), 0);
    EXPECT_EQ(index.at(kRank, 100), 1);
    EXPECT_EQ(index.at(kRank, 250), -1);
    EXPECT_EQ(index.at(kRank, 399), 2);
    EXPECT_EQ(index.at(RankId(size_t{1}), 50), -1);
}

// Of a rank whose records are whole from 150 on: a mark tells where its iteration begins, a key op does not.
TEST(Iterations, HeadsThatWereNotKeptAreCut) {
    const auto begins = [](const Iterations& it, int64_t kept_from) {
        std::vector<int64_t> cut;
        for (const WarmupEvent& event : cut_heads(it, {{kRank, kept_from}}))
            cut.push_back(event.time);
        return cut;
    };
    using Begins = std::vector<int64_t>;
    const std::vector<IterationCandidate> marks{span(0, 100), span(100, 200), span(200, 300)};
    EXPECT_EQ(begins(iterations_from_markers(marks), 150), (Begins{0, 100}));
    EXPECT_EQ(begins(iterations_from_markers(marks), -10), Begins());
    const Iterations by_op = iterations_from_key_op({span(90, 100), span(190, 200)}, {{kRank, 10}}, "loss");
    EXPECT_EQ(begins(by_op, 5), Begins{10});
    EXPECT_EQ(begins(by_op, 105), (Begins{10, 100}));
    EXPECT_TRUE(cut_heads(by_op, {}).empty());
    EXPECT_TRUE(cut_heads(by_op, {{RankId(size_t{1}), 150}}).empty());
}

TEST(Iterations, WarmupIsSlowerThanTheRestByThreeDeviations) {
    std::vector<IterationCandidate> spans;
    int64_t at = 0;
    for (int64_t dur : {5000, 900, 100, 104, 96, 102, 98, 400}) {
        spans.push_back(span(at, at + dur));
        at += dur;
    }
    Iterations it = iterations_from_markers(spans);
    std::vector<std::string> reasons;
    const Intern intern = [&](std::string_view text) {
        reasons.emplace_back(text);
        return StringId(reasons.size());
    };
    mark_warmup(it, {{kRank, 6105, "capture"}}, intern);
    EXPECT_TRUE(it.list[0].warmup);
    EXPECT_TRUE(it.list[1].warmup);
    EXPECT_FALSE(it.list[2].warmup);
    EXPECT_TRUE(it.list[4].warmup) << "an event fell into it";
    EXPECT_EQ(reasons.back(), "capture");
    EXPECT_FALSE(it.list[7].warmup) << "slow, but not at the start";
}

class Found : public ::testing::Test {
  protected:
    Analysis analyze_all(const AnalysisOptions& options = {}) {
        profile = t.finish();
        return analyze(profile, options);
    }
    TestProfile t;
    Profile profile;
};

TEST_F(Found, StepMarkersComeFirst) {
    const TrackId thread = t.thread();
    for (int64_t i = 0; i < 3; ++i) {
        t.annotation("ProfilerStep#" + std::to_string(5 + i), 10000 * i, 9000, thread);
        t.annotation("Optimizer.step#SGD.step", 10000 * i + 5000, 1000, thread);
    }
    t.op("outside", 9500, 200);
    t.op("inside", 10000, 200);
    const Analysis a = analyze_all();
    EXPECT_EQ(a.iterations.source, IterationSource::kStepMarker);
    EXPECT_EQ(a.iterations.description, "3 x ProfilerStep#");
    EXPECT_EQ(bounds(a.iterations), (Bounds{{0, 9000}, {10000, 19000}, {20000, 29000}}));
    EXPECT_EQ(a.iteration[host_row(profile, "outside")], -1);
    EXPECT_EQ(a.iteration[host_row(profile, "inside")], 1);
}

TEST_F(Found, MarkersAreDescribedByWhatTheyHaveInCommon) {
    const auto described = [](const std::vector<std::string>& names) {
        TestProfile made;
        int64_t at = 0;
        for (const std::string& name : names) {
            made.annotation(name, at, 9000, made.thread());
            made.op("aten::mm", at + 100, 200);
            at += 10000;
        }
        Profile finished = made.finish();
        return analyze(finished, {}).iterations.description;
    };
    EXPECT_EQ(described({"[Executor] _forward_step 1: 0 ctx reqs, 8 gen reqs",
                         "[Executor] _forward_step 2: 0 ctx reqs, 8 gen reqs"}),
              "2 x [Executor] _forward_step");
    EXPECT_EQ(described({"[pl][profile]run_training_batch", "[pl][profile]run_training_batch"}),
              "2 x [pl][profile]run_training_batch");
    EXPECT_EQ(described({"step[DECODE bs=8]", "step[DECODE bs=7]"}), "2 x step");
}

// The profiler opens another step as its recording ends.
TEST_F(Found, ALastMarkerWithNothingInItIsNoIteration) {
    const TrackId thread = t.thread();
    for (int64_t i = 0; i < 3; ++i) {
        t.annotation("ProfilerStep#" + std::to_string(5 + i), 10000 * i, i < 2 ? 9000 : 50, thread);
        if (i < 2) t.op("aten::mm", 10000 * i + 100, 200);
    }
    t.host(HostKind::kPythonFrame, "torch/profiler/profiler.py(700): __exit__", 20010, 500, thread);
    const Analysis a = analyze_all();
    EXPECT_EQ(bounds(a.iterations), (Bounds{{0, 9000}, {10000, 19000}}));
    EXPECT_EQ(a.iterations.description, "2 x ProfilerStep# (1 more with nothing in it, at the end)");
}

// Two processes in one file: marks of one thread cut, and it is said that those of others do not.
TEST_F(Found, MarkersThatCutNothingAreCounted) {
    for (int64_t i = 0; i < 3; ++i) {
        t.annotation("ProfilerStep#" + std::to_string(i), 10000 * i, 9000, t.thread(1, 100));
        t.annotation("ProfilerStep#" + std::to_string(i), 10000 * i, 9000, t.thread(2, 100));
        if (i < 2) t.annotation("ProfilerStep#" + std::to_string(i), 10000 * i + 50, 7000, t.thread(3, 200));
    }
    EXPECT_EQ(analyze_all().iterations.description,
              "3 x ProfilerStep# (2 of another process cut nothing: its work counts for these)");
}

// A session of ONNX Runtime that two threads run at the same time.
TEST_F(Found, MarkersOfOtherThreadsAreCounted) {
    for (int64_t i = 0; i < 3; ++i) {
        t.annotation("model_run#" + std::to_string(2 * i), 10000 * i, 9000, t.thread(1, 100));
        if (i < 2)
            t.annotation("model_run#" + std::to_string(2 * i + 1), 10000 * i + 50, 7000, t.thread(2, 100));
    }
    EXPECT_EQ(analyze_all().iterations.description,
              "3 x model_run# (2 more on other threads cut nothing: their work counts for these)");
}

TEST_F(Found, MarkersAloneAreIterations) {
    for (int64_t i = 0; i < 3; ++i)
        t.annotation("ProfilerStep#" + std::to_string(i), 10000 * i, 9000, t.thread());
    EXPECT_EQ(analyze_all().iterations.list.size(), 3u);
}

// An epoch that is open around all steps says nothing of when the first of them began.
TEST_F(Found, WhatIsOpenAroundTheFirstStepDoesNotLengthenIt) {
    t.annotation("epoch", 0, 90000, t.thread());
    for (int64_t i = 0; i < 3; ++i) {
        t.op("aten::linear", 30000 + 10000 * i, 3000);
        t.annotation("Optimizer.step#SGD.step", 30000 + 10000 * i + 5000, 1000, t.thread());
    }
    EXPECT_EQ(bounds(analyze_all().iterations), (Bounds{{30000, 36000}, {36000, 46000}, {46000, 56000}}));
}

TEST_F(Found, OptimizerStepsNext) {
    for (int64_t i = 0; i < 3; ++i) {
        t.op("aten::linear", 10000 * i, 3000);
        t.annotation("Optimizer.step#SGD.step", 10000 * i + 5000, 1000, t.thread());
    }
    const Analysis a = analyze_all();
    EXPECT_EQ(a.iterations.source, IterationSource::kOptimizerStep);
    EXPECT_EQ(bounds(a.iterations), (Bounds{{0, 6000}, {6000, 16000}, {16000, 26000}}));
}

TEST_F(Found, ExplicitChoicesAreTheOnlyGround) {
    t.annotation("ProfilerStep#1", 0, 9000, t.thread());
    t.annotation("step[EXTEND bs=15]", 100, 500, t.thread());
    t.annotation("step[DECODE bs=15]", 700, 500, t.thread());
    t.op("loss", 2000, 500);
    profile = t.finish();
    Analysis a = analyze(profile, {.iteration_range = "^step\\["});
    EXPECT_EQ(bounds(a.iterations), (Bounds{{100, 600}, {700, 1200}}));
    a = analyze(profile, {.key_op = "loss"});
    EXPECT_EQ(bounds(a.iterations), (Bounds{{0, 2500}}));
    EXPECT_EQ(profile.diagnostics.count(Diag::kNoIterations), 0);
    a = analyze(profile, {.key_op = "no such op"});
    EXPECT_TRUE(a.iterations.list.empty());
    EXPECT_EQ(profile.diagnostics.count(Diag::kNoIterations), 1);
}

TEST(Iterations, ARangeMaySayTheWholeNameOfANode) {
    EXPECT_TRUE(is_range_of("MatMul: model/dense/MatMul", "model/dense/MatMul"));
    EXPECT_TRUE(is_range_of("step", "step"));
    for (const char* name : {"", "MatMul", "dense/MatMul", "MatMul: model/dense", "x: model/dense/MatMul"})
        EXPECT_FALSE(is_range_of("MatMul: model/dense/MatMul", name)) << name;
}

// One that takes far longer than the others holds something else, as a search for the fastest kernels; the
// first may set things up.
TEST_F(Found, InferredOnesOfVeryDifferentLengthAreNotTrusted) {
    const TrackId thread = t.thread(), stream = t.stream();
    int64_t correlation = 1, at = 0;
    for (const int64_t length : {900000, 100000, 100000, 100000, 700000, 100000, 100000, 100000}) {
        for (int64_t k = 0; k < 10; ++k) {
            const int64_t begin = at + k * 1000;
            t.op("op" + std::to_string(k), begin, 900);
            t.api("cudaLaunchKernel", begin + 100, 100, thread, correlation);
            t.kernel("kernel" + std::to_string(k), begin + 5000, 900, stream, correlation++);
        }
        at += length;
    }
    const Analysis a = analyze_all();
    EXPECT_EQ(a.iterations.source, IterationSource::kInferred);
    EXPECT_DOUBLE_EQ(a.iterations.confidence, 0.5);
    EXPECT_NE(a.iterations.description.find("the longest takes 7 times the median"), std::string::npos)
        << a.iterations.description;
}

TEST_F(Found, InferredFromKernels) {
    const TrackId thread = t.thread(), stream = t.stream();
    int64_t correlation = 1;
    for (int64_t step = 0; step < 5; ++step)
        for (int64_t k = 0; k < 10; ++k) {
            const int64_t at = step * 100000 + k * 1000;
            t.op("op" + std::to_string(k), at, 900);
            t.api("cudaLaunchKernel", at + 100, 100, thread, correlation);
            t.kernel("kernel" + std::to_string(k), at + 5000, 900, stream, correlation++);
        }
    const Analysis a = analyze_all();
    EXPECT_EQ(a.iterations.source, IterationSource::kInferred);
    EXPECT_DOUBLE_EQ(a.iterations.confidence, 1);
    EXPECT_EQ(a.iterations.description, "a period of 10 kernels seen 5 times");
    ASSERT_EQ(a.iterations.list.size(), 5u);
    EXPECT_EQ(a.iterations.list[1].begin_ns, 100000) << "the op of the first kernel belongs to it";
    EXPECT_EQ(a.iterations.list[1].end_ns, 200000);
}

// One launch of a graph: its kernels repeat, but the host did one thing.
TEST_F(Found, NoneInsideOneGraphLaunch) {
    t.api("cudaGraphLaunch", 100, 50, t.thread(), 1);
    for (int64_t k = 0; k < 200; ++k)
        t.kernel("kernel" + std::to_string(k % 10), 1000 + k * 10, 9, t.stream(), 1);
    EXPECT_TRUE(analyze_all().iterations.list.empty());
}

TEST_F(Found, NoneInsideOneModuleCallOrCapture) {
    for (int64_t step = 0; step < 6; ++step)
        for (int64_t k = 0; k < 10; ++k)
            t.op("op" + std::to_string(k), 1000 + step * 1000 + k * 100, 90);
    t.host(HostKind::kModule, "nn.Module: Net_0", 500, 8000, t.thread());
    EXPECT_TRUE(analyze_all().iterations.list.empty());
    TestProfile other;
    for (int64_t step = 0; step < 6; ++step)
        for (int64_t k = 0; k < 10; ++k)
            other.op("op" + std::to_string(k), 1000 + step * 1000 + k * 100, 90);
    other.api("cudaStreamBeginCapture", 500, 10, other.thread());
    other.api("cudaStreamEndCapture", 8000, 10, other.thread());
    profile = other.finish();
    EXPECT_TRUE(analyze(profile, {}).iterations.list.empty());
}

// Values for the weights and the data are made once: they say nothing of the loop behind them.
TEST_F(Found, WhatComesBeforeTheFirstCallOfTheNetworkIsSetUp) {
    const auto run = [](TestProfile& to, bool same_module) {
        for (int64_t k = 0; k < 300; ++k)
            to.op("set up " + std::to_string(k), k * 1000, 900);
        for (int64_t call = 0; call < 5; ++call) {
            const int64_t at = 400000 + call * 1000;
            const std::string name = same_module ? "Net" : "Layer_" + std::to_string(call);
            to.host(HostKind::kModule, name, at, 500, to.thread());
            for (int64_t k = 0; k < 4; ++k)
                to.op("op" + std::to_string(k), at + 10 + k * 100, 90);
        }
    };
    run(t, true);
    const Analysis a = analyze_all();
    EXPECT_EQ(
        bounds(a.iterations),
        (Bounds{{400000, 401000}, {401000, 402000}, {402000, 403000}, {403000, 404000}, {404000, 404500}}));
    EXPECT_DOUBLE_EQ(a.iterations.confidence, 1);
    TestProfile other;
    run(other, false);
    profile = other.finish();
    EXPECT_TRUE(analyze(profile, {}).iterations.list.empty()) << "layers of one pass";
}

// One range of the program around equal blocks says that they belong together.
TEST_F(Found, NoneInsideOneRange) {
    for (int64_t block = 0; block < 8; ++block)
        for (int64_t k = 0; k < 10; ++k)
            t.op("op" + std::to_string(k), 1000 + block * 1000 + k * 100, 90);
    t.annotation("model_inference", 500, 9000, t.thread());
    EXPECT_TRUE(analyze_all().iterations.list.empty());
}

TEST_F(Found, OneOfEachRangeThatRepeats) {
    for (int64_t pass = 0; pass < 4; ++pass) {
        for (int64_t block = 0; block < 8; ++block)
            for (int64_t k = 0; k < 10; ++k)
                t.op("op" + std::to_string(k), pass * 20000 + 1000 + block * 1000 + k * 100, 90);
        t.op("head", pass * 20000 + 9000, 90);
        t.annotation("forward", pass * 20000 + 500, 9000, t.thread());
    }
    EXPECT_EQ(bounds(analyze_all().iterations),
              (Bounds{{0, 20000}, {20000, 40000}, {40000, 60000}, {60000, 69000}}));
}

// A network does not train in each of its layers.
TEST_F(Found, TrainingInsideOneRangeIsFoundWithLessConfidence) {
    for (int64_t step = 0; step < 8; ++step)
        for (int64_t k = 0; k < 10; ++k)
            t.op(k < 5 ? "op" + std::to_string(k) : "Op" + std::to_string(k) + "Backward0",
                 1000 + step * 1000 + k * 100, 90);
    t.annotation("train", 500, 9000, t.thread());
    const Analysis a = analyze_all();
    EXPECT_EQ(a.iterations.list.size(), 8u);
    EXPECT_DOUBLE_EQ(a.iterations.confidence, 0.9);
}

TEST_F(Found, InferredFromOpsWithoutKernels) {
    for (int64_t step = 0; step < 5; ++step)
        for (int64_t k = 0; k < 10; ++k)
            t.op("op" + std::to_string(k), step * 100000 + k * 1000, 900);
    const Analysis a = analyze_all();
    EXPECT_EQ(a.iterations.description, "a period of 10 ops seen 5 times");
}

TEST_F(Found, NoneIsSaid) {
    t.op("aten::mm", 0, 100);
    const Analysis a = analyze_all();
    EXPECT_EQ(a.iterations.source, IterationSource::kNone);
    EXPECT_EQ(profile.diagnostics.count(Diag::kNoIterations), 1);
}

TEST_F(Found, GraphCaptureIsWarmup) {
    for (int64_t i = 0; i < 3; ++i)
        t.annotation("ProfilerStep#" + std::to_string(i), 10000 * i, 9000, t.thread());
    t.api("cudaStreamBeginCapture", 12000, 10, t.thread());
    const Analysis a = analyze_all();
    EXPECT_FALSE(a.iterations.list[0].warmup);
    EXPECT_TRUE(a.iterations.list[1].warmup);
    EXPECT_EQ(profile.strings.view(a.iterations.list[1].warmup_reason), "capture of a graph");
}

TEST(Options, BadPatternIsSaid) {
    EXPECT_TRUE(check(AnalysisOptions{.iteration_range = "step\\[\\d+\\]"}).has_value());
    const Status bad = check(AnalysisOptions{.iteration_range = "step["});
    ASSERT_FALSE(bad.has_value());
    EXPECT_EQ(bad.error().exit_code, 2);
    EXPECT_FALSE(RangePattern("step[").matches("step["));
}

}  // namespace
}  // namespace opsight::analyze
