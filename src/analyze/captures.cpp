#include "analyze/captures.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <tuple>

#include "analyze/track_rows.h"

namespace opsight {
namespace {

using NodeKey = std::tuple<uint32_t, int64_t, int64_t>;  // rank, process, node

class Captures {
  public:
    Captures(const Profile& profile, const Analysis& analysis)
        : p_(profile), a_(analysis), threads_(track_rows(profile.host.track)) {
        for (const GraphNode& node : p_.graph_nodes) {
            const Track& thread = p_.tracks[node.thread.index()];
            // 0: for streams of which the source does not tell the process.
            for (const int64_t pid : {thread.pid, int64_t{0}})
                nodes_.try_emplace({thread.rank.value, pid, node.node}, &node);
        }
    }

    std::vector<HostSpanId> run() const {
        std::vector<HostSpanId> result(p_.device.size());
        const DeviceExtras& extras = p_.device_extras;
        for (size_t i = 0; i < extras.size(); ++i) {
            const Track& stream = p_.tracks[p_.device.track[extras.row[i]].index()];
            if (const GraphNode* node = captured(stream, extras.graph_node[i]))
                result[extras.row[i]] = range_at(node->thread, node->time);
        }
        return result;
    }

  private:
    // The node that `number` was cloned from in the end; null where its making is not in the profile. Clones
    // of clones are few; a circle ends the search.
    const GraphNode* captured(const Track& stream, int64_t number) const {
        const GraphNode* found = nullptr;
        for (int step = 0; step < 16 && number >= 0; ++step) {
            const auto it = nodes_.find({stream.rank.value, stream.pid, number});
            if (it == nodes_.end()) return nullptr;
            found = it->second;
            number = found->original;
        }
        return found;
    }

    HostSpanId range_at(TrackId thread, int64_t time) const {
        const auto rows = std::find_if(threads_.begin(), threads_.end(),
                                       [&](const TrackRows& r) { return r.track == thread; });
        if (rows == threads_.end()) return {};
        const auto begin = p_.host.begin.begin();
        const auto after = std::upper_bound(begin + rows->first, begin + rows->last, time);
        if (after == begin + rows->first) return {};
        HostSpanId at(static_cast<size_t>(after - begin) - 1);
        while (at.valid() && p_.host.begin[at.index()] + p_.host.dur[at.index()] <= time)
            at = a_.parent[at.index()];
        if (!at.valid()) return {};
        const HostSpanId op = p_.host.kind[at.index()] == HostKind::kOp ? at : a_.op_span[at.index()];
        if (op.valid()) return op;
        while (at.valid() && p_.host.kind[at.index()] != HostKind::kAnnotation)
            at = a_.parent[at.index()];
        return at;
    }

    const Profile& p_;
    const Analysis& a_;
    std::vector<TrackRows> threads_;
    absl::flat_hash_map<NodeKey, const GraphNode*> nodes_;
};

}  // namespace

std::vector<HostSpanId> find_captures(const Profile& profile, const Analysis& analysis) {
    if (profile.graph_nodes.empty()) return {};
    return Captures(profile, analysis).run();
}

}  // namespace opsight
