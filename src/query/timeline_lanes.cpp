#include "query/timeline_lanes.h"

#include <algorithm>

namespace opsight {

void SpanRun::reserve(size_t spans) {
    begin.reserve(spans);
    dur.reserve(spans);
    name.reserve(spans);
    ref.reserve(spans);
    kind.reserve(spans);
}

void SpanRun::add(int64_t begin_ns, int64_t dur_ns, uint32_t name_index, uint32_t ref_id,
                  SpanKind span_kind) {
    begin.push_back(begin_ns);
    dur.push_back(std::max<int64_t>(dur_ns, 0));
    name.push_back(name_index);
    ref.push_back(ref_id);
    kind.push_back(span_kind);
}

namespace {

// The last span of each lane during the pass that places spans.
struct OpenLane {
    int64_t end = INT64_MIN, begin = 0;
    int64_t* dur = nullptr;  // of its last span
};

class Placer {
  public:
    uint16_t place(int64_t begin, int64_t& dur) {
        const int64_t end = begin + dur;
        while (deepest_ > 0 && lanes_[deepest_ - 1].end <= begin)
            --deepest_;
        size_t lane = below_outer(begin, end);
        covered_ = covered_ && (lane > 0 || lanes_.empty() || lanes_[0].end <= begin);
        while (lane < lanes_.size() && lanes_[lane].end > begin)
            ++lane;
        if (lane >= SpanLanes::kMostLanes) {
            lane = SpanLanes::kMostLanes - 1;
            cut(lanes_[lane], begin);
        }
        if (lane >= lanes_.size()) lanes_.resize(lane + 1);
        lanes_[lane] = {end, begin, &dur};
        deepest_ = std::max(deepest_, lane + 1);
        return static_cast<uint16_t>(lane);
    }
    bool covered() const { return covered_; }

  private:
    // The lane below the innermost open span that encloses [begin, end).
    size_t below_outer(int64_t begin, int64_t end) {
        for (size_t lane = deepest_; lane-- > 0;) {
            OpenLane& open = lanes_[lane];
            if (open.end <= begin) continue;
            const int64_t beyond = end - open.end, within = open.end - begin;
            if (beyond <= 0) return lane + 1;
            if (beyond <= SpanLanes::kRoundingNs && beyond <= within) {
                covered_ = false;
                return lane + 1;
            }
            if (within <= SpanLanes::kRoundingNs && 2 * within < *open.dur) cut(open, begin);
        }
        return 0;
    }
    static void cut(OpenLane& open, int64_t at) {
        if (open.end <= at) return;
        *open.dur = at - open.begin;
        open.end = at;
    }

    std::vector<OpenLane> lanes_;
    size_t deepest_ = 0;   // lanes below it are free
    bool covered_ = true;  // all spans of other lanes lie within spans of the first
};

}  // namespace

SpanLanes::SpanLanes(std::vector<SpanRun> runs) {
    const Order order = place(runs);
    sort_by_lane(runs, order);
    runs.clear();
    sum_blocks();
}

SpanLanes::Order SpanLanes::place(std::vector<SpanRun>& runs) {
    size_t total = 0;
    for (const SpanRun& run : runs)
        total += run.size();
    Order order;
    order.run.reserve(total);
    order.lane.reserve(total);
    Placer placer;
    std::vector<size_t> next(runs.size(), 0);
    const auto before = [&](size_t a, size_t b) {
        const int64_t begin_a = runs[a].begin[next[a]], begin_b = runs[b].begin[next[b]];
        return begin_a != begin_b ? begin_a < begin_b : runs[a].ref[next[a]] < runs[b].ref[next[b]];
    };
    while (order.run.size() < total) {
        size_t best = runs.size();
        for (size_t k = 0; k < runs.size(); ++k)
            if (next[k] < runs[k].size() && (best == runs.size() || before(k, best))) best = k;
        const size_t i = next[best]++;
        order.run.push_back(static_cast<uint8_t>(best));
        order.lane.push_back(placer.place(runs[best].begin[i], runs[best].dur[i]));
    }
    first_covers_ = placer.covered();
    return order;
}

void SpanLanes::sort_by_lane(const std::vector<SpanRun>& runs, const Order& order) {
    const size_t total = order.run.size();
    std::vector<size_t> at(kMostLanes + 1, 0);
    size_t lanes = 0;
    for (const uint16_t lane : order.lane) {
        ++at[lane + 1u];
        lanes = std::max<size_t>(lanes, lane + 1u);
    }
    for (size_t lane = 0; lane < lanes; ++lane)
        at[lane + 1] += at[lane];
    lane_first_.assign(at.begin(), at.begin() + static_cast<std::ptrdiff_t>(lanes) + 1);
    begin_.resize(total);
    dur_.resize(total);
    name_.resize(total);
    ref_.resize(total);
    kind_.resize(total);
    std::vector<size_t> next(runs.size(), 0);
    for (size_t n = 0; n < total; ++n) {
        const SpanRun& run = runs[order.run[n]];
        const size_t i = next[order.run[n]]++, to = at[order.lane[n]]++;
        begin_[to] = run.begin[i];
        dur_[to] = kLong;
        if (run.dur[i] < kLong)
            dur_[to] = static_cast<uint32_t>(run.dur[i]);
        else
            long_.emplace_back(to, run.dur[i]);
        name_[to] = run.name[i];
        ref_[to] = run.ref[i];
        kind_[to] = run.kind[i];
    }
    std::sort(long_.begin(), long_.end());
}

int64_t SpanLanes::long_dur(size_t i) const {
    return std::lower_bound(long_.begin(), long_.end(), std::pair<size_t, int64_t>(i, 0))->second;
}

namespace {

// The longest of the spans that are looked at from left to right.
struct Longest {
    const SpanLanes& spans;
    size_t place;
    int64_t dur = spans.dur(place);
    void look(size_t other) {
        const int64_t of_other = spans.dur(other);
        if (of_other > dur) {
            dur = of_other;
            place = other;
        }
    }
};

}  // namespace

void SpanLanes::sum_blocks() {
    for (size_t lane = 0; lane < lanes(); ++lane) {
        for (Level& level : levels_)
            level.first.push_back(level.longest.size());
        int64_t busy = 0;
        size_t blocks = 0;
        for (size_t i = lane_begin(lane); i < lane_end(lane); i += kBlock, ++blocks) {
            busy_before_.push_back(busy);
            Longest best{*this, i};
            for (size_t k = i; k < std::min(i + kBlock, lane_end(lane)); ++k) {
                busy += dur(k);
                best.look(k);
            }
            size_t whole = 1;
            for (Level& level : levels_) {
                if (blocks % whole == 0) level.longest.push_back(static_cast<uint32_t>(best.place));
                if (best.dur > dur(level.longest.back()))
                    level.longest.back() = static_cast<uint32_t>(best.place);
                whole *= kBlock;
            }
        }
    }
}

size_t SpanLanes::from(size_t lane, int64_t time) const {
    const auto first = begin_.begin() + static_cast<std::ptrdiff_t>(lane_begin(lane));
    const auto last = begin_.begin() + static_cast<std::ptrdiff_t>(lane_end(lane));
    return static_cast<size_t>(std::lower_bound(first, last, time) - begin_.begin());
}

size_t SpanLanes::first_shown(size_t lane, int64_t time) const {
    size_t i = from(lane, time);
    if (i > lane_begin(lane) && end(i - 1) > time) --i;
    return i;
}

// First place after i whose span begins at `limit` or later: steps that double, then a binary search.
size_t SpanLanes::skip_to(size_t i, size_t stop, int64_t limit) const {
    size_t low = i + 1, step = 1;
    while (low < stop && begin_[low] < limit) {
        if (stop - low <= step || begin_[low + step] >= limit) {
            const auto first = begin_.begin() + static_cast<std::ptrdiff_t>(low + 1);
            const auto last = begin_.begin() + static_cast<std::ptrdiff_t>(std::min(stop, low + step));
            return static_cast<size_t>(std::lower_bound(first, std::max(first, last), limit) -
                                       begin_.begin());
        }
        low += step;
        step *= 2;
    }
    return low;
}

int64_t SpanLanes::sum(size_t first, size_t last) const {
    int64_t total = 0;
    for (size_t i = first; i < last; ++i)
        total += dur(i);
    return total;
}

int64_t SpanLanes::busy(size_t lane, size_t first, size_t last) const {
    if (last - first <= 2 * kBlock) return sum(first, last);
    const size_t base = lane_begin(lane);
    const auto before = [&](size_t i) {
        // The end of a lane may be the begin of a block that is not there.
        const size_t block = (i - base) / kBlock - (i == lane_end(lane) && (i - base) % kBlock == 0 ? 1 : 0);
        return busy_before_[levels_[0].first[lane] + block] + sum(base + block * kBlock, i);
    };
    return before(last) - before(first);
}

size_t SpanLanes::longest(size_t lane, size_t first, size_t last) const {
    const size_t base = lane_begin(lane);
    Longest best{*this, first};
    for (size_t i = first + 1; i < last;) {
        const size_t offset = i - base;
        size_t step = 1;
        const Level* found = nullptr;
        // The largest block that begins here and ends in time.
        for (const Level& level : levels_) {
            const size_t whole = step * kBlock;
            if (offset % whole != 0 || i + whole > last) break;
            step = whole;
            found = &level;
        }
        best.look(found ? found->longest[found->first[lane] + offset / step] : i);
        i += step;
    }
    return best.place;
}

std::pair<size_t, size_t> SpanLanes::find(uint32_t ref, int64_t begin_ns) const {
    for (size_t lane = 0; lane < lanes(); ++lane)
        for (size_t i = from(lane, begin_ns); i < lane_end(lane) && begin_[i] == begin_ns; ++i)
            if (ref_[i] == ref) return {lane, i};
    return {lanes(), 0};
}

}  // namespace opsight
