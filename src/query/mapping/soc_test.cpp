#include "query/mapping/soc.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "cost/test_network.h"

namespace opsight::query {
namespace {

// Units in a square, a buffer and a memory.
map::Architecture engine_of(int64_t side, double energy) {
    map::Architecture out{"test", {.name = "mac", .mesh = {side, side}, .compute_pj = energy}, {}};
    out.levels.push_back({.name = "registers",
                          .capacity = 16,
                          .mesh = {side, side},
                          .read_pj = energy,
                          .write_pj = energy,
                          .update_pj = energy});
    out.levels.push_back({.name = "memory", .dram = true, .read_pj = 200, .write_pj = 200, .update_pj = 200});
    return out;
}

// A product, two branches of it and their sum, and one more: x -> a -> (b, c) -> b + c -> d.
const ModelGraph& branches(cost::Maker& maker) {
    const TensorId x = maker.input({4, 8});
    const TensorId a = maker.node("MatMul", {x, maker.weight({8, 16})}, {4, 16});
    const TensorId b = maker.node("MatMul", {a, maker.weight({16, 16})}, {4, 16});
    const TensorId c = maker.node("Relu", {a}, {4, 16});
    const TensorId sum = maker.node("Add", {b, c}, {4, 16});
    return maker.done(maker.node("MatMul", {sum, maker.weight({16, 2})}, {4, 2}));
}

// A slow one that is frugal, and a quick one that is not; its clock is `clock` times as quick.
MachineOfSoc machine_of(const ModelGraph& graph, const LinkOfSoc& link, double clock = 1) {
    MachineOfSoc machine{"test", {}, std::vector<LinkOfSoc>(4, link), 0};
    const NetworkLayers layers = network_layers(graph);
    for (const int64_t side : {1, 4}) {
        const Accelerator on{engine_of(side, side == 1 ? 1 : 9), {}};
        const std::vector<Accelerator> accelerators(layers.layers.size(), on);
        machine.engines.push_back(
            {side == 1 ? "small" : "large", side == 1 ? 1e6 : clock * 1e6,
             map_network(layers, accelerators, {.objective = map::Objective::kDelay}, {})});
    }
    return machine;
}

double least_of(const SocMapping& soc) {
    double least = map::kCannotRun;
    for (size_t bits = 0; bits < size_t{1} << (soc.tasks.size() - 2); ++bits) {
        std::vector<size_t> engine = soc.all_on(0);
        for (size_t i = 1; i + 1 < engine.size(); ++i)
            engine[i] = bits >> (i - 1) & 1;
        least = std::min(least, map::cost_of(soc.goal(), engine));
    }
    return least;
}

TEST(Soc, AssignsAsTheBestOfAllAssignments) {
    cost::Maker maker;
    const ModelGraph& graph = branches(maker);
    for (const map::Objective objective : {map::Objective::kDelay, map::Objective::kEnergy})
        for (const double per_byte : {0.0, 1e-7, 1e-6, 1e-5, 1e-3}) {
            const LinkOfSoc link{per_byte > 0 ? 1 / per_byte : 1e30, per_byte, per_byte * 1e6};
            const auto soc = map_soc(graph, machine_of(graph, link, 2), objective);
            ASSERT_TRUE(soc.has_value()) << soc.error().what;
            EXPECT_TRUE(soc->assignment.exact);
            EXPECT_DOUBLE_EQ(soc->assignment.cost, least_of(*soc)) << per_byte;
            EXPECT_LE(soc->assignment.cost, map::cost_of(soc->goal(), soc->all_on(0)) * (1 + 1e-12));
        }
}

TEST(Soc, DearTransfersKeepAllWithTheHostAndFreeOnesNothing) {
    cost::Maker maker;
    const ModelGraph& graph = branches(maker);
    const auto dear = map_soc(graph, machine_of(graph, {1, 1, 1e9}), map::Objective::kDelay);
    const auto free = map_soc(graph, machine_of(graph, {1e30, 0, 0}), map::Objective::kDelay);
    ASSERT_TRUE(dear.has_value() && free.has_value());
    EXPECT_EQ(dear->assignment.engine, dear->all_on(0));
    for (size_t i = 0; i < free->tasks.size(); ++i)
        if (free->tasks[i].has_layers) {
            EXPECT_EQ(free->assignment.engine[i], 1u) << free->tasks[i].name;
        }
}

// In by 4x8, out by 4x2 numbers of 4 bytes; what goes between the large one's own ops is no transfer.
TEST(Soc, TransfersAreTheTensorsThatCross) {
    cost::Maker maker;
    const ModelGraph& graph = branches(maker);
    const auto soc = map_soc(graph, machine_of(graph, {1e6, 0.5, 3}), map::Objective::kDelay);
    ASSERT_TRUE(soc.has_value());
    const std::vector<size_t> engine = soc->all_on(1);
    const std::vector<map::Transfer> transfers = map::transfers_of(soc->time, engine);
    ASSERT_EQ(transfers.size(), 2u);
    EXPECT_EQ(soc->time.values[transfers[0].value].bytes, 4 * 8 * 4);
    EXPECT_EQ(soc->time.values[transfers[1].value].bytes, 4 * 2 * 4);
    const ResultTable totals = soc_total_table(*soc);
    EXPECT_EQ(std::get<std::string>(totals.rows[2][0]), "all on large");
    EXPECT_EQ(std::get<int64_t>(totals.rows[2][2]), 1'000'160'000) << "2 * 0.5 s and 160 us";
    EXPECT_DOUBLE_EQ(std::get<double>(totals.rows[2][4]), 3.0 * 160);
}

TEST(Soc, SaysWhereWeightsMayBeAmongTheInputs) {
    for (const bool told : {true, false}) {
        cost::Maker maker;
        const TensorId x = maker.input({4, 8}), w = told ? maker.weight({8, 16}) : maker.input({8, 16});
        const ModelGraph& graph = maker.done(maker.node("MatMul", {x, w}, {4, 16}));
        const auto soc = map_soc(graph, machine_of(graph, {1e6, 0, 0}), map::Objective::kDelay);
        ASSERT_TRUE(soc.has_value());
        EXPECT_EQ(
            std::any_of(soc->notes.begin(), soc->notes.end(),
                        [](const std::string& note) { return note.find("weights lie where") != note.npos; }),
            told);
    }
}

// 3.2e301 s are no number of nanoseconds that a cell holds.
TEST(Soc, TimesBeyondWhatIsCountedAreNotTold) {
    cost::Maker maker;
    const ModelGraph& graph = branches(maker);
    const auto soc = map_soc(graph, machine_of(graph, {1e-300, 0, 0}), map::Objective::kDelay);
    ASSERT_TRUE(soc.has_value());
    const ResultTable totals = soc_total_table(*soc);
    EXPECT_EQ(std::get<std::string>(totals.rows[2][0]), "all on large");
    EXPECT_EQ(totals.rows[2][1], Cell());
    EXPECT_EQ(totals.rows[2][2], Cell());
}

TEST(Soc, WhatAnEngineCannotRunIsSaidAndRunsElsewhere) {
    cost::Maker maker;
    const ModelGraph& graph = branches(maker);
    MachineOfSoc machine = machine_of(graph, {1e30, 0, 0});
    machine.engines[1].mapping.mappings[0] = {{}, "no mapping fits"};
    const auto soc = map_soc(graph, std::move(machine), map::Objective::kDelay);
    ASSERT_TRUE(soc.has_value());
    EXPECT_EQ(soc->assignment.engine[1], 0u);
    EXPECT_EQ(soc->assignment.engine[2], 1u);
    EXPECT_NE(std::find(soc->notes.begin(), soc->notes.end(),
                        "large has no mapping for 1 of 3 unique layers; of MatMul0: no mapping fits."),
              soc->notes.end());
    EXPECT_TRUE(std::holds_alternative<std::monostate>(soc_total_table(*soc).rows[2][1])) << "all on large";
}

TEST(Soc, ALayerThatFitsNoEngineIsNamed) {
    cost::Maker maker;
    const ModelGraph& graph = branches(maker);
    MachineOfSoc machine = machine_of(graph, {1, 1, 1});
    for (EngineOfSoc& engine : machine.engines)
        engine.mapping.mappings[0] = {{}, "no mapping fits"};
    const auto soc = map_soc(graph, std::move(machine), map::Objective::kDelay);
    ASSERT_FALSE(soc.has_value());
    EXPECT_NE(soc.error().what.find("MatMul0: large: no mapping fits"), std::string::npos)
        << soc.error().what;
}

}  // namespace
}  // namespace opsight::query
