#include "map/assignment.h"

#include <gtest/gtest.h>

#include <random>

namespace opsight::map {
namespace {

// The least over all assignments, one by one.
double least_of_all(const TaskGraph& graph) {
    std::vector<size_t> engine(graph.tasks.size());
    double least = kCannotRun;
    for (;;) {
        least = std::min(least, cost_of(graph, engine));
        size_t at = 0;
        while (at < engine.size() && ++engine[at] == graph.engines)
            engine[at++] = 0;
        if (at == engine.size()) return least;
    }
}

// Each task makes a value, and reads up to three of those before it; some run on some engines alone.
TaskGraph random_graph(size_t tasks, size_t engines, std::mt19937& random) {
    TaskGraph graph{engines, {}, {}, {}};
    const auto amount = [&random] { return static_cast<double>(random() % 1000); };
    for (size_t i = 0; i < engines * engines; ++i)
        graph.links.push_back({amount() / 4, amount() / 200});
    for (size_t task = 0; task < tasks; ++task) {
        Task made;
        for (size_t engine = 0; engine < engines; ++engine)
            made.cost.push_back(random() % 8 == 0 && engine > 0 ? kCannotRun : amount());
        for (size_t i = 0; task > 0 && i < random() % 4; ++i)
            made.reads.push_back(random() % task);
        graph.tasks.push_back(std::move(made));
        graph.values.push_back({task, amount(), static_cast<double>(1 + random() % 3)});
    }
    return graph;
}

TaskGraph chain(const std::vector<std::vector<double>>& costs, double per_byte) {
    TaskGraph graph{costs[0].size(), {}, {}, {}};
    graph.links.assign(graph.engines * graph.engines, {1, per_byte});
    for (size_t task = 0; task < costs.size(); ++task) {
        graph.tasks.push_back({costs[task], {}});
        if (task > 0) graph.tasks[task].reads = {task - 1};
        graph.values.push_back({task, 10, 1});
    }
    return graph;
}

TEST(Assignment, IsTheLeastOfAllOnes) {
    std::mt19937 random(7);
    for (int i = 0; i < 300; ++i) {
        const TaskGraph graph = random_graph(1 + random() % 7, 1 + random() % 3, random);
        const Result<Assignment> found = assign(graph);
        ASSERT_TRUE(found) << found.error().what;
        EXPECT_TRUE(found->exact);
        EXPECT_DOUBLE_EQ(found->cost, least_of_all(graph)) << i;
        EXPECT_DOUBLE_EQ(found->cost, cost_of(graph, found->engine)) << i;
    }
}

TEST(Assignment, IsNoBetterThanTheLeastWhereStatesAreDropped) {
    std::mt19937 random(8);
    int heuristic = 0;
    for (int i = 0; i < 200; ++i) {
        const TaskGraph graph = random_graph(7, 3, random);
        const Result<Assignment> found = assign(graph, 2);
        ASSERT_TRUE(found) << found.error().what;
        heuristic += found->exact ? 0 : 1;
        const double least = least_of_all(graph);
        EXPECT_GE(found->cost, least * (1 - 1e-12));
        EXPECT_DOUBLE_EQ(found->cost, cost_of(graph, found->engine));
        if (found->exact) {
            EXPECT_DOUBLE_EQ(found->cost, least);
        }
    }
    EXPECT_GT(heuristic, 100);
}

// 400 branches of one value: all of them are open before the last task, which would be many states of many
// places.
TEST(Assignment, ManyOpenBranchesAreAHeuristicThatEnds) {
    constexpr size_t kBranches = 400;
    TaskGraph graph{3, {}, {}, std::vector<TransferCost>(9)};
    Task last{{1, 1, 1}, {}};
    graph.tasks.push_back({{1, 1, 1}, {}});
    graph.values.push_back({0, 8, 1});
    for (size_t branch = 1; branch <= kBranches; ++branch) {
        graph.tasks.push_back({{3, static_cast<double>(branch % 2), 2}, {0}});
        graph.values.push_back({branch, 8, 1});
        last.reads.push_back(branch);
    }
    graph.tasks.push_back(last);
    const auto found = assign(graph);
    ASSERT_TRUE(found.has_value());
    EXPECT_FALSE(found->exact);
    EXPECT_DOUBLE_EQ(found->cost, 2 + kBranches / 2) << "transfers are free: each branch on its best engine";
}

TEST(Assignment, TransfersThatAreTooDearKeepAllOnOneEngine) {
    const std::vector<std::vector<double>> costs = {{5, 9}, {9, 5}, {5, 9}, {9, 5}, {5, 9}};
    EXPECT_EQ(assign(chain(costs, 0))->engine, (std::vector<size_t>{0, 1, 0, 1, 0}));
    EXPECT_EQ(assign(chain(costs, 100))->engine, (std::vector<size_t>{0, 0, 0, 0, 0}));
    EXPECT_EQ(assign(chain(costs, 100))->cost, 33);
}

TEST(Assignment, AValueGoesToAnEngineOnce) {
    TaskGraph graph{
        2, {{{0, kCannotRun}, {}}, {{kCannotRun, 1}, {0}}, {{kCannotRun, 1}, {0, 0}}}, {{0, 10, 1}}, {}};
    graph.links.assign(4, {1, 0.5});
    EXPECT_EQ(assign(graph)->cost, 8);
    EXPECT_EQ(transfers_of(graph, {0, 1, 1}).size(), 1u);
}

TEST(Assignment, WhatCannotBeIsAnError) {
    EXPECT_FALSE(assign({1, {{{kCannotRun}, {}}}, {}, {{}}}));
    EXPECT_FALSE(assign({0, {}, {}, {}}));
    EXPECT_FALSE(assign({9, {}, {}, std::vector<TransferCost>(81)}));
    EXPECT_FALSE(assign({1, {{{1}, {0}}}, {{0, 1, 1}}, {{}}})) << "reads its own value";
    EXPECT_FALSE(assign({1, {{{1}, {5}}}, {{0, 1, 1}}, {{}}}));
    EXPECT_FALSE(assign({2, {{{1}, {}}}, {}, std::vector<TransferCost>(4)}));
    EXPECT_TRUE(assign({1, {}, {}, {{}}})) << "nothing to run";
}

}  // namespace
}  // namespace opsight::map
