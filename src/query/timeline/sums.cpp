// Sums of a window of time, by name and by track.
#include <algorithm>
#include <queue>

#include "query/timeline/data.h"

namespace opsight::query {
namespace {

struct Sum {
    int64_t count = 0, total = 0, longest = -1;
    SpanKind kind = SpanKind::kOther;       // of the longest
    size_t track = 0, lane = 0, place = 0;  // of the longest

    void add(const Sum& other) {
        count += other.count;
        total += other.total;
        if (other.longest <= longest) return;
        longest = other.longest;
        kind = other.kind;
        track = other.track;
        lane = other.lane;
        place = other.place;
    }
};

// Sums up one track at a time in a table beside the names, then adds it to those of all tracks: names mean
// the same thing within a track, but a range has the name of its projection onto a stream.
class Sums {
  public:
    explicit Sums(const Timeline::Data& data) : data_(data), of_track_(data.names.text.size()) {}

    TimelineTrackSum add(size_t track, int64_t begin_ns, int64_t end_ns) {
        const SpanLanes& spans = data_.lanes[track];
        TimelineTrackSum out{data_.tracks[track].id, 0, 0};
        for (size_t lane = 0; lane < spans.lanes(); ++lane) {
            const size_t first = spans.first_shown(lane, begin_ns), last = spans.from(lane, end_ns);
            out.spans += static_cast<int64_t>(last - first);
            for (size_t i = first; i < last; ++i) {
                Sum& sum = of_track_[spans.name(i)];
                if (sum.count == 0) met_.push_back(spans.name(i));
                const int64_t within = std::min(spans.end(i), end_ns) - std::max(spans.begin(i), begin_ns);
                sum.add({1, within, within, spans.kind(i), track, lane, i});
            }
        }
        if (out.spans > 0) out.busy_ns = busy_within(spans, begin_ns, end_ns);
        for (const uint32_t name : met_) {
            Sum& sum = of_track_[name];
            all_[uint64_t{name} << 8 | static_cast<uint64_t>(sum.kind)].add(sum);
            sum = {};
        }
        met_.clear();
        return out;
    }

    std::vector<TimelineSum> names() const {
        std::vector<TimelineSum> out;
        for (const auto& [key, sum] : all_)
            out.push_back({data_.names.whole(key >> 8), sum.kind, sum.count, sum.total, sum.longest,
                           data_.place(sum.track, sum.lane, sum.place)});
        std::sort(out.begin(), out.end(), [](const TimelineSum& a, const TimelineSum& b) {
            if (a.total_ns != b.total_ns) return a.total_ns > b.total_ns;
            return a.name != b.name ? a.name < b.name : a.kind < b.kind;
        });
        return out;
    }

  private:
    const Timeline::Data& data_;
    std::vector<Sum> of_track_;
    std::vector<uint32_t> met_;
    std::unordered_map<uint64_t, Sum> all_;
};

// Of one lane.
int64_t busy_of_lane(const SpanLanes& lanes, size_t lane, int64_t begin_ns, int64_t end_ns) {
    const size_t first = lanes.first_shown(lane, begin_ns), last = lanes.from(lane, end_ns);
    if (first == last) return 0;
    return lanes.busy(lane, first, last) - std::max<int64_t>(begin_ns - lanes.begin(first), 0) -
           std::max<int64_t>(lanes.end(last - 1) - end_ns, 0);
}

}  // namespace

int64_t busy_within(const SpanLanes& lanes, int64_t begin_ns, int64_t end_ns) {
    if (lanes.lanes() == 0) return 0;
    if (lanes.first_covers()) return busy_of_lane(lanes, 0, begin_ns, end_ns);
    struct Next {
        int64_t begin;
        size_t lane, span;
        bool operator>(const Next& other) const { return begin > other.begin; }
    };
    std::priority_queue<Next, std::vector<Next>, std::greater<>> queue;
    const auto push = [&](size_t lane, size_t span) {
        if (span < lanes.lane_end(lane) && lanes.begin(span) < end_ns)
            queue.push({lanes.begin(span), lane, span});
    };
    for (size_t lane = 0; lane < lanes.lanes(); ++lane)
        push(lane, lanes.first_shown(lane, begin_ns));
    int64_t busy = 0, covered = begin_ns;
    while (!queue.empty()) {
        const Next next = queue.top();
        queue.pop();
        const int64_t end = std::min(lanes.end(next.span), end_ns);
        if (end > covered) {
            busy += end - std::max(next.begin, covered);
            covered = end;
        }
        push(next.lane, next.span + 1);
    }
    return busy;
}

Result<TimelineSums> Timeline::sums(const std::vector<int64_t>& tracks, int64_t begin_ns,
                                    int64_t end_ns) const {
    OPSIGHT_ASSIGN(const std::vector<size_t> indices, data_->indices_of(tracks));
    OPSIGHT_TRY(pixel_of(begin_ns, end_ns, 1));
    TimelineSums out;
    Sums sums(*data_);
    for (const size_t index : indices)
        out.tracks.push_back(sums.add(index, begin_ns, end_ns));
    out.names = sums.names();
    return out;
}

}  // namespace opsight::query
