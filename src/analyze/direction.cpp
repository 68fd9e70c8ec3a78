#include "analyze/direction.h"

#include "analyze/forward_links.h"
#include "analyze/names.h"
#include "analyze/open_spans.h"
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
            OpenSpans tellers(h_);  // the open spans that tell a direction
            for (uint32_t row = rows.first; row < rows.last; ++row) {
                tellers.advance(row);
                of_[row] = tellers.empty() ? outside : inside(tellers.top());
                if (!tells(row)) continue;
                of_[row] = told(row);
                tellers.push(row, tellers.place_of(row));
            }
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

    bool tells(uint32_t row) {
        const NameClass name = names_[h_.name[row]];
        return h_.kind[row] == HostKind::kDataLoad || name == NameClass::kDataLoad ||
               name == NameClass::kOptimizerStep || name == NameClass::kOptimizer || is_backward(row);
    }
    Direction told(uint32_t row) {
        const NameClass name = names_[h_.name[row]];
        if (h_.kind[row] == HostKind::kDataLoad || name == NameClass::kDataLoad) return Direction::kDataLoad;
        const bool optimizer = name == NameClass::kOptimizerStep || name == NameClass::kOptimizer;
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
                if (has_own_link(row)) forward = links.of(row);
                if (!forward.valid() && inherits) forward = a_.forward[h_.detail[outer.index()]];
                a_.forward[h_.detail[row]] = forward;
            }
            if (has_own_layer(row)) continue;
            if (forward.valid() && a_.layer[forward.index()].valid())
                a_.layer[row] = a_.layer[forward.index()];
            else if (inherits)
                a_.layer[row] = a_.layer[outer.index()];
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
