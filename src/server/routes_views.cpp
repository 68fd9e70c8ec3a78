// What pictures are drawn from: iterations, layers, devices, memory, communication.
#include <nlohmann/json.hpp>

#include "query/first_event.h"
#include "query/iteration_shares.h"
#include "query/layer_tree.h"
#include "query/memory.h"
#include "query/range_sums.h"
#include "query/viewer_tables.h"
#include "query/wall_clock.h"
#include "report/render_info.h"
#include "report/render_page.h"
#include "server/profiles.h"
#include "server/router.h"

namespace opsight::server {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kShareNames[kResources] = {"tensor_core",    "other_kernel", "communication", "memory",
                                                 "dataloader",     "io",           "cpu",           "idle",
                                                 "unknown_kernel", "host"};

std::string text_of(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json range_of(const Session& session) {
    return Json::parse(range_json(session.range()));
}

Json objects_of(const ResultTable& table) {
    return Json::parse("[" + json_objects(table, table.rows, true) + "]");
}

Expected<Json> wall_of(Session& session) {
    OPSIGHT_ASSIGN(const std::vector<WallStretch> stretches, wall_stretches(session));
    Json list = Json::array();
    for (const WallStretch& each : stretches)
        list.push_back({{"rank", each.rank}, {"begin_ns", each.begin_ns}, {"end_ns", each.end_ns}});
    return list;
}

Json ranks_of(const std::vector<IterationShares>& iterations) {
    Json list = Json::array();
    for (const RankPace& each : rank_paces(iterations))
        list.push_back({{"rank", each.rank},
                        {"iterations", each.iterations},
                        {"mean_ns", each.mean_ns ? Json(*each.mean_ns) : Json()},
                        {"deviation_ns", each.deviation_ns ? Json(*each.deviation_ns) : Json()},
                        {"slowest", each.slowest}});
    return list;
}

Expected<Response> iterations(Call& call) {
    OPSIGHT_ASSIGN(const Lease session, call.profiles().lease(call));
    OPSIGHT_ASSIGN(const std::vector<IterationShares> found, iteration_shares(*session));
    Json list = Json::array();
    for (const IterationShares& it : found) {
        Json shares;
        for (size_t i = 0; i < kResources; ++i)
            shares[kShareNames[i]] = it.ns[i];
        list.push_back({{"rank", it.rank},
                        {"iteration", it.iteration},
                        {"begin_ns", it.begin_ns},
                        {"dur_ns", it.dur_ns},
                        {"selected", it.selected},
                        {"warm_up", it.warmup},
                        {"shares_ns", std::move(shares)}});
    }
    OPSIGHT_ASSIGN(const std::optional<IterationChoice> choice, iteration_choice(*session));
    Json suggested;
    if (choice) suggested = {{"name", choice->name}, {"pattern", choice->pattern}, {"count", choice->count}};
    OPSIGHT_ASSIGN(Json wall, wall_of(*session));
    return json_response(text_of({{"iterations", std::move(list)},
                                  {"ranks", ranks_of(found)},
                                  {"suggested", std::move(suggested)},
                                  {"wall", std::move(wall)},
                                  {"range", range_of(*session)}}));
}

Json times_of(const LayerTimes& times) {
    return {{"cpu_ns", times.cpu_ns}, {"gpu_ns", times.gpu_ns}, {"kernels", times.kernels}};
}

Expected<Response> layers(Call& call) {
    OPSIGHT_ASSIGN(const Lease session, call.profiles().lease(call));
    OPSIGHT_ASSIGN(const std::vector<LayerNode> tree, layer_tree(*session));
    Json list = Json::array();
    for (const LayerNode& node : tree)
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
    EventSubject subject;
    OPSIGHT_ASSIGN(subject.op, call.number("op"));
    OPSIGHT_ASSIGN(subject.range, call.number("range"));
    subject.layer = call.text("layer");
    subject.kernel = call.text("kernel");
    if (!subject.op && !subject.range && subject.layer.empty() && subject.kernel.empty())
        return fail(Problem(400, "bad_request", "the question names nothing to look for",
                            "give op, layer, range or kernel; or op and kernel"));
    OPSIGHT_ASSIGN(const Lease session, call.profiles().lease(call));
    OPSIGHT_ASSIGN(const std::optional<FirstEvent> found, first_event(*session, subject));
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
    OPSIGHT_ASSIGN(const ResultTable devices, device_use(*session, {}));
    OPSIGHT_ASSIGN(const ResultTable streams, stream_use(*session, {}));
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

Json peaks_of(const DeviceMemory::Peaks& peaks) {
    const auto told = [](int64_t value) { return value < 0 ? Json() : Json(value); };
    return {{"events", peaks.events},
            {"allocated", told(peaks.allocated)},
            {"at_ns", told(peaks.at_ns)},
            {"reserved", told(peaks.reserved)}};
}

Json memory_of(const DeviceMemory& memory) {
    Json points = Json::array();
    for (const MemoryPoint& point : memory.points)
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
    OPSIGHT_ASSIGN(const std::vector<DeviceMemory> found, memory_over_time(*session));
    Json devices = Json::array();
    for (const DeviceMemory& device : found)
        devices.push_back(memory_of(device));
    OPSIGHT_ASSIGN(Json wall, wall_of(*session));
    return json_response(text_of({{"available", !found.empty()},
                                  {"devices", std::move(devices)},
                                  {"wall", std::move(wall)},
                                  {"range", range_of(*session)}}));
}

Expected<Response> communication_of(Call& call) {
    OPSIGHT_ASSIGN(const Lease session, call.profiles().lease(call));
    OPSIGHT_ASSIGN(const ResultTable overlap, communication_overlap(*session));
    OPSIGHT_ASSIGN(const ResultTable collectives, communication(*session, {}, {}));
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
