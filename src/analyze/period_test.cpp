#include "analyze/period.h"

#include <gtest/gtest.h>

#include <vector>

namespace opsight::analyze {
namespace {

TEST(Period, FindsTheLoopAroundRepeatedLayers) {
    std::vector<uint32_t> symbols = {90, 91};  // set-up
    for (int step = 0; step < 6; ++step) {
        symbols.push_back(1);
        for (int layer = 0; layer < 12; ++layer)
            symbols.insert(symbols.end(), {10, 11, 12, 13});
        symbols.insert(symbols.end(), {20, 21});
        for (int layer = 0; layer < 12; ++layer)
            symbols.insert(symbols.end(), {33, 32, 31, 30, 30});
        if (step % 2) symbols.push_back(50);  // a log now and then
        symbols.insert(symbols.end(), {40, 41, 41});
    }
    const Period period = find_period({symbols});
    ASSERT_EQ(period.cuts.size(), 6u);
    EXPECT_EQ(period.cuts[0], 2u);
    EXPECT_EQ(symbols[period.cuts[3]], 1u);
    EXPECT_GT(period.confidence, 0.75) << "what sets up could be the embedding of a single pass";
    EXPECT_LT(period.confidence, 0.8);
    EXPECT_NEAR(static_cast<double>(period.typical_length), 114.0, 1.0);
}

TEST(Period, NoneWhereNothingRepeats) {
    std::vector<uint32_t> symbols(200);
    for (uint32_t i = 0; i < 200; ++i)
        symbols[i] = i;
    EXPECT_TRUE(find_period({symbols}).cuts.empty());
    for (uint32_t i = 0; i < 200; ++i)
        symbols[i] = (i * i * 7919 + i * 31) % 61;
    EXPECT_LT(find_period({symbols}).confidence, 0.8);
    EXPECT_TRUE(find_period({{}}).cuts.empty());
    EXPECT_TRUE(find_period({{1, 1}}).cuts.empty());
}

TEST(Period, ACutOffLastPieceIsNoRepetition) {
    std::vector<uint32_t> symbols;
    for (int i = 0; i < 5; ++i)
        symbols.insert(symbols.end(), {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
    symbols.insert(symbols.end(), {1, 2, 3});
    const Period period = find_period({symbols});
    EXPECT_EQ(period.cuts.size(), 5u);
    EXPECT_EQ(period.end, 50u);
}

TEST(Period, ACutOffFirstPieceIsNoRepetition) {
    std::vector<uint32_t> symbols = {1, 2, 3};
    for (int i = 0; i < 5; ++i)
        symbols.insert(symbols.end(), {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
    const Period period = find_period({symbols});
    EXPECT_EQ(period.cuts, (std::vector<size_t>{3, 13, 23, 33, 43}));
}

TEST(Period, LayersOfOnePassAreNoRepetition) {
    std::vector<uint32_t> symbols{20, 21};  // an embedding
    for (int i = 0; i < 12; ++i)
        symbols.insert(symbols.end(), {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
    EXPECT_EQ(find_period({symbols}).cuts.size(), 12u);
    symbols.insert(symbols.end(), {22, 23});  // a head
    EXPECT_TRUE(find_period({symbols}).cuts.empty());
}

// An embedding, 8 equal blocks and a head that call the same kernels: only their shapes, or how often a name
// comes, tell that the blocks are not all.
std::vector<uint32_t> small_network() {
    std::vector<uint32_t> symbols{1};
    for (int i = 0; i < 8; ++i)
        symbols.insert(symbols.end(), {2, 1, 3, 1, 4});
    symbols.push_back(1);
    return symbols;
}

TEST(Period, LayersWithTheNamesOfEmbeddingAndHeadAreNoRepetition) {
    PeriodInput input;
    input.symbols = small_network();
    EXPECT_TRUE(find_period(input).cuts.empty()) << "the last piece has one more of 1";
    // Repetitions that begin in the middle of the network hide that: the head is the begin of one more.
    input.symbols = {1, 3, 1, 3};
    for (int i = 0; i < 8; ++i)
        input.symbols.insert(input.symbols.end(), {2, 1, 3, 1, 3});
    input.symbols.insert(input.symbols.end(), {2, 1});
    EXPECT_FALSE(find_period(input).cuts.empty());
    input.details = input.symbols;
    input.details.front() = 10;
    input.details.back() = 11;
    EXPECT_TRUE(find_period(input).cuts.empty()) << "their shapes are of their own";
    for (size_t i = 0; i < input.details.size(); ++i)
        input.details[i] = static_cast<uint32_t>(100 + i);
    EXPECT_FALSE(find_period(input).cuts.empty()) << "shapes that always differ say nothing";
}

// A name that comes once in each piece need not be its first.
TEST(Period, WhereAllIsOnePieceAgainAndAgainTheFirstBeginsIt) {
    PeriodInput input;
    for (int i = 0; i < 8; ++i)
        input.symbols.insert(input.symbols.end(), {1, 2, 1});
    const Period period = find_period(input);
    EXPECT_EQ(period.cuts, (std::vector<size_t>{0, 3, 6, 9, 12, 15, 18, 21}));
    EXPECT_EQ(period.end, 24U);
    // A unit that is not to be cut keeps its place.
    for (size_t i = 0; i < 24; ++i)
        input.unit.push_back(i < 1 ? 0 : 1 + (i - 1) / 3 * 3);
    EXPECT_NE(find_period(input).cuts.front(), 0U);
    input.unit.clear();
    input.symbols.push_back(3);
    EXPECT_NE(find_period(input).cuts, period.cuts) << "something else follows";
}

TEST(Period, ConfidenceFallsWhereCluesDisagree) {
    PeriodInput input;
    for (int i = 0; i < 12; ++i)
        input.symbols.insert(input.symbols.end(), {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
    EXPECT_DOUBLE_EQ(find_period(input).confidence, 1);
    input.symbols.push_back(20);  // a head, or an evaluation at the end
    input.symbols.push_back(21);
    Period period = find_period(input);
    ASSERT_EQ(period.cuts.size(), 12u);
    EXPECT_EQ(period.end, 120u) << "it is no part of the last repetition";
    EXPECT_LT(period.confidence, 0.8);
    input.wanted.assign(122, false);
    for (size_t i = 0; i < 120; i += 10)
        input.wanted[i + 5] = true;
    EXPECT_GT(find_period(input).confidence, 0.95) << "each trains, so none is a layer";
    input.wanted.clear();
    input.time.assign(122, 1);
    input.time[121] = 300;
    EXPECT_TRUE(find_period(input).cuts.empty()) << "most of the time would be outside";
}

TEST(Period, APartAtTheEndsIsNoWorkOfItsOwn) {
    PeriodInput input;
    for (uint32_t i = 6; i < 97; ++i)
        input.symbols.push_back(i % 10);
    const Period period = find_period(input);
    EXPECT_GE(period.cuts.size(), 8u);
    EXPECT_GT(period.confidence, 0.9);
}

TEST(Period, CutsStandWhereAUnitBegins) {
    PeriodInput input;
    for (size_t i = 0; i < 50; ++i) {
        input.symbols.push_back(static_cast<uint32_t>(i % 10));
        input.unit.push_back(i % 10 < 4 ? i - i % 10 : i);
    }
    EXPECT_EQ(find_period(input).cuts, (std::vector<size_t>{0, 10, 20, 30, 40}));
    input.unit.assign(50, 0);  // all in one unit, as in one graph
    EXPECT_TRUE(find_period(input).cuts.empty());
}

TEST(Period, EachPieceHasWhatIsWanted) {
    PeriodInput input;
    for (size_t i = 0; i < 60; ++i) {
        input.symbols.push_back(static_cast<uint32_t>(i % 10));
        input.wanted.push_back(i % 10 == 7);
    }
    EXPECT_EQ(find_period(input).cuts.size(), 6u);
    for (size_t i = 0; i < 30; ++i)
        input.wanted[i] = false;  // three layers forward, three backward
    EXPECT_TRUE(find_period(input).cuts.empty());
}

// Few ops make a call of a small network: one more before the next call is much of a piece.
TEST(Period, AWholeCallAtTheEndWasNotCutOff) {
    PeriodInput input;
    input.symbols = {50, 9, 51};
    input.calls.assign(3, PeriodInput::kNoCall);
    for (uint32_t call = 0; call < 5; ++call) {
        input.symbols.insert(input.symbols.end(), {9, 1, 2, 3, 4});
        input.calls.insert(input.calls.end(), {PeriodInput::kNoCall, call, call, call, call});
    }
    for (size_t i = 0; i < input.calls.size(); ++i)
        input.unit.push_back(input.calls[i] == PeriodInput::kNoCall ? i : 4 + 5 * input.calls[i]);
    const Period period = find_period(input);
    EXPECT_EQ(period.cuts.size(), 5U);
    EXPECT_GT(period.confidence, 0.9);
    input.calls.back() = input.calls[input.calls.size() - 2] = PeriodInput::kNoCall;
    EXPECT_EQ(find_period(input).cuts.size(), 5U) << "a part of the call is there";
    input.calls.clear();
    EXPECT_LT(find_period(input).confidence, 0.8);
}

// A network of layers that are alike: no op comes once in a pass, and set-up has one as often as there are
// passes.
TEST(Period, OpsThatComeOftenInACallComeOnce) {
    PeriodInput input;
    for (uint32_t i = 0; i < 40; ++i)
        input.symbols.push_back(i % 8 == 0 ? 7 : 100 + i);  // 7: five times
    input.calls.assign(40, PeriodInput::kNoCall);
    for (uint32_t i = 0; i < 40; ++i)
        input.unit.push_back(i);
    for (uint32_t call = 0; call < 5; ++call) {
        const size_t begin = input.symbols.size();
        for (const uint32_t symbol : {1, 2, 1, 2, 3, 3})
            input.symbols.push_back(symbol);
        input.calls.insert(input.calls.end(), 6, call);
        input.unit.insert(input.unit.end(), 6, begin);
    }
    EXPECT_EQ(find_period(input).cuts, (std::vector<size_t>{40, 46, 52, 58, 64}));
    input.calls.clear();
    EXPECT_TRUE(find_period(input).cuts.empty());
}

}  // namespace
}  // namespace opsight::analyze
