// SpanLanes: the spans of one row of the timeline, put into lanes so that no two of a lane overlap. Because
// of that the ends of a lane rise with its begins, the union of any run of spans is a difference of two sums,
// and a window is answered by a few binary searches for each pixel, however many spans lie in it.
//
// A span goes into the first lane that is free at its begin and lies below everything that encloses it: on
// threads that is its nesting depth. An overlap of up to 1 us that takes less than half of the earlier span
// is the rounding of the source's times: it is cut off the earlier span. Beyond kMostLanes all goes into the
// last lane, cut where the next begins. So sums of durations in a lane are always unions.
//
// Memory: 26 bytes a span. Building: one pass in order of begin, then one to sort by lane.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace opsight::query {

enum class SpanKind : uint8_t {
    kOpForward,
    kOpBackward,
    kOpOptimizer,
    kOpDataLoad,
    kOpOther,
    kModule,
    kRuntimeApi,
    kDriverApi,
    kOverhead,
    kDataLoad,
    kFileIo,
    kOther,
    kOsRuntime,
    kMessagePassing,
    kLibrary,
    kAnnotation,
    kPython,
    kIteration,
    kKernel,               // no Tensor Cores
    kTensorCoreKernel,     // on Tensor Cores
    kUnknownKernel,        // not known whether on Tensor Cores
    kCommunicationKernel,  // collectives
    kMemcpy,
    kMemset,
    kDeviceAnnotation,
    kWait,
    kDeviceOther,
    kGraph,
    kCount
};

// Spans of one row by (begin, longest first), as they are read from one table.
struct SpanRun {
    std::vector<int64_t> begin, dur;
    std::vector<uint32_t> name, ref;  // ref: which span it is, by the row number of its table
    std::vector<SpanKind> kind;
    size_t size() const { return begin.size(); }
    void reserve(size_t spans);
    void add(int64_t begin_ns, int64_t dur_ns, uint32_t name_index, uint32_t ref_id, SpanKind span_kind);
};

class SpanLanes {
  public:
    static constexpr size_t kMostLanes = 512;
    static constexpr int64_t kRoundingNs = 1000;

    SpanLanes() = default;
    // From runs whose spans are taken by (begin, ref): of two that begin together the one that holds the
    // other has the lower number.
    explicit SpanLanes(std::vector<SpanRun> runs);

    size_t size() const { return spans_.size(); }
    size_t lanes() const { return lane_first_.empty() ? 0 : lane_first_.size() - 1; }
    size_t lane_begin(size_t lane) const { return lane_first_[lane]; }
    size_t lane_end(size_t lane) const { return lane_first_[lane + 1]; }

    // The first lane's spans cover those of all others, so its busy time is that of the row.
    bool first_covers() const { return first_covers_; }

    int64_t begin(size_t i) const { return spans_[i].begin; }
    int64_t dur(size_t i) const { return spans_[i].dur != kLong ? spans_[i].dur : long_dur(i); }
    int64_t end(size_t i) const { return spans_[i].begin + dur(i); }
    uint32_t name(size_t i) const { return spans_[i].name; }
    uint32_t ref(size_t i) const { return spans_[i].ref; }
    SpanKind kind(size_t i) const { return spans_[i].kind; }
    // Begins to load it.
    void fetch(size_t i) const { __builtin_prefetch(&spans_[i]); }

    // First span of a lane that begins at `time` or later.
    size_t from(size_t lane, int64_t time) const;
    // First span of a lane that a window from `time` on shows: it ends after `time`, or begins no earlier.
    size_t first_shown(size_t lane, int64_t time) const;
    // Sum of durations, and the longest of spans [first, last) of a lane (the earliest of equally long ones).
    int64_t busy(size_t lane, size_t first, size_t last) const;
    size_t longest(size_t lane, size_t first, size_t last) const;

    // The entries of a window of one lane: spans that begin within the same pixel of `pixel_ns` are one
    // entry, and what began before the window stands alone. Calls take(first, last) from left to right.
    template <class Take>
    void window(size_t lane, int64_t window_begin, int64_t window_end, int64_t pixel_ns, Take take) const {
        const size_t stop = lane_end(lane);
        size_t i = first_shown(lane, window_begin);
        Ahead ahead = look_ahead(lane, i, window_begin, window_end, pixel_ns);
        if (i < stop && begin(i) < window_begin) {
            take(i, i + 1);
            ++i;
        }
        while (i < stop && begin(i) < window_end) {
            const int64_t pixel = (begin(i) - window_begin) / pixel_ns;
            const int64_t left = window_end - window_begin - pixel * pixel_ns;  // never beyond the window
            const int64_t limit = left <= pixel_ns ? window_end : window_end - left + pixel_ns;
            fetch(ahead, lane, limit, window_end, pixel_ns);
            const size_t next = skip_to(lane, i, limit);
            take(i, next);
            i = next;
        }
    }

    // Lane and place of a span; {lanes(), 0} where there is none such.
    std::pair<size_t, size_t> find(uint32_t ref, int64_t begin_ns) const;

  private:
    static constexpr uint32_t kLong = UINT32_MAX;  // duration is in long_
    static constexpr size_t kBlock = 16;
    static constexpr size_t kLevels = 3;

    // The longest span of a run and how long it is, as in Span: what looks for it need not go there.
    struct Peak {
        uint32_t dur, place;
    };
    class Longest;

    int64_t long_dur(size_t i) const;
    size_t skip_to(size_t lane, size_t i, int64_t limit) const;
    size_t block_before(size_t lane, size_t block, int64_t limit) const;
    // Where pixels hold many spans each, what is read where they meet lies far apart in memory, and where one
    // ends decides where the next is looked for: each place would be waited for by itself. So they begin to
    // be loaded some pixels before.
    struct Ahead {
        size_t block = 0;   // of the lane
        int64_t limit = 0;  // end of the next pixel to fetch
    };
    Ahead look_ahead(size_t lane, size_t i, int64_t window_begin, int64_t window_end, int64_t pixel_ns) const;
    void fetch(Ahead& ahead, size_t lane, int64_t limit, int64_t window_end, int64_t pixel_ns) const {
        constexpr int64_t kPixelsAhead = 16;
        while (ahead.limit < window_end && ahead.limit - limit <= kPixelsAhead * pixel_ns) {
            fetch_bound(ahead, lane);
            ahead.limit += pixel_ns;
        }
    }
    void fetch_bound(Ahead& ahead, size_t lane) const;
    // For each span in the order of time the run that it comes from, and its lane.
    struct Order {
        std::vector<uint8_t> run;
        std::vector<uint16_t> lane;
    };
    Order place(std::vector<SpanRun>& runs);
    void sort_by_lane(const std::vector<SpanRun>& runs, const Order& order);
    void sum_blocks();
    int64_t sum(size_t first, size_t last) const;

    bool first_covers_ = true;
    std::vector<size_t> lane_first_;  // lanes() + 1 places in spans_
    // Together: a window of a long run looks at few of many, and waits for each place in memory that it goes
    // to.
    struct Span {
        int64_t begin;
        uint32_t dur, name, ref;
        SpanKind kind;
    };
    std::vector<Span> spans_;
    std::vector<std::pair<size_t, int64_t>> long_;  // durations that do not fit, by place
    // Of blocks of kBlock spans of a lane: the begin, the sum of durations of the lane before, and the
    // longest of each; of kBlock such blocks, and of kBlock of these, the longest. A lane begins a new block.
    struct Level {
        std::vector<size_t> first;  // by lane, and the end of the last
        std::vector<Peak> longest;
    };
    std::vector<int64_t> block_begin_, busy_before_;
    std::array<Level, kLevels> levels_;
};

}  // namespace opsight::query
