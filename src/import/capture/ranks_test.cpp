#include "import/capture/ranks.h"

#include <gtest/gtest.h>

namespace opsight::importer::capture {
namespace {

ProcessTraits process(uint32_t pid, uint32_t parent, bool trains = false) {
    ProcessTraits traits;
    traits.pid = pid;
    traits.parent = parent;
    traits.trains = trains;
    return traits;
}
ProcessTraits told(int64_t rank, ProcessTraits traits, int64_t restart = 0) {
    traits.told_rank = rank;
    traits.restart = restart;
    return traits;
}
ProcessTraits in_group(int64_t rank, int64_t size, ProcessTraits traits) {
    traits.group_rank = rank;
    traits.group_size = size;
    return traits;
}
std::vector<int64_t> numbers(const RankOfProcesses& found) {
    std::vector<int64_t> result;
    for (const RankMembers& rank : found.ranks)
        result.push_back(rank.number);
    return result;
}
using Places = std::vector<size_t>;
using Numbers = std::vector<int64_t>;

TEST(Ranks, ALauncherIsNoRankOfItsOwn) {
    // torchrun: an agent, two workers, a loader of the second.
    const auto found = find_ranks({process(10, 1), told(1, process(11, 10, true)),
                                   told(0, process(12, 10, true)), told(0, process(13, 12))});
    EXPECT_EQ(numbers(found), (Numbers{1, 0}));
    EXPECT_EQ(found.rank_of, (Places{1, 0, 1, 1})) << "the agent stands with rank 0";
    EXPECT_EQ(found.ranks[1].main, 2u);
}

TEST(Ranks, AProcessGroupIsBelievedBeforeTheEnvironment) {
    // RANK=0 of the shell, which all children inherit, and mp.spawn.
    const auto found = find_ranks({told(0, process(10, 1)), told(0, in_group(0, 2, process(11, 10, true))),
                                   told(0, in_group(1, 2, process(12, 10, true))), told(0, process(13, 12))});
    EXPECT_EQ(numbers(found), (Numbers{0, 1}));
    EXPECT_EQ(found.rank_of, (Places{0, 0, 1, 1}));
    EXPECT_EQ(found.ranks[0].world_size, 2);
    EXPECT_EQ(found.ranks[0].main, 1u);
}

TEST(Ranks, EachThatTrainsIsOne) {
    const auto spawned = find_ranks({process(10, 1), process(11, 10, true), process(12, 10, true)});
    EXPECT_EQ(spawned.rank_of, (Places{0, 0, 1}));
    const auto forked =
        find_ranks({process(10, 1, true), process(11, 10, true), process(12, 10), process(13, 11)});
    EXPECT_EQ(forked.rank_of, (Places{0, 1, 0, 1})) << "loaders stay with who started them";
    const auto inheriting =
        find_ranks({told(3, process(10, 1)), told(3, process(11, 10, true)), told(3, process(12, 10, true))});
    EXPECT_EQ(inheriting.rank_of, (Places{0, 0, 1}));
    EXPECT_EQ(numbers(inheriting), (Numbers{3, -1}));
    EXPECT_EQ(find_ranks({process(10, 1), process(11, 10), process(12, 1)}).ranks.size(), 1u);
}

TEST(Ranks, OneThatWasStartedAnewGoesOn) {
    const auto found =
        find_ranks({process(10, 1), told(0, process(11, 10, true)), told(1, process(12, 10, true)),
                    told(0, process(13, 10, true), 1), told(1, process(14, 10, true), 1)});
    EXPECT_EQ(found.rank_of, (Places{0, 0, 1, 0, 1}));
    const auto jobs = find_ranks({told(0, process(11, 1, true)), told(0, process(12, 1, true))});
    EXPECT_EQ(jobs.rank_of, (Places{0, 1})) << "two jobs, both with a rank 0";
}

TEST(Ranks, ProcessIdsMayComeAgain) {
    const auto found = find_ranks({told(0, process(10, 1, true)), process(11, 10),
                                   told(1, process(10, 1, true)), process(12, 10), process(10, 10)});
    EXPECT_EQ(found.rank_of, (Places{0, 0, 1, 1, 1}));
    EXPECT_TRUE(find_ranks({}).ranks.empty());
}

}  // namespace
}  // namespace opsight::importer::capture
