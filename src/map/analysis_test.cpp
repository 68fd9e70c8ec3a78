#include "map/analysis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "map/simulation.h"
#include "map/test_machines.h"

namespace opsight::map {
namespace {

using ::testing::HasSubstr;

constexpr int kK = 0, kP = 2, kR = 4;

// Every count of a mapping against the machine run step by step.
void expect_as_simulated(const Problem& problem, const Architecture& architecture, const Mapping& mapping) {
    const Result<Evaluation> result = evaluate(problem, architecture, mapping);
    ASSERT_TRUE(result) << result.error().message();
    simulation::Machine machine(problem, mapping);
    for (size_t i = 0; i < architecture.levels.size(); ++i)
        for (size_t space = 0; space < problem.spaces.size(); ++space) {
            const SpaceStats& stats = result->levels[i].spaces[space];
            if (!stats.kept) continue;
            SCOPED_TRACE(architecture.levels[i].name + " " + problem.spaces[space].name + "\n" +
                         loop_nest(mapping, architecture, problem));
            const simulation::Counted counted = machine.run(static_cast<int>(i), static_cast<int>(space));
            const bool outermost = i + 1 == architecture.levels.size();
            if (problem.spaces[space].written) {
                EXPECT_EQ(stats.updates, counted.given);
                EXPECT_EQ(stats.partition, counted.held);
                EXPECT_EQ(stats.reads, counted.given - counted.held);
                EXPECT_EQ(stats.temporal_reductions, stats.reads);
                EXPECT_EQ(stats.fills, outermost ? 0 : counted.filled - counted.held);
            } else {
                EXPECT_EQ(stats.reads, counted.given);
                EXPECT_EQ(stats.fills, outermost ? 0 : counted.filled);
                EXPECT_EQ(stats.updates, 0);
            }
        }
}

TEST(Analysis, RandomMappingsCountAsTheSimulatedMachineDoes) {
    std::mt19937 random(20);
    for (int i = 0; i < 400; ++i) {
        const auto any = [&](int64_t most) { return static_cast<int64_t>(random() % most) + 1; };
        const Problem problem = convolution(any(4), any(4), any(6), any(4), any(3), any(3), any(3), any(2));
        Architecture architecture = three_levels(4, 4);
        if (i % 2 == 1) {  // every level has several of what is below
            architecture.levels[0].mesh = {2, 4};
            architecture.levels[1].mesh = {2, 1};
        }
        expect_as_simulated(problem, architecture, random_mapping(problem, architecture, random));
        if (HasFailure()) return;
    }
}

// Depthwise, products, three operands, attention: data spaces that share other dimensions.
TEST(Analysis, OtherProblemsCountAsTheSimulatedMachineDoes) {
    std::mt19937 random(7);
    const auto any = [&random](int most) {
        return static_cast<int64_t>(random() % static_cast<uint64_t>(most)) + 1;
    };
    const Architecture architecture = three_levels(4, 3);
    for (int i = 0; i < 60; ++i)
        for (const Problem& problem :
             {depthwise(any(6), any(8), any(4), any(3)), product(any(6), any(6), any(6)),
              mttkrp(any(4), any(4), any(4), any(4)), attention(any(4), any(4), any(4), any(4))})
            expect_as_simulated(problem, architecture, random_mapping(problem, architecture, random));
}

TEST(Analysis, ASlidingWindowIsFilledOnceWhereItMovesOn) {
    const Problem problem = convolution(1, 1, 16, 1, 3, 1);
    Mapping mapping{{{{{kR, 3}}}, {{{kP, 16}}}, {}}};
    const Result<Evaluation> result = evaluate(problem, three_levels(), mapping);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->levels[0].spaces[1].fills, 18);  // 3, then 1 with each step
    EXPECT_EQ(result->levels[0].spaces[1].reads, 48);
    EXPECT_EQ(result->levels[0].spaces[2].updates, 48);
    EXPECT_EQ(result->levels[0].spaces[2].reads, 32);  // the first of each sum reads nothing
    EXPECT_EQ(result->cycles, 48);
    EXPECT_DOUBLE_EQ(result->utilization, 1.0 / 16);
}

TEST(Analysis, WhatAllNeedIsReadOnce) {
    const Problem problem = convolution(4, 1, 8, 1, 1, 1);
    const Mapping mapping{{{}, {{{kK, 4, Across::kX}, {kP, 8}}}, {}}};
    const Result<Evaluation> result = evaluate(problem, three_levels(), mapping);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->levels[1].spaces[1].reads, 8);
    EXPECT_DOUBLE_EQ(result->networks[1][1].multicast, 4);
    EXPECT_EQ(result->levels[1].spaces[2].updates, 32);
    EXPECT_EQ(result->compute_instances, 4);
}

TEST(Analysis, BandwidthMakesItSlower) {
    const Problem problem = convolution(1, 1, 16, 1, 3, 1);
    const Mapping mapping{{{{{kR, 3}}}, {{{kP, 16}}}, {}}};
    Architecture architecture = three_levels();
    architecture.levels[0].read_bandwidth = 0.5;  // of 48 + 48 + 32 words in 48 cycles
    const Result<Evaluation> result = evaluate(problem, architecture, mapping);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->cycles, 256);
    EXPECT_DOUBLE_EQ(result->levels[0].throttle, 0.1875);
}

TEST(Analysis, EnergyIsThatOfTheBlocksAccessed) {
    const Problem problem = convolution(1, 1, 16, 1, 3, 1);
    const Mapping mapping{{{{{kR, 3}}}, {{{kP, 16}}}, {}}};
    Architecture architecture = three_levels();
    architecture.levels[1].block = 4;
    architecture.levels[1].leak_pj = 0.5;
    const Result<Evaluation> result = evaluate(problem, architecture, mapping);
    ASSERT_TRUE(result);
    // Inputs: 18 words read and 18 written, 5 blocks each.
    EXPECT_DOUBLE_EQ(result->levels[1].spaces[1].energy_pj, 5 * 6 + 5 * 7);
    EXPECT_DOUBLE_EQ(result->levels[1].leak_pj, 24);
    double sum = result->compute_pj;
    for (const LevelStats& level : result->levels)
        sum += level.energy_pj();
    EXPECT_DOUBLE_EQ(result->energy_pj, sum);
}

// All numbers of an evaluation.
std::vector<double> numbers_of(const Evaluation& evaluation) {
    std::vector<double> numbers{static_cast<double>(evaluation.cycles), evaluation.energy_pj,
                                evaluation.utilization, evaluation.area_um2,
                                static_cast<double>(evaluation.last_level_words)};
    const auto add = [&numbers](auto... values) { (numbers.push_back(static_cast<double>(values)), ...); };
    for (size_t i = 0; i < evaluation.levels.size(); ++i) {
        const LevelStats& level = evaluation.levels[i];
        add(level.instances, level.utilized, level.throttle, level.cycles, level.leak_pj);
        for (const SpaceStats& space : level.spaces)
            add(space.kept, space.tile, space.partition, space.reads, space.fills, space.updates,
                space.temporal_reductions, space.read_bandwidth, space.write_bandwidth, space.energy_pj);
        for (const NetworkStats& network : evaluation.networks[i])
            add(network.words, network.fanout, network.multicast, network.spatial_reductions);
    }
    return numbers;
}

bool loops_once(const Mapping& mapping) {
    for (const LevelMapping& level : mapping.levels) {
        uint32_t seen = 0;
        for (const Loop& loop : level.loops) {
            if (loop.across != Across::kTime) continue;
            if ((seen >> loop.dimension & 1U) != 0) return false;
            seen |= 1U << loop.dimension;
        }
    }
    return true;
}

TEST(Analysis, OtherOrdersCostTheSameOneAfterTheOtherAndAlone) {
    std::mt19937 random(11);
    Architecture architecture = three_levels(4, 4);
    architecture.levels[1].read_bandwidth = 2;
    architecture.levels[1].block = 4;
    int compared = 0;
    for (int i = 0; i < 200; ++i) {
        const Problem problem = convolution(6, 4, 8, 4, 3, 3, 1 + i % 2, 1);
        Mapping mapping = random_mapping(problem, architecture, random);
        if (!loops_once(mapping)) continue;
        Result<OrderCosts> costs = OrderCosts::make(problem, architecture, mapping);
        EXPECT_EQ(costs.has_value(), evaluate(problem, architecture, mapping).has_value());
        for (int j = 0; costs && j < 10; ++j) {
            for (size_t changes = 1 + random() % 3; changes > 0; --changes) {
                const size_t level = random() % 3;
                std::vector<Loop>& loops = mapping.levels[level].loops;
                const auto in_time = std::find_if(loops.begin(), loops.end(), [](const Loop& loop) {
                    return loop.across == Across::kTime;
                });
                std::shuffle(in_time, loops.end(), random);
                costs->reorder(level, mapping.levels[level]);
            }
            const size_t open = random() % 4;
            const auto alone = least_of_any_order(problem, architecture, mapping, open);
            ASSERT_TRUE(alone && costs->work_out(open));
            EXPECT_EQ(numbers_of(costs->result()), numbers_of(*alone));
            ++compared;
        }
    }
    EXPECT_GT(compared, 100);
}

std::string refusal(const Architecture& architecture, const Mapping& mapping) {
    const Result<Evaluation> result = evaluate(convolution(4, 1, 16, 1, 3, 1), architecture, mapping);
    return result ? "accepted" : result.error().what;
}

TEST(Analysis, SaysWhatIsWrongWithAMapping) {
    const Mapping good{{{{{kR, 3}}}, {{{kP, 16}}}, {{{kK, 4}}}}};
    EXPECT_EQ(refusal(three_levels(), good), "accepted");
    Mapping mapping = good;
    mapping.levels[1].loops[0].count = 8;
    EXPECT_THAT(refusal(three_levels(), mapping),
                HasSubstr("the loops over P take 8 steps, the problem has 16"));
    mapping = good;
    mapping.levels[1].loops.push_back({kP, 2});
    EXPECT_THAT(refusal(three_levels(), mapping), HasSubstr("take more steps than its bound, 16"));
    mapping = good;
    mapping.levels[1].loops[0].across = Across::kX;
    EXPECT_THAT(refusal(three_levels(), mapping), HasSubstr("fewer than its spatial loops take"));
    mapping = good;
    mapping.levels[2].kept = 0b011;
    EXPECT_THAT(refusal(three_levels(), mapping), HasSubstr("does not hold all of it: memory has loops too"));
    mapping.levels[0].kept = mapping.levels[1].kept = 0b011;
    EXPECT_THAT(refusal(three_levels(), mapping), HasSubstr("no level holds Outputs"));
    mapping.levels.pop_back();
    EXPECT_THAT(refusal(three_levels(), mapping), HasSubstr("2 levels"));
    EXPECT_THAT(refusal(three_levels(4, 4, 6), good),
                HasSubstr("the tiles at registers take 7 words, it has room for 6"));
    Architecture buffered = three_levels(4, 4, 13);
    buffered.levels[0].buffers = 2;
    EXPECT_THAT(refusal(buffered, good), HasSubstr("room for 6"));
    Architecture full = three_levels(4, 4, 100);
    full.levels[0].min_utilization = 0.5;
    EXPECT_THAT(refusal(full, good), HasSubstr("less than its least utilization"));
}

TEST(Analysis, RefusesProblemsAndMachinesThatCannotBeCounted) {
    Problem problem = convolution(1 << 30, 1 << 30, 1 << 10, 1, 1, 1);
    EXPECT_THAT(check(problem).error().what, HasSubstr("too many steps to count"));
    problem = convolution(0, 1, 1, 1, 1, 1);
    EXPECT_THAT(check(problem).error().what, HasSubstr("dimension K is 0"));
    problem = convolution(1, 1, 1, 1, 1, 1, 0);
    EXPECT_THAT(check(problem).error().what, HasSubstr("a coefficient of P is 0"));
    problem = convolution(1 << 20, 1 << 10, 1 << 10, 1 << 10, 1, 1, int64_t{1} << 40);
    EXPECT_THAT(check(problem).error().what, HasSubstr("the accesses to Inputs are too many to count"));
    Architecture architecture = three_levels();
    architecture.levels[0].mesh = {3, 4};
    EXPECT_THAT(check(architecture).error().what, HasSubstr("cannot be shared out"));
    architecture = three_levels();
    architecture.levels[1].name = "registers";
    EXPECT_THAT(check(architecture).error().what, HasSubstr("two levels are called registers"));
    architecture = three_levels();
    architecture.levels[2].cluster = 8 * architecture.levels[2].mesh.instances();
    EXPECT_THAT(check(architecture).error().what,
                HasSubstr("its width holds more words than its blocks have"));
}

TEST(Analysis, OverlappingTilesAreCountedAsManyAsTheyAreOrRefused) {
    const int64_t many = 1 << 15;
    Mapping mapping{{{}, {{{kP, many, Across::kX}, {kR, many, Across::kY}}}, {}}};
    const Result<Evaluation> few =
        evaluate(convolution(1, 1, many, 1, many, 1), three_levels(many, many), mapping);
    ASSERT_TRUE(few) << few.error().message();
    EXPECT_EQ(few->levels[1].spaces[1].reads, 2 * many - 1);
    // Windows with 2^15 words between them: each of 2^30 places but those where one ends is another.
    const Result<Evaluation> lots = evaluate(convolution(1, 1, many, 1, many, 1, many - 1),
                                             three_levels(many, many, 3, int64_t{1} << 40), mapping);
    ASSERT_FALSE(lots);
    EXPECT_THAT(lots.error().what, HasSubstr("below buffer tiles of Inputs overlap at too many places"));
    EXPECT_EQ(lots.error().place, "loops across buffer");
}

TEST(Analysis, RefusesABandwidthThatStopsTheMachine) {
    const Mapping mapping{{{{{kR, 3}}}, {{{kP, 16}}}, {{{kK, 4}}}}};
    Architecture architecture = three_levels();
    architecture.levels[2].read_bandwidth = 1e-300;
    EXPECT_THAT(refusal(architecture, mapping), HasSubstr("the cycles cannot be counted"));
}

}  // namespace
}  // namespace opsight::map
