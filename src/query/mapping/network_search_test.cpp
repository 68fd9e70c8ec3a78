#include "query/mapping/network_search.h"

#include <gtest/gtest.h>

#include "query/mapping/network_tables.h"

namespace opsight::query {
namespace {

map::Architecture machine() {
    map::Architecture out{"test", {.name = "mac", .mesh = {4, 4}, .compute_pj = 1}, {}};
    out.levels.push_back(
        {.name = "registers", .capacity = 16, .mesh = {4, 4}, .read_pj = 1, .write_pj = 1, .update_pj = 1});
    out.levels.push_back({.name = "buffer", .capacity = 256, .read_pj = 6, .write_pj = 6, .update_pj = 6});
    out.levels.push_back({.name = "memory", .dram = true, .read_pj = 200, .write_pj = 200, .update_pj = 200});
    return out;
}

NetworkLayer layer(const char* name, const cost::LoopNest& nest, int64_t count) {
    return {name, "Conv", nest, problem_of(nest, name), count};
}

NetworkLayers two_layers() {
    NetworkLayers out;
    out.layers = {layer("a", {.k = 4, .c = 4, .p = 2, .q = 2}, 3), layer("b", {.k = 8, .c = 4, .q = 4}, 1)};
    return out;
}

NetworkMapping mapped(const map::SearchSettings& settings) {
    const Accelerator on{machine(), {}};
    return map_network(two_layers(), {on, on}, settings, {});
}

TEST(NetworkMapping, OneLayerIsNotTheNetwork) {
    NetworkLayers layers = two_layers();
    layers.name = "net";
    EXPECT_FALSE(NetworkLayers(layers).keep_only("c"));
    ASSERT_TRUE(layers.keep_only("b"));
    EXPECT_EQ(layers.title(), "layer b alone of net");
    const Accelerator on{machine(), {}};
    const NetworkMapping network = map_network(layers, {on}, {}, {});
    EXPECT_FALSE(network.complete());
    EXPECT_TRUE(network.all_found());
    const ResultTable totals = network_total_table(network);
    EXPECT_EQ(totals.title, "layer b alone of net");
    EXPECT_EQ(std::get<std::string>(totals.rows[1][1]), "128 mapped, 40.0% of all that are counted");
    EXPECT_EQ(std::get<std::string>(totals.rows[2][1]).find("at least"), std::string::npos);
}

TEST(NetworkMapping, SumsEachLayerAsOftenAsItRuns) {
    for (const map::Objective objective : {map::Objective::kEnergy, map::Objective::kDelay,
                                           map::Objective::kEdp, map::Objective::kLastLevel}) {
        const NetworkMapping network = mapped({.objective = objective, .threads = 2});
        ASSERT_TRUE(network.mappings[0].found && network.mappings[1].found);
        EXPECT_TRUE(network.complete());
        const NetworkTotals totals = totals_of(network);
        const map::Evaluation &a = network.mappings[0].found->evaluation,
                              &b = network.mappings[1].found->evaluation;
        EXPECT_EQ(totals.macs, 3 * 64 + 128);
        EXPECT_EQ(totals.cycles, static_cast<double>(3 * a.cycles + b.cycles));
        EXPECT_DOUBLE_EQ(totals.energy_pj, 3 * a.energy_pj + b.energy_pj);
        EXPECT_LE(totals.bound, totals.cost * (1 + 1e-9));
        EXPECT_TRUE(all_proven(network, totals));
        EXPECT_EQ(is_proven(network, totals), objective != map::Objective::kEdp)
            << "least products of the layers are not the least product of their sums";
    }
}

TEST(NetworkMapping, SumsAreAtLeastWhereAnOpIsLeftOut) {
    NetworkLayers layers = two_layers();
    layers.unmapped.push_back({"relu", "Relu", "it has no multiply-adds to map", 1, 0, 16});
    const Accelerator on{machine(), {}};
    const NetworkMapping network = map_network(layers, {on, on}, {}, {});
    EXPECT_FALSE(network.complete());
    bool said = false;
    for (const auto& row : network_total_table(network).rows)
        said = said || std::get<std::string>(row[1]).starts_with("at least");
    EXPECT_TRUE(said);
    EXPECT_EQ(network_unmapped_table(network).rows.size(), 1U);
}

TEST(NetworkMapping, AStopLeavesLayersThatAreListed) {
    const std::atomic<bool> stop = true;
    const NetworkMapping network = mapped({.stop = &stop});
    EXPECT_TRUE(network.stopped);
    EXPECT_FALSE(network.complete());
    EXPECT_EQ(network_unmapped_table(network).rows.size(), 2U);
    EXPECT_EQ(totals_of(network).cycles, 0);
}

TEST(NetworkMapping, LayersLieUnderTheRoofline) {
    const NetworkMapping network = mapped({.objective = map::Objective::kDelay});
    const Roofline roofline = roofline_of(network);
    ASSERT_EQ(roofline.points.size(), 2U);
    EXPECT_EQ(roofline.macs_per_cycle, 16);
    for (const Roofline::Point& point : roofline.points)
        EXPECT_LE(point.rate, roofline.macs_per_cycle);
}

}  // namespace
}  // namespace opsight::query
