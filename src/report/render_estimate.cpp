#include "report/render_estimate.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "report/render.h"

namespace opsight::report {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) {
    const query::Cell cell = query::count_cell(value);
    if (const auto* whole = std::get_if<int64_t>(&cell)) return *whole;
    return value;
}

// Nothing is bounded by no time.
Json bound_json(const query::EstimateAnswer& answer, double seconds) {
    return answer.settings.device && seconds > 0 ? Json(seconds) : Json(nullptr);
}

Json layer_json(const query::EstimateAnswer& answer, const cost::LayerCost& layer) {
    Json out;
    out["name"] = layer.name;
    out["op_type"] = layer.op_type;
    out["output_shape"] = layer.output_shape;
    out["kind"] = name_of(layer.kind);
    if (layer.kind == cost::WorkKind::kUncounted) {
        for (const char* key : {"flops", "macs", "bytes_min", "bound_s"})
            out[key] = nullptr;
        out["parameters"] = number(layer.parameters);
        out["limiter"] = nullptr;
        return out;
    }
    out["flops"] = number(layer.flops());
    out["macs"] = number(layer.macs());
    out["parameters"] = number(layer.parameters);
    out["weight_bytes"] = number(layer.weight_bytes);
    out["input_bytes"] = number(layer.input_bytes);
    out["output_bytes"] = number(layer.output_bytes);
    out["bytes_min"] = layer.bytes_known ? number(layer.bytes()) : Json(nullptr);
    out["intensity"] =
        layer.bytes_known && layer.bytes() > 0 ? Json(layer.flops() / layer.bytes()) : Json(nullptr);
    out["dtype"] = name_of(layer.precision);
    out["bound_s"] = bound_json(answer, layer.bound_s);
    out["limiter"] =
        answer.settings.device && layer.bound_s > 0 ? Json(name_of(layer.limiter)) : Json(nullptr);
    if (answer.settings.train) {
        out["forward_flops"] = number(layer.forward.flops);
        out["backward_flops"] = number(layer.backward.flops);
    }
    return out;
}

Json total_json(const query::EstimateAnswer& answer) {
    const cost::Estimate& estimate = answer.estimate;
    const cost::Settings& settings = answer.settings;
    Json out;
    out["device"] = settings.device ? Json(settings.device->key) : Json(nullptr);
    out["batch"] = number(estimate.batch);
    out["dtype"] = settings.precision ? Json(name_of(*settings.precision)) : Json(nullptr);
    out["train"] = settings.train;
    out["fused"] = settings.fuse;
    out["sparse"] = settings.sparse;
    out["derate"] = settings.derate;
    // Where something is not counted, what is: at least so much, and null where that is nothing.
    const auto sum = [&](double value) {
        return query::tells(estimate, value) ? number(value) : Json(nullptr);
    };
    out["complete"] = estimate.complete();
    out["flops"] = sum(estimate.total.flops());
    out["macs"] = sum(estimate.total.macs());
    out["parameters"] = number(estimate.total.parameters);
    out["bytes_min"] = sum(estimate.total.bytes());
    const bool has_intensity = estimate.complete() && estimate.total.bytes() > 0;
    out["intensity"] = has_intensity ? Json(estimate.intensity()) : Json(nullptr);
    out["weight_bytes"] = number(estimate.memory.weights);
    out["gradient_bytes"] = sum(estimate.memory.gradients);
    out["optimizer_bytes"] = sum(estimate.memory.optimizer);
    out["activation_bytes"] = sum(estimate.memory.activations);
    out["peak_memory_bytes"] = sum(estimate.memory.peak());
    out["bound_s"] = bound_json(answer, estimate.total.bound_s);
    out["serial_s"] = bound_json(answer, estimate.serial_s);
    out["throughput"] = bound_json(answer, estimate.throughput());
    const bool bounded = settings.device && estimate.total.bound_s > 0;
    out["limiter"] = bounded ? Json(name_of(estimate.total.limiter)) : Json(nullptr);
    out["uncounted"] = estimate.uncounted;
    return out;
}

}  // namespace

std::string render_estimate_json(const ModelGraph& graph, const std::vector<query::EstimateAnswer>& answers,
                                 const std::vector<query::WhatIf>& changes) {
    const query::EstimateAnswer& first = answers.front();
    Json out;
    out["model"] = graph.name;
    out["format"] = graph.format;
    out["producer"] = graph.producer;
    out["total"] = total_json(first);
    out["layers"] = Json::array();
    for (const cost::LayerCost& layer : first.estimate.layers)
        out["layers"].push_back(layer_json(first, layer));
    out["configurations"] = Json::array();
    for (const query::EstimateAnswer& answer : answers)
        out["configurations"].push_back(total_json(answer));
    out["what_if"] = Json::array();
    for (const query::WhatIf& change : changes) {
        const auto sum = [&change](double value) {
            return query::tells(change.estimate, value) ? number(value) : Json(nullptr);
        };
        Json row = {{"change", change.change},
                    {"bytes_min", sum(change.estimate.total.bytes())},
                    {"peak_memory_bytes", sum(change.estimate.memory.peak())},
                    {"bound_s", bound_json(first, change.estimate.total.bound_s)}};
        out["what_if"].push_back(std::move(row));
    }
    std::vector<std::string> notes = graph.notes;
    notes.insert(notes.end(), first.estimate.notes.begin(), first.estimate.notes.end());
    out["notes"] = notes;
    return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string render_estimate_summary(const ModelGraph& graph, const query::EstimateAnswer& answer) {
    const cost::Estimate& estimate = answer.estimate;
    query::ResultTable table{.name = "summary",
                             .title = graph.name,
                             .columns = {{"name", "Layer (type)", query::Unit::kNone, 0},
                                         {"output", "Output Shape", query::Unit::kNone, 0},
                                         {"parameters", "Param #", query::Unit::kCount, 0},
                                         {"macs", "Mult-Adds", query::Unit::kCount, 0}},
                             .notes = {}};
    for (const cost::LayerCost& layer : estimate.layers)
        table.rows.push_back(
            {fmt::format("{} ({})", layer.name, layer.op_type), layer.output_shape,
             query::count_cell(layer.parameters),
             layer.kind == cost::WorkKind::kUncounted ? query::Cell() : query::count_cell(layer.macs())});
    double inputs = 0;
    for (TensorId id : graph.inputs)
        inputs += static_cast<double>(graph.tensor(id)->bytes());
    const cost::Memory& memory = estimate.memory;
    std::string out = render_table(table, terminal_width());
    const auto sum = [&estimate](double value, double unit, int digits) {
        return query::tells(estimate, value) ? fmt::format("{:.{}f}", value / unit, digits)
                                             : std::string("not known");
    };
    constexpr double kMega = 1e6, kGiga = 1e9;
    out += fmt::format("\nTotal params: {:.0f}\nTotal mult-adds (G): {}\nTotal FLOPs (G): {}\n",
                       estimate.total.parameters, sum(estimate.total.macs(), kGiga, 3),
                       sum(estimate.total.flops(), kGiga, 3));
    out += fmt::format("Input size (MB): {:.2f}\nOutputs of all layers (MB): {}\nParams size (MB): {:.2f}\n",
                       inputs / kMega, sum(estimate.total.output_bytes, kMega, 2), memory.weights / kMega);
    out += fmt::format("Peak memory with buffers used again (MB): {}\n", sum(memory.peak(), kMega, 2));
    if (!estimate.complete()) out += "Not all is counted: the sums are at least these\n";
    return out;
}

}  // namespace opsight::report
