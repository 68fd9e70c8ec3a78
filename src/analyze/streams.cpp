#include "analyze/streams.h"

#include <algorithm>
#include <map>

#include "analyze/recording_pauses.h"

namespace opsight::analyze {
namespace {

// The work of one stream.
class StreamSums {
  public:
    StreamSums(const StreamSpan* first, const StreamSpan* last, const std::vector<RecordingPause>& pauses,
               const std::vector<IterationTime>& iterations)
        : first_(first), last_(last), pauses_(pauses), iterations_(iterations) {}

    void append_to(std::vector<StreamStats>& out) {
        int64_t busy_until = first_->begin;
        for (const StreamSpan* span = first_; span != last_; ++span) {
            add(*span, busy_until);
            busy_until = std::max(busy_until, span->begin + span->dur);
        }
        find_depths();
        for (const auto& [iteration, sums] : sums_)
            out.push_back(sums);
    }

  private:
    StreamStats& sums(int32_t iteration) {
        if (!recent_ || recent_->iteration != iteration) {
            recent_ = &sums_[iteration];
            recent_->stream = first_->stream;
            recent_->iteration = iteration;
        }
        return *recent_;
    }

    static int64_t launch_of(const StreamSpan& span) { return std::min(span.launch_ns, span.begin); }

    void add(const StreamSpan& span, int64_t busy_until) {
        StreamStats& s = sums(span.iteration);
        const int64_t end = span.begin + span.dur;
        ++s.spans;
        s.busy_ns += std::max<int64_t>(0, end - std::max(span.begin, busy_until));
        s.queued_ns += end - launch_of(span);
        if (span.occupancy_pct >= 0) {
            s.occupancy_pct_ns += span.occupancy_pct * static_cast<double>(span.dur);
            s.occupancy_known_ns += span.dur;
        }
        if (span.begin <= busy_until) return;
        const auto wait = !span.launched                ? &StreamStats::other_wait_ns
                          : span.launch_ns > busy_until ? &StreamStats::host_wait_ns
                                                        : &StreamStats::queued_wait_ns;
        add_gap(span, wait, busy_until);
    }

    // From the end of what was before to the begin of the span, backwards through the iterations.
    void add_gap(const StreamSpan& span, int64_t StreamStats::*wait, int64_t begin) {
        int64_t end = span.begin;
        const auto add_from = [&](int64_t from, int32_t iteration) {
            if (from >= end) return;
            sums(iteration).*wait += end - from - paused_ns(pauses_, span.rank, from, end);
            end = from;
        };
        auto at =
            std::partition_point(iterations_.begin(), iterations_.end(), [&span](const IterationTime& it) {
                return it.rank != span.rank ? it.rank < span.rank : it.begin <= launch_of(span);
            });
        // The device may begin after the end of the iteration that launched.
        if (at != iterations_.begin() && (at - 1)->rank == span.rank && (at - 1)->iteration == span.iteration)
            add_from(std::max(begin, (--at)->begin), span.iteration);
        while (end > begin && at != iterations_.begin() && (--at)->rank == span.rank) {
            add_from(std::max(begin, at->end), -1);
            add_from(std::max(begin, at->begin), at->iteration);
        }
        add_from(begin, iterations_.empty() ? span.iteration : -1);
    }

    // Depth just after each launch: spans launched by then, minus those that ended by then.
    void find_depths() {
        std::vector<const StreamSpan*> launches;
        std::vector<int64_t> ends;
        for (const StreamSpan* span = first_; span != last_; ++span) {
            launches.push_back(span);
            ends.push_back(span->begin + span->dur);
        }
        const auto earlier = [](const StreamSpan* a, const StreamSpan* b) {
            return launch_of(*a) < launch_of(*b);
        };
        if (!std::is_sorted(launches.begin(), launches.end(), earlier))
            std::stable_sort(launches.begin(), launches.end(), earlier);
        if (!std::is_sorted(ends.begin(), ends.end())) std::sort(ends.begin(), ends.end());
        size_t ended = 0, together = 0;
        for (size_t i = 0; i < launches.size(); ++i) {
            const int64_t now = launch_of(*launches[i]);
            while (together < launches.size() && launch_of(*launches[together]) <= now)
                ++together;
            while (ended < ends.size() && ends[ended] <= now)
                ++ended;
            StreamStats& s = sums(launches[i]->iteration);
            // A span without length ends as it is launched.
            s.queue_max = std::max(s.queue_max, static_cast<int64_t>(together) - static_cast<int64_t>(ended));
        }
    }

    const StreamSpan* first_;
    const StreamSpan* last_;
    const std::vector<RecordingPause>& pauses_;
    const std::vector<IterationTime>& iterations_;
    std::map<int32_t, StreamStats> sums_;
    StreamStats* recent_ = nullptr;
};

}  // namespace

std::vector<IterationTime> times_of(const std::vector<Iteration>& list) {
    std::vector<IterationTime> times;
    for (const Iteration& it : list)
        times.push_back({it.rank, it.begin_ns, it.end_ns, static_cast<int32_t>(it.number)});
    return times;
}

std::vector<StreamStats> sum_streams(const std::vector<StreamSpan>& spans,
                                     const std::vector<RecordingPause>& pauses,
                                     const std::vector<IterationTime>& iterations) {
    std::vector<StreamStats> result;
    for (size_t first = 0; first < spans.size();) {
        size_t last = first;
        while (last < spans.size() && spans[last].stream == spans[first].stream)
            ++last;
        StreamSums(&spans[first], spans.data() + last, pauses, iterations).append_to(result);
        first = last;
    }
    return result;
}

std::vector<StreamSpan> stream_spans(const Profile& profile, const Analysis& analysis) {
    const DeviceSpans& d = profile.device;
    std::vector<StreamSpan> spans;
    spans.reserve(d.size());
    for (size_t row = 0; row < d.size(); ++row) {
        const bool kernel = d.kind[row] == DeviceKind::kKernel;
        const bool other_work = d.kind[row] == DeviceKind::kMemcpy || d.kind[row] == DeviceKind::kMemset ||
                                d.kind[row] == DeviceKind::kGraph;
        if (!kernel && !other_work) continue;
        const bool told = kernel && d.config[row].valid();
        spans.push_back({d.track[row], d.begin[row], d.dur[row], analysis.host_ns[row],
                         analysis.launch[row].valid(), analysis.device_iteration[row],
                         told ? analysis.occupancy_pct[d.config[row].index()] : -1,
                         profile.tracks[d.track[row].index()].rank});
    }
    return spans;
}

}  // namespace opsight::analyze
