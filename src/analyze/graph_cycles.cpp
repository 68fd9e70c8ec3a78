#include "analyze/graph_cycles.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <map>

#include "analyze/device_kinds.h"
#include "analyze/launch_calls.h"
#include "analyze/track_rows.h"

namespace opsight::analyze {
namespace {

constexpr size_t kFewestLaunches = 4;

class CycleFinder {
  public:
    CycleFinder(const Profile& profile, const Analysis& analysis) : p_(profile), a_(analysis) {}

    std::vector<GraphCycle> run() {
        mark_launches();
        std::vector<GraphCycle> result(p_.ranks.size());
        std::vector<std::vector<TrackRows>> threads(p_.ranks.size());
        for (const TrackRows& rows : track_rows(p_.host.track))
            threads[p_.tracks[rows.track.index()].rank.index()].push_back(rows);
        for (size_t rank = 0; rank < result.size(); ++rank)
            for (const TrackRows& rows : threads[rank]) {
                GraphCycle cycle = cycle_of(rows);
                const auto launches = [](const GraphCycle& c) {
                    return std::count(c.launches.begin(), c.launches.end(), true);
                };
                if (launches(cycle) > launches(result[rank])) result[rank] = std::move(cycle);
            }
        weigh(result);
        return result;
    }

  private:
    void mark_launches() {
        CallKinds kinds(p_);
        for (uint32_t span = 0; span < p_.device.size(); ++span) {
            const HostSpanId launch = a_.launch[span];
            if (!launch.valid() || !is_busy(p_.device.kind[span])) continue;
            if (kinds(launch.index()) != LaunchCall::kGraph) continue;
            constexpr uint64_t kSpread = 0x9e3779b97f4a7c15;  // odd, so sums of few seldom meet
            const uint64_t name = p_.device.name[span].value + uint64_t{1};
            launched_[launch.value] += name * kSpread * name;
        }
    }

    // The graph that the thread launches most often, by its mark; 0: none often enough.
    uint64_t most_launched(const TrackRows& thread) const {
        std::map<uint64_t, size_t> counts;
        for (uint32_t row = thread.first; row < thread.last; ++row)
            if (const auto found = launched_.find(row); found != launched_.end()) ++counts[found->second];
        const auto most = std::max_element(counts.begin(), counts.end(),
                                           [](const auto& a, const auto& b) { return a.second < b.second; });
        return most != counts.end() && most->second >= kFewestLaunches ? most->first : 0;
    }

    GraphCycle cycle_of(const TrackRows& thread) const {
        GraphCycle all;
        const uint64_t graph = launched_.empty() ? 0 : most_launched(thread);
        if (graph == 0) return all;
        for (uint32_t row = thread.first; row < thread.last; ++row) {
            const HostKind kind = p_.host.kind[row];
            const bool counts =
                !a_.op_span[row].valid() && (kind == HostKind::kOp || is_outermost_call(p_, a_, row));
            if (counts) {
                all.rows.push_back(row);
                all.launches.push_back(false);
            }
            const auto found = launched_.find(row);
            if (found != launched_.end() && found->second == graph && !all.rows.empty())
                all.launches.back() = true;  // itself, or what it lies in
        }
        return without_ends(all);
    }

    StringId name(const GraphCycle& all, size_t i) const { return p_.host.name[all.rows[i]]; }

    // Cuts off what stands before the first round and behind the last.
    GraphCycle without_ends(const GraphCycle& all) const {
        std::vector<size_t> at;
        for (size_t i = 0; i < all.rows.size(); ++i)
            if (all.launches[i]) at.push_back(i);
        if (at.size() < kFewestLaunches) return {};
        const size_t first = at[0], second = at[1], last = at.back();
        size_t before = 0;
        while (before < first && before + 1 < second - first &&
               name(all, first - before - 1) == name(all, second - before - 1))
            ++before;
        const size_t most_after = second - first - 1 - before;
        size_t after = 0;
        while (after < most_after && last + after + 1 < all.rows.size() &&
               name(all, last + after + 1) == name(all, first + after + 1))
            ++after;
        GraphCycle cycle;
        for (size_t i = first - before; i <= last + after; ++i) {
            cycle.rows.push_back(all.rows[i]);
            cycle.launches.push_back(all.launches[i]);
        }
        return cycle;
    }

    void weigh(std::vector<GraphCycle>& cycles) const {
        std::vector<double> in(cycles.size(), 0), all(cycles.size(), 0);
        for (size_t span = 0; span < p_.device.size(); ++span) {
            if (!is_busy(p_.device.kind[span])) continue;
            const size_t rank = p_.tracks[p_.device.track[span].index()].rank.index();
            const auto time = static_cast<double>(p_.device.dur[span]);
            all[rank] += time;
            const GraphCycle& cycle = cycles[rank];
            if (cycle.rows.empty()) continue;
            const uint32_t last = cycle.rows.back();
            const bool within = a_.host_ns[span] >= p_.host.begin[cycle.rows.front()] &&
                                a_.host_ns[span] <= p_.host.begin[last] + p_.host.dur[last];
            if (within) in[rank] += time;
        }
        for (size_t rank = 0; rank < cycles.size(); ++rank)
            cycles[rank].share = all[rank] > 0 ? in[rank] / all[rank] : 0;
    }

    const Profile& p_;
    const Analysis& a_;
    // By the row of the launching call what it put on the device, whatever the order: launches of one graph
    // have the same.
    absl::flat_hash_map<uint32_t, uint64_t> launched_;
};

}  // namespace

std::vector<GraphCycle> find_graph_cycles(const Profile& profile, const Analysis& analysis) {
    return CycleFinder(profile, analysis).run();
}

}  // namespace opsight::analyze
