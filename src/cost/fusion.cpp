#include "cost/fusion.h"

#include <algorithm>
#include <queue>

#include "cost/estimate.h"

namespace opsight::cost {
namespace {

constexpr int64_t kNone = -1;
// Ops that are looked at to see whether one group waits for another; with more they stay apart.
constexpr size_t kMostSearched = 1024;

// Moves data in ways that fused kernels do not follow, or is not known.
bool stands_alone(const OpWork& work) {
    return work.kind == WorkKind::kUncounted ||
           (work.kind == WorkKind::kMove && work.fuse == FuseKind::kNever);
}

class Fuser {
  public:
    Fuser(const Network& network, const Flow& flow)
        : network_(network), graph_(network.graph()), flow_(flow) {
        maker_.assign(graph_.tensors.size(), kNone);
        group_of_.assign(graph_.nodes.size(), 0);
    }

    std::vector<Group> run(bool fuse) {
        for (size_t n = 0; n < graph_.nodes.size(); ++n) {
            if (network_.work(n).kind == WorkKind::kFree || flow_.passes(n)) continue;
            int64_t group = fuse ? group_to_join(n) : kNone;
            if (group == kNone) {
                group = std::ssize(groups_);
                groups_.emplace_back();
                states_.push_back(state_of(n));
            } else {
                join(n, static_cast<size_t>(group));
            }
            groups_[static_cast<size_t>(group)].nodes.push_back(n);
            group_of_[n] = static_cast<size_t>(group);
            for (TensorId id : graph_.nodes[n].outputs)
                if (id != kNoTensor) maker_[at(id)] = group;
        }
        for (size_t n = 0; n < graph_.nodes.size(); ++n)
            if (network_.work(n).kind != WorkKind::kFree && flow_.passes(n)) give_to_neighbour(n);
        return in_order();
    }

  private:
    struct State {
        bool alone = false;     // nothing joins it
        bool products = false;  // a convolution, a product, or another op that only elementwise ops join
        bool scores = false;    // a product of two activations, elementwise ops and reductions
        bool softmax = false;   // with a reduction among them
    };

    bool is_activation_product(size_t n) const {
        const ModelNode& node = graph_.nodes[n];
        if (node.op_type != "MatMul" && node.op_type != "FusedMatMul") return false;
        return network_.work(n).kind == WorkKind::kMatrix && node.inputs.size() >= 2 &&
               std::none_of(node.inputs.begin(), node.inputs.begin() + 2,
                            [&](TensorId id) { return id == kNoTensor || graph_.tensors[at(id)].constant; });
    }

    State state_of(size_t n) const {
        const OpWork& work = network_.work(n);
        return {.alone = stands_alone(work),
                .products = work.kind == WorkKind::kMatrix || work.fuse == FuseKind::kNever,
                .scores = is_activation_product(n)};
    }

    bool joins(size_t n, int64_t group) const {
        const OpWork& work = network_.work(n);
        const State& state = states_[static_cast<size_t>(group)];
        if (state.alone) return false;
        if (work.fuse == FuseKind::kElementwise) return true;
        if (work.fuse == FuseKind::kReduction) return !state.products || state.scores;
        return state.softmax && is_activation_product(n) && is_made_by(graph_.nodes[n].inputs[0], group);
    }

    bool is_made_by(TensorId id, int64_t group) const {
        const std::vector<TensorId>& sources = flow_.sources(id);
        return std::all_of(sources.begin(), sources.end(),
                           [&](TensorId source) { return maker_[at(source)] == group; });
    }

    void join(size_t n, size_t group) {
        State& state = states_[group];
        state.softmax |= state.scores && network_.work(n).fuse == FuseKind::kReduction;
        if (network_.work(n).kind != WorkKind::kMatrix) return;
        state.scores = state.softmax = false;
        groups_[group].attention = true;
    }

    int64_t group_to_join(size_t n) {
        const ModelNode& node = graph_.nodes[n];
        if (stands_alone(network_.work(n))) return kNone;
        std::vector<int64_t> makers;
        for (TensorId id : node.inputs)
            if (id != kNoTensor)
                for (TensorId source : flow_.sources(id))
                    if (maker_[at(source)] != kNone) makers.push_back(maker_[at(source)]);
        std::sort(makers.begin(), makers.end(), std::greater<>());
        makers.erase(std::unique(makers.begin(), makers.end()), makers.end());
        // The latest one that takes it.
        for (const int64_t group : makers) {
            if (!joins(n, group)) continue;
            if (graph_.nodes[groups_[static_cast<size_t>(group)].nodes[0]].repeat != node.repeat) continue;
            if (!waits_for(node, group)) return group;
        }
        return kNone;
    }

    // Whether something else that the node reads waits for the group.
    bool waits_for(const ModelNode& node, int64_t group) {
        std::vector<int64_t> found;
        size_t searched = 0;
        const size_t first = groups_[static_cast<size_t>(group)].nodes[0];
        const auto add_makers = [&](const ModelNode& reader) {
            for (TensorId id : reader.inputs) {
                if (id == kNoTensor) continue;
                for (TensorId source : flow_.sources(id)) {
                    const int64_t maker = maker_[at(source)];
                    // What had ended before the group began does not wait for it.
                    if (maker == kNone || groups_[static_cast<size_t>(maker)].nodes.back() < first) continue;
                    if (std::find(found.begin(), found.end(), maker) == found.end()) found.push_back(maker);
                }
            }
        };
        add_makers(node);
        std::erase(found, group);
        for (size_t i = 0; i < found.size(); ++i) {
            const std::vector<size_t>& nodes = groups_[static_cast<size_t>(found[i])].nodes;
            searched += nodes.size();
            if (found[i] == group || searched > kMostSearched) return true;
            for (size_t n : nodes)
                add_makers(graph_.nodes[n]);
        }
        return false;
    }

    // Each group after those that it waits for, else by the first op.
    std::vector<Group> in_order() {
        std::vector<std::vector<size_t>> waiting(groups_.size());
        std::vector<size_t> open(groups_.size(), 0);
        for (size_t g = 0; g < groups_.size(); ++g)
            for (size_t n : groups_[g].nodes)
                for (TensorId id : graph_.nodes[n].inputs) {
                    if (id == kNoTensor) continue;
                    for (TensorId source : flow_.sources(id)) {
                        const int64_t maker = maker_[at(source)];
                        if (maker == kNone || static_cast<size_t>(maker) == g) continue;
                        waiting[static_cast<size_t>(maker)].push_back(g);
                        ++open[g];
                    }
                }
        std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
        for (size_t g = 0; g < groups_.size(); ++g)
            if (open[g] == 0) ready.push(g);
        std::vector<Group> ordered;
        for (; !ready.empty();) {
            const size_t g = ready.top();
            ready.pop();
            ordered.push_back(std::move(groups_[g]));
            for (size_t next : waiting[g])
                if (--open[next] == 0) ready.push(next);
        }
        return ordered;
    }

    // To the group that reads what it passes on, else to the one that makes what it reads.
    void give_to_neighbour(size_t n) {
        int64_t group = kNone;
        for (TensorId id : graph_.nodes[n].inputs) {
            if (id == kNoTensor) continue;
            for (TensorId source : flow_.sources(id)) {
                group = std::max(group, maker_[at(source)]);
                for (size_t reader : flow_.readers(source))
                    if (reader > n) return groups_[group_of_[reader]].passing.push_back(n);
            }
        }
        if (group == kNone) {
            group = std::ssize(groups_);
            groups_.emplace_back().nodes.push_back(n);
        } else {
            groups_[static_cast<size_t>(group)].passing.push_back(n);
        }
    }

    const Network& network_;
    const ModelGraph& graph_;
    const Flow& flow_;
    std::vector<Group> groups_;
    std::vector<State> states_;
    std::vector<int64_t> maker_;    // group that makes a tensor
    std::vector<size_t> group_of_;  // of a node that runs
};

}  // namespace

std::vector<Group> fuse_nodes(const Network& network, const Flow& flow, bool fuse) {
    return Fuser(network, flow).run(fuse);
}

}  // namespace opsight::cost
