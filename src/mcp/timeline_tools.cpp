// What happened in a window of time.
#include <fmt/format.h>

#include <algorithm>

#include "mcp/answer.h"
#include "mcp/tool.h"
#include "query/tables/tables.h"

namespace opsight::mcp {
namespace {

constexpr int64_t kDefaultTimelineRows = 20, kMostTimelineRows = 200;

struct Window {
    int64_t begin_ns = 0, end_ns = 0;
};

// Of an iteration, on the first rank that has it.
Result<Window> window_of(query::Session& session, int64_t iteration) {
    query::TableShape shape;
    shape.page.emplace();
    shape.page->size = 1;
    shape.page->filters = {{"iteration", query::RowFilter::Is::kEqual, std::to_string(iteration)}};
    OPSIGHT_ASSIGN(const query::ResultTable table, query::make_table(session, "iterations", {}, shape));
    const auto number = [&](std::string_view key) {
        for (size_t c = 0; c < table.columns.size() && !table.rows.empty(); ++c)
            if (table.columns[c].key == key)
                if (const auto* value = std::get_if<int64_t>(&table.rows[0][c])) return *value;
        return int64_t{-1};
    };
    const int64_t begin = number("begin_ns"), duration = number("duration_ns");
    if (begin < 0 || duration < 0)
        return fail(Error{.what = fmt::format("the run has no iteration {}", iteration),
                          .remedy = "'top' of iterations lists them",
                          .exit_code = 2});
    return Window{begin, begin + duration};
}

Result<Window> asked_window(Desk& desk, const Given& run, const query::Timeline& timeline,
                            const Arguments& arguments) {
    if (const auto iteration = arguments.number("iteration")) {
        if (arguments.number("begin_ns") || arguments.number("end_ns"))
            return fail(Error{.what = "'iteration' is itself a window",
                              .remedy = "give either it, or begin_ns and end_ns",
                              .exit_code = 2});
        OPSIGHT_ASSIGN(query::Session session, desk.open(run, {.all = true}));
        const Interruptible guard(desk, session);
        return window_of(session, *iteration);
    }
    const Window window{arguments.number("begin_ns", timeline.begin_ns()),
                        arguments.number("end_ns", timeline.end_ns())};
    if (window.begin_ns >= window.end_ns)
        return fail(
            Error{.what = "'end_ns' must be after 'begin_ns'",
                  .remedy = fmt::format("the run goes from {} to {}", timeline.begin_ns(), timeline.end_ns()),
                  .exit_code = 2});
    return window;
}

std::string name_of(const query::TimelineTrack& track) {
    std::string name = track.device_name.empty() ? track.process_name : track.device_name;
    return name + (name.empty() || track.name.empty() ? "" : " / ") + track.name;
}

const query::TimelineTrack& track_of(const query::Timeline& timeline, int64_t id) {
    return *std::find_if(timeline.tracks().begin(), timeline.tracks().end(),
                         [id](const query::TimelineTrack& each) { return each.id == id; });
}

std::string track_text(const query::Timeline& timeline, const query::TimelineTrackSum& sum, int64_t length) {
    const query::TimelineTrack& track = track_of(timeline, sum.track);
    JsonWriter json;
    json.object([&] {
        json.field("track", track.id).field("kind", track.kind).field("name", shortened(name_of(track)));
        json.field("rank", track.rank).field("spans", sum.spans).field("busy_ns", sum.busy_ns);
        json.field("busy_pct", 100.0 * static_cast<double>(sum.busy_ns) / static_cast<double>(length));
    });
    return json.take();
}

std::string sum_text(const query::TimelineSum& sum) {
    JsonWriter json;
    json.object([&] {
        json.field("name", shortened(sum.name)).field("kind", query::span_kind_name(sum.kind));
        json.field("count", sum.count).field("total_ns", sum.total_ns).field("longest_ns", sum.longest_ns);
    });
    return json.take();
}

// An entry of a window's tracks: a span, or several of which the longest is told.
struct Entry {
    const query::TimelineEntries* entries;
    size_t at;
    int64_t length() const { return entries->dur[at]; }
};

std::vector<Entry> entries_of(const query::TimelineWindow& window) {
    std::vector<Entry> found;
    for (const query::TimelineEntries& entries : window.tracks)
        for (size_t i = 0; i < entries.size(); ++i)
            found.push_back({&entries, i});
    std::stable_sort(found.begin(), found.end(),
                     [](const Entry& a, const Entry& b) { return a.length() > b.length(); });
    return found;
}

// The longest spans, in the order of time. Of those that begin within one pixel all but the last are shorter
// than that, so none that is longer than a pixel is missed. An entry is at least as long as any span in it.
Result<std::vector<query::EventPlace>> longest(const query::Timeline& timeline,
                                               const query::TimelineWindow& window, size_t most) {
    const auto longer = [](const query::EventPlace& a, const query::EventPlace& b) {
        return a.dur_ns > b.dur_ns;
    };
    std::vector<query::EventPlace> places;
    for (const Entry& each : entries_of(window)) {
        if (places.size() == most && places.back().dur_ns >= each.length()) break;
        OPSIGHT_ASSIGN(const query::TimelineEvent event,
                       timeline.event(each.entries->track, each.entries->span[each.at]));
        places.insert(std::upper_bound(places.begin(), places.end(), event.place, longer), event.place);
        if (places.size() > most) places.pop_back();
    }
    std::stable_sort(places.begin(), places.end(),
                     [](const auto& a, const auto& b) { return a.begin_ns < b.begin_ns; });
    return places;
}

std::string event_text(const query::EventPlace& place) {
    JsonWriter json;
    json.object([&] {
        json.field("begin_ns", place.begin_ns).field("dur_ns", place.dur_ns);
        json.field("name", shortened(place.name)).field("kind", place.kind).field("track", place.track);
        json.field("depth", place.depth);
    });
    return json.take();
}

template <class Items, class Text>
void put_list(Answer& answer, const char* name, const Items& items, size_t most, Text&& text) {
    size_t put = 0;
    answer.json().list(name, [&] {
        while (put < std::min(most, items.size()) && answer.item(text(items[put])))
            ++put;
    });
    if (put < items.size()) answer.json().field(fmt::format("{}_left_out", name), items.size() - put);
}

// Iterations are as long as all that is in them: they stand in the way unless they are asked for.
std::vector<int64_t> tracks_of(const query::Timeline& timeline, const Arguments& arguments) {
    if (const auto track = arguments.number("track")) return {*track};
    std::vector<int64_t> tracks;
    for (const query::TimelineTrack& each : timeline.tracks())
        if (each.kind != "iteration") tracks.push_back(each.id);
    return tracks;
}

Result<std::string> timeline(Desk& desk, const Arguments& arguments) {
    const Given& run = desk.run(arguments.text("run"));
    OPSIGHT_ASSIGN(const query::Timeline* const lines, desk.timeline(run));
    OPSIGHT_ASSIGN(const Window wanted, asked_window(desk, run, *lines, arguments));
    const std::vector<int64_t> tracks = tracks_of(*lines, arguments);
    const auto most = static_cast<size_t>(arguments.number("limit", kDefaultTimelineRows));
    OPSIGHT_ASSIGN(query::TimelineSums sums, lines->sums(tracks, wanted.begin_ns, wanted.end_ns));
    OPSIGHT_ASSIGN(const query::TimelineWindow window,
                   lines->window(tracks, wanted.begin_ns, wanted.end_ns, query::Timeline::kMostPixels));
    std::erase_if(sums.tracks, [](const query::TimelineTrackSum& each) { return each.spans == 0; });
    Answer answer;
    answer.json().field("run", run.name).field("begin_ns", wanted.begin_ns).field("end_ns", wanted.end_ns);
    put_list(answer, "tracks", sums.tracks, most, [&](const query::TimelineTrackSum& each) {
        return track_text(*lines, each, wanted.end_ns - wanted.begin_ns);
    });
    put_list(answer, "names", sums.names, most, sum_text);
    OPSIGHT_ASSIGN(const std::vector<query::EventPlace> events, longest(*lines, window, most));
    put_list(answer, "longest_events", events, most, event_text);
    return answer.take();
}

}  // namespace

std::vector<Tool> timeline_tools(const Files& files) {
    return {{"timeline",
             "What happened in a window of time",
             "Of a window: how busy each track (thread, stream) was, the names that took most of it, and the "
             "longest events in the order of time. Times are nanoseconds from the begin of the run; of spans "
             "that nest each counts for itself. Iterations are left out: 'top' lists them.",
             {run_parameter(files),
              {"begin_ns", "Begin of the window (default: of the run)", Parameter::Kind::kWhole},
              {"end_ns", "End of the window (default: of the run)", Parameter::Kind::kWhole},
              {"iteration", "The window of this iteration, in place of begin_ns and end_ns",
               Parameter::Kind::kWhole},
              {"track", "This track alone, by its number", Parameter::Kind::kWhole},
              limit_parameter(kDefaultTimelineRows, kMostTimelineRows)},
             timeline}};
}

}  // namespace opsight::mcp
