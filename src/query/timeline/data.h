// What a Timeline holds; shared by the files that answer its questions.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "query/timeline/timeline.h"

namespace opsight::query {

// Texts of spans.
struct TimelineNames {
    std::vector<std::string> text;  // as shown; of kernels the short name
    std::vector<std::string> full;  // of kernels; empty: as shown
    uint32_t add(std::string shown, std::string whole = {}) {
        text.push_back(std::move(shown));
        full.push_back(std::move(whole));
        return static_cast<uint32_t>(text.size() - 1);
    }
    const std::string& whole(size_t i) const { return full[i].empty() ? text[i] : full[i]; }
};

// Samples of one counter track, by time.
struct CounterSeries {
    std::vector<int64_t> time;
    std::vector<std::vector<double>> values;  // by series, each beside `time`
};

struct Timeline::Data {
    explicit Data(duck::Connection opened) : connection(std::move(opened)) {}

    std::string path;
    mutable duck::Connection connection;
    mutable std::mutex connection_mutex;  // it serves one question at a time

    std::vector<TimelineTrack> tracks;
    std::vector<SpanLanes> lanes;         // beside tracks
    std::vector<CounterSeries> counters;  // beside tracks
    // Beside tracks: how many spans have which name, by rising name.
    std::vector<std::vector<std::pair<uint32_t, uint32_t>>> name_counts;
    std::unordered_map<int64_t, size_t> by_id;
    TimelineNames names;
    int64_t begin_ns = 0, end_ns = 0, origin_ns = 0;
    bool origin_is_unix = true;
    bool times_in_order = false;

    Result<size_t> index_of(int64_t track) const;
    Result<std::vector<size_t>> indices_of(const std::vector<int64_t>& ids) const;  // empty: all
    Result<duck::Rows> query(const duck::Statement& statement) const;
    EventPlace place(size_t track, size_t lane, size_t span) const;
};

// Time of a pixel, rounded up; an error where a window makes no sense.
Result<int64_t> pixel_of(int64_t begin_ns, int64_t end_ns, int64_t pixels);

// Length of the union of all lanes of a track within [begin, end).
int64_t busy_within(const SpanLanes& lanes, int64_t begin_ns, int64_t end_ns);

// Reads all tracks, spans and counters of a profile.
Status load_timeline(Timeline::Data& data, const duck::Database& database, unsigned threads,
                     const std::atomic<bool>* stop);
// The parts of it: names of spans by the numbers of their tables, and counters.
struct SpanNames {
    std::vector<uint32_t> of_string, of_op, of_kernel;  // by id; kNone where there is no such id
    std::vector<SpanKind> kind_of_op, kind_of_kernel;
    static constexpr uint32_t kNone = 0;  // an empty text
};
Result<SpanNames> load_span_names(const Timeline::Data& data, TimelineNames& names);
Status load_counters(Timeline::Data& data);

}  // namespace opsight::query
