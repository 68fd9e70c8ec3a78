#include "import/capture/ranks.h"

#include <algorithm>
#include <map>
#include <set>

namespace opsight::importer::capture {
namespace {

constexpr size_t kNone = SIZE_MAX;

class RankFinder {
  public:
    explicit RankFinder(const std::vector<ProcessTraits>& processes) : processes_(processes) {
        // In order of time: a parent began before its children, whatever ids come again.
        std::map<std::pair<uint32_t, uint32_t>, size_t> began;
        for (size_t i = 0; i < processes.size(); ++i) {
            const auto parent = began.find({processes[i].host, processes[i].parent});
            parents_.push_back(parent != began.end() ? parent->second : kNone);
            began[{processes[i].host, processes[i].pid}] = i;
        }
        result_.rank_of.assign(processes.size(), kNone);
    }

    // Those that name their rank come first, then those that train, then what belongs to them.
    RankOfProcesses run() {
        for (size_t i = 0; i < processes_.size(); ++i)
            if (names_itself(i)) join(i, named(i));
        for (size_t i = 0; i < processes_.size(); ++i)
            if (processes_[i].trains && result_.rank_of[i] == kNone) join(i, trained(i));
        for (size_t i = 0; i < processes_.size(); ++i)
            if (result_.rank_of[i] == kNone) join(i, inherited(i));
        choose_main_processes();
        return std::move(result_);
    }

  private:
    bool names_itself(size_t process) const {
        const ProcessTraits& traits = processes_[process];
        if (traits.group_rank >= 0 || traits.told_rank < 0) return traits.group_rank >= 0;
        // What a launcher told a process its children find in their environment, too.
        for (size_t at = parents_[process]; at != kNone; at = parents_[at])
            if (processes_[at].told_rank == traits.told_rank && processes_[at].restart == traits.restart)
                return false;
        return true;
    }

    size_t named(size_t process) {
        const ProcessTraits& traits = processes_[process];
        const bool by_group = traits.group_rank >= 0;
        const int64_t number = by_group ? traits.group_rank : traits.told_rank;
        const int64_t size = by_group ? traits.group_size : traits.told_size;
        for (size_t i = 0; i < result_.ranks.size(); ++i) {
            RankMembers& rank = result_.ranks[i];
            // Two that train under one number are of different jobs, but for one that was started anew.
            if (rank.number != number || (traits.trains && trained_[i].contains(traits.restart))) continue;
            if (size > 0 && (by_group || rank.world_size < 0)) rank.world_size = size;
            return i;
        }
        return add({number, size, process});
    }

    size_t trained(size_t process) {
        const size_t rank = of_ancestor(process);
        return rank == kNone || !trained_[rank].empty() ? add({-1, -1, process}) : rank;
    }

    size_t inherited(size_t process) {
        if (const size_t rank = of_ancestor(process); rank != kNone) return rank;
        if (result_.ranks.empty()) return add({-1, -1, process});
        const auto lowest = std::min_element(result_.ranks.begin(), result_.ranks.end(),
                                             [](const RankMembers& a, const RankMembers& b) {
                                                 return uint64_t(a.number) < uint64_t(b.number);
                                             });
        return static_cast<size_t>(lowest - result_.ranks.begin());
    }

    size_t of_ancestor(size_t process) const {
        for (size_t at = parents_[process]; at != kNone; at = parents_[at])
            if (result_.rank_of[at] != kNone) return result_.rank_of[at];
        return kNone;
    }

    size_t add(RankMembers rank) {
        result_.ranks.push_back(rank);
        trained_.emplace_back();
        return result_.ranks.size() - 1;
    }

    void join(size_t process, size_t rank) {
        result_.rank_of[process] = rank;
        if (processes_[process].trains) trained_[rank].insert(processes_[process].restart);
    }

    // Of each rank the first that trains, else the first.
    void choose_main_processes() {
        std::vector<bool> chosen(result_.ranks.size(), false);
        for (const bool training : {true, false})
            for (size_t i = 0; i < processes_.size(); ++i) {
                const size_t rank = result_.rank_of[i];
                if (chosen[rank] || processes_[i].trains != training) continue;
                result_.ranks[rank].main = i;
                chosen[rank] = true;
            }
    }

    const std::vector<ProcessTraits>& processes_;
    std::vector<size_t> parents_;
    std::vector<std::set<int64_t>> trained_;  // of each rank, which starts of the job trained
    RankOfProcesses result_;
};

}  // namespace

RankOfProcesses find_ranks(const std::vector<ProcessTraits>& processes) {
    return RankFinder(processes).run();
}

}  // namespace opsight::importer::capture
