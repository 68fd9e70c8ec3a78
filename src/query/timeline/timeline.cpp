#include "query/timeline/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <thread>

#include "query/timeline/data.h"
#include "query/timeline/short_names.h"

namespace opsight::query {

Timeline::Timeline(std::unique_ptr<Data> data) : data_(std::move(data)) {}
Timeline::Timeline(Timeline&&) noexcept = default;
Timeline& Timeline::operator=(Timeline&&) noexcept = default;
Timeline::~Timeline() = default;

Result<Timeline> Timeline::open(const std::string& path, const db::ReadOptions& read) {
    OPSIGHT_ASSIGN(const db::OpenProfile profile, db::open_profile(path, read));
    return open(path, profile.database, read.threads > 0 ? static_cast<unsigned>(read.threads) : 0);
}

Result<Timeline> Timeline::open(const std::string& path, const duck::Database& database, unsigned threads,
                                const std::atomic<bool>* stop) {
    OPSIGHT_ASSIGN(duck::Connection connection, db::connect(database));
    auto data = std::make_unique<Data>(std::move(connection));
    data->path = path;
    if (threads == 0) threads = std::max(std::thread::hardware_concurrency(), 1u);
    if (Status loaded = load_timeline(*data, database, threads, stop); !loaded) {
        Error error = std::move(loaded).error();
        error.file = path;
        return fail(std::move(error));
    }
    return Timeline(std::move(data));
}

const std::vector<TimelineTrack>& Timeline::tracks() const {
    return data_->tracks;
}
int64_t Timeline::begin_ns() const {
    return data_->begin_ns;
}
int64_t Timeline::end_ns() const {
    return data_->end_ns;
}
int64_t Timeline::origin_ns() const {
    return data_->origin_ns;
}
bool Timeline::times_in_order() const {
    return data_->times_in_order;
}
bool Timeline::origin_is_unix() const {
    return data_->origin_is_unix;
}

Result<size_t> Timeline::Data::index_of(int64_t track) const {
    const auto found = by_id.find(track);
    if (found != by_id.end()) return found->second;
    return fail(Error{fmt::format("the timeline has no track {}", track),
                      path,
                      {},
                      "the list of tracks has the numbers",
                      2,
                      ErrorCode::kNotFound});
}

Result<std::vector<size_t>> Timeline::Data::indices_of(const std::vector<int64_t>& ids) const {
    std::vector<size_t> out;
    if (ids.empty()) {
        out.resize(tracks.size());
        std::iota(out.begin(), out.end(), size_t{0});
        return out;
    }
    for (const int64_t id : ids) {
        OPSIGHT_ASSIGN(const size_t index, index_of(id));
        out.push_back(index);
    }
    return out;
}

Result<duck::Rows> Timeline::Data::query(const duck::Statement& statement) const {
    const std::lock_guard lock(connection_mutex);
    auto rows = connection.query(statement);
    if (rows) return rows;
    Error error = std::move(rows).error();
    error.file = path;
    return fail(std::move(error));
}

EventPlace Timeline::Data::place(size_t track, size_t lane, size_t span) const {
    const SpanLanes& spans = lanes[track];
    EventPlace out;
    out.track = tracks[track].id;
    out.span = spans.ref(span);
    out.begin_ns = spans.begin(span);
    out.dur_ns = spans.dur(span);
    out.depth = static_cast<int64_t>(lane);
    out.name = names.text[spans.name(span)];
    out.kind = span_kind_name(spans.kind(span));
    return out;
}

Result<int64_t> pixel_of(int64_t begin_ns, int64_t end_ns, int64_t pixels) {
    const auto usage = [](std::string what) { return fail(Error{std::move(what), {}, {}, {}, 2}); };
    if (begin_ns >= end_ns)
        return usage(fmt::format("a window must end after it begins, not from {} to {}", begin_ns, end_ns));
    if (end_ns > INT64_MAX / 4 || begin_ns < INT64_MIN / 4)
        return usage("the window is longer than any time that is told in ns");
    if (pixels < 1 || pixels > Timeline::kMostPixels)
        return usage(fmt::format("a window has 1 to {} pixels, not {}", Timeline::kMostPixels, pixels));
    return (end_ns - begin_ns + pixels - 1) / pixels;
}

namespace {

// Numbers names of a window from 0 on, in the order in which they are met.
class WindowNames {
  public:
    explicit WindowNames(const TimelineNames& names) : names_(names), number_(names.text.size(), 0) {}
    uint32_t operator()(uint32_t name, TimelineWindow& out) {
        uint32_t& number = number_[name];
        if (number == 0) {
            out.names.push_back(names_.text[name]);
            out.short_names.push_back(short_event_name(names_.text[name]));
            number = static_cast<uint32_t>(out.names.size());
        }
        return number - 1;
    }

  private:
    const TimelineNames& names_;
    std::vector<uint32_t> number_;
};

}  // namespace

void TimelineEntries::reserve(size_t entries) {
    for (auto* column : {&begin, &dur, &busy})
        column->reserve(entries);
    for (auto* column : {&depth, &count, &name, &span})
        column->reserve(entries);
    kind.reserve(entries);
}

Result<TimelineWindow> Timeline::window(const std::vector<int64_t>& tracks, int64_t begin_ns, int64_t end_ns,
                                        int64_t pixels) const {
    OPSIGHT_ASSIGN(const std::vector<size_t> indices, data_->indices_of(tracks));
    TimelineWindow out;
    out.begin_ns = begin_ns;
    out.end_ns = end_ns;
    OPSIGHT_ASSIGN(out.pixel_ns, pixel_of(begin_ns, end_ns, pixels));
    WindowNames number(data_->names);
    std::vector<size_t> longest;  // of the entries of a lane
    size_t entries = 0;
    for (const size_t index : indices) {
        const SpanLanes& spans = data_->lanes[index];
        TimelineEntries& list = out.tracks.emplace_back();
        list.track = data_->tracks[index].id;
        list.reserve(std::min(spans.size(), spans.lanes() * static_cast<size_t>(pixels)));
        for (size_t lane = 0; lane < spans.lanes(); ++lane) {
            if (entries >= kMostEntries) {
                out.complete = false;
                return out;
            }
            longest.clear();
            spans.window(lane, begin_ns, end_ns, out.pixel_ns, [&](size_t first, size_t last) {
                longest.push_back(spans.longest(lane, first, last));
                spans.fetch(longest.back());
                list.begin.push_back(spans.begin(first) - begin_ns);
                list.dur.push_back(spans.end(last - 1) - spans.begin(first));
                list.busy.push_back(spans.busy(lane, first, last));
                list.count.push_back(static_cast<uint32_t>(last - first));
            });
            // By themselves, for these lie anywhere in memory.
            for (const size_t place : longest) {
                list.depth.push_back(static_cast<uint32_t>(lane));
                list.name.push_back(number(spans.name(place), out));
                list.span.push_back(spans.ref(place));
                list.kind.push_back(spans.kind(place));
            }
            entries += longest.size();
        }
    }
    return out;
}

}  // namespace opsight::query
