#include "analyze/lost_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <vector>

#include "analyze/capture_times.h"
#include "analyze/device_kinds.h"
#include "analyze/launch_calls.h"
#include "model/source_limits.h"

namespace opsight::analyze {
namespace {

constexpr int64_t kNoTime = std::numeric_limits<int64_t>::min();

class LostWork {
  public:
    LostWork(Profile& profile, const Analysis& analysis)
        : p_(profile),
          a_(analysis),
          kinds_(profile),
          launched_(calls_with_work(profile, analysis)),
          until_(profile.ranks.size()),
          lost_(profile.ranks.size()),
          behind_(profile.ranks.size()) {}

    void run() {
        find_ends();
        const std::vector<Intervals> captures = find_capture_times(p_);
        for (size_t row = 0; row < p_.host.size(); ++row) {
            if (!is_api(p_.host.kind[row]) || !launches(row)) continue;
            const size_t rank = rank_of(p_.host.track[row]);
            if (!launched_[row] && is_outer_call(p_, a_, row) &&
                !capture_at(captures[rank], p_.host.begin[row]))
                ++(is_behind_end(row, rank) ? behind_ : lost_)[rank];
        }
        tell(Diag::kLostDeviceWork, lost_);
        tell(Diag::kWorkBehindEnd, behind_);
    }

  private:
    // Of a rank: until when its calls and its devices are recorded, how long its longest piece of work is,
    // and the first launch of what its streams began last.
    struct End {
        int64_t calls = kNoTime, devices = kNoTime, longest = 0;
        int64_t last_launch = std::numeric_limits<int64_t>::max();
    };
    // Of a stream, the kernel that began last.
    struct Last {
        int64_t begin = kNoTime, end = kNoTime, launch = kNoTime;
    };

    void find_ends() {
        for (size_t row = 0; row < p_.host.size(); ++row) {
            if (!is_api(p_.host.kind[row])) continue;
            End& end = until_[rank_of(p_.host.track[row])];
            end.calls = std::max(end.calls, p_.host.begin[row] + p_.host.dur[row]);
        }
        std::vector<Last> streams(p_.tracks.size());
        for (size_t row = 0; row < p_.device.size(); ++row) {
            if (!is_busy(p_.device.kind[row])) continue;
            End& end = until_[rank_of(p_.device.track[row])];
            end.devices = std::max(end.devices, p_.device.begin[row] + p_.device.dur[row]);
            end.longest = std::max(end.longest, p_.device.dur[row]);
            Last& last = streams[p_.device.track[row].index()];
            if (p_.device.kind[row] != DeviceKind::kKernel || !a_.launch[row].valid()) continue;
            if (p_.device.begin[row] >= last.begin)
                last = {p_.device.begin[row], p_.device.begin[row] + p_.device.dur[row],
                        p_.host.begin[a_.launch[row].index()]};
        }
        for (size_t track = 0; track < streams.size(); ++track) {
            if (streams[track].begin == kNoTime) continue;
            End& end = until_[p_.tracks[track].rank.index()];
            if (streams[track].end >= end.devices - end.longest)
                end.last_launch = std::min(end.last_launch, streams[track].launch);
        }
    }

    // A stream begins its work in the order of the launches, so what was launched after the work that it
    // began last had not begun when the recording ended. One that stood still before had nothing left to do;
    // and where devices go on long after the last call, the recording did, and would have this work too.
    bool is_behind_end(size_t row, size_t rank) const {
        const End& end = until_[rank];
        if (end.devices == kNoTime || std::abs(end.calls - end.devices) > end.longest) return false;
        return p_.host.begin[row] > end.last_launch;
    }

    size_t rank_of(TrackId track) const { return p_.tracks[track.index()].rank.index(); }

    void tell(Diag kind, const std::vector<int64_t>& counts) {
        for (size_t rank = 0; rank < counts.size(); ++rank)
            if (counts[rank] > 0)
                p_.diagnostics.add(kind,
                                   {p_.ranks[rank].source, -1, -1, fmt::format("{} launches", counts[rank])},
                                   counts[rank]);
    }

    bool launches(size_t row) {
        const LaunchCall call = kinds_(row);
        return call == LaunchCall::kKernel || call == LaunchCall::kGraph;
    }

    Profile& p_;
    const Analysis& a_;
    CallKinds kinds_;
    std::vector<bool> launched_;
    std::vector<End> until_;              // by rank
    std::vector<int64_t> lost_, behind_;  // by rank
};

}  // namespace

void count_lost_work(Profile& profile, const Analysis& analysis) {
    const size_t events =
        profile.host.size() + profile.device.size() + profile.samples.size() + profile.memory.size();
    // Sums over calls are counters, and their source says what it has.
    const bool sums = profile.counters.size() > 0 && has_limit(profile.info, kHostOfSource);
    if (events == 0 && !sums)
        profile.diagnostics.add(Diag::kNothingRecorded,
                                {profile.ranks.empty() ? "" : profile.ranks[0].source, -1, -1, {}});
    LostWork(profile, analysis).run();
}

}  // namespace opsight::analyze
