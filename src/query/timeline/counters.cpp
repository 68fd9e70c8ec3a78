// Counters of the timeline: memory of devices and the source's own series.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "query/session/cells.h"
#include "query/timeline/data.h"
#include "query/timeline/sql.h"

namespace opsight::query {
namespace {

// Adds the samples of a new track: a statement answers time_ns and DOUBLEs, by time, and `columns` are those
// of the series.
Status add_counter(Timeline::Data& data, TimelineTrack track, const duck::Statement& samples,
                   const std::vector<size_t>& columns) {
    CounterSeries series;
    series.values.resize(track.series.size());
    OPSIGHT_TRY(data.connection.scan(samples, [&](const duck::Batch& batch) {
        const auto* time = batch.column<int64_t>(0);
        series.time.insert(series.time.end(), time, time + batch.size());
        for (size_t k = 0; k < series.values.size(); ++k) {
            const auto* value = batch.column<double>(columns[k]);
            series.values[k].insert(series.values[k].end(), value, value + batch.size());
        }
    }));
    if (series.time.empty()) return {};
    track.part = TrackPart::kCounter;
    track.kind = "counter";
    track.spans = static_cast<int64_t>(series.time.size());
    data.begin_ns = std::min(data.begin_ns, series.time.front());
    data.end_ns = std::max(data.end_ns, series.time.back());
    data.tracks.push_back(std::move(track));
    data.lanes.emplace_back();
    data.name_counts.emplace_back();
    data.counters.resize(data.tracks.size());
    data.counters.back() = std::move(series);
    return {};
}

// Memory as the source's allocator tells it, after each event.
Status add_memory(Timeline::Data& data, int64_t& row) {
    OPSIGHT_ASSIGN(const duck::Rows rows, data.query(timeline::sql::memory_counters));
    for (const auto& found : rows.rows) {
        const bool allocated = std::get<bool>(found[4]), reserved = std::get<bool>(found[5]);
        if (!allocated && !reserved) continue;
        TimelineTrack track;
        track.id = timeline_track_id(row++, TrackPart::kCounter);
        track.rank = integer(found[1]);
        const int64_t type = integer(found[2]), device = integer(found[3]);
        const bool of_cpu = flag(found[6]);
        track.device = of_cpu ? -1 : device;
        track.name = of_cpu ? "Memory of the CPU" : fmt::format("Memory of device {}", device);
        track.unit = "bytes";
        std::vector<size_t> columns;
        const auto show = [&](const char* name, size_t column) {
            track.series.emplace_back(name);
            columns.push_back(column);
        };
        if (allocated) show("allocated", 1);
        if (reserved) show("reserved", 2);
        duck::Statement samples(timeline::sql::memory_samples);
        samples.set("rank", found[0]).set("device_type", type).set("device", device);
        OPSIGHT_TRY(add_counter(data, std::move(track), samples, columns));
    }
    return {};
}

Status add_samples(Timeline::Data& data, int64_t& row) {
    OPSIGHT_ASSIGN(const duck::Rows rows, data.query(timeline::sql::counters));
    for (const auto& found : rows.rows) {
        TimelineTrack track;
        track.id = timeline_track_id(row++, TrackPart::kCounter);
        track.rank = integer(found[2]);
        const std::string* name = std::get_if<std::string>(&found[3]);
        track.name = name ? *name : "counter";
        track.series = {"value"};
        duck::Statement samples(timeline::sql::counter_samples);
        samples.set("track", found[0]).set("name", found[1]);
        OPSIGHT_TRY(add_counter(data, std::move(track), samples, {1}));
    }
    return {};
}

}  // namespace

Status load_counters(Timeline::Data& data) {
    int64_t row = 0;
    data.counters.resize(data.tracks.size());
    OPSIGHT_TRY(add_memory(data, row));
    OPSIGHT_TRY(add_samples(data, row));
    return {};
}

Result<std::vector<CounterEntries>> Timeline::counters(const std::vector<int64_t>& tracks, int64_t begin_ns,
                                                       int64_t end_ns, int64_t pixels) const {
    OPSIGHT_ASSIGN(const std::vector<size_t> indices, data_->indices_of(tracks));
    OPSIGHT_ASSIGN(const int64_t pixel_ns, pixel_of(begin_ns, end_ns, pixels));
    std::vector<CounterEntries> out;
    for (const size_t index : indices) {
        const CounterSeries& series = data_->counters[index];
        if (series.time.empty()) continue;
        CounterEntries entries;
        entries.track = data_->tracks[index].id;
        entries.least.resize(series.values.size());
        entries.greatest = entries.last = entries.least;
        const auto time_at = [&](size_t i) { return series.time[i]; };
        size_t i = static_cast<size_t>(std::lower_bound(series.time.begin(), series.time.end(), begin_ns) -
                                       series.time.begin());
        if (i > 0) --i;
        while (i < series.time.size() && time_at(i) < end_ns) {
            const bool before = time_at(i) < begin_ns;
            const int64_t pixel = before ? 0 : (time_at(i) - begin_ns) / pixel_ns;
            size_t next = i + 1;
            while (!before && next < series.time.size() && time_at(next) < end_ns &&
                   (time_at(next) - begin_ns) / pixel_ns == pixel)
                ++next;
            entries.time.push_back(time_at(i) - begin_ns);
            for (size_t k = 0; k < series.values.size(); ++k) {
                const auto first = series.values[k].begin() + static_cast<std::ptrdiff_t>(i);
                const auto last = series.values[k].begin() + static_cast<std::ptrdiff_t>(next);
                const auto [least, greatest] = std::minmax_element(first, last);
                entries.least[k].push_back(*least);
                entries.greatest[k].push_back(*greatest);
                entries.last[k].push_back(*(last - 1));
            }
            i = next;
        }
        out.push_back(std::move(entries));
    }
    return out;
}

}  // namespace opsight::query
