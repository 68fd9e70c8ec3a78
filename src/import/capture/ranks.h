// Which rank each process of a run belongs to.
//
// A process that names its rank is of that rank: by its process group, else by what its launcher told it in
// the environment. Other processes belong to the process that started them, but for those that train: each of
// them is a rank of its own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace opsight::importer::capture {

// What is known of a process; where several libraries recorded in it, all of them together.
struct ProcessTraits {
    uint32_t pid = 0, parent = 0;
    uint32_t host = 0;                         // its number: processes of two hosts may have the same id
    int64_t group_rank = -1, group_size = -1;  // of its process group; -1: not told
    int64_t told_rank = -1, told_size = -1;    // by its environment, which children inherit
    int64_t restart = 0;                       // how often its launcher had started all anew
    bool trains = false;
};

struct RankMembers {
    int64_t number = -1;  // -1: not told
    int64_t world_size = -1;
    size_t main = 0;  // the process that it is named for
};

struct RankOfProcesses {
    std::vector<RankMembers> ranks;
    std::vector<size_t> rank_of;  // by process
};

// `processes` in the order in which they began.
RankOfProcesses find_ranks(const std::vector<ProcessTraits>& processes);

}  // namespace opsight::importer::capture
