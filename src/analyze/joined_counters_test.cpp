#include "analyze/joined_counters.h"

#include <gtest/gtest.h>

#include "analyze/analyze.h"
#include "analyze/measured_work.h"
#include "analyze/test_profile.h"

namespace opsight::analyze {
namespace {

constexpr std::string_view kAdd = "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum [inst]",
                           kMul = "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum [inst]",
                           kFma = "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum [inst]",
                           kTensor = "sm__inst_executed_pipe_tensor.sum [inst]";

struct CountedKernel {
    std::string name;
    int64_t grid;
    double fma = 0;
    std::vector<std::string> ranges = {};  // of NVTX, the outermost first
};

DeviceSpan span_of(ProfileBuilder& builder, const CountedKernel& kernel, int64_t begin, TrackId track) {
    LaunchConfig config;
    config.grid[0] = kernel.grid;
    config.block[0] = 128;
    DeviceSpan span;
    span.kind = DeviceKind::kKernel;
    span.begin = begin;
    span.dur = 10;
    span.track = track;
    span.config = builder.launch_config(config);
    return span;
}

std::string lines(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names)
        text += (text.empty() ? "" : "\n") + name;
    return text;
}

Profile run_of(const std::vector<CountedKernel>& kernels) {
    TestProfile t;
    int64_t begin = 0;
    for (const CountedKernel& kernel : kernels) {
        DeviceSpan span = span_of(t.builder, kernel, begin += 100, t.stream());
        span.correlation = begin;
        t.api("cudaLaunchKernel", begin - 50, 5, t.thread(), begin);
        int64_t inwards = 0;
        for (const std::string& name : kernel.ranges)
            t.annotation(name, begin - 60 + inwards, 30 - 2 * inwards, t.thread()), ++inwards;
        t.device(span, kernel.name);
    }
    return t.finish();
}

// As the reader of Nsight Compute's tables makes it.
Profile measured_of(const std::vector<CountedKernel>& kernels, bool tensor = false) {
    TestProfile t;
    t.gpu(0, "Tesla V100", 7, 0);
    int64_t begin = 0;
    for (const CountedKernel& kernel : kernels) {
        DeviceSpan span = span_of(t.builder, kernel, begin, t.stream(20));
        if (!kernel.ranges.empty()) span.ranges = t.builder.text(lines(kernel.ranges));
        t.device(span, kernel.name);
        const TrackId track = t.builder.other_track(RankId(size_t{0}), kernel.name, "counters on device 0");
        t.builder.track(track).device = t.builder.device(RankId(size_t{0}), 0);
        t.builder.add_counter(begin, track, t.builder.text(kAdd), 1);
        t.builder.add_counter(begin, track, t.builder.text(kMul), 2);
        t.builder.add_counter(begin, track, t.builder.text(kFma), kernel.fma);
        if (tensor) t.builder.add_counter(begin, track, t.builder.text(kTensor), 4);
        begin += 10;
    }
    return t.finish();
}

// The measured FLOPs at the begin of each kernel; -1: none.
std::vector<double> flops(const Profile& p) {
    std::vector<double> out(p.device.size(), -1);
    for (size_t i = 0; i < p.counters.size(); ++i)
        for (size_t row = 0; row < p.device.size(); ++row)
            if (p.strings.view(p.counters.name[i]) == kMeasuredFlops &&
                p.counters.time[i] == p.device.begin[row])
                out[row] = p.counters.value[i];
    return out;
}

using Flops = std::vector<double>;

TEST(JoinedCounters, TheSameSequence) {
    Profile p = run_of({{"warm", 1}, {"a", 1}, {"b", 1}, {"a", 1}, {"end", 1}});
    const JoinedCounters joined = join_counters(p, measured_of({{"a", 1, 10}, {"b", 1, 20}, {"a", 1, 30}}));
    EXPECT_EQ(joined.by_sequence, 3);
    EXPECT_EQ(flops(p), (Flops{-1, 23, 43, 63, -1}));
    EXPECT_EQ(joined.covered, 3);
    EXPECT_NE(joined.summary().find("3 of 3 measured launches joined with 3 of 5 kernels (60.0%"),
              std::string::npos)
        << joined.summary();
}

TEST(JoinedCounters, ASequenceThatComesAgain) {
    Profile again = run_of({{"a", 1}, {"b", 1}, {"a", 1}, {"b", 1}});
    join_counters(again, measured_of({{"a", 1, 10}, {"b", 1, 20}}));
    EXPECT_EQ(flops(again), (Flops{23, 43, 23, 43})) << "without a kernel between";
    Profile apart = run_of({{"a", 1}, {"b", 1}, {"c", 1}, {"a", 1}, {"b", 1}});
    const JoinedCounters joined = join_counters(apart, measured_of({{"a", 1, 10}, {"b", 1, 20}}));
    EXPECT_EQ(flops(apart), (Flops{-1, -1, -1, -1, -1})) << "either may be it";
    EXPECT_EQ(joined.ambiguous, 2);
    EXPECT_EQ(joined.ambiguous_kernels, (std::vector<std::string>{"a", "b"}));
}

TEST(JoinedCounters, ByGridAndOrder) {
    Profile p = run_of({{"gemm", 4}, {"x", 1}, {"gemm", 8}, {"gemm", 4}});
    const JoinedCounters joined =
        join_counters(p, measured_of({{"gemm", 4, 10}, {"gemm", 4, 20}, {"gemm", 8, 30}, {"other", 1, 1}}));
    EXPECT_EQ(joined.by_order, 3);
    EXPECT_EQ(joined.unknown, 1);
    EXPECT_EQ(flops(p), (Flops{23, -1, 63, 43}));
}

TEST(JoinedCounters, OneOfSeveralIsNotJoinedUnlessAllAreAlike) {
    Profile p = run_of({{"gemm", 4}, {"x", 1}, {"gemm", 4}, {"gemm", 4}});
    EXPECT_EQ(join_counters(p, measured_of({{"gemm", 4, 10}})).ambiguous, 1);
    EXPECT_EQ(join_counters(p, measured_of({{"gemm", 4, 10}, {"gemm", 4, 20}})).ambiguous, 2);
    EXPECT_EQ(p.counters.size(), 0u);
    EXPECT_EQ(join_counters(p, measured_of({{"gemm", 4, 10}, {"gemm", 4, 10}})).alike, 2);
    EXPECT_EQ(flops(p), (Flops{23, -1, 23, 23}));
}

// Of one kernel of three, NVTX tells which: by its own ranges, and by those around them.
TEST(JoinedCounters, RangesOfNvtxTellKernelsApart) {
    const std::vector<CountedKernel> run = {{"gemm", 4, 0, {"step", "attention"}},
                                            {"gemm", 4, 0, {"step", "mlp"}},
                                            {"x", 1},
                                            {"gemm", 4, 0, {"step"}}};
    const auto joined_with = [&](std::vector<std::string> ranges, std::vector<double> wanted) {
        Profile p = run_of(run);
        const JoinedCounters joined = join_counters(p, measured_of({{"gemm", 4, 10, std::move(ranges)}}));
        EXPECT_EQ(flops(p), wanted) << joined.summary();
        return joined;
    };
    const JoinedCounters mlp = joined_with({"step", "mlp"}, {-1, 23, -1, -1});
    EXPECT_EQ(mlp.by_ranges, 1);
    EXPECT_NE(mlp.summary().find("NVTX ranges tell 1 of them from others"), std::string::npos);
    // Whether ranges further in were recorded with the counters, this table does not tell.
    EXPECT_EQ(joined_with({"step"}, {-1, -1, -1, -1}).ambiguous, 1);
    // A range that only the counters know (of another domain, or with a number of that run) says nothing.
    joined_with({"step", "iteration 17", "mlp"}, {-1, 23, -1, -1});
    EXPECT_EQ(joined_with({"other"}, {-1, -1, -1, -1}).ambiguous, 1);
    EXPECT_EQ(joined_with({}, {-1, -1, -1, -1}).ambiguous, 1);
    // Names that both know, and not around each other in the trace: as if none were told.
    Profile apart = run_of({{"gemm", 4, 0, {"a"}}, {"gemm", 4, 0, {"b"}}});
    const JoinedCounters otherwise =
        join_counters(apart, measured_of({{"gemm", 4, 10, {"a", "b"}}, {"gemm", 4, 20, {"b", "a"}}}));
    EXPECT_EQ(flops(apart), (Flops{23, 43}));
    EXPECT_EQ(otherwise.by_ranges, 0);
}

// Launches in another order than those of the trace: without their ranges the counters would be swapped.
TEST(JoinedCounters, RangesOfNvtxStandBeforeTheOrder) {
    Profile p = run_of({{"gemm", 4, 0, {"a"}}, {"gemm", 4, 0, {"b"}}});
    join_counters(p, measured_of({{"gemm", 4, 10, {"b"}}, {"gemm", 4, 20, {"a"}}}));
    EXPECT_EQ(flops(p), (Flops{43, 23}));
}

TEST(JoinedCounters, WholeNamesAreComparedWhole) {
    const std::vector<CountedKernel> run = {{"void f<int>(int*)", 1}, {"void f<float>(float*)", 1}};
    Profile whole = run_of(run);
    join_counters(whole, measured_of({{"void f<float>(float *)", 1, 10}}));
    EXPECT_EQ(flops(whole), (Flops{-1, 23}));
    Profile base = run_of(run);
    EXPECT_EQ(join_counters(base, measured_of({{"f", 1, 10}})).ambiguous, 1);
}

TEST(JoinedCounters, AreEvidenceOfTensorCores) {
    Profile p = run_of({{"plain_name", 1}});
    const JoinedCounters joined = join_counters(p, measured_of({{"plain_name", 1, 10}}, true));
    AnalysisOptions options;
    options.counted = &joined.counted;
    const Analysis analysis = analyze(p, options);
    ASSERT_EQ(analysis.kernels.size(), 1u);
    EXPECT_EQ(analysis.kernels[0].uses_tc, TensorCoreUse::kYes);
    EXPECT_EQ(analysis.kernels[0].evidence, TensorCoreEvidence::kCounter);
}

TEST(MeasuredWork, OfWhatWasCounted) {
    using Counters = std::vector<std::pair<std::string_view, double>>;
    const auto of = [](const Counters& counters, double ns = -1, int major = 8) {
        return measured_work(counters, ns, major, 0);
    };
    EXPECT_EQ(of({{kAdd, 1}, {kMul, 2}, {kFma, 10}}).flops, 23);
    EXPECT_EQ(of({{kAdd, 1}, {kFma, 10}}).flops, std::nullopt) << "multiplications were not counted";
    EXPECT_EQ(of({{kTensor, 3}}).tensor_flops, std::nullopt) << "what an instruction does is not known";
    EXPECT_EQ(of({{kTensor, 3}}).tensor_cores, true);
    EXPECT_EQ(of({{kTensor, 0}}).tensor_flops, 0);
    EXPECT_EQ(of({{kTensor, 3}}, -1, 7).tensor_flops, 1536);
    EXPECT_EQ(of({{"sm__ops_path_tensor_src_fp16_dst_fp32.sum", 5},
                  {"sm__ops_path_tensor_src_fp16_dst_fp32_sparsity_off.sum", 5}})
                  .tensor_flops,
              5);
    EXPECT_EQ(
        of({{"Memory Workload Analysis: Memory Throughput [byte/s]", 2e9}, {"S: Memory Throughput [%]", 50}},
           500)
            .memory_bytes,
        1000);
    EXPECT_EQ(of({{"dram__bytes_read.sum [byte]", 3}, {"dram__bytes_write.sum [byte]", 4}}).memory_bytes, 7);
    EXPECT_EQ(of({}).memory_bytes, std::nullopt);
    EXPECT_EQ(of({}).tensor_cores, std::nullopt);
}

}  // namespace
}  // namespace opsight::analyze
