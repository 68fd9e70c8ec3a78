#include "query/compare/gates.h"

#include <gmock/gmock.h>

#include "query/compare/test_tree.h"

namespace opsight::query {
namespace {

using ::testing::HasSubstr;

Gate gate(const std::string& text) {
    auto parsed = parse_gate(text);
    if (!parsed) ADD_FAILURE() << parsed.error().message();
    return std::move(parsed).value();
}

// A block whose second op got slower by a half; its first differs by noise, its third is new.
Comparison slowed() {
    TestTree base, next;
    const size_t before = base.layer("Block_0"), after = next.layer("Block_0");
    base.op("aten::mm", before, 10'000, "gemm<a > b>");
    next.op("aten::mm", after, 10'000, "gemm<a > b>");
    next.tree.ops[0].work[0].gpu.mean_ns += 2'000;  // in the mean only: a single iteration's doing
    next.tree.ops[0].work[0].gpu.samples[7] += 16'000;
    base.op("aten::relu", before, 2'000, "relu");
    next.op("aten::relu", after, 3'000, "relu");
    next.op("aten::sum", after, 500, "sum");
    Comparison it;
    it.base.work = base.finish();
    it.next.work = next.finish();
    it.changes = find_changes(it.base.work, it.next.work);
    const std::vector<int64_t> short_times{100, 101, 102, 103, 104, 105},
        long_times{110, 111, 112, 113, 114, 115};
    it.time = compare_samples(short_times, long_times);
    return it;
}

GateResult checked(const Comparison& it, const std::string& text, bool strict = false) {
    return check_gates(it, {gate(text)}, strict).at(0);
}

TEST(Gates, AreReadFromText) {
    const Gate time = gate("iteration_time > 3%");
    EXPECT_EQ(time.subject, Gate::Subject::kIteration);
    EXPECT_DOUBLE_EQ(time.percent, 3);
    const Gate layer = gate("  layer:encoder.*  gpu_time>0.5 % ");
    EXPECT_EQ(layer.subject, Gate::Subject::kLayer);
    EXPECT_EQ(layer.pattern, "encoder.*");
    EXPECT_DOUBLE_EQ(layer.percent, 0.5);
    EXPECT_EQ(gate("kernel:gemm<a > b> calls > 0%").pattern, "gemm<a > b>");
    for (const char* wrong :
         {"", "iteration_time", "iteration_time > 3", "iteration_time > x%", "iteration_time > -3%",
          "iteration_time > nan%", "gpu_time > 3%", "layer: gpu_time > 3%", "layer:a iteration_time > 3%",
          "rank:a gpu_time > 3%", "op:a bytes > 3%", "iteration_time > 3% 4%"}) {
        const auto parsed = parse_gate(wrong);
        ASSERT_FALSE(parsed.has_value()) << wrong;
        EXPECT_EQ(parsed.error().exit_code, 2);
    }
}

TEST(Gates, TheIterationTimeIsHeldByItsMedians) {
    const Comparison it = slowed();
    EXPECT_TRUE(checked(it, "iteration_time > 10%").held);
    const GateResult over = checked(it, "iteration_time > 9%");
    EXPECT_FALSE(over.held);
    EXPECT_THAT(over.failures.at(0), HasSubstr("iteration time: "));
    EXPECT_THAT(over.failures.at(0), HasSubstr("+9.7%"));
}

TEST(Gates, OnlyWhatStandsAgainstNoiseFails) {
    const Comparison it = slowed();
    EXPECT_TRUE(checked(it, "op:aten::mm gpu_time > 5%").held);
    EXPECT_THAT(checked(it, "op:aten::mm gpu_time > 5%").summary, HasSubstr("1 more that noise may explain"));
    EXPECT_FALSE(checked(it, "op:aten::mm gpu_time > 5%", true).held);
    const GateResult over = checked(it, "op:aten::r* gpu_time > 5%");
    ASSERT_EQ(over.failures.size(), 1u);
    EXPECT_THAT(over.failures[0], HasSubstr("op aten::relu in /Block_0: "));
    EXPECT_FALSE(checked(it, "layer:Block_? gpu_time > 5%").held);
    EXPECT_FALSE(checked(it, "kernel:relu gpu_time > 40%").held);
    EXPECT_TRUE(checked(it, "kernel:relu gpu_time > 60%").held);
}

// A limit that no recording of so few samples could break would hold for ever.
TEST(Gates, OverALimitWithTooFewSamplesIsNotHeld) {
    Comparison it = slowed();
    const std::vector<int64_t> few{100, 101, 102}, longer{150, 151, 152};
    for (const auto& [before, after] : {std::pair(few, longer), {{100}, longer}}) {
        it.time = compare_samples(before, after);
        const GateResult judged = checked(it, "iteration_time > 10%");
        EXPECT_FALSE(judged.held);
        EXPECT_THAT(judged.unjudged, HasSubstr("iteration time (+"));
        EXPECT_TRUE(judged.failures.empty()) << "nor is it broken";
        const GateResult strict = checked(it, "iteration_time > 10%", true);
        EXPECT_FALSE(strict.held);
        EXPECT_EQ(strict.unjudged, "");
        EXPECT_TRUE(checked(it, "iteration_time > 60%").held) << "within the limit whatever noise is";
    }
}

TEST(Gates, OfIterationsThatAreNotAlikeTheTimeIsNotJudged) {
    Comparison it = slowed();
    it.caveats.push_back({std::string(kUnlikeIterations), ""});
    const GateResult judged = checked(it, "iteration_time > 3%");
    EXPECT_FALSE(judged.held);
    EXPECT_THAT(judged.unjudged, HasSubstr("not alike"));
}

TEST(Gates, WhatIsNewIsOverAnyLimit) {
    const Comparison it = slowed();
    EXPECT_THAT(checked(it, "op:aten::sum gpu_time > 1000%").failures.at(0), HasSubstr("(new)"));
    EXPECT_FALSE(checked(it, "op:aten::sum calls > 0%").held);
    EXPECT_TRUE(checked(it, "op:aten::mm calls > 0%").held);
}

// A limit on a layer is one on all below it: most layers have no ops of their own.
TEST(Gates, OfALayerHoldWhatIsBelowIt) {
    TestTree base, next;
    for (auto* each : {&base, &next}) {
        const size_t encoder = each->layer("Encoder", each->layer("Model"));
        each->op("aten::mm", each->layer("Linear_0", encoder), 10'000, "gemm");
        each->op("aten::mm", each->layer("Linear_1", encoder), each == &base ? 10'000 : 13'000, "gemm");
    }
    Comparison it;
    it.base.work = base.finish(), it.next.work = next.finish();
    it.changes = find_changes(it.base.work, it.next.work);
    EXPECT_TRUE(checked(it, "layer:Model/Encoder gpu_time > 16%").held);
    EXPECT_THAT(checked(it, "layer:Model/Encoder gpu_time > 14%").failures.at(0),
                HasSubstr("layer /Model/Encoder and all below it: 2"));
    EXPECT_EQ(checked(it, "layer:Model.Encoder.* gpu_time > 14%").failures.size(), 2u) << "with Linear_1";
    EXPECT_EQ(checked(it, "layer:*/Encoder gpu_time > 14%").failures.size(), 1u);
    EXPECT_THAT(checked(it, "layer:encoder.* gpu_time > 5%").unjudged,
                HasSubstr("alike are 'Model/Encoder', 'Model/Encoder/Linear_0'"));
    it.next.work = without_layers(it.next.work);
    it.changes = find_changes(it.base.work, it.next.work);
    EXPECT_THAT(checked(it, "layer:Model gpu_time > 5%").unjudged,
                HasSubstr("only one side recorded layers"));
}

TEST(Gates, AboutNothingAreNotJudgedAndHideNoOthers) {
    const Comparison it = slowed();
    for (const char* text :
         {"op:nothing* gpu_time > 5%", "kernel:relu cpu_time > 5%", "layer:Block_0 calls > 5%"}) {
        const auto results = check_gates(it, {gate(text), gate("iteration_time > 3%")}, false);
        ASSERT_EQ(results.size(), 2u);
        EXPECT_FALSE(results[0].held) << text;
        EXPECT_THAT(results[0].unjudged, HasSubstr("holds nothing"));
        EXPECT_EQ(results[1].failures.size(), 1u);
    }
}

// One run a side, 4 % apart: that may be the runs' own.
TEST(Gates, OneRunASideHoldsAgainstRunToRunDifferences) {
    Comparison it = slowed();
    const std::vector<int64_t> before{1000, 1001, 1002, 1003, 1004, 1005},
        after{1040, 1041, 1042, 1043, 1044, 1045};
    it.time = compare_one_run(before, after);
    EXPECT_TRUE(checked(it, "iteration_time > 3%").held);
    EXPECT_EQ(checked(it, "iteration_time > 3%").doubtful, 1u);
    EXPECT_FALSE(checked(it, "iteration_time > 3%", true).held);
}

// The kernels take a tenth longer, and one of the eight a hundred times as long.
TEST(Gates, AHiccupIsNoAmount) {
    TestTree base, next;
    base.op("aten::addmm", 0, 10'000);
    next.op("aten::addmm", 0, 11'000);
    Amount& slow = next.tree.ops[0].work[0].gpu;
    slow.samples.back() = 1'100'000;
    slow.mean_ns = 147'000;
    Comparison it;
    it.base.work = base.finish(), it.next.work = next.finish();
    it.changes = find_changes(it.base.work, it.next.work);
    ASSERT_EQ(it.changes.ops.at(0).gpu.verdict, Verdict::kReal);
    EXPECT_TRUE(checked(it, "op:aten::addmm gpu_time > 12%").held);
    EXPECT_THAT(checked(it, "op:aten::addmm gpu_time > 5%").failures.at(0), HasSubstr("(+1"));
}

}  // namespace
}  // namespace opsight::query
