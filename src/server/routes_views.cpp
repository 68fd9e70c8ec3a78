// What pictures are drawn from: iterations, layers, devices, memory, communication.
#include <nlohmann/json.hpp>

#include "query/reports/iteration_shares.h"
#include "query/reports/layer_tree.h"
#include "query/reports/memory.h"
#include "query/reports/viewer_tables.h"
#include "query/session/iteration_choice.h"
#include "query/session/wall_clock.h"
#include "query/timeline/first_event.h"
#include "report/render_info.h"
#include "report/render_page.h"
#include "server/profiles.h"
#include "server/router.h"

namespace opsight::server {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kShareNames[query::kResources] = {
    "tensor_core", "other_kernel", "communication", "memory",         "dataloader",
    "io",          "cpu",          "idle",          "unknown_kernel", "host"};

std::string text_of(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json range_of(const query::Session& session) {
    return Json::parse(report::range_json(session.range()));
}

Json objects_of(const query::ResultTable& table) {
    return Json::parse("[" + report::json_objects(table, table.rows, true) + "]");
}

Expected<Json> wall_of(query::Session& session) {
    OPSIGHT_ASSIGN(const std::vector<query::WallStretch> stretches, query::wall_stretches(session));
    Json list = Json::array();
    for (const query::WallStretch& each : stretches)
        list.push_back({{"rank", each.rank}, {"begin_ns", each.begin_ns}, {"end_ns", each.end_ns}});
    return list;
}

Json ranks_of(const std::vector<query::IterationShares>& iterations) {
    Json list = Json::array();
    for (const query::RankPace& each : query::rank_paces(iterations))
        list.push_back({{"rank", each.rank},
                        {"iterations", each.iterations},
                        {"mean_ns", each.mean_ns ? Json(*each.mean_ns) : Json()},
                        {"deviation_ns", each.deviation_ns ? Json(*each.deviation_ns) : Json()},
                        {"slowest", each.slowest},
                        {"spread_known", each.spread_known}});
    return list;
}

Expected<Response> iterations(Call& call) {
    OPSIGHT_ASSIGN(const Lease session, call.profiles().lease(call));
    OPSIGHT_ASSIGN(const std::vector<query::IterationShares> found, query::iteration_shares(*session));
    Json list = Json::array();
    for (const query::IterationShares& it : found) {
        Json shares;
        for (size_t i = 0; i < query::kResources; ++i)
            shares[kShareNames[i]] = it.ns[i];
        list.push_back({{"rank", it.rank},
                        {"iteration", it.iteration},
                        {"begin_ns", it.begin_ns},
                        {"dur_ns", it.dur_ns},
                        {"selected", it.selected},
                        {"warm_up", it.warmup},
                        {"shares_ns", std::move(shares)}});
    }
    OPSIGHT_ASSIGN(const std::optional<query::IterationChoice> choice, query::iteration_choice(*session));
    Json suggested;
    if (choice) suggested = {{"name", choice->name}, {"pattern", choice->pattern}, {"count", choice->count}};
    OPSIGHT_ASSIGN(Json wall, wall_of(*session));
    return json_response(text_of({{"iterations", std::move(list)},
                                  {"ranks", ranks_of(found)},
                                  {"suggested", std::move(suggested)},
                                  {"wall", std::move(wall)},
                                  {"range", range_of(*session)}}));
}

Json times_of(const query::LayerTimes& times) {
    return {{"cpu_ns", times.cpu_ns}, {"gpu_ns", times.gpu_ns}, {"kernels", times.kernels}};
}

Expected<Response> layers(Call& call) {
    OPSIGHT_ASSIGN(const Lease session, call.profiles().lease(call));
    OPSIGHT_ASSIGN(const std::vector<query::LayerNode> tree, query::layer_tree(*session));
    Json list = Json::array();
    for (const query::LayerNode& node : tree)
        list.push_back({{"id", node.id},
                        {"parent", node.id < 0 ? Json() : Json(node.parent)},
                        {"name", node.name},
                        {"path", node.path},
                        {"depth", node.depth},
                        {"calls", node.calls},
                        {"cpu_ns", node.cpu_ns},
                        {"gpu_ns", node.gpu_ns},
                        {"all", times_of(node.all)},
                        {"fwd", times_of(node.forward)},
                        {"bwd", times_of(node.backward)},
                        {"self", times_of(node.own)}});
    return json_response(text_of({{"layers", std::move(list)}, {"range", range_of(*session)}}));
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
    if (!found) return json_response(R"({"event": null})");
    return json_response(text_of({{"event",
                                   {{"name", found->name},
                                    {"track", found->track},
                                    {"span", found->span},
                                    {"begin_ns", found->begin_ns},
                                    {"dur_ns", found->dur_ns}}}}));
}

Expected<Response> gpus(Call& call) {
    OPSIGHT_ASSIGN(const Lease session, call.profiles().lease(call));
    OPSIGHT_ASSIGN(const query::ResultTable devices, query::device_use(*session, {}));
    OPSIGHT_ASSIGN(const query::ResultTable streams, query::stream_use(*session, {}));
    Json list = objects_of(devices);
    for (Json& device : list)
        device["streams"] = Json::array();
    for (const Json& stream : objects_of(streams))
        for (Json& device : list)
            if (device["rank"] == stream["rank"] && device["device"] == stream["device"])
                device["streams"].push_back(stream);
    return json_response(
        text_of({{"devices", std::move(list)}, {"notes", streams.notes}, {"range", range_of(*session)}}));
}

Json peaks_of(const query::DeviceMemory::Peaks& peaks) {
    const auto told = [](int64_t value) { return value < 0 ? Json() : Json(value); };
    return {{"events", peaks.events},
            {"allocated", told(peaks.allocated)},
            {"at_ns", told(peaks.at_ns)},
            {"reserved", told(peaks.reserved)}};
}

Json memory_of(const query::DeviceMemory& memory) {
    Json points = Json::array();
    for (const query::MemoryPoint& point : memory.points)
        points.push_back(
            {point.time_ns, point.allocated, point.reserved < 0 ? Json() : Json(point.reserved)});
    return {{"rank", memory.rank},
            {"device", memory.device < 0 ? Json() : Json(memory.device)},
            {"kind", memory.kind},
            {"changes_only", memory.from_start},
            {"range", peaks_of(memory.range)},
            {"whole", peaks_of(memory.whole)},
            {"points", std::move(points)}};
}

Expected<Response> memory(Call& call) {
    OPSIGHT_ASSIGN(const Lease session, call.profiles().lease(call));
    OPSIGHT_ASSIGN(const std::vector<query::DeviceMemory> found, query::memory_over_time(*session));
    Json devices = Json::array();
    for (const query::DeviceMemory& device : found)
        devices.push_back(memory_of(device));
    OPSIGHT_ASSIGN(Json wall, wall_of(*session));
    return json_response(text_of({{"available", !found.empty()},
                                  {"devices", std::move(devices)},
                                  {"wall", std::move(wall)},
                                  {"range", range_of(*session)}}));
}

Expected<Response> communication_of(Call& call) {
    OPSIGHT_ASSIGN(const Lease session, call.profiles().lease(call));
    OPSIGHT_ASSIGN(const query::ResultTable overlap, query::communication_overlap(*session));
    OPSIGHT_ASSIGN(const query::ResultTable collectives, query::communication(*session, {}, {}));
    return json_response(text_of({{"available", !collectives.rows.empty()},
                                  {"devices", objects_of(overlap)},
                                  {"collectives", objects_of(collectives)},
                                  {"range", range_of(*session)}}));
}

}  // namespace

std::vector<Route> view_routes() {
    const std::string profile = "/api/v1/profiles/{id}";
    return {
        {"GET", profile + "/iterations", iterations, range_parameters(), Kept::kAnswer},
        {"GET", profile + "/layers", layers, range_parameters(), Kept::kAnswer},
        {"GET", profile + "/first", first,
         range_parameters() + std::vector<std::string>{"op", "layer", "range", "kernel"}},
        {"GET", profile + "/gpus", gpus, range_parameters(), Kept::kAnswer},
        {"GET", profile + "/memory", memory, range_parameters(), Kept::kAnswer},
        {"GET", profile + "/communication", communication_of, range_parameters(), Kept::kAnswer},
    };
}

}  // namespace opsight::server
