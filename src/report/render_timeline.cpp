#include "report/render_timeline.h"

#include <algorithm>
#include <cstring>

#include "report/json_parts.h"

namespace opsight::report {
namespace {

// -1: there is none.
void put_known(JsonWriter& json, int64_t value) {
    if (value < 0)
        json.value(nullptr);
    else
        put_page_number(json, value);
}

void put_place_fields(JsonWriter& json, const query::EventPlace& place) {
    put_known(json.key("track"), place.track);
    json.field("span", place.span).field("name", place.name).field("kind", place.kind);
    put_page_number(json.key("begin_ns"), place.begin_ns);
    put_page_number(json.key("dur_ns"), place.dur_ns);
    json.field("depth", place.depth);
}

void put_place(JsonWriter& json, const query::EventPlace& place) {
    json.object([&] { put_place_fields(json, place); });
}

template <class T>
void put_column(JsonWriter& json, std::string_view name, const std::vector<T>& values) {
    json.list(name, [&] {
        for (const T value : values)
            json.value(static_cast<int64_t>(value));
    });
}

// All but its tracks, as fields of the object that is open.
void put_window_head(JsonWriter& json, const query::TimelineWindow& window) {
    json.field("begin_ns", window.begin_ns).field("end_ns", window.end_ns);
    json.field("pixel_ns", window.pixel_ns).field("complete", window.complete);
    json.field("names", window.names).field("short_names", window.short_names);
}

void put_track(JsonWriter& json, const query::TimelineTrack& track) {
    json.object([&] {
        json.field("id", track.id).field("kind", track.kind).field("rank", track.rank);
        put_page_number(json.key("process"), track.process);
        json.field("process_name", track.process_name);
        put_page_number(json.key("thread"), track.thread);
        put_known(json.key("device"), track.device);
        json.field("device_name", track.device_name);
        put_known(json.key("context"), track.context);
        put_known(json.key("stream"), track.stream);
        json.field("name", track.name).field("unit", track.unit).field("series", track.series);
        json.field("spans", track.spans).field("depths", track.depths);
    });
}

// Appends one column of all tracks, as T.
template <class T, class Get>
void put_binary(std::string& out, const query::TimelineWindow& window, Get get) {
    size_t rows = 0;
    for (const query::TimelineEntries& entries : window.tracks)
        rows += entries.size();
    const size_t at = out.size();
    out.resize(at + (rows * sizeof(T) + 7) / 8 * 8, '\0');
    char* to = out.data() + at;
    for (const query::TimelineEntries& entries : window.tracks)
        for (const auto& value : get(entries)) {
            const T narrow = static_cast<T>(value);
            std::memcpy(to, &narrow, sizeof(T));
            to += sizeof(T);
        }
}

}  // namespace

std::string render_tracks_json(const query::Timeline& timeline, std::optional<int64_t> rank) {
    JsonWriter json;
    json.object([&] {
        put_page_number(json.key("origin_ns"), timeline.origin_ns());
        json.field("origin_is_unix", timeline.origin_is_unix());
        json.field("times_in_order", timeline.times_in_order());
        json.field("begin_ns", timeline.begin_ns()).field("end_ns", timeline.end_ns());
        json.list("kinds", [&] {
            for (size_t i = 0; i < static_cast<size_t>(query::SpanKind::kCount); ++i)
                json.value(query::span_kind_name(static_cast<query::SpanKind>(i)));
        });
        json.list("tracks", [&] {
            for (const query::TimelineTrack& track : timeline.tracks())
                if (!rank || track.rank == *rank) put_track(json, track);
        });
    });
    return json.take();
}

std::string render_window_json(const query::TimelineWindow& window) {
    JsonWriter json;
    const auto put_columns = [&](const query::TimelineEntries& entries) {
        put_column(json, "begin", entries.begin);
        put_column(json, "dur", entries.dur);
        put_column(json, "busy", entries.busy);
        put_column(json, "depth", entries.depth);
        put_column(json, "count", entries.count);
        put_column(json, "name", entries.name);
        put_column(json, "span", entries.span);
        put_column(json, "kind", entries.kind);
    };
    json.object([&] {
        put_window_head(json, window);
        json.list("tracks", [&] {
            for (const query::TimelineEntries& entries : window.tracks)
                json.object([&] {
                    json.field("id", entries.track).object("columns", [&] { put_columns(entries); });
                });
        });
    });
    return json.take();
}

std::string render_window_binary(const query::TimelineWindow& window) {
    JsonWriter head;
    head.object([&] {
        put_window_head(head, window);
        head.list("tracks", [&] {
            for (const query::TimelineEntries& entries : window.tracks)
                head.object([&] { head.field("id", entries.track).field("entries", entries.size()); });
        });
    });
    std::string json = head.take();
    json.resize((json.size() + 7) / 8 * 8, ' ');
    std::string out = "OTL1";
    const auto length = static_cast<uint32_t>(json.size());
    out.append(reinterpret_cast<const char*>(&length), sizeof(length));
    out += json;
    using E = query::TimelineEntries;
    put_binary<double>(
        out, window, [](const E& e) -> const auto& { return e.begin; });
    put_binary<double>(
        out, window, [](const E& e) -> const auto& { return e.dur; });
    put_binary<double>(
        out, window, [](const E& e) -> const auto& { return e.busy; });
    put_binary<uint32_t>(
        out, window, [](const E& e) -> const auto& { return e.name; });
    put_binary<uint32_t>(
        out, window, [](const E& e) -> const auto& { return e.span; });
    put_binary<uint32_t>(
        out, window, [](const E& e) -> const auto& { return e.count; });
    put_binary<uint16_t>(
        out, window, [](const E& e) -> const auto& { return e.depth; });
    put_binary<uint8_t>(
        out, window, [](const E& e) -> const auto& { return e.kind; });
    return out;
}

std::string render_counters_json(const query::Timeline& timeline,
                                 const std::vector<query::CounterEntries>& counters, int64_t begin_ns) {
    JsonWriter json;
    const auto put_series = [&](const query::CounterEntries& entries) {
        for (const query::TimelineTrack& track : timeline.tracks())
            for (size_t k = 0; track.id == entries.track && k < track.series.size(); ++k)
                json.object([&] {
                    json.field("name", track.series[k]).field("least", entries.least[k]);
                    json.field("greatest", entries.greatest[k]).field("last", entries.last[k]);
                });
    };
    json.object([&] {
        json.field("begin_ns", begin_ns);
        json.list("tracks", [&] {
            for (const query::CounterEntries& entries : counters)
                json.object([&] {
                    json.field("id", entries.track).field("time", entries.time);
                    json.list("series", [&] { put_series(entries); });
                });
        });
    });
    return json.take();
}

std::string render_event_json(const query::TimelineEvent& event) {
    JsonWriter json;
    json.object([&] {
        put_place(json.key("event"), event.place);
        json.list("fields", [&] {
            for (const query::EventField& field : event.fields)
                json.object([&] {
                    json.field("key", field.key)
                        .field("help", field.help)
                        .field("unit", unit_name(field.unit));
                    put_page_cell(json.key("value"), field.value);
                });
        });
        json.list("chain", [&] {
            for (const query::ChainLink& link : event.chain)
                json.object([&] {
                    json.field("role", link.role);
                    put_place_fields(json, link.place);
                });
        });
        json.field("launched_in_all", event.launched_in_all);
    });
    return json.take();
}

std::string render_match_json(const query::TimelineMatch& match) {
    JsonWriter json;
    json.object([&] {
        json.field("matches", match.matches).field("number", match.number).key("match");
        if (match.place)
            put_place(json, *match.place);
        else
            json.value(nullptr);
    });
    return json.take();
}

std::string render_sums_json(const query::TimelineSums& sums, size_t most) {
    JsonWriter json;
    const auto put_name = [&](const query::TimelineSum& sum) {
        json.object([&] {
            json.field("name", sum.name)
                .field("kind", query::span_kind_name(sum.kind))
                .field("count", sum.count);
            put_page_number(json.key("total_ns"), sum.total_ns);
            put_page_number(json.key("longest_ns"), sum.longest_ns);
            put_place(json.key("longest"), sum.longest);
        });
    };
    json.object([&] {
        json.list("names", [&] {
            for (size_t i = 0; i < std::min(most, sums.names.size()); ++i)
                put_name(sums.names[i]);
        });
        json.field("names_in_all", sums.names.size());
        json.list("tracks", [&] {
            for (const query::TimelineTrackSum& sum : sums.tracks)
                json.object([&] {
                    json.field("id", sum.track).field("spans", sum.spans);
                    put_page_number(json.key("busy_ns"), sum.busy_ns);
                });
        });
    });
    return json.take();
}

}  // namespace opsight::report
