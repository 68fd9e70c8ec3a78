// What pictures are drawn from: iterations, layers, devices, memory, communication.
#include <algorithm>

#include "query/reports/iteration_shares.h"
#include "query/reports/layer_tree.h"
#include "query/reports/memory.h"
#include "query/reports/path_track.h"
#include "query/reports/viewer_tables.h"
#include "query/session/iteration_choice.h"
#include "query/session/wall_clock.h"
#include "query/timeline/first_event.h"
#include "report/json_parts.h"
#include "server/profiles.h"
#include "server/router.h"

namespace opsight::server {
namespace {

void put_range(JsonWriter& json, const query::Session& session) {
    report::put_range(json.key("range"), session.range());
}

// The rows of a table as objects.
void put_objects(JsonWriter& json, std::string_view name, const query::ResultTable& table) {
    report::put_rows(json.key(name), table, report::put_page_cell);
}

// Each with its rank, begin and end.
template <class Stretch>
void put_stretches(JsonWriter& json, std::string_view name, const std::vector<Stretch>& stretches) {
    json.list(name, [&] {
        for (const Stretch& each : stretches)
            json.object([&] {
                json.field("rank", each.rank).field("begin_ns", each.begin_ns).field("end_ns", each.end_ns);
            });
    });
}

void put_iteration(JsonWriter& json, const query::IterationShares& it) {
    json.field("rank", it.rank).field("iteration", it.iteration).field("begin_ns", it.begin_ns);
    json.field("dur_ns", it.dur_ns).field("selected", it.selected).field("warm_up", it.warmup);
    json.object("shares_ns", [&] {
        for (size_t i = 0; i < query::kResources; ++i)
            json.field(query::kShareNames[i], it.ns[i]);
    });
}

void put_pace(JsonWriter& json, const query::RankPace& pace) {
    json.field("rank", pace.rank).field("iterations", pace.iterations).field("mean_ns", pace.mean_ns);
    json.field("deviation_ns", pace.deviation_ns).field("slowest", pace.slowest);
    json.field("spread_known", pace.spread_known);
}

void put_choice(JsonWriter& json, const std::optional<query::IterationChoice>& choice) {
    json.key("suggested");
    if (!choice) {
        json.value(nullptr);
        return;
    }
    json.object([&] {
        json.field("name", choice->name).field("pattern", choice->pattern).field("count", choice->count);
    });
}

Expected<Response> iterations(Call& call) {
    OPSIGHT_ASSIGN(const Lease session, call.profiles().lease(call));
    OPSIGHT_ASSIGN(const std::vector<query::IterationShares> found, query::iteration_shares(*session));
    OPSIGHT_ASSIGN(const std::optional<query::IterationChoice> choice, query::iteration_choice(*session));
    OPSIGHT_ASSIGN(const std::vector<query::WallStretch> wall, query::wall_stretches(*session));
    return json_object([&](JsonWriter& json) {
        json.list("iterations", [&] {
            for (const query::IterationShares& it : found)
                json.object([&] { put_iteration(json, it); });
        });
        json.list("ranks", [&] {
            for (const query::RankPace& each : query::rank_paces(found))
                json.object([&] { put_pace(json, each); });
        });
        put_choice(json, choice);
        put_stretches(json, "wall", wall);
        put_range(json, *session);
    });
}

void put_times(JsonWriter& json, std::string_view name, const query::LayerTimes& times) {
    json.object(name, [&] {
        json.field("cpu_ns", times.cpu_ns).field("gpu_ns", times.gpu_ns).field("kernels", times.kernels);
    });
}

void put_layer(JsonWriter& json, const query::LayerNode& node) {
    json.field("id", node.id);
    json.field("parent", node.id < 0 ? std::nullopt : std::optional(node.parent));
    json.field("name", node.name).field("path", node.path).field("depth", node.depth);
    json.field("calls", node.calls).field("cpu_ns", node.cpu_ns).field("gpu_ns", node.gpu_ns);
    put_times(json, "all", node.all);
    put_times(json, "fwd", node.forward);
    put_times(json, "bwd", node.backward);
    put_times(json, "other", node.other);
    put_times(json, "self", node.own);
}

Expected<Response> layers(Call& call) {
    OPSIGHT_ASSIGN(const Lease session, call.profiles().lease(call));
    OPSIGHT_ASSIGN(const std::vector<query::LayerNode> tree, query::layer_tree(*session));
    return json_object([&](JsonWriter& json) {
        json.list("layers", [&] {
            for (const query::LayerNode& node : tree)
                json.object([&] { put_layer(json, node); });
        });
        put_range(json, *session);
    });
}

Expected<Response> first(Call& call) {
    query::EventSubject subject;
    OPSIGHT_ASSIGN(subject.op, call.number("op"));
    OPSIGHT_ASSIGN(subject.range, call.number("range"));
    subject.layer = call.text("layer");
    subject.kernel = call.text("kernel");
    if (!subject.op && !subject.range && subject.layer.empty() && subject.kernel.empty())
        return fail(Problem(400, "bad_request", "the question names nothing to look for",
                            "give op, layer, range or kernel; or op and kernel"));
    OPSIGHT_ASSIGN(const Lease session, call.profiles().lease(call));
    OPSIGHT_ASSIGN(const std::optional<query::FirstEvent> found, query::first_event(*session, subject));
    return json_object([&](JsonWriter& json) {
        if (!found) {
            json.field("event", nullptr);
            return;
        }
        json.object("event", [&] {
            json.field("name", found->name).field("track", found->track).field("span", found->span);
            json.field("begin_ns", found->begin_ns).field("dur_ns", found->dur_ns);
        });
    });
}

// Which column has this key; both tables of the devices have a rank and a device.
size_t column_of(const query::ResultTable& table, std::string_view key) {
    const auto found = std::find_if(table.columns.begin(), table.columns.end(),
                                    [&](const query::Column& column) { return column.key == key; });
    return static_cast<size_t>(found - table.columns.begin());
}

void put_devices(JsonWriter& json, const query::ResultTable& devices, const query::ResultTable& streams) {
    const auto belongs = [&, rank = column_of(devices, "rank"), device = column_of(devices, "device"),
                          stream_rank = column_of(streams, "rank"),
                          stream_device = column_of(streams, "device")](const auto& row, const auto& stream) {
        return row.at(rank) == stream.at(stream_rank) && row.at(device) == stream.at(stream_device);
    };
    const auto put_device = [&](const std::vector<query::Cell>& row) {
        report::put_fields(json, devices.columns, row, report::put_page_cell);
        json.list("streams", [&] {
            for (const auto& stream : streams.rows)
                if (belongs(row, stream))
                    json.object(
                        [&] { report::put_fields(json, streams.columns, stream, report::put_page_cell); });
        });
    };
    json.list("devices", [&] {
        for (const auto& row : devices.rows)
            json.object([&] { put_device(row); });
    });
}

Expected<Response> gpus(Call& call) {
    OPSIGHT_ASSIGN(const Lease session, call.profiles().lease(call));
    OPSIGHT_ASSIGN(const query::ResultTable devices, query::device_use(*session, {}));
    OPSIGHT_ASSIGN(const query::ResultTable streams, query::stream_use(*session, {}));
    return json_object([&](JsonWriter& json) {
        put_devices(json, devices, streams);
        json.field("notes", streams.notes);
        put_range(json, *session);
    });
}

// -1: not told.
template <class Number>
std::optional<Number> told(Number value) {
    return value < 0 ? std::nullopt : std::optional(value);
}

void put_peaks(JsonWriter& json, std::string_view name, const query::DeviceMemory::Peaks& peaks) {
    json.object(name, [&] {
        json.field("events", peaks.events).field("allocated", told(peaks.allocated));
        json.field("at_ns", told(peaks.at_ns)).field("reserved", told(peaks.reserved));
    });
}

void put_memory(JsonWriter& json, const query::DeviceMemory& memory) {
    json.field("rank", memory.rank).field("device", told(memory.device)).field("kind", memory.kind);
    json.field("changes_only", memory.from_start).field("anew_after_pauses", memory.anew_after_pauses);
    put_peaks(json, "range", memory.range);
    put_peaks(json, "whole", memory.whole);
    json.list("points", [&] {
        for (const query::MemoryPoint& point : memory.points)
            json.list([&] { json.value(point.time_ns).value(point.allocated).value(told(point.reserved)); });
    });
}

Expected<Response> memory(Call& call) {
    OPSIGHT_ASSIGN(const Lease session, call.profiles().lease(call));
    OPSIGHT_ASSIGN(const std::vector<query::DeviceMemory> found, query::memory_over_time(*session));
    OPSIGHT_ASSIGN(const std::vector<query::WallStretch> wall, query::wall_stretches(*session));
    OPSIGHT_ASSIGN(const std::vector<query::MemoryPause> pauses, query::memory_pauses(*session));
    return json_object([&](JsonWriter& json) {
        json.field("available", !found.empty());
        json.list("devices", [&] {
            for (const query::DeviceMemory& device : found)
                json.object([&] { put_memory(json, device); });
        });
        put_stretches(json, "wall", wall);
        put_stretches(json, "pauses", pauses);
        put_range(json, *session);
    });
}

Expected<Response> communication_of(Call& call) {
    OPSIGHT_ASSIGN(const Lease session, call.profiles().lease(call));
    OPSIGHT_ASSIGN(const query::ResultTable overlap, query::communication_overlap(*session, {}));
    OPSIGHT_ASSIGN(const query::ResultTable collectives, query::communication(*session, {}, {}));
    return json_object([&](JsonWriter& json) {
        json.field("available", !collectives.rows.empty());
        put_objects(json, "devices", overlap);
        put_objects(json, "collectives", collectives);
        put_range(json, *session);
    });
}

template <class Value>
void put_column(JsonWriter& json, std::string_view name, const query::PathTrack& track, Value&& value) {
    json.list(name, [&] {
        for (size_t i = 0; i < track.path.pieces.size(); ++i)
            json.value(value(i));
    });
}

Expected<Response> critical_path(Call& call) {
    OPSIGHT_ASSIGN(const Lease session, call.profiles().lease(call));
    OPSIGHT_ASSIGN(const query::PathTrack track, query::path_track(*session));
    const auto& pieces = track.path.pieces;
    return json_object([&](JsonWriter& json) {
        put_column(json, "rank", track, [&](size_t i) { return track.ranks[i]; });
        put_column(json, "begin_ns", track, [&](size_t i) { return pieces[i].begin_ns; });
        put_column(json, "dur_ns", track, [&](size_t i) { return pieces[i].dur_ns; });
        put_column(json, "track", track, [&](size_t i) { return pieces[i].track; });
        put_column(json, "span", track, [&](size_t i) { return pieces[i].span; });
        put_column(json, "name", track, [&](size_t i) { return pieces[i].name; });
        put_column(json, "kind", track, [&](size_t i) { return track.kinds[i]; });
        json.field("names", track.path.names);
        json.field("length_ns", track.path.length_ns).field("delays_ns", track.path.delays_ns);
        json.field("iterations", track.path.iterations).field("left_out", track.left_out);
        json.field("error_pct", 100 * track.path.error);
        json.field("unexplained_pct", 100 * track.path.unexplained);
        json.field("unlaunched_pct", track.path.unlaunched_pct).field("lacks", track.lacks);
        json.field("simulatable", track.lacks.empty() && track.path.simulatable());
        put_range(json, *session);
    });
}

}  // namespace

std::vector<Route> view_routes() {
    const std::string profile = "/api/v1/profiles/{id}";
    return {
        {"GET", profile + "/iterations", iterations, range_parameters(), Kept::kAnswer},
        {"GET", profile + "/layers", layers, range_parameters(), Kept::kAnswer},
        {"GET", profile + "/first", first,
         range_parameters() + std::vector<std::string>{"op", "layer", "range", "kernel"}},
        {"GET", profile + "/critical_path", critical_path, range_parameters(), Kept::kAnswer},
        {"GET", profile + "/gpus", gpus, range_parameters(), Kept::kAnswer},
        {"GET", profile + "/memory", memory, range_parameters(), Kept::kAnswer},
        {"GET", profile + "/communication", communication_of, range_parameters(), Kept::kAnswer},
    };
}

}  // namespace opsight::server
