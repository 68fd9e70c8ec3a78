#include "analyze/optimizer_steps.h"

#include <gtest/gtest.h>

#include <string_view>

#include "analyze/analyze.h"
#include "analyze/test_profile.h"

namespace opsight::analyze {
namespace {

const RankId kRank(size_t{0});

// A run in letters, one for each 100 ns: "L" loads a batch, "g" computes gradients, any other letter is a
// step of the optimizer of that name; where they are not told apart all have one name, and the letter is the
// number of ops.
StepCycles cycles(std::string_view run, bool told_apart = true) {
    std::vector<OptimizerStep> steps;
    std::vector<IterationCandidate> loads;
    for (size_t i = 0; i < run.size(); ++i) {
        const auto at = static_cast<int64_t>(i) * 100;
        if (run[i] == 'L')
            loads.push_back({kRank, at, at + 50, StringId(size_t{1})});
        else if (run[i] != 'g')
            steps.push_back({{kRank, at, at + 50, StringId(static_cast<size_t>(run[i]))},
                             0,
                             static_cast<uint64_t>(told_apart ? run[i] : 'A'),
                             false,
                             TrackId(size_t{0}),
                             static_cast<uint32_t>(run[i])});
    }
    steps = outermost_steps(std::move(steps));
    for (size_t i = 0; i < run.size(); ++i)
        if (run[i] == 'g') note_gradients(steps, kRank, static_cast<int64_t>(i) * 100);
    return cycles_of_steps(steps, loads, told_apart);
}

std::string times(std::string_view part, int count) {
    std::string all;
    for (int i = 0; i < count; ++i)
        all += part;
    return all;
}

// Letters of the steps that end an iteration.
std::string ends(const StepCycles& found) {
    std::string letters;
    for (const IterationCandidate& end : found.ends)
        letters += static_cast<char>(end.name.value);
    return letters;
}

TEST(OptimizerSteps, OneOptimizerEndsAnIterationWithEachStep) {
    EXPECT_EQ(ends(cycles(times("LgA", 10))), times("A", 10));
    EXPECT_EQ(ends(cycles(times("gA", 10))), times("A", 10));
    EXPECT_EQ(cycles(times("gA", 10)).confidence, 1);
}

TEST(OptimizerSteps, AccumulationNeedsSeveralBatchesForAStep) {
    EXPECT_EQ(ends(cycles(times("LgLgLgLgA", 10))), times("A", 10));
    EXPECT_EQ(cycles(times("LgLgLgLgA", 10)).confidence, 1);
    EXPECT_EQ(ends(cycles(times("LgLgAgB", 10))), times("B", 10));
}

TEST(OptimizerSteps, TheGeneratorEndsAnIterationOfAGan) {
    for (const char* run : {"LgDgG", "gDgG"})
        for (const bool told_apart : {true, false})
            EXPECT_EQ(ends(cycles(times(run, 20), told_apart)), times("G", 20)) << run;
    EXPECT_EQ(cycles(times("LgDgG", 20)).confidence, 1);
    EXPECT_LT(cycles(times("gDgG", 20)).confidence, 1) << "only the turns tell";
}

TEST(OptimizerSteps, OptimizersThatNothingTellsApartShareABatch) {
    EXPECT_EQ(cycles(times("LgAgA", 20), false).ends.size(), 20u);
    EXPECT_EQ(cycles(times("LgAgA", 20), false).confidence, 1);
    EXPECT_EQ(cycles(times("LgAgA", 20), true).ends.size(), 40u) << "the same optimizer again";
    EXPECT_LT(cycles(times("LgAgA", 20), true).confidence, 1);
}

TEST(OptimizerSteps, StepsWithTheSameGradientsAreOneUpdate) {
    EXPECT_EQ(ends(cycles(times("gABC", 12))), times("C", 12));
    EXPECT_EQ(cycles(times("gABC", 12)).confidence, 1);
    EXPECT_EQ(cycles(times("gAAA", 12), false).ends.size(), 12u);
    EXPECT_EQ(ends(cycles(times("ABC", 12))), times("C", 12)) << "also where no gradients were recorded";
    EXPECT_EQ(ends(cycles(times("gAgC", 12))), times("C", 12)) << "actor and critic";
}

TEST(OptimizerSteps, CriticsOfAWassersteinGan) {
    const StepCycles alone = cycles(times("gDgDgDgDgDgG", 8));
    EXPECT_EQ(ends(alone), times("G", 8));
    const StepCycles batches = cycles(times("LgDLgDLgDLgDLgDgG", 8));
    EXPECT_EQ(ends(batches), times("DDDDG", 8)) << "a batch is an iteration";
    EXPECT_LT(batches.confidence, 1);
    EXPECT_EQ(batches.doubt, "8 by the optimizers' turns, 40 by the batches");
    EXPECT_EQ(ends(cycles(times("gD", 100) + "gG" + times("gD", 100) + "gG" + times("gD", 100) + "gG")),
              "GGG");
}

TEST(OptimizerSteps, AlternatingFineTuning) {
    EXPECT_EQ(cycles(times("LgALgB", 10)).ends.size(), 20u) << "each batch is one";
    EXPECT_LT(cycles(times("LgALgB", 10)).confidence, 1) << "the turns say half as many";
    EXPECT_EQ(cycles(times("gA", 20) + times("gB", 20)).ends.size(), 40u) << "in phases";
    EXPECT_EQ(cycles("gAgAgBgB").ends.size(), 4u) << "short ones, too";
    EXPECT_EQ(ends(cycles("gAgB")), "B") << "one turn";
    const StepCycles epochs = cycles(times(times("LgA", 5) + times("LgB", 5), 4));
    EXPECT_EQ(epochs.ends.size(), 40u);
    const StepCycles without = cycles(times("gAgAgAgAgBgBgB", 4));
    EXPECT_LT(without.confidence, 1) << "nothing tells where one begins";
}

TEST(OptimizerSteps, LoadsThatPartNoStepsTellNothing) {
    EXPECT_EQ(ends(cycles("L" + times("gDgG", 20))), times("G", 20)) << "one batch for all";
    EXPECT_EQ(cycles(times(times("gA", 10) + "LLL", 5)).ends.size(), 50u) << "a validation now and then";
    EXPECT_LT(cycles(times(times("gA", 10) + "LLL", 5)).confidence, 1);
}

TEST(OptimizerSteps, FirstStepsMayLookDifferent) {
    EXPECT_EQ(cycles("gdgg" + times("gDgG", 4), false).ends.size(), 5u);
    EXPECT_EQ(cycles("ga" + times("gA", 4), false).ends.size(), 5u);
}

// Experts that get no gradients, cleared gradients: a step updates what has some.
TEST(OptimizerSteps, OneOptimizerMayDoMoreOrLessInAStep) {
    const auto spread = [](std::string_view counts, std::string_view before) {
        std::string run;
        for (const char count : counts)
            run.append(before) += count;
        return run;
    };
    constexpr std::string_view kFewKinds = "ACBACCABDBDACBDA", kAllKinds = "AEICBHKDEFAJGMBNOCQP";
    for (const std::string_view counts : {kFewKinds, kAllKinds}) {
        const StepCycles alone = cycles(spread(counts, "g"), false);
        EXPECT_EQ(ends(alone), counts);
        EXPECT_LT(alone.confidence, 1) << "the name alone tells";
        EXPECT_EQ(ends(cycles(spread(counts, "Lg"), false)), counts);
        EXPECT_EQ(ends(cycles(spread(counts, "LgLg"), false)), counts) << "of two batches";
    }
    const StepCycles two = cycles(spread(kFewKinds, "gXg"), false);
    EXPECT_EQ(ends(two), kFewKinds) << "two of one class, one of which always does the same";
}

TEST(OptimizerSteps, ThreadsThatStepByTurnsTrainBesideEachOther) {
    // A digit is a step of the thread of that number.
    const auto beside = [](std::string_view run, int64_t dur = 50) {
        std::vector<OptimizerStep> steps;
        for (size_t i = 0; i < run.size(); ++i)
            steps.push_back({{kRank, static_cast<int64_t>(i) * 100, static_cast<int64_t>(i) * 100 + dur,
                              StringId(size_t{1})},
                             0,
                             1,
                             false,
                             TrackId(static_cast<size_t>(run[i] - '0'))});
        return threads_train_beside(steps);
    };
    EXPECT_TRUE(beside("01010101"));
    EXPECT_FALSE(beside("0011", 1000)) << "one after the other, whatever a step takes";
    EXPECT_TRUE(beside("00100100"));
    EXPECT_FALSE(beside("00000000"));
    EXPECT_FALSE(beside("00001000")) << "one step is no training";
    EXPECT_FALSE(beside("00001111"));
}

TEST(OptimizerSteps, StepsWithinAStepAreNone) {
    const auto step = [](int64_t begin, int64_t end) {
        return OptimizerStep{{kRank, begin, end, StringId(size_t{1})}, 0, 1};
    };
    EXPECT_EQ(outermost_steps({step(0, 100), step(10, 50), step(200, 300)}).size(), 2u);
    EXPECT_TRUE(cycles_of_steps({}, {}, true).ends.empty());
}

// What a recording of PyTorch gives: loads are data loading, gradients are backward ops.
TEST(OptimizerSteps, LoadsOfAProfileCount) {
    TestProfile t;
    for (int64_t i = 0; i < 6; ++i) {
        const int64_t at = i * 100'000;
        t.host(HostKind::kDataLoad, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", at, 900,
               t.thread());
        for (const int64_t step : {1, 2}) {
            t.op("autograd::engine::evaluate_function: AddmmBackward0", at + step * 20'000, 500);
            t.annotation("Optimizer.step#Adam.step", at + step * 20'000 + 1000, 5000, t.thread());
            t.op("aten::add_", at + step * 20'000 + 2000, 100);
        }
    }
    Profile profile = t.finish();
    const Analysis a = analyze(profile, {});
    EXPECT_EQ(a.iterations.list.size(), 6u);
    EXPECT_EQ(a.iterations.confidence, 1);
    EXPECT_EQ(a.iterations.list[0].end_ns, 46'000);
}

// Without numbers of optimizers, as of Kineto: what is not an op in a step tells nothing of whose it is.
TEST(OptimizerSteps, CallsAndFramesInAStepPartNoOptimizers) {
    TestProfile t;
    constexpr int kPolls[] = {3, 0, 5, 1, 3, 2, 0, 4, 1, 6, 2, 3};
    for (int64_t i = 0; i < 12; ++i) {
        const int64_t at = i * 100'000;
        t.op("autograd::engine::evaluate_function: MmBackward0", at, 500);
        t.annotation("Optimizer.step#Adam.step", at + 1000, 50'000, t.thread());
        for (int64_t k = 0; k < 10; ++k)
            t.op("aten::add_", at + 2000 + k * 1000, 500);
        for (int64_t k = 0; k < kPolls[i]; ++k) {
            t.api("cudaEventQuery", at + 20'000 + k * 1000, 500, t.thread());
            t.host(HostKind::kPythonFrame, "<built-in method get>", at + 30'000 + k * 1000, 500, t.thread());
        }
    }
    Profile profile = t.finish();
    const Analysis a = analyze(profile, {});
    EXPECT_EQ(a.iterations.list.size(), 12u);
    EXPECT_EQ(a.iterations.confidence, 1);
}

// A rank whose process was started anew: its steps come again from the first on.
TEST(OptimizerSteps, AProcessThatWasStartedAnewBeginsItsIterationsAnew) {
    TestProfile t;
    for (const int64_t pid : {100, 200}) {
        const TrackId thread = t.thread(1, pid);
        for (int64_t i = 0; i < 4; ++i) {
            const int64_t at = pid * 1'000'000 + i * 10'000;
            t.op("aten::linear", at, 3000, thread);
            t.annotation("Optimizer.step#SGD.step", at + 5000, 1000, thread);
        }
    }
    Profile profile = t.finish();
    const Analysis a = analyze(profile, {});
    ASSERT_EQ(a.iterations.list.size(), 8u);
    EXPECT_EQ(a.iterations.list[4].begin_ns, 100'000'000) << "not where the killed process ended";
    EXPECT_EQ(a.iterations.list[4].end_ns, 100'006'000);
    EXPECT_EQ(a.iterations.list[4].number, 4);
}

// Steps of 1 ms, the last `others` of another optimizer; after each fourth an evaluation of `pause_ns`.
Iterations with_evaluations(int64_t pause_ns, int64_t others = 0) {
    TestProfile t;
    int64_t at = 0;
    for (int64_t i = 0; i < 16; ++i) {
        t.op("aten::mm", at, 400'000, t.thread());
        t.annotation(i < 16 - others ? "Optimizer.step#Adam.step" : "Optimizer.step#SGD.step", at + 500'000,
                     400'000, t.thread());
        at += 1'000'000 + (i % 4 == 3 ? pause_ns : 0);
    }
    Profile profile = t.finish();
    return analyze(profile, {}).iterations;
}

TEST(OptimizerSteps, IterationsWithAnEvaluationAreDoubtful) {
    const Iterations evaluated = with_evaluations(20'000'000), plain = with_evaluations(1'000'000);
    EXPECT_EQ(evaluated.list.size(), 16u);
    EXPECT_EQ(evaluated.confidence, 0.8);
    EXPECT_NE(evaluated.description.find("some hold more, as an evaluation"), std::string::npos)
        << evaluated.description;
    EXPECT_EQ(plain.confidence, 1);
    EXPECT_EQ(plain.description, "16 x Optimizer.step#Adam.step");
}

TEST(OptimizerSteps, EachNameHasItsOwnCount) {
    const std::string words = with_evaluations(0, 6).description;
    EXPECT_TRUE(words.starts_with("10 x Optimizer.step#Adam.step, 6 x Optimizer.step#SGD.step")) << words;
}

}  // namespace
}  // namespace opsight::analyze
