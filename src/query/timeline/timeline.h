// Timeline: what a picture of a profile over time is drawn from. Opening one reads the place of every span
// into memory (timeline_lanes.h: 22 bytes each); from then on windows, sums and searches read no file, and
// may be asked from several threads at once. Details of one event are read from the profile.
//
// Rows ("tracks") are those of the profile, parted by what is read together: calls of a thread, its ranges,
// its Python functions, its system calls; work of a stream and waits on it; iterations of a rank; counters.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "db/reader.h"
#include "query/ask/result_table.h"
#include "query/session/track_id.h"
#include "query/timeline/lanes.h"

namespace opsight::query {

std::string_view span_kind_name(SpanKind kind);  // "kernel", "op_forward", ...

struct TimelineTrack {
    int64_t id = 0;  // row number * TrackPart::kCount + part: stable for a profile
    TrackPart part = TrackPart::kCalls;
    std::string
        kind;  // "thread", "annotation", "python", "os", "stream", "wait", "iteration", "counter", "other"
    int64_t rank = 0;  // its number in the job
    int64_t process = 0, thread = 0;
    int64_t device = -1, context = -1, stream = -1;  // -1: not of a device
    std::string process_name, device_name, name;
    std::string unit;                 // of counters: "bytes" or empty
    std::vector<std::string> series;  // of counters
    int64_t spans = 0, depths = 0;
};

// One entry of a window: a span, or several that begin within the same pixel of the same depth.
struct TimelineEntries {
    int64_t track = 0;
    std::vector<int64_t> begin, dur, busy;  // of several: from first begin to last end, and their union
    std::vector<uint32_t> depth, count;
    std::vector<uint32_t> name, span;  // of several: of the longest; name: see TimelineWindow::names
    std::vector<SpanKind> kind;
    size_t size() const { return begin.size(); }
    void reserve(size_t entries);
};
struct TimelineWindow {
    int64_t begin_ns = 0, end_ns = 0, pixel_ns = 1;
    std::vector<TimelineEntries> tracks;               // begins count from begin_ns
    std::vector<std::string_view> names, short_names;  // beside each other: whole, and for little room
    bool complete = true;                              // false: cut after kMostEntries
};

struct CounterEntries {
    int64_t track = 0;
    // Of each pixel with samples, and of the last sample before the window: its time (from the window's
    // begin), and for each series the least, the greatest and the last value.
    std::vector<int64_t> time;
    std::vector<std::vector<double>> least, greatest, last;
};

struct EventPlace {
    int64_t track = -1;
    uint32_t span = 0;
    int64_t begin_ns = 0, dur_ns = 0;
    int64_t depth = -1;
    std::string name;
    std::string kind;
};
struct EventField {
    std::string key, help;
    Unit unit = Unit::kNone;
    Cell value;
};
struct ChainLink {
    // "kernel", "api_call", "op", "layer", "iteration", "forward", "backward", "launched"
    std::string role;
    EventPlace place;  // track -1: nothing to go to, only a name
};
struct TimelineEvent {
    EventPlace place;
    std::vector<EventField> fields;
    std::vector<ChainLink> chain;  // from the device's end up to the iteration
    int64_t launched_in_all = 0;   // device work that it launched; the chain names the first of it
};

struct TimelineSearch {
    std::string text;  // part of a name, in any case
    int64_t from_ns = 0;
    std::optional<std::pair<int64_t, uint32_t>> from_span;  // track and span to go on from
    bool backwards = false;
    std::vector<int64_t> tracks;  // empty: all
};
struct TimelineMatch {
    int64_t matches = 0;
    int64_t number = 0;  // 1 for the first in time; 0: none in that direction
    std::optional<EventPlace> place;
};

struct TimelineSum {
    std::string_view name;
    SpanKind kind = SpanKind::kOther;
    int64_t count = 0, total_ns = 0, longest_ns = 0;  // time within the window
    EventPlace longest;
};
struct TimelineTrackSum {
    int64_t track = 0, spans = 0, busy_ns = 0;  // busy: union
};
struct TimelineSums {
    std::vector<TimelineSum> names;        // by descending total
    std::vector<TimelineTrackSum> tracks;  // in the order asked for
};

class Timeline {
  public:
    static constexpr size_t kMostEntries = 400'000;
    static constexpr int64_t kMostPixels = 16'384;

    static Result<Timeline> open(const std::string& path, const db::ReadOptions& read = {});
    // Of a profile that is open already; `path` is for messages.
    // It ends early, without one, where `stop` is set meanwhile.
    static Result<Timeline> open(const std::string& path, const duck::Database& database, unsigned threads,
                                 const std::atomic<bool>* stop = nullptr);
    Timeline(Timeline&&) noexcept;
    Timeline& operator=(Timeline&&) noexcept;
    ~Timeline();

    const std::vector<TimelineTrack>& tracks() const;  // in the order of display
    int64_t begin_ns() const;
    int64_t end_ns() const;
    int64_t origin_ns() const;
    bool origin_is_unix() const;
    bool times_in_order() const;  // the source tells no times: places are made up, in its order

    // Entries of tracks in [begin, end), at most one for each (pixel, depth), and one for each depth for a
    // span that began before the window. Unknown tracks are an error.
    Result<TimelineWindow> window(const std::vector<int64_t>& tracks, int64_t begin_ns, int64_t end_ns,
                                  int64_t pixels) const;
    Result<std::vector<CounterEntries>> counters(const std::vector<int64_t>& tracks, int64_t begin_ns,
                                                 int64_t end_ns, int64_t pixels) const;
    Result<TimelineSums> sums(const std::vector<int64_t>& tracks, int64_t begin_ns, int64_t end_ns) const;
    Result<TimelineMatch> search(const TimelineSearch& question) const;
    Result<TimelineEvent> event(int64_t track, uint32_t span) const;

    struct Data;

  private:
    explicit Timeline(std::unique_ptr<Data> data);
    std::unique_ptr<Data> data_;
};

}  // namespace opsight::query
