// A whole timeline for a format that takes it event by event: its rows, its spans with what is known of them,
// its launches and counters.
#pragma once

#include <string>

#include "exports/format/output.h"
#include "exports/timeline/slices.h"

namespace opsight::exports {

// A row of the timeline: a thread, or a stream of a device.
struct TrackFacts {
    int64_t id = -1;
    bool of_device = false;
    std::string name;
    // Threads belong to a process, streams to a device.
    std::string group_name;
    int64_t group = 0;         // a number of its own for each
    int64_t pid = 0, tid = 0;  // that no other row has, the source's own where that is possible
    int64_t rank = 0;
    std::string rank_label;  // "rank 3", by which an import knows ranks; empty: it has none
};

struct Series {
    int64_t number = 0;  // from 0
    std::string name, unit;
    int64_t group = 0;  // of rows, of the same rank; 0: none
};

class TimelineWriter {
  public:
    virtual ~TimelineWriter() = default;
    virtual void begin(int64_t origin_ns) = 0;
    virtual void track(const TrackFacts& facts) = 0;  // all of them before the first slice
    virtual void slice(const Slice& slice) = 0;
    virtual void series(const Series& series) = 0;  // before its first sample
    virtual void sample(const Series& series, int64_t time_ns, double value) = 0;
    virtual void end() = 0;
};

// `texts` are those of the slices. `output` takes what the writer has put into its buffer.
Result<std::string> walk_timeline(const Job& job, Texts& texts, TimelineWriter& writer, Output& output);

}  // namespace opsight::exports
