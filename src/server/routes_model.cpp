// The network of a profile as a graph.
#include <charconv>
#include <nlohmann/json.hpp>

#include "query/model/model_graph.h"
#include "report/render_info.h"
#include "report/render_page.h"
#include "server/profiles.h"
#include "server/router.h"

namespace opsight::server {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMostOpen = 2000;

// "3,17": numbers of groups.
Expected<std::vector<int64_t>> read_groups(const std::string& text) {
    std::vector<int64_t> groups;
    for (size_t at = 0; at < text.size();) {
        const size_t end = std::min(text.find(',', at), text.size());
        int64_t group = 0;
        const auto [stop, error] = std::from_chars(text.data() + at, text.data() + end, group);
        if (error != std::errc() || stop != text.data() + end || groups.size() >= kMostOpen)
            return fail(Problem(400, "bad_request", "'open' is not a list of groups",
                                "give numbers with commas between, 2000 at most"));
        groups.push_back(group);
        at = end + 1;
    }
    return groups;
}

Json text_or_null(const std::string& text) {
    return text.empty() ? Json() : Json(text);
}
Json known(double value, bool is_known) {
    return is_known ? Json(value) : Json();
}

Json sums_of(const query::ModelSums& sums) {
    return {{"nodes", sums.nodes},
            {"matched", sums.matched},
            {"calls", sums.calls},
            {"gpu_ns", sums.gpu_ns},
            {"backward_gpu_ns", sums.backward_gpu_ns},
            {"cpu_ns", sums.cpu_ns},
            {"backward_cpu_ns", sums.backward_cpu_ns},
            {"tc_using", sums.tc_using},
            {"tc_eligible", sums.tc_eligible},
            {"tc_not_eligible", sums.tc_not_eligible},
            {"tc_unknown", sums.tc_unknown},
            {"macs", sums.macs},
            {"flops", sums.flops},
            {"parameters", sums.parameters},
            {"bound_ns", known(sums.bound_ns, sums.bound_ns > 0)}};
}

std::string key_of(const query::ModelItem& item) {
    return item.group >= 0 ? "g" + std::to_string(item.group) : "n" + std::to_string(item.node);
}

Json item_of(const query::ModelItem& item) {
    return {{"id", key_of(item)},
            {"parent", item.parent < 0 ? Json() : Json("g" + std::to_string(item.parent))},
            {"group", item.group >= 0},
            {"open", item.open},
            {"label", item.label},
            {"name", item.name},
            {"op_type", text_or_null(item.op_type)},
            {"shape", text_or_null(item.shape)},
            {"layer", text_or_null(item.layer)},
            {"matched", text_or_null(item.matched)},
            {"op_id", item.op < 0 ? Json() : Json(item.op)},
            {"op_name", text_or_null(item.op_name)},
            {"begin_ns", item.begin_ns < 0 ? Json() : Json(item.begin_ns)},
            {"dur_ns", item.begin_ns < 0 ? Json() : Json(item.dur_ns)},
            {"share_pct", known(item.share_pct, item.share_pct >= 0)},
            {"tensor_cores", text_or_null(item.tensor_cores())},
            {"limiter", text_or_null(item.limiter())},
            {"sums", sums_of(item.sums)}};
}

Json facts_of(const query::ModelView& view) {
    const query::ModelFacts& facts = view.facts;
    return {{"name", facts.name},
            {"format", facts.format},
            {"batch", facts.batch},
            {"precision", text_or_null(facts.precision)},
            {"device", text_or_null(facts.device)},
            {"nodes", facts.nodes},
            {"matched", facts.matched},
            {"gpu_share_pct", known(facts.gpu_share_pct, facts.gpu_share_pct >= 0)},
            {"notes", facts.notes},
            {"sums", sums_of(view.all)}};
}

Expected<Response> model(Call& call) {
    OPSIGHT_ASSIGN(const std::vector<int64_t> open, read_groups(call.text("open")));
    OPSIGHT_ASSIGN(const Lease session, call.profiles().lease(call));
    OPSIGHT_ASSIGN(const std::optional<query::ModelView> view, query::model_graph(*session, open));
    Json items = Json::array(), edges = Json::array();
    if (view) {
        for (const query::ModelItem& item : view->items)
            items.push_back(item_of(item));
        for (const query::ModelEdge& edge : view->edges)
            edges.push_back({{"from", key_of(view->items[edge.from])},
                             {"to", key_of(view->items[edge.to])},
                             {"tensors", edge.tensors},
                             {"shape", text_or_null(edge.shape)}});
    }
    const Json answer = {{"model", view ? facts_of(*view) : Json()},
                         {"items", std::move(items)},
                         {"edges", std::move(edges)},
                         {"cut", view && view->cut},
                         {"range", Json::parse(report::range_json(session->range()))}};
    return json_response(answer.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace

std::vector<Route> model_routes() {
    return {{"GET", "/api/v1/profiles/{id}/model", model,
             range_parameters() + std::vector<std::string>{"open"}, Kept::kAnswer}};
}

}  // namespace opsight::server
