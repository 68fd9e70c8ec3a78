#include "analyze/captures.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "analyze/track_rows.h"

namespace opsight::analyze {
namespace {

using NodeKey = std::tuple<uint32_t, int64_t, int64_t>;  // rank, process, node

class NodeCaptures {
  public:
    NodeCaptures(const Profile& profile, const Analysis& analysis)
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

// Captures with the same work. Launches behind the first `alike` of them are of one op for each node,
// whichever it was.
struct Choice {
    std::vector<size_t> captures;
    size_t alike = 1;
};

class Replays {
  public:
    Replays(Profile& profile, const Analysis& analysis, const std::vector<Direction>& directions,
            const CapturedGraphs* other, Captures& to)
        : p_(profile), a_(analysis), directions_(directions), other_(other), to_(to) {}

    void run() {
        std::vector<GraphReplay> replays = find_graph_replays(p_, a_);
        std::erase_if(replays, [&](const GraphReplay& replay) { return is_joined(replay); });
        if (replays.empty()) return;
        captures_ = find_graph_captures(p_, a_);
        for (size_t i = 0; i < captures_.size(); ++i)
            if (captures_[i].told) indexes_[captures_[i].rank].add(captures_[i].work, i);
        untold_ = std::any_of(captures_.begin(), captures_.end(), [](const auto& c) { return !c.told; }) ||
                  (other_ && other_->untold > 0);
        if (other_) index_other();
        for (const GraphReplay& replay : replays)
            join(replay);
    }

  private:
    bool is_joined(const GraphReplay& replay) const {
        return std::any_of(replay.spans.begin(), replay.spans.end(),
                           [&](uint32_t span) { return to_.at(span).valid(); });
    }

    void index_other() {
        for (size_t i = 0; i < other_->graphs.size(); ++i) {
            const CapturedGraphs::Graph& graph = other_->graphs[i];
            std::vector<NodeWork> work = graph.work;
            for (size_t k = 0; k < work.size(); ++k)
                if (!graph.kernels[k].empty()) {
                    const StringId known = p_.strings.find(graph.kernels[k]);
                    work[k] = known.valid() ? known.value : kUntoldNode;  // which no launch has
                }
            other_index_.add(work, i);
        }
    }

    void join(const GraphReplay& replay) {
        const std::vector<NodeWork> work = work_of(p_, replay);
        const RankId rank = p_.tracks[p_.host.track[replay.launch.index()].index()].rank;
        const auto alike = [this](const auto& first, const auto& second) {
            return this->same_ops(first, second);
        };
        if (const Choice* own = choice(indexes_[rank].find(work), captures_, own_, alike)) {
            const auto later = std::find_if(own->captures.begin(), own->captures.end(), [&](size_t i) {
                return captures_[i].end > p_.host.begin[replay.launch.index()];
            });
            const auto before = static_cast<size_t>(later - own->captures.begin());
            if (before > own->alike)
                return tell(Diag::kAmbiguousReplay, replay, fmt::format("{} captures", before));
            if (before > 0) return take(replay, captures_[own->captures[0]]);
        }
        if (!other_) return tell(Diag::kUnknownReplay, replay, untold_ ? kUntold : "");
        const Choice* found = choice(other_index_.find(work), other_->graphs, others_, alike);
        if (!found) return tell(Diag::kUnknownReplay, replay, untold_ ? kUntold : "no capture fits");
        if (found->captures.size() > found->alike)
            return tell(Diag::kAmbiguousReplay, replay, fmt::format("{} captures", found->captures.size()));
        take(replay, other_->graphs[found->captures[0]]);
    }

    // Null: no capture has that work. Each list of captures is looked through once.
    template <class Capture, class Alike>
    const Choice* choice(const std::vector<size_t>* fitting, const std::vector<Capture>& all,
                         absl::flat_hash_map<const std::vector<size_t>*, Choice>& known, Alike alike) {
        if (!fitting) return nullptr;
        const auto [it, is_new] = known.try_emplace(fitting);
        if (is_new) {
            it->second.captures = *fitting;
            while (it->second.alike < fitting->size() &&
                   alike(all[fitting->front()], all[(*fitting)[it->second.alike]]))
                ++it->second.alike;
        }
        return &it->second;
    }

    // Whether the nodes that both have are of the same ops: one may have one more at the end.
    template <class Ops, class Same>
    static bool same_ops(const Ops& a, const Ops& b, Same same) {
        const auto both = static_cast<ptrdiff_t>(std::min(a.size(), b.size()));
        return std::equal(a.begin(), a.begin() + both, b.begin(), same);
    }
    bool same_ops(const GraphCapture& a, const GraphCapture& b) const {
        return same_ops(a.origin, b.origin,
                        [this](HostSpanId x, HostSpanId y) { return same_op(x.index(), y.index()); });
    }
    bool same_op(size_t x, size_t y) const {
        const HostSpans& h = p_.host;
        if (h.kind[x] != h.kind[y] || h.name[x] != h.name[y] || a_.layer[x] != a_.layer[y] ||
            directions_[x] != directions_[y])
            return false;
        return h.kind[x] != HostKind::kOp ||
               p_.op_details.signature[h.detail[x]] == p_.op_details.signature[h.detail[y]];
    }
    bool same_ops(const CapturedGraphs::Graph& a, const CapturedGraphs::Graph& b) const {
        return same_ops(a.ops, b.ops,
                        [this](uint32_t x, uint32_t y) { return other_->ops[x] == other_->ops[y]; });
    }

    void take(const GraphReplay& replay, const GraphCapture& capture) {
        to_.here.resize(p_.device.size());
        for (size_t i = 0; i < replay.spans.size(); ++i)
            to_.here[replay.spans[i]] = capture.origin[i];
        tell(Diag::kJoinedReplay, replay, "");
    }
    void take(const GraphReplay& replay, const CapturedGraphs::Graph& graph) {
        to_.elsewhere.resize(p_.device.size(), -1);
        for (size_t i = 0; i < replay.spans.size(); ++i)
            to_.elsewhere[replay.spans[i]] = static_cast<int32_t>(graph.ops[i]);
        tell(Diag::kJoinedReplay, replay, "");
    }

    void tell(Diag diag, const GraphReplay& replay, std::string_view why) {
        if (!p_.diagnostics.wants_place(diag)) return p_.diagnostics.add(diag);
        const size_t row = replay.launch.index();
        const RankId rank = p_.tracks[p_.host.track[row].index()].rank;
        p_.diagnostics.add(
            diag, {p_.ranks[rank.index()].source, -1, -1,
                   fmt::format("{} with {} kernels and copies{}{}", p_.strings.view(p_.host.name[row]),
                               replay.spans.size(), why.empty() ? "" : ": ", why)});
    }

    static constexpr std::string_view kUntold = "a capture does not tell the names of its kernels";

    Profile& p_;
    const Analysis& a_;
    const std::vector<Direction>& directions_;
    const CapturedGraphs* other_;
    Captures& to_;
    std::vector<GraphCapture> captures_;
    absl::flat_hash_map<RankId, CaptureIndex> indexes_;
    CaptureIndex other_index_;
    absl::flat_hash_map<const std::vector<size_t>*, Choice> own_, others_;
    bool untold_ = false;
};

}  // namespace

Captures find_captures(Profile& profile, const Analysis& analysis, const std::vector<Direction>& directions,
                       const CapturedGraphs* other) {
    Captures captures;
    if (!profile.graph_nodes.empty()) captures.here = NodeCaptures(profile, analysis).run();
    Replays(profile, analysis, directions, other, captures).run();
    return captures;
}

}  // namespace opsight::analyze
