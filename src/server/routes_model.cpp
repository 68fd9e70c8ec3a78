// The network of a profile as a graph.
#include <charconv>

#include "query/model/model_graph.h"
#include "report/json_parts.h"
#include "server/profiles.h"
#include "server/router.h"

namespace opsight::server {
namespace {

constexpr size_t kMostOpenGroups = 2000;

// "3,17": numbers of groups.
Expected<std::vector<int64_t>> read_groups(const std::string& text) {
    std::vector<int64_t> groups;
    for (size_t at = 0; at < text.size();) {
        const size_t end = std::min(text.find(',', at), text.size());
        int64_t group = 0;
        const auto [stop, error] = std::from_chars(text.data() + at, text.data() + end, group);
        if (error != std::errc() || stop != text.data() + end || groups.size() >= kMostOpenGroups)
            return fail(Problem(400, "bad_request", "'open' is not a list of groups",
                                "give numbers with commas between, 2000 at most"));
        groups.push_back(group);
        at = end + 1;
    }
    return groups;
}

std::optional<std::string_view> unless_empty(std::string_view text) {
    return text.empty() ? std::nullopt : std::optional(text);
}
template <class Number>
std::optional<Number> known(Number value, bool is_known) {
    return is_known ? std::optional(value) : std::nullopt;
}

void put_sums(JsonWriter& json, const query::ModelSums& sums) {
    json.object("sums", [&] {
        json.field("nodes", sums.nodes).field("matched", sums.matched).field("calls", sums.calls);
        json.field("gpu_ns", sums.gpu_ns).field("backward_gpu_ns", sums.backward_gpu_ns);
        json.field("cpu_ns", sums.cpu_ns).field("backward_cpu_ns", sums.backward_cpu_ns);
        json.field("tc_using", sums.tc_using).field("tc_eligible", sums.tc_eligible);
        json.field("tc_not_eligible", sums.tc_not_eligible).field("tc_unknown", sums.tc_unknown);
        json.field("macs", sums.macs).field("flops", sums.flops).field("parameters", sums.parameters);
        json.field("bound_ns", known(sums.bound_ns, sums.bound_ns > 0));
    });
}

std::string key_of(const query::ModelItem& item) {
    return item.group >= 0 ? "g" + std::to_string(item.group) : "n" + std::to_string(item.node);
}

void put_item(JsonWriter& json, const query::ModelItem& item) {
    json.field("id", key_of(item));
    json.field("parent", known("g" + std::to_string(item.parent), item.parent >= 0));
    json.field("group", item.group >= 0).field("open", item.open);
    json.field("label", item.label).field("name", item.name).field("op_type", unless_empty(item.op_type));
    json.field("shape", unless_empty(item.shape)).field("layer", unless_empty(item.layer));
    json.field("matched", unless_empty(item.matched)).field("op_id", known(item.op, item.op >= 0));
    json.field("op_name", unless_empty(item.op_name));
    json.field("begin_ns", known(item.begin_ns, item.begin_ns >= 0));
    json.field("dur_ns", known(item.dur_ns, item.begin_ns >= 0));
    json.field("share_pct", known(item.share_pct, item.share_pct >= 0));
    json.field("tensor_cores", unless_empty(item.tensor_cores()))
        .field("limiter", unless_empty(item.limiter()));
    put_sums(json, item.sums);
}

void put_facts(JsonWriter& json, const query::ModelView& view) {
    const query::ModelFacts& facts = view.facts;
    json.field("name", facts.name).field("format", facts.format).field("batch", facts.batch);
    json.field("precision", unless_empty(facts.precision)).field("device", unless_empty(facts.device));
    json.field("nodes", facts.nodes).field("matched", facts.matched);
    json.field("gpu_share_pct", known(facts.gpu_share_pct, facts.gpu_share_pct >= 0));
    json.field("notes", facts.notes);
    put_sums(json, view.all);
}

void put_edge(JsonWriter& json, const query::ModelView& view, const query::ModelEdge& edge) {
    json.field("from", key_of(view.items[edge.from])).field("to", key_of(view.items[edge.to]));
    json.field("tensors", edge.tensors).field("shape", unless_empty(edge.shape));
}

Expected<Response> model(Call& call) {
    OPSIGHT_ASSIGN(const std::vector<int64_t> open, read_groups(call.text("open")));
    OPSIGHT_ASSIGN(const Lease session, call.profiles().lease(call));
    OPSIGHT_ASSIGN(const std::optional<query::ModelView> view, query::model_graph(*session, open));
    return json_object([&](JsonWriter& json) {
        json.key("model");
        if (view)
            json.object([&] { put_facts(json, *view); });
        else
            json.value(nullptr);
        json.list("items", [&] {
            for (size_t i = 0; view && i < view->items.size(); ++i)
                json.object([&] { put_item(json, view->items[i]); });
        });
        json.list("edges", [&] {
            for (size_t i = 0; view && i < view->edges.size(); ++i)
                json.object([&] { put_edge(json, *view, view->edges[i]); });
        });
        json.field("cut", view && view->cut);
        report::put_range(json.key("range"), session->range());
    });
}

}  // namespace

std::vector<Route> model_routes() {
    return {{"GET", "/api/v1/profiles/{id}/model", model,
             range_parameters() + std::vector<std::string>{"open"}, Kept::kAnswer}};
}

}  // namespace opsight::server
