// NVTX ranges and the device work that was launched inside them.
//
// Work belongs to a range when the API call that launched it lies inside the range, on the same thread;
// ranges that begin and end on different threads take no part. Cost: O((ranges + launches) log launches)
// time, about 40 bytes a range and 56 a launch of memory; no work is compared with ranges of other threads or
// times.
#pragma once

#include <functional>

#include "query/session/event_source.h"

namespace opsight::query {

// Ranges by (track, begin, -duration).
struct Ranges {
    std::vector<int64_t> begin, end;
    std::vector<int32_t> track, label, id;
    std::vector<uint8_t> style;  // 0 push/pop, 1 start/end
    size_t size() const { return begin.size(); }
};

// Level, children and parent of push/pop ranges, from the stack of their thread; start/end ranges stand
// alone.
struct Nesting {
    static constexpr uint32_t kNoParent = UINT32_MAX;
    std::vector<uint32_t> level, children, parent;
};

struct Launch {
    int64_t api_begin = 0, api_end = 0, begin = 0, end = 0;  // the call, and the work that it started
    int64_t rid = 0;                                         // of st_gpu
    int32_t track = -1;                                      // of the call
    int32_t kernel = -1;                                     // kernel_names.id; -1: a copy or set
};

// Every launch by (track, begin of the call), with what answers "first begin and last end of work i to j".
class Launches {
  public:
    explicit Launches(std::vector<Launch> list);
    const std::vector<Launch>& list() const { return list_; }
    // Calls `take` for each stretch of consecutive launches inside [begin, end] of a track: one, but where a
    // call crosses the end of the range.
    void inside(int32_t track, int64_t begin, int64_t end,
                const std::function<void(size_t first, size_t last)>& take) const;
    std::pair<int64_t, int64_t> extent(size_t first,
                                       size_t last) const;  // first begin, last end; first < last

  private:
    std::vector<Launch> list_;
    std::vector<int64_t> latest_end_;  // of the calls up to here, within a track
    std::vector<std::pair<size_t, size_t>> of_track_;
    std::vector<int64_t> least_, most_;  // segment trees
};

// pid and tid of tracks, and the texts of labels.
struct RangeNames {
    std::vector<duck::Cell> pid, tid;                     // by track
    std::vector<std::pair<int64_t, std::string>> labels;  // by number
    const std::string& label(int64_t id) const;
};
Result<RangeNames> load_range_names(duck::Connection& connection);

// Those of st_range. `crossing`: with the ranges that end on another thread than they begin on, whose track
// is then -1: they hold no launch.
Result<Ranges> load_ranges(duck::Connection& connection, bool crossing = false);
Nesting nesting_of(const Ranges& ranges);
// Of each range the time of its direct children; what is left of it is its own.
std::vector<int64_t> time_in_children(const Ranges& ranges, const Nesting& nesting);
// ":5:9": ids from the outermost range to this one.
std::string stack_text(const Ranges& ranges, const Nesting& nesting, uint32_t range);
// `kernels_only` leaves copies and sets out.
Result<Launches> load_launches(duck::Connection& connection, bool kernels_only);

// One range with work: from the begin of the first to the end of the last kernel, copy or set launched in it.
struct Projected {
    uint32_t range = 0;
    int64_t begin = 0, end = 0, work = 0;
};
std::vector<Projected> project(const Ranges& ranges, const Launches& launches);

// Makes the table st_innermost (rid, label): the innermost range around each launch.
Status make_innermost_ranges(Source& source);

}  // namespace opsight::query
