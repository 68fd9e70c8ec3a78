#include "analyze/resources.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "analyze/host_states.h"
#include "analyze/intervals.h"
#include "analyze/track_rows.h"

namespace opsight::analyze {
namespace {

constexpr size_t kClasses = static_cast<size_t>(Resource::kCount);
// Behind the classes: communication on the host, which work of the host hides.
constexpr size_t kOnHost = kClasses;
using ByClass = std::array<Intervals, kClasses + 1>;

struct Candidate {
    size_t set;
    Resource resource;
};
constexpr Candidate of_class(Resource resource) {
    return {static_cast<size_t>(resource), resource};
}
// At each moment the first that applies counts.
constexpr Candidate kPriority[] = {of_class(Resource::kTensorCoreKernel), of_class(Resource::kUnknownKernel),
                                   of_class(Resource::kOtherKernel),      of_class(Resource::kCommunication),
                                   of_class(Resource::kMemory),           of_class(Resource::kDataLoader),
                                   of_class(Resource::kFileIo),           of_class(Resource::kCpu),
                                   {kOnHost, Resource::kCommunication},   of_class(Resource::kHost)};
constexpr Resource kOfDevices[] = {Resource::kTensorCoreKernel, Resource::kUnknownKernel,
                                   Resource::kOtherKernel, Resource::kCommunication, Resource::kMemory};

Intervals& of(ByClass& sets, Resource resource) {
    return sets[static_cast<size_t>(resource)];
}

void unite_into(Intervals& into, Intervals&& more) {
    into = into.empty() ? std::move(more) : unite(into, more);
}

Resource kernel_resource(const Kernel& kernel) {
    if (kernel.kernel_class == KernelClass::kCommunication) return Resource::kCommunication;
    if (kernel.uses_tc == TensorCoreUse::kUnknown) return Resource::kUnknownKernel;
    return kernel.uses_tc == TensorCoreUse::kYes ? Resource::kTensorCoreKernel : Resource::kOtherKernel;
}

struct Extent {
    int64_t begin = std::numeric_limits<int64_t>::max(), end = std::numeric_limits<int64_t>::min();
    void take(int64_t from, int64_t to) {
        begin = std::min(begin, from);
        end = std::max(end, to);
    }
};

// When a thread runs: the innermost of what is open and tells decides. Rows come in the order of their
// begins.
class RunningTimes {
  public:
    void add(int64_t begin, int64_t end, bool runs) {
        close_until(begin);
        take(begin);
        open_.push_back({end, runs});
    }
    Intervals finish() {
        close_until(std::numeric_limits<int64_t>::max());
        return std::move(found_);
    }

  private:
    struct Open {
        int64_t end;
        bool runs;
    };
    void close_until(int64_t time) {
        while (!open_.empty() && open_.back().end <= time) {
            take(open_.back().end);
            open_.pop_back();
        }
    }
    void take(int64_t until) {
        if (!open_.empty() && open_.back().runs) append(found_, at_, until);
        at_ = std::max(at_, until);
    }

    std::vector<Open> open_;
    Intervals found_;
    int64_t at_ = std::numeric_limits<int64_t>::min();
};

class Shares {
  public:
    Shares(const Profile& profile, Analysis& analysis, const std::vector<Direction>& directions)
        : p_(profile),
          a_(analysis),
          directions_(directions),
          extents_(profile.ranks.size()),
          ranks_(profile.ranks.size()),
          devices_(profile.devices.size()),
          states_(profile.strings) {}

    void run() {
        for (const TrackRows& rows : track_rows(p_.device.track))
            read_stream(rows);
        for (size_t device = 0; device < devices_.size(); ++device)
            finish_device(device);
        for (const TrackRows& rows : track_rows(p_.host.track))
            if (p_.tracks[rows.track.index()].kind != TrackKind::kOther) read_thread(rows);
        for (size_t rank = 0; rank < ranks_.size(); ++rank) {
            partition(RankId(rank));
            ranks_[rank] = {};
        }
    }

  private:
    void read_stream(const TrackRows& rows) {
        const Track& track = p_.tracks[rows.track.index()];
        const DeviceSpans& d = p_.device;
        ByClass sets;
        for (uint32_t span = rows.first; span < rows.last; ++span) {
            const int64_t begin = d.begin[span], end = begin + d.dur[span];
            extents_[track.rank.index()].take(begin, end);
            if (d.kind[span] == DeviceKind::kKernel)
                append(of(sets, kernel_resource(a_.kernels[a_.kernel[span].index()])), begin, end);
            if (d.kind[span] == DeviceKind::kGraph)  // which kernels it held is not told
                append(of(sets, Resource::kUnknownKernel), begin, end);
            if (d.kind[span] == DeviceKind::kMemcpy || d.kind[span] == DeviceKind::kMemset)
                append(of(sets, Resource::kMemory), begin, end);
        }
        if (!track.device.valid()) return;
        for (size_t i = 0; i < kClasses; ++i)
            unite_into(devices_[track.device.index()][i], std::move(sets[i]));
    }

    void finish_device(size_t device) {
        ByClass& sets = devices_[device];
        const DeviceId id(device);
        const Intervals compute =
            unite(unite(of(sets, Resource::kTensorCoreKernel), of(sets, Resource::kOtherKernel)),
                  of(sets, Resource::kUnknownKernel));
        const Intervals& communication = of(sets, Resource::kCommunication);
        add_communication(id, communication, compute);
        const Intervals kernels = unite(compute, communication);
        const Intervals busy = unite(kernels, of(sets, Resource::kMemory));
        a_.busy.reserve(a_.busy.size() + busy.size() + kernels.size());
        for (const Interval& i : busy)
            a_.busy.push_back({id, i.begin, i.end, false});
        for (const Interval& i : kernels)
            a_.busy.push_back({id, i.begin, i.end, true});
        ByClass& rank = ranks_[p_.devices[device].rank.index()];
        for (size_t i = 0; i < kClasses; ++i)
            unite_into(rank[i], std::move(sets[i]));
        sets = {};
    }

    // Cuts each communication interval where computing begins and ends.
    void add_communication(DeviceId device, const Intervals& communication, const Intervals& compute) {
        size_t next = 0;
        for (const Interval& c : communication) {
            int64_t at = c.begin;
            while (next < compute.size() && compute[next].end <= at)
                ++next;
            for (size_t i = next; at < c.end; ++i) {
                const bool none = i == compute.size() || compute[i].begin >= c.end;
                const int64_t begin = none ? c.end : std::max(at, compute[i].begin);
                if (begin > at) a_.communication.push_back({device, at, begin, false});
                if (none) break;
                const int64_t end = std::min(c.end, compute[i].end);
                a_.communication.push_back({device, begin, end, true});
                at = end;
            }
        }
    }

    void read_thread(const TrackRows& rows) {
        const RankId rank = p_.tracks[rows.track.index()].rank;
        const HostSpans& h = p_.host;
        Intervals loading, files, cpu, communication;
        RunningTimes host;
        for (uint32_t row = rows.first; row < rows.last; ++row) {
            const int64_t begin = h.begin[row], end = begin + h.dur[row];
            extents_[rank.index()].take(begin, end);
            const HostKind kind = h.kind[row];
            const bool work =
                kind == HostKind::kOp || kind == HostKind::kRuntimeApi || kind == HostKind::kDriverApi;
            if (work) append(cpu, begin, end);
            if (kind == HostKind::kFileIo) append(files, begin, end);
            const HostState state = states_.of(kind, h.name[row]);
            if (state == HostState::kFileIo) append(files, begin, end);
            if (state == HostState::kCommunicates) append(communication, begin, end);
            if (state == HostState::kRuns || state == HostState::kWaits || state == HostState::kCommunicates)
                host.add(begin, end, state == HostState::kRuns);
            const bool loads = directions_[row] == Direction::kDataLoad &&
                               (work || kind == HostKind::kDataLoad || kind == HostKind::kAnnotation);
            if (loads) append(loading, begin, end);
        }
        ByClass& sets = ranks_[rank.index()];
        unite_into(of(sets, Resource::kDataLoader), std::move(loading));
        unite_into(of(sets, Resource::kFileIo), std::move(files));
        unite_into(of(sets, Resource::kCpu), std::move(cpu));
        unite_into(of(sets, Resource::kHost), host.finish());
        unite_into(sets[kOnHost], std::move(communication));
    }

    void partition(RankId rank) {
        ByClass& sets = ranks_[rank.index()];
        // Where a device works, communication is what it does; the host's is time of the program.
        if (std::any_of(std::begin(kOfDevices), std::end(kOfDevices),
                        [&](Resource each) { return !of(sets, each).empty(); }))
            unite_into(of(sets, Resource::kHost), std::exchange(sets[kOnHost], {}));
        const Extent extent = extents_[rank.index()];
        size_t boundaries = 0;
        for (const Intervals& set : sets)
            boundaries += 2 * set.size();
        a_.resources.reserve(a_.resources.size() + boundaries + 1);
        std::array<size_t, kClasses + 1> next{};
        for (int64_t at = extent.begin; at < extent.end;) {
            int64_t until = extent.end;
            auto resource = Resource::kIdle;
            for (const auto& [i, each] : kPriority) {
                while (next[i] < sets[i].size() && sets[i][next[i]].end <= at)
                    ++next[i];
                if (next[i] == sets[i].size()) continue;
                const Interval& interval = sets[i][next[i]];
                if (interval.begin <= at) {
                    resource = each;
                    until = std::min(until, interval.end);
                    break;
                }
                until = std::min(until, interval.begin);
            }
            add_segment(rank, at, until, resource);
            at = until;
        }
    }

    void add_segment(RankId rank, int64_t begin, int64_t end, Resource resource) {
        if (!a_.resources.empty()) {
            ResourceSegment& last = a_.resources.back();
            if (last.rank == rank && last.end_ns == begin && last.resource == resource) {
                last.end_ns = end;
                return;
            }
        }
        a_.resources.push_back({rank, begin, end, resource});
    }

    const Profile& p_;
    Analysis& a_;
    const std::vector<Direction>& directions_;
    std::vector<Extent> extents_;
    std::vector<ByClass> ranks_, devices_;
    HostStates states_;
};

}  // namespace

void share_resources(const Profile& profile, Analysis& analysis, const std::vector<Direction>& directions) {
    Shares(profile, analysis, directions).run();
}

}  // namespace opsight::analyze
