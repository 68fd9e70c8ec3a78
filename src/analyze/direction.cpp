#include "analyze/direction.h"

#include "analyze/forward_links.h"
#include "analyze/names.h"
#include "analyze/track_rows.h"

namespace opsight {
namespace {

// Share of a thread's outermost ops that have to be backward for the thread to be a backward one.
constexpr double kBackwardThreadShare = 0.9;

class Directions {
  public:
    Directions(const Profile& profile, Analysis& analysis)
        : p_(profile), h_(profile.host), a_(analysis), names_(profile.strings), of_(profile.host.size()) {}

    void run() {
        for (const TrackRows& rows : track_rows(h_.track)) {
            const Direction outside = is_backward_thread(rows) ? Direction::kBackward : Direction::kForward;
            for (uint32_t row = rows.first; row < rows.last; ++row)
                of_[row] = direction_of(row, outside);
        }
        link();
    }
    std::vector<Direction> take() { return std::move(of_); }

  private:
    bool is_backward(uint32_t row) {
        const NameClass name = names_[h_.name[row]];
        return name == NameClass::kBackward || name == NameClass::kRecompute ||
               (h_.kind[row] == HostKind::kOp && p_.op_details.forward_thread[h_.detail[row]] > 0);
    }

    bool is_backward_thread(const TrackRows& rows) {
        size_t backward = 0, outermost = 0;
        for (uint32_t row = rows.first; row < rows.last; ++row) {
            if (h_.flags[row] & kBackwardThread) return true;
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

    Direction direction_of(uint32_t row, Direction outside) {
        if (h_.kind[row] == HostKind::kDataLoad) return Direction::kDataLoad;
        switch (names_[h_.name[row]]) {
            case NameClass::kDataLoad:
                return Direction::kDataLoad;
            case NameClass::kOptimizerStep:
            case NameClass::kOptimizer:
                return Direction::kOptimizer;
            case NameClass::kBackward:
            case NameClass::kRecompute:
                return Direction::kBackward;
            default:
                break;
        }
        if (is_backward(row)) return Direction::kBackward;
        const HostSpanId parent = a_.parent[row];
        if (!parent.valid()) return outside;
        const bool again = names_[h_.name[parent.index()]] == NameClass::kRecompute;
        return again ? Direction::kForward : of_[parent.index()];
    }

    // Parents come before their children, so each takes over what its op has by now.
    void link() {
        a_.forward.assign(p_.op_details.size(), HostSpanId());
        ForwardLinks links(p_, of_);
        for (uint32_t row = 0; row < h_.size(); ++row) {
            if (of_[row] != Direction::kBackward) continue;
            const HostSpanId parent = a_.parent[row];
            const bool inherits = parent.valid() && of_[parent.index()] == Direction::kBackward;
            HostSpanId forward;
            if (h_.kind[row] == HostKind::kOp) {
                if (has_own_link(row)) forward = links.of(row);
                const HostSpanId outer = a_.op_span[row];
                if (!forward.valid() && outer.valid() && of_[outer.index()] == Direction::kBackward)
                    forward = a_.forward[h_.detail[outer.index()]];
                a_.forward[h_.detail[row]] = forward;
            }
            if (has_own_layer(row)) continue;
            if (forward.valid() && a_.layer[forward.index()].valid())
                a_.layer[row] = a_.layer[forward.index()];
            else if (inherits)
                a_.layer[row] = a_.layer[parent.index()];
        }
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
};

}  // namespace

std::vector<Direction> find_directions(const Profile& profile, Analysis& analysis) {
    Directions directions(profile, analysis);
    directions.run();
    return directions.take();
}

}  // namespace opsight
