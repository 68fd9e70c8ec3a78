#include "map/hops.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "map/test_machines.h"

namespace opsight::map {
namespace {

constexpr int kOut = 0, kIn = 1;
constexpr size_t kWeights = 0, kInputs = 1, kOutputs = 2;

double hops_below_buffer(const Problem& problem, const Mapping& mapping, size_t space) {
    return average_hops(problem, three_levels(4, 4), mapping, 1, space).value_or(-1);
}

TEST(Hops, GoAlongToTheLastColumnAndFromTheMiddleToTheRows) {
    const Problem problem = convolution(4, 4, 1, 1, 1, 1);
    const Mapping mapping{{{}, {{{kOut, 4, Across::kX}, {kIn, 4, Across::kY}}}, {}}};
    // Each weight goes to one instance: 1.5 along, and 1.5, 0.5, 0.5 or 1.5 up or down.
    EXPECT_DOUBLE_EQ(hops_below_buffer(problem, mapping, kWeights), 1.5 + 1);
    // Each input goes to a whole row.
    EXPECT_DOUBLE_EQ(hops_below_buffer(problem, mapping, kInputs), 3 + 4 * 1);
    // The sums of a column go up and down to all of its rows.
    EXPECT_DOUBLE_EQ(hops_below_buffer(problem, mapping, kOutputs), 1.5 + 3);
}

TEST(Hops, TheMiddleIsThatOfAllRows) {
    const Problem problem = convolution(1, 2, 1, 1, 1, 1);
    const Mapping mapping{{{}, {{{kIn, 2, Across::kY}}}, {}}};
    EXPECT_DOUBLE_EQ(hops_below_buffer(problem, mapping, kWeights), (1.5 + 0.5) / 2);
    EXPECT_DOUBLE_EQ(hops_below_buffer(problem, mapping, kOutputs),
                     1.5);  // the way to the far row passes the near one
}

// Words one by one, with the links of each in a set.
double hops_one_by_one(const Problem& problem, const Architecture& architecture, const Mapping& mapping,
                       size_t level, size_t space) {
    std::vector<int64_t> extents(kMaxDimensions, 1), steps;
    std::vector<Loop> across;
    for (size_t i = 0; i <= level; ++i)
        for (const Loop& loop : mapping.levels[i].loops) {
            if (i == level && loop.across != Across::kTime) {
                across.push_back(loop);
                steps.push_back(extents[loop.dimension]);
            }
            extents[loop.dimension] *= loop.count;
        }
    std::map<std::vector<int64_t>, std::set<std::pair<int64_t, int64_t>>> wanted;
    int64_t all = 1;
    for (const Loop& loop : across)
        all *= loop.count;
    for (int64_t i = 0; i < all; ++i) {
        std::vector<int64_t> at(problem.dimensions.size());
        int64_t rest = i, x = 0, y = 0, x_step = 1, y_step = 1;
        for (size_t j = 0; j < across.size(); ++j) {
            const int64_t index = rest % across[j].count;
            rest /= across[j].count;
            at[across[j].dimension] += index * steps[j];
            (across[j].across == Across::kX ? x : y) +=
                index * (across[j].across == Across::kX ? x_step : y_step);
            (across[j].across == Across::kX ? x_step : y_step) *= across[j].count;
        }
        std::vector<int64_t> corner;
        for (const std::vector<Term>& axis : problem.spaces[space].axes) {
            corner.push_back(0);
            for (const Term& term : axis)
                corner.back() += term.coefficient * at[term.dimension];
        }
        wanted[corner].emplace(x, y);
    }
    const int64_t rows = architecture.fanout(level).y;
    double links = 0;
    for (const auto& [corner, instances] : wanted) {
        std::set<std::pair<int64_t, int64_t>> halves;  // of links between rows, twice as fine
        int64_t along = 0;
        for (const auto& [x, y] : instances) {
            along = std::max(along, x);
            for (int64_t at = std::min(2 * y, rows - 1); at < std::max(2 * y, rows - 1); ++at)
                halves.emplace(x, at);
        }
        links += static_cast<double>(along) + static_cast<double>(halves.size()) / 2;
    }
    return links / static_cast<double>(wanted.size());
}

TEST(Hops, AreThoseOfEachWordOnItsWay) {
    std::mt19937 random(5);
    const auto any = [&random](uint64_t most) { return static_cast<int64_t>(random() % most) + 1; };
    for (int i = 0; i < 300; ++i) {
        const Architecture architecture = three_levels(any(6), any(6));
        const Problem problem = convolution(any(4), any(4), any(6), any(4), any(3), any(3), any(3), any(2));
        const Mapping mapping = random_mapping(problem, architecture, random);
        for (size_t space = 0; space < problem.spaces.size(); ++space)
            EXPECT_NEAR(average_hops(problem, architecture, mapping, 1, space).value_or(-1),
                        hops_one_by_one(problem, architecture, mapping, 1, space), 1e-9);
    }
}

TEST(Hops, AreNotKnownOfTooManyInstances) {
    Architecture architecture = three_levels(1 << 12, 1 << 12);
    const Problem problem = convolution(1 << 12, 1 << 12, 1, 1, 1, 1);
    const Mapping mapping{{{}, {{{kOut, 1 << 12, Across::kX}, {kIn, 1 << 12, Across::kY}}}, {}}};
    EXPECT_FALSE(average_hops(problem, architecture, mapping, 1, kWeights));
}

}  // namespace
}  // namespace opsight::map
