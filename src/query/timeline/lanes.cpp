#include "query/timeline/lanes.h"

#include <algorithm>

namespace opsight::query {

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
    spans_.resize(total);
    std::vector<size_t> next(runs.size(), 0);
    for (size_t n = 0; n < total; ++n) {
        const SpanRun& run = runs[order.run[n]];
        const size_t i = next[order.run[n]]++, to = at[order.lane[n]]++;
        const bool is_long = run.dur[i] >= kLong;
        spans_[to] = {run.begin[i], is_long ? kLong : static_cast<uint32_t>(run.dur[i]), run.name[i],
                      run.ref[i], run.kind[i]};
        if (is_long) long_.emplace_back(to, run.dur[i]);
    }
    std::sort(long_.begin(), long_.end());
}

int64_t SpanLanes::long_dur(size_t i) const {
    return std::lower_bound(long_.begin(), long_.end(), std::pair<size_t, int64_t>(i, 0))->second;
}

// The longest of the spans that are looked at from left to right.
class SpanLanes::Longest {
  public:
    Longest(const SpanLanes& spans, size_t first)
        : spans_(spans), best_{spans.spans_[first].dur, static_cast<uint32_t>(first)} {}
    void look(Peak other) {
        const bool longer =
            other.dur != kLong ? other.dur > best_.dur : spans_.dur(other.place) > spans_.dur(best_.place);
        if (longer) best_ = other;
    }
    void look(size_t place) { look({spans_.spans_[place].dur, static_cast<uint32_t>(place)}); }
    Peak best() const { return best_; }

  private:
    const SpanLanes& spans_;
    Peak best_;
};

void SpanLanes::sum_blocks() {
    for (size_t lane = 0; lane < lanes(); ++lane) {
        for (Level& level : levels_)
            level.first.push_back(level.longest.size());
        int64_t busy = 0;
        size_t blocks = 0;
        for (size_t i = lane_begin(lane); i < lane_end(lane); i += kBlock, ++blocks) {
            block_begin_.push_back(begin(i));
            busy_before_.push_back(busy);
            Longest block(*this, i);
            for (size_t k = i; k < std::min(i + kBlock, lane_end(lane)); ++k) {
                busy += dur(k);
                block.look(k);
            }
            size_t whole = 1;
            for (Level& level : levels_) {
                if (blocks % whole == 0) level.longest.push_back(block.best());
                Longest both(*this, level.longest.back().place);
                both.look(block.best());
                level.longest.back() = both.best();
                whole *= kBlock;
            }
        }
    }
    for (Level& level : levels_)
        level.first.push_back(level.longest.size());
}

size_t SpanLanes::from(size_t lane, int64_t time) const {
    const auto first = spans_.begin() + static_cast<std::ptrdiff_t>(lane_begin(lane));
    const auto last = spans_.begin() + static_cast<std::ptrdiff_t>(lane_end(lane));
    const auto before = [](const Span& span, int64_t limit) { return span.begin < limit; };
    return static_cast<size_t>(std::lower_bound(first, last, time, before) - spans_.begin());
}

size_t SpanLanes::first_shown(size_t lane, int64_t time) const {
    size_t i = from(lane, time);
    if (i > lane_begin(lane) && end(i - 1) > time) --i;
    return i;
}

// The last block of a lane, from `block` on, that begins before `limit`, in steps that double and back in a
// binary search; `block` itself where there is none.
size_t SpanLanes::block_before(size_t lane, size_t block, int64_t limit) const {
    const size_t first = levels_[0].first[lane], blocks = levels_[0].first[lane + 1] - first;
    const int64_t* begins = block_begin_.data() + first;
    size_t high = block + 1, step = 1;
    while (high < blocks && begins[high] < limit) {
        block = high;
        high += step;
        step *= 2;
    }
    const auto* found = std::lower_bound(begins + block + 1, begins + std::min(high, blocks), limit);
    return static_cast<size_t>(found - begins) - 1;
}

// First place after i whose span begins at `limit` or later.
size_t SpanLanes::skip_to(size_t lane, size_t i, int64_t limit) const {
    const size_t base = lane_begin(lane), block = block_before(lane, (i - base) / kBlock, limit);
    size_t place = std::max(i + 1, base + block * kBlock);
    const size_t stop = std::min(lane_end(lane), base + (block + 1) * kBlock);
    while (place < stop && begin(place) < limit)
        ++place;
    return place;
}

SpanLanes::Ahead SpanLanes::look_ahead(size_t lane, size_t i, int64_t window_begin, int64_t window_end,
                                       int64_t pixel_ns) const {
    const auto pixels = static_cast<size_t>((window_end - window_begin) / pixel_ns) + 1;
    const bool dense = (from(lane, window_end) - i) / kBlock > pixels / 2;
    return {(i - lane_begin(lane)) / kBlock, dense ? window_begin + pixel_ns : window_end};
}

// What skip_to, busy and longest read where a pixel ends.
void SpanLanes::fetch_bound(Ahead& ahead, size_t lane) const {
    constexpr size_t kPeaksOfLine = 64 / sizeof(Peak), kMostPeaks = kBlock * kBlock;
    const size_t before = ahead.block, first = levels_[0].first[lane];
    ahead.block = block_before(lane, before, ahead.limit);
    const size_t place = lane_begin(lane) + ahead.block * kBlock;
    const size_t last = std::min(place + kBlock, lane_end(lane)) - 1;
    for (size_t at = place; at <= last; at += 2)  // a line holds some two
        __builtin_prefetch(&spans_[at]);
    __builtin_prefetch(&busy_before_[first + ahead.block]);
    if (ahead.block - before > kMostPeaks) return;  // its end is found over the higher levels
    for (size_t block = before; block < ahead.block + kPeaksOfLine; block += kPeaksOfLine)
        __builtin_prefetch(&levels_[0].longest[first + std::min(block, ahead.block)]);
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
    Longest longest(*this, first);
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
        if (found)
            longest.look(found->longest[found->first[lane] + offset / step]);
        else
            longest.look(i);
        i += step;
    }
    return longest.best().place;
}

std::pair<size_t, size_t> SpanLanes::find(uint32_t ref, int64_t begin_ns) const {
    for (size_t lane = 0; lane < lanes(); ++lane)
        for (size_t i = from(lane, begin_ns); i < lane_end(lane) && begin(i) == begin_ns; ++i)
            if (spans_[i].ref == ref) return {lane, i};
    return {lanes(), 0};
}

}  // namespace opsight::query
