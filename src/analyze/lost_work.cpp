#include "analyze/lost_work.h"

#include <fmt/format.h>

#include <vector>

#include "analyze/capture_times.h"
#include "analyze/launch_calls.h"

namespace opsight::analyze {
namespace {

class LostWork {
  public:
    LostWork(Profile& profile, const Analysis& analysis)
        : p_(profile),
          a_(analysis),
          kinds_(profile),
          launched_(calls_with_work(profile, analysis)),
          lost_(profile.ranks.size()) {}

    void run() {
        const std::vector<Intervals> captures = find_capture_times(p_);
        for (size_t row = 0; row < p_.host.size(); ++row) {
            if (!is_api(p_.host.kind[row]) || !launches(row)) continue;
            const size_t rank = p_.tracks[p_.host.track[row].index()].rank.index();
            if (!launched_[row] && is_outer_call(p_, a_, row) &&
                !capture_at(captures[rank], p_.host.begin[row]))
                ++lost_[rank];
        }
        for (size_t rank = 0; rank < lost_.size(); ++rank)
            if (lost_[rank] > 0)
                p_.diagnostics.add(Diag::kLostDeviceWork,
                                   {p_.ranks[rank].source, -1, -1, fmt::format("{} launches", lost_[rank])},
                                   lost_[rank]);
    }

  private:
    bool launches(size_t row) {
        const LaunchCall call = kinds_(row);
        return call == LaunchCall::kKernel || call == LaunchCall::kGraph;
    }

    Profile& p_;
    const Analysis& a_;
    CallKinds kinds_;
    std::vector<bool> launched_;
    std::vector<int64_t> lost_;  // by rank
};

}  // namespace

void count_lost_work(Profile& profile, const Analysis& analysis) {
    const size_t events =
        profile.host.size() + profile.device.size() + profile.samples.size() + profile.memory.size();
    if (events == 0)
        profile.diagnostics.add(Diag::kNothingRecorded,
                                {profile.ranks.empty() ? "" : profile.ranks[0].source, -1, -1, {}});
    LostWork(profile, analysis).run();
}

}  // namespace opsight::analyze
