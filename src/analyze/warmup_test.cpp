#include <gtest/gtest.h>

#include "analyze/iterations.h"
#include "store/string_pool.h"

namespace opsight::analyze {
namespace {

IterationCandidate span(int64_t begin, int64_t end) {
    return {RankId(size_t{0}), begin, end, StringId(size_t{1})};
}

// The warm-up marks of iterations of these durations, one after the other: 'w' or '-'.
std::string warmup_of(const std::vector<int64_t>& durations) {
    std::vector<IterationCandidate> spans;
    int64_t at = 0;
    for (const int64_t dur : durations) {
        spans.push_back(span(at, at + dur));
        at += dur;
    }
    Iterations it = iterations_from_markers(spans);
    mark_warmup(it, {}, [](std::string_view) { return StringId(size_t{1}); });
    std::string marks;
    for (const Iteration& one : it.list)
        marks += one.warmup ? 'w' : '-';
    return marks;
}

TEST(Warmup, OfThreeTheFirstIsWarmupWhereItTakesTenTimesTheLongerOfTheOthers) {
    EXPECT_EQ(warmup_of({1'175'000, 3'500, 2'500}), "w--");
    EXPECT_EQ(warmup_of({1'000, 100, 90}), "w--");
    EXPECT_EQ(warmup_of({999, 100, 90}), "---");
    EXPECT_EQ(warmup_of({1'000, 90, 101}), "---") << "the longer one counts, not the nearer";
    EXPECT_EQ(warmup_of({100, 1'000, 90}), "---") << "only the first can be a slow start";
    EXPECT_EQ(warmup_of({5'000, 1'200, 100, 90}), "ww--") << "each is compared with those after it";
    EXPECT_EQ(warmup_of({5'000, 700, 100, 90}), "w---");
}

// A slow first one is no warm-up where such come again among shorter ones.
TEST(Warmup, WhatComesAgainIsNoWarmup) {
    EXPECT_EQ(warmup_of({3'000, 1'000, 3'000, 1'000, 3'000, 1'000, 3'000, 1'000}), "--------");
    EXPECT_EQ(warmup_of({3'000, 1'000, 1'000, 1'000, 2'900, 1'000, 1'000, 1'000, 2'900}), "---------");
    EXPECT_EQ(warmup_of({3'000, 2'900, 1'000, 1'000, 1'000, 1'000}), "ww----")
        << "two slow ones at the start";
    EXPECT_EQ(warmup_of({3'000, 1'000, 1'000, 1'000, 1'000, 3'000}), "w-----") << "once may be chance";
    EXPECT_EQ(warmup_of({3'000, 1'000, 1'000, 3'000, 1'000, 1'000}), "------")
        << "once, as long, in the middle";
    EXPECT_EQ(warmup_of({3'000, 1'000, 1'000, 4'000, 1'000, 1'000}), "w-----") << "once, and longer";
    EXPECT_EQ(warmup_of({3'000, 1'000, 1'000, 3'000, 1'600, 1'000, 1'000}), "w------")
        << "others are not much shorter";
    std::vector<int64_t> rare(100, 1'000);
    rare[0] = rare[40] = rare[80] = 3'000;
    EXPECT_EQ(warmup_of(rare), std::string(100, '-')) << "two or more, however rare";
}

// A start is slow for a while: what goes on alike is another loop.
TEST(Warmup, WhatGoesOnAlikeIsNoWarmup) {
    const std::string rest(8, '-');
    const auto with_others = [](std::vector<int64_t> first) {
        first.insert(first.end(), 8, 250);
        return warmup_of(first);
    };
    EXPECT_EQ(with_others({1'760, 1'740, 1'770, 1'810, 1'760, 1'640}), "------" + rest);
    EXPECT_EQ(with_others({5'000, 1'760, 1'740, 1'770, 1'810}), "w----" + rest);
    EXPECT_EQ(with_others({1'760, 1'740, 1'770}), "www" + rest);
    EXPECT_EQ(with_others({2'000, 1'600, 1'300, 1'000}), "wwww" + rest);
}

TEST(Warmup, StepsThatPrefillAreComparedWithSuch) {
    StringPool names;
    const auto marks_of = [&](const std::vector<std::pair<std::string, int64_t>>& steps) {
        std::vector<IterationCandidate> spans;
        int64_t at = 0;
        for (const auto& [name, dur] : steps) {
            spans.push_back(span(at, at + dur));
            spans.back().name = names.intern(name);
            at += dur;
        }
        Iterations it = iterations_from_markers(spans);
        mark_warmup(
            it, {}, [&](std::string_view text) { return names.intern(text); },
            [&](StringId name) { return names.view(name); });
        std::string marks;
        for (const Iteration& one : it.list)
            marks += one.warmup ? 'w' : '-';
        return marks;
    };
    using Steps = std::vector<std::pair<std::string, int64_t>>;
    const Steps decode(9, {"execute_context_0(0)_generation_8(8)", 300});
    Steps vllm = decode;
    vllm.insert(vllm.begin(), {"execute_context_1(512)_generation_7(7)", 2'900});
    EXPECT_EQ(marks_of(vllm), "----------") << "the only one that prefills";
    vllm[0].first = decode[0].first;
    EXPECT_EQ(marks_of(vllm), "w---------") << "a slow one that decodes";
    EXPECT_EQ(marks_of({{"step[EXTEND bs=1 toks=512]", 2'900},
                        {"step[DECODE bs=1]", 300},
                        {"step[DECODE bs=2]", 300},
                        {"step[DECODE bs=3]", 300}}),
              "----");
    EXPECT_EQ(marks_of({{"train 0", 2'900},
                        {"eval 0", 300},
                        {"train 1", 2'800},
                        {"eval 1", 300},
                        {"eval 2", 300},
                        {"train 2", 2'850}}),
              "------");
    EXPECT_EQ(marks_of({{"first step", 2'900}, {"step 1", 300}, {"step 2", 300}, {"step 3", 300}}), "w---")
        << "nothing else is named so";
}

// Marks of a call that takes hardly any of the time: what counts is when the next one begins.
TEST(Warmup, MarksFarApartLastUntilTheNext) {
    const auto marks_of = [](const std::vector<IterationCandidate>& spans) {
        Iterations it = iterations_from_ranges(spans, "saxpy");
        mark_warmup(it, {}, [](std::string_view) { return StringId(size_t{1}); });
        std::string marks;
        for (const Iteration& one : it.list)
            marks += one.warmup ? 'w' : '-';
        return marks;
    };
    EXPECT_EQ(marks_of({span(0, 40), span(10'000, 10'030), span(20'000, 20'005), span(30'000, 30'005),
                        span(40'000, 40'005)}),
              "-----")
        << "ten thousand each";
    EXPECT_EQ(marks_of({span(0, 5), span(30'000, 30'005), span(40'000, 40'005), span(50'000, 50'005),
                        span(60'000, 60'005)}),
              "w----");
}

TEST(Warmup, TooFewToCompareAreNoWarmup) {
    EXPECT_EQ(warmup_of({5'000}), "-");
    EXPECT_EQ(warmup_of({5'000, 1}), "--");
}

TEST(Warmup, EqualOnesAreNoWarmup) {
    std::vector<int64_t> durations;
    for (int64_t i = 0; i < 30; ++i)
        durations.push_back(i < 13 ? 10'200 + i : 10'000 + i % 3);
    EXPECT_EQ(warmup_of(durations), std::string(30, '-'))
        << "two percent are no slow start, however even the others are";
}

}  // namespace
}  // namespace opsight::analyze
