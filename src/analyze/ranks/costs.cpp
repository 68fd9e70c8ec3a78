// What collectives cost, and what the rank did that came last.
#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <utility>

#include "analyze/ranks/facts.h"

namespace opsight::analyze {
namespace {

constexpr size_t kMostLooks = 16384;  // spans that are looked at for one collective, from the last one back

struct Stretch {
    int64_t begin, end;
};

int64_t shared(const Stretch& a, int64_t begin, int64_t end) {
    return std::max<int64_t>(0, std::min(a.end, end) - std::max(a.begin, begin));
}

class CostFinder {
  public:
    CostFinder(const Profile& profile, const Analysis& analysis, RankFacts& facts)
        : p_(profile), a_(analysis), f_(facts) {
        find_exposed_times();
        for (const Track& track : p_.tracks)
            if (track.kind == TrackKind::kDeviceStream) streams_.emplace_back(track.rank, track_id(track));
        std::sort(streams_.begin(), streams_.end());
        device_starts_ = starts(p_.device.track);
        host_starts_ = starts(p_.host.track);
        segment_starts_.assign(p_.ranks.size() + 1, 0);
        for (const ResourceSegment& segment : a_.resources)
            ++segment_starts_[segment.rank.index() + 1];
        for (size_t i = 0; i < p_.ranks.size(); ++i)
            segment_starts_[i + 1] += segment_starts_[i];
    }

    void find() {
        for (CollectiveCall& call : f_.calls)
            if (call.state == MatchState::kMatched && call.count > 0) cost(call);
        for (CollectiveMember& member : f_.members)
            expose(member);
    }

  private:
    TrackId track_id(const Track& track) const {
        return TrackId(static_cast<size_t>(&track - p_.tracks.data()));
    }

    // Where the rows of each track begin.
    std::vector<size_t> starts(const std::vector<TrackId>& tracks) const {
        std::vector<size_t> out(p_.tracks.size() + 1, 0);
        for (const TrackId track : tracks)
            ++out[track.index() + 1];
        for (size_t i = 0; i < p_.tracks.size(); ++i)
            out[i + 1] += out[i];
        return out;
    }

    // Of each device: communication without computing beside it, added up from its first to each stretch.
    void find_exposed_times() {
        device_segments_.assign(p_.devices.size() + 1, 0);
        sums_.assign(a_.communication.size() + 1, 0);
        for (size_t i = 0; i < a_.communication.size(); ++i) {
            const CommSegment& s = a_.communication[i];
            ++device_segments_[s.device.index() + 1];
            sums_[i + 1] = sums_[i] + (s.overlapped ? 0 : s.end_ns - s.begin_ns);
        }
        for (size_t i = 0; i < p_.devices.size(); ++i)
            device_segments_[i + 1] += device_segments_[i];
    }

    // Exposed communication of the device before a time.
    int64_t exposed_before(DeviceId device, int64_t time) const {
        const auto first =
            a_.communication.begin() + static_cast<std::ptrdiff_t>(device_segments_[device.index()]);
        const auto last =
            a_.communication.begin() + static_cast<std::ptrdiff_t>(device_segments_[device.index() + 1]);
        const auto after = std::upper_bound(first, last, time,
                                            [](int64_t t, const CommSegment& s) { return t < s.begin_ns; });
        if (after == first) return sums_[device_segments_[device.index()]];
        const auto at = static_cast<size_t>(after - a_.communication.begin()) - 1;
        const CommSegment& s = a_.communication[at];
        return sums_[at] + (s.overlapped ? 0 : std::min(time, s.end_ns) - s.begin_ns);
    }

    // Of the first `ns` of a member.
    int64_t exposed(const CollectiveMember& member, int64_t ns) const {
        const DeviceId device = p_.tracks[p_.device.track[member.row].index()].device;
        if (!device.valid()) return -1;
        return exposed_before(device, member.begin + ns) - exposed_before(device, member.begin);
    }

    void expose(CollectiveMember& member) const {
        if (f_.groups[f_.calls[member.call].group].on_host) {
            member.exposed_waiting_ns = member.waiting_ns;  // whoever made the call waits
            return;
        }
        member.exposed_ns = exposed(member, member.dur);
        if (member.waiting_ns >= 0) member.exposed_waiting_ns = exposed(member, member.waiting_ns);
    }

    void cost(CollectiveCall& call) {
        const auto members = std::span(f_.members).subspan(call.first, call.count);
        const CollectiveMember* last = &members[0];
        int64_t longest = 0;
        if (!f_.groups[call.group].on_host && are_apart(members)) {
            last = &*std::ranges::max_element(members, {}, &CollectiveMember::begin);
            for (CollectiveMember& m : members)
                m.waiting_ns = 0;
            call.transfer_ns = last->dur;
        } else if (ends_together(kind_of(call))) {
            // They end together, so the shortest is the last: that needs no common clock.
            for (const CollectiveMember& m : members)
                if (m.dur < last->dur) last = &m;
            for (CollectiveMember& m : members)
                m.waiting_ns = m.dur - last->dur;
            call.transfer_ns = last->dur;
        } else {
            for (const CollectiveMember& m : members)
                if (m.begin > last->begin) last = &m;
            for (CollectiveMember& m : members)
                m.waiting_ns = std::clamp<int64_t>(last->begin - m.begin, 0, m.dur);
            call.transfer_ns = call.end - last->begin;
        }
        call.waiting_ns = 0;
        for (const CollectiveMember& m : members) {
            call.waiting_ns += m.waiting_ns;
            longest = std::max(longest, m.waiting_ns);
        }
        call.last = last->rank;
        if (longest > 0) find_cause(call, *last, {last->begin - longest, last->begin});
    }

    // A send that was over before its receive began: what it sent lay ready, and nobody waited.
    bool are_apart(std::span<const CollectiveMember> members) const {
        if (members.size() != 2 || !p_.device.exchange(members[0].row).told()) return false;
        const CollectiveMember &a = members[0], &b = members[1];
        return a.begin + a.dur < b.begin || b.begin + b.dur < a.begin;
    }

    CollectiveKind kind_of(const CollectiveCall& call) const {
        return collective_kind(p_.strings.view(call.name));
    }

    void find_cause(CollectiveCall& call, const CollectiveMember& last, const Stretch& while_waited) {
        std::array<int64_t, static_cast<size_t>(Resource::kCount)> ns{};
        const auto first =
            a_.resources.begin() + static_cast<std::ptrdiff_t>(segment_starts_[call.last.index()]);
        const auto end =
            a_.resources.begin() + static_cast<std::ptrdiff_t>(segment_starts_[call.last.index() + 1]);
        auto at = std::lower_bound(first, end, while_waited.end,
                                   [](const ResourceSegment& s, int64_t t) { return s.begin_ns < t; });
        int64_t told = 0;
        for (size_t looks = 0; at != first && looks < kMostLooks; ++looks) {
            --at;
            if (at->end_ns <= while_waited.begin) break;
            const int64_t part = shared(while_waited, at->begin_ns, at->end_ns);
            ns[static_cast<size_t>(at->resource)] += part;
            told += part;
        }
        // Before the rank's first span nothing was recorded.
        ns[static_cast<size_t>(Resource::kIdle)] += while_waited.end - while_waited.begin - told;
        // Kernels of three kinds are one cause: computing.
        int64_t& computing = ns[static_cast<size_t>(Resource::kOtherKernel)];
        for (const Resource kernel : {Resource::kTensorCoreKernel, Resource::kUnknownKernel})
            computing += std::exchange(ns[static_cast<size_t>(kernel)], 0);
        const auto most = std::max_element(ns.begin(), ns.end());
        call.cause = static_cast<Resource>(most - ns.begin());
        call.cause_ns = *most;
        if (call.cause == Resource::kOtherKernel) call.cause_op = longest_kernel_op(call.last, while_waited);
        if (call.cause == Resource::kCpu) call.cause_op = longest_host_op(call, last, while_waited);
    }

    // Rows of a track that begin before the end of the stretch, the last first, until take(row, ns in it)
    // says that all before have ended.
    template <class Take>
    void look_back(size_t first, size_t end, const std::vector<int64_t>& begin,
                   const std::vector<int64_t>& dur, const Stretch& stretch, Take take) const {
        const auto from = begin.begin() + static_cast<std::ptrdiff_t>(first);
        const auto to = begin.begin() + static_cast<std::ptrdiff_t>(end);
        auto row = static_cast<size_t>(std::lower_bound(from, to, stretch.end) - begin.begin());
        for (size_t looks = 0; row > first && looks < kMostLooks; ++looks) {
            --row;
            if (!take(row, shared(stretch, begin[row], begin[row] + dur[row]))) return;
        }
    }

    static OpId most_of(const std::map<OpId, int64_t>& ns) {
        OpId found;
        int64_t most = 0;
        for (const auto& [op, time] : ns)
            if (time > most) {
                found = op;
                most = time;
            }
        return found;
    }

    OpId longest_kernel_op(RankId rank, const Stretch& stretch) const {
        std::map<OpId, int64_t> ns;
        auto stream = std::lower_bound(streams_.begin(), streams_.end(), std::pair(rank, TrackId(size_t{0})));
        for (; stream != streams_.end() && stream->first == rank; ++stream) {
            const size_t track = stream->second.index();
            look_back(device_starts_[track], device_starts_[track + 1], p_.device.begin, p_.device.dur,
                      stretch, [&](size_t row, int64_t part) {
                          const KernelId kernel = a_.kernel[row];
                          const bool computes = kernel.valid() && a_.kernels[kernel.index()].kernel_class ==
                                                                      KernelClass::kCompute;
                          if (computes && part > 0) ns[a_.device_op[row]] += part;
                          return part > 0;
                      });
        }
        return most_of(ns);
    }

    // Outermost ops of the thread that made the call.
    OpId longest_host_op(const CollectiveCall& call, const CollectiveMember& last,
                         const Stretch& stretch) const {
        uint32_t row = last.row;
        if (!f_.groups[call.group].on_host) {
            if (!a_.launch[last.row].valid()) return OpId();
            row = a_.launch[last.row].value;
        }
        const size_t track = p_.host.track[row].index();
        std::map<OpId, int64_t> ns;
        look_back(host_starts_[track], host_starts_[track + 1], p_.host.begin, p_.host.dur, stretch,
                  [&](size_t span, int64_t part) {
                      if (p_.host.kind[span] != HostKind::kOp || a_.op_span[span].valid()) return true;
                      if (part > 0) ns[a_.op[p_.host.detail[span]]] += part;
                      return part > 0;
                  });
        return most_of(ns);
    }

    const Profile& p_;
    const Analysis& a_;
    RankFacts& f_;
    std::vector<std::pair<RankId, TrackId>> streams_;
    std::vector<size_t> device_starts_, host_starts_, segment_starts_, device_segments_;
    std::vector<int64_t> sums_;
};

}  // namespace

void find_costs(const Profile& profile, const Analysis& analysis, RankFacts& facts) {
    CostFinder(profile, analysis, facts).find();
}

}  // namespace opsight::analyze
