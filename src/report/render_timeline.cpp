#include "report/render_timeline.h"

#include <fmt/format.h>

#include <cstring>
#include <iterator>
#include <nlohmann/json.hpp>

namespace opsight::report {
namespace {

using Json = nlohmann::ordered_json;

std::string dump(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Numbers that a double cannot hold go as text.
Json number(int64_t value) {
    constexpr int64_t kExact = int64_t{1} << 53;
    if (value > kExact || value < -kExact) return std::to_string(value);
    return value;
}

Json or_null(int64_t value) {
    return value < 0 ? Json() : number(value);
}

Json place_json(const query::EventPlace& place) {
    return {{"track", or_null(place.track)},
            {"span", place.span},
            {"name", place.name},
            {"kind", place.kind},
            {"begin_ns", number(place.begin_ns)},
            {"dur_ns", number(place.dur_ns)},
            {"depth", place.depth}};
}

Json cell_json(const query::Cell& cell) {
    if (const auto* integer = std::get_if<int64_t>(&cell)) return number(*integer);
    if (const auto* real = std::get_if<double>(&cell)) return *real;
    if (const auto* flag = std::get_if<bool>(&cell)) return *flag;
    if (const auto* text = std::get_if<std::string>(&cell)) return *text;
    return {};
}

std::string_view unit_name(query::Unit unit) {
    constexpr std::string_view names[] = {"none", "count", "ns", "percent", "bytes"};
    return names[static_cast<size_t>(unit)];
}

template <class T>
void put_column(std::string& out, std::string_view name, const std::vector<T>& values) {
    fmt::format_to(std::back_inserter(out), "\"{}\":[", name);
    for (size_t i = 0; i < values.size(); ++i) {
        if (i) out += ',';
        fmt::format_to(std::back_inserter(out), "{}", static_cast<int64_t>(values[i]));
    }
    out += ']';
}

Json window_head(const query::TimelineWindow& window) {
    Json names = Json::array(), short_names = Json::array();
    for (const std::string_view name : window.names)
        names.push_back(name);
    for (const std::string_view name : window.short_names)
        short_names.push_back(name);
    return {{"begin_ns", window.begin_ns}, {"end_ns", window.end_ns},
            {"pixel_ns", window.pixel_ns}, {"complete", window.complete},
            {"names", std::move(names)},   {"short_names", std::move(short_names)}};
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

std::string render_tracks_json(const query::Timeline& timeline) {
    Json kinds = Json::array();
    for (size_t i = 0; i < static_cast<size_t>(query::SpanKind::kCount); ++i)
        kinds.push_back(query::span_kind_name(static_cast<query::SpanKind>(i)));
    Json tracks = Json::array();
    for (const query::TimelineTrack& t : timeline.tracks())
        tracks.push_back({{"id", t.id},
                          {"kind", t.kind},
                          {"rank", t.rank},
                          {"process", number(t.process)},
                          {"process_name", t.process_name},
                          {"thread", number(t.thread)},
                          {"device", or_null(t.device)},
                          {"device_name", t.device_name},
                          {"context", or_null(t.context)},
                          {"stream", or_null(t.stream)},
                          {"name", t.name},
                          {"unit", t.unit},
                          {"series", t.series},
                          {"spans", t.spans},
                          {"depths", t.depths}});
    return dump({{"origin_ns", number(timeline.origin_ns())},
                 {"origin_is_unix", timeline.origin_is_unix()},
                 {"begin_ns", timeline.begin_ns()},
                 {"end_ns", timeline.end_ns()},
                 {"kinds", std::move(kinds)},
                 {"tracks", std::move(tracks)}});
}

std::string render_window_json(const query::TimelineWindow& window) {
    std::string out = dump(window_head(window));
    out.back() = ',';  // goes on
    out += "\"tracks\":[";
    for (const query::TimelineEntries& entries : window.tracks) {
        if (out.back() == '}') out += ',';
        fmt::format_to(std::back_inserter(out), "{{\"id\":{},\"columns\":{{", entries.track);
        put_column(out, "begin", entries.begin);
        out += ',';
        put_column(out, "dur", entries.dur);
        out += ',';
        put_column(out, "busy", entries.busy);
        out += ',';
        put_column(out, "depth", entries.depth);
        out += ',';
        put_column(out, "count", entries.count);
        out += ',';
        put_column(out, "name", entries.name);
        out += ',';
        put_column(out, "span", entries.span);
        out += ',';
        put_column(out, "kind", entries.kind);
        out += "}}";
    }
    return out + "]}";
}

std::string render_window_binary(const query::TimelineWindow& window) {
    Json head = window_head(window);
    head["tracks"] = Json::array();
    for (const query::TimelineEntries& entries : window.tracks)
        head["tracks"].push_back({{"id", entries.track}, {"entries", entries.size()}});
    std::string json = dump(head);
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
    Json tracks = Json::array();
    for (const query::CounterEntries& entries : counters) {
        Json series = Json::array();
        for (const query::TimelineTrack& track : timeline.tracks())
            for (size_t k = 0; track.id == entries.track && k < track.series.size(); ++k)
                series.push_back({{"name", track.series[k]},
                                  {"least", entries.least[k]},
                                  {"greatest", entries.greatest[k]},
                                  {"last", entries.last[k]}});
        tracks.push_back({{"id", entries.track}, {"time", entries.time}, {"series", std::move(series)}});
    }
    return dump({{"begin_ns", begin_ns}, {"tracks", std::move(tracks)}});
}

std::string render_event_json(const query::TimelineEvent& event) {
    Json fields = Json::array(), chain = Json::array();
    for (const query::EventField& field : event.fields)
        fields.push_back({{"key", field.key},
                          {"help", field.help},
                          {"unit", unit_name(field.unit)},
                          {"value", cell_json(field.value)}});
    for (const query::ChainLink& link : event.chain) {
        Json each = {{"role", link.role}};
        each.update(place_json(link.place));
        chain.push_back(std::move(each));
    }
    return dump({{"event", place_json(event.place)},
                 {"fields", std::move(fields)},
                 {"chain", std::move(chain)},
                 {"launched_in_all", event.launched_in_all}});
}

std::string render_match_json(const query::TimelineMatch& match) {
    return dump({{"matches", match.matches},
                 {"number", match.number},
                 {"match", match.place ? place_json(*match.place) : Json()}});
}

std::string render_sums_json(const query::TimelineSums& sums, size_t most) {
    Json names = Json::array(), tracks = Json::array();
    for (const query::TimelineSum& sum : sums.names) {
        if (names.size() == most) break;
        names.push_back({{"name", sum.name},
                         {"kind", query::span_kind_name(sum.kind)},
                         {"count", sum.count},
                         {"total_ns", number(sum.total_ns)},
                         {"longest_ns", number(sum.longest_ns)},
                         {"longest", place_json(sum.longest)}});
    }
    for (const query::TimelineTrackSum& sum : sums.tracks)
        tracks.push_back({{"id", sum.track}, {"spans", sum.spans}, {"busy_ns", number(sum.busy_ns)}});
    return dump(
        {{"names", std::move(names)}, {"names_in_all", sums.names.size()}, {"tracks", std::move(tracks)}});
}

}  // namespace opsight::report
