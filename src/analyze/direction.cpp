#include "analyze/direction.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>

#include "analyze/forward_links.h"
#include "analyze/names.h"
#include "analyze/open_spans.h"
#include "analyze/track_rows.h"
#include "base/text.h"
#include "model/source_limits.h"

namespace opsight::analyze {
namespace {

// Share of a thread's outermost ops that have to be backward for the thread to be a backward one.
constexpr double kBackwardThreadShare = 0.9;
constexpr std::string_view kEvaluate = "autograd::engine::evaluate_function: ";

// Work of a process group serves whatever lies in its bucket, not the layer whose gradient came last.
bool is_communication(std::string_view name) {
    constexpr std::string_view prefixes[] = {"c10d::", "nccl:", "gloo:", "record_param_comms"};
    return std::any_of(std::begin(prefixes), std::end(prefixes),
                       [&](std::string_view prefix) { return name.starts_with(prefix); });
}

// Ops that take no tensor never have a sequence number.
bool takes_no_tensor(std::string_view name) {
    constexpr std::string_view kMakers[] = {
        "aten::arange",   "aten::empty",    "aten::empty_strided", "aten::eye",  "aten::full",
        "aten::linspace", "aten::logspace", "aten::ones",          "aten::rand", "aten::randint",
        "aten::randn",    "aten::randperm", "aten::scalar_tensor", "aten::zeros"};
    return std::find(std::begin(kMakers), std::end(kMakers), name) != std::end(kMakers);
}

class Directions {
  public:
    Directions(const Profile& profile, Analysis& analysis)
        : p_(profile), h_(profile.host), a_(analysis), names_(profile.strings), of_(profile.host.size()) {}

    void run() {
        for (const TrackRows& rows : track_rows(h_.track)) {
            const Direction outside = is_backward_thread(rows) ? Direction::kBackward : Direction::kForward;
            find_recomputations(rows);
            OpenSpans tellers(h_);  // the open spans that tell a direction
            for (uint32_t row = rows.first; row < rows.last; ++row) {
                tellers.advance(row);
                of_[row] = tellers.empty() ? outside : inside(tellers.top());
                const bool again = (of_[row] == Direction::kBackward && computes_again(row)) ||
                                   (of_[row] == Direction::kOptimizer && is_model_call(row));
                if (!again && !tells(row)) continue;
                of_[row] = again ? Direction::kForward : told(row);
                tellers.push(row, tellers.place_of(row));
            }
        }
        if (has_parts_of_ops(p_.info))
            for (const TrackRows& rows : track_rows(h_.track))
                reorders_between(rows);
        link();
    }
    std::vector<Direction> take() { return std::move(of_); }

  private:
    bool is_backward(uint32_t row) {
        const NameClass name = names_[h_.name[row]];
        return name == NameClass::kBackward || name == NameClass::kRecompute || (h_.flags[row] & kBackward) ||
               (h_.kind[row] == HostKind::kOp && p_.op_details.forward_thread[h_.detail[row]] > 0);
    }

    bool is_backward_thread(const TrackRows& rows) {
        size_t backward = 0, outermost = 0;
        for (uint32_t row = rows.first; row < rows.last; ++row) {
            const NameClass name = names_[h_.name[row]];
            const bool main = h_.kind[row] == HostKind::kModule || name == NameClass::kStepMarker ||
                              name == NameClass::kOptimizerStep || name == NameClass::kDataLoad;
            if (main) return false;
            if (h_.kind[row] != HostKind::kOp || a_.op_span[row].valid()) continue;
            ++outermost;
            backward += is_backward(row);
        }
        return backward > 0 &&
               static_cast<double>(backward) >= kBackwardThreadShare * static_cast<double>(outermost);
    }

    // Where the engine differentiates, ops have no sequence number; those of a recomputation, which is to be
    // differentiated, do. It comes first in a node: what the node saved is what it needs. Where gradients are
    // to be differentiated themselves all have one to the end.
    void find_recomputations(const TrackRows& rows) {
        last_again_.clear();
        absl::flat_hash_map<uint32_t, uint32_t> numbered;  // node -> its last op with a number
        for (uint32_t row = rows.first; row < rows.last; ++row) {
            const HostSpanId node = a_.op_span[row];
            if (h_.kind[row] != HostKind::kOp || !node.valid() || !is_backward(node.value) ||
                is_backward(row))
                continue;
            if (p_.op_details.sequence[h_.detail[row]] >= 0) {
                numbered[node.value] = row;
                last_again_.erase(node.value);
            } else if (const auto it = numbered.find(node.value);
                       it != numbered.end() && !takes_no_tensor(p_.strings.view(h_.name[row]))) {
                last_again_[node.value] = it->second;
            }
        }
    }

    // Inside a backward op: an op, module call or frame of a checkpoint that runs forward ops again. The
    // graphs of compilers are modules too, whatever they hold.
    bool computes_again(uint32_t row) {
        const HostSpanId node = a_.op_span[row];
        if (!node.valid() || is_backward(row)) return false;
        if (h_.kind[row] == HostKind::kOp) {
            const auto it = last_again_.find(node.value);
            return it != last_again_.end() && row <= it->second;
        }
        const std::string_view name = p_.strings.view(h_.name[row]);
        if (h_.kind[row] == HostKind::kModule) return !text::contains(name, "GraphModule");
        return h_.kind[row] == HostKind::kPythonFrame && text::contains(name, "torch/utils/checkpoint.py(");
    }

    // Optimizers that take a closure, as LBFGS, run the model within their steps.
    bool is_model_call(uint32_t row) const {
        return h_.kind[row] == HostKind::kModule &&
               !text::contains(p_.strings.view(h_.name[row]), "GraphModule");
    }

    // What oneDNN reorders between two primitives of the backward pass is for that pass.
    void reorders_between(const TrackRows& rows) {
        Direction before = Direction::kForward;
        for (uint32_t row = rows.first; row < rows.last; ++row) {
            if (!is_reorder(row)) {
                before = of_[row];
                continue;
            }
            uint32_t next = row;
            while (next < rows.last && is_reorder(next))
                ++next;
            if (before == Direction::kBackward && next < rows.last && of_[next] == Direction::kBackward)
                std::fill(of_.begin() + row, of_.begin() + next, Direction::kBackward);
            row = next - 1;
        }
    }
    bool is_reorder(uint32_t row) const {
        const std::string_view name = p_.strings.view(h_.name[row]);
        return name.starts_with("onednn") && name.ends_with("::reorder");
    }

    bool tells(uint32_t row) {
        const NameClass name = names_[h_.name[row]];
        return h_.kind[row] == HostKind::kDataLoad || name == NameClass::kDataLoad ||
               name == NameClass::kOptimizerStep || name == NameClass::kOptimizer ||
               in_scope(row, NameClass::kGradientScope) || in_scope(row, NameClass::kOptimizerScope) ||
               is_backward(row);
    }
    // By its own name, or by that of its node where the op's name is its type alone.
    bool in_scope(uint32_t row, NameClass scope) {
        const bool is_op = h_.kind[row] == HostKind::kOp;
        const bool named = names_[h_.name[row]] == scope;
        // A range of the program's may be named after an optimizer that it has.
        if (scope == NameClass::kOptimizerScope && !is_op) return false;
        return named || (is_op && names_[p_.op_details.module_path[h_.detail[row]]] == scope);
    }
    Direction told(uint32_t row) {
        const NameClass name = names_[h_.name[row]];
        if (h_.kind[row] == HostKind::kDataLoad || name == NameClass::kDataLoad) return Direction::kDataLoad;
        const bool optimizer = name == NameClass::kOptimizerStep || name == NameClass::kOptimizer ||
                               (in_scope(row, NameClass::kOptimizerScope) &&
                                !in_scope(row, NameClass::kGradientScope) && !is_backward(row));
        return optimizer ? Direction::kOptimizer : Direction::kBackward;
    }
    // Direction of what a teller encloses.
    Direction inside(uint32_t teller) {
        const bool again = names_[h_.name[teller]] == NameClass::kRecompute;
        return again ? Direction::kForward : of_[teller];
    }

    // Parents come before their children, so each takes over what its op has by now.
    void link() {
        a_.forward.assign(p_.op_details.size(), HostSpanId());
        ForwardLinks links(p_, of_);
        for (uint32_t row = 0; row < h_.size(); ++row) {
            if (of_[row] != Direction::kBackward) continue;
            const HostSpanId outer = a_.op_span[row];
            const bool inherits = outer.valid() && of_[outer.index()] == Direction::kBackward;
            HostSpanId forward;
            if (h_.kind[row] == HostKind::kOp) {
                forward = own_link(row, links);
                if (forward.valid()) node_before_ = row;
                if (!forward.valid() && inherits) forward = a_.forward[h_.detail[outer.index()]];
                a_.forward[h_.detail[row]] = forward;
            }
            take_layer(row, forward, inherits ? outer : HostSpanId());
        }
    }

    // The engine's call of a node has the link of the node, whichever of the two has the sequence number.
    HostSpanId own_link(uint32_t row, ForwardLinks& links) {
        HostSpanId forward;
        if (has_own_link(row)) forward = links.of(row);
        std::string_view node = p_.strings.view(h_.name[row]);
        if (forward.valid() || !text::take_prefix(node, kEvaluate)) return forward;
        const int64_t end = h_.begin[row] + h_.dur[row];
        for (uint32_t in = row + 1; in < h_.size() && h_.track[in] == h_.track[row] && h_.begin[in] < end;
             ++in)
            if (h_.kind[in] == HostKind::kOp && p_.strings.view(h_.name[in]) == node)
                return has_own_link(in) ? links.of(in) : HostSpanId();
        return forward;
    }

    void take_layer(uint32_t row, HostSpanId forward, HostSpanId outer) {
        const std::string_view name = p_.strings.view(h_.name[row]);
        if (has_own_layer(row)) return;
        if (forward.valid() && a_.layer[forward.index()].valid())
            a_.layer[row] = a_.layer[forward.index()];
        else if (name.ends_with("AccumulateGrad") && node_before_ != HostSpanId::kNone &&
                 h_.track[node_before_] == h_.track[row])
            a_.layer[row] = a_.layer[node_before_];
        else if (outer.valid())
            a_.layer[row] = is_communication(name) ? LayerId() : a_.layer[outer.index()];
    }

    // The sequence number of an op inside a backward op counts for what it may itself be differentiated by.
    bool has_own_link(uint32_t row) {
        const int64_t thread = p_.op_details.forward_thread[h_.detail[row]];
        const NameClass name = names_[h_.name[row]];
        return thread > 0 || (thread < 0 && (name == NameClass::kBackward || name == NameClass::kRecompute));
    }

    bool has_own_layer(uint32_t row) const {
        if (h_.kind[row] == HostKind::kModule) return true;
        if (h_.kind[row] != HostKind::kOp) return false;
        const StringId told = p_.op_details.module_path[h_.detail[row]];
        return told.valid() && told.value != 0;
    }

    const Profile& p_;
    const HostSpans& h_;
    Analysis& a_;
    NameTable names_;
    std::vector<Direction> of_;
    absl::flat_hash_map<uint32_t, uint32_t> last_again_;  // of a thread: node -> its last op computed again
    // The engine accumulates a gradient right after the node that completed it: the last one with a link.
    uint32_t node_before_ = HostSpanId::kNone;
};

}  // namespace

std::vector<Direction> find_directions(const Profile& profile, Analysis& analysis) {
    Directions directions(profile, analysis);
    directions.run();
    return directions.take();
}

}  // namespace opsight::analyze
