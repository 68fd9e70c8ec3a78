#include "report/render_estimate.h"

#include <fmt/format.h>

#include <optional>

#include "report/json_parts.h"
#include "report/render.h"

namespace opsight::report {
namespace {

void put_number(JsonWriter& json, std::string_view name, double value) {
    put_cell(json.key(name), query::count_cell(value));
}
void put_known(JsonWriter& json, std::string_view name, double value, bool is_known) {
    if (is_known)
        put_number(json, name, value);
    else
        json.field(name, nullptr);
}

// Nothing is bounded by no time.
void put_bound(JsonWriter& json, std::string_view name, const query::EstimateAnswer& answer, double seconds) {
    json.field(name, answer.settings.device && seconds > 0 ? std::optional(seconds) : std::nullopt);
}

template <class Name>
std::optional<std::string_view> known_name(bool is_known, Name name) {
    return is_known ? std::optional<std::string_view>(name) : std::nullopt;
}

void put_layer(JsonWriter& json, const query::EstimateAnswer& answer, const cost::LayerCost& layer) {
    json.field("name", layer.name).field("op_type", layer.op_type);
    json.field("output_shape", layer.output_shape).field("kind", name_of(layer.kind));
    if (layer.kind == cost::WorkKind::kUncounted) {
        for (const char* key : {"flops", "macs", "bytes_min", "bound_s"})
            json.field(key, nullptr);
        put_number(json, "parameters", layer.parameters);
        json.field("limiter", nullptr);
        return;
    }
    put_number(json, "flops", layer.flops());
    put_number(json, "macs", layer.macs());
    put_number(json, "parameters", layer.parameters);
    put_number(json, "weight_bytes", layer.weight_bytes);
    put_number(json, "input_bytes", layer.input_bytes);
    put_number(json, "output_bytes", layer.output_bytes);
    put_known(json, "bytes_min", layer.bytes(), layer.bytes_known);
    const bool has_intensity = layer.bytes_known && layer.bytes() > 0;
    json.field("intensity", has_intensity ? std::optional(layer.flops() / layer.bytes()) : std::nullopt);
    json.field("dtype", name_of(layer.precision));
    put_bound(json, "bound_s", answer, layer.bound_s);
    json.field("limiter", known_name(answer.settings.device && layer.bound_s > 0, name_of(layer.limiter)));
    if (answer.settings.train) {
        put_number(json, "forward_flops", layer.forward.flops);
        put_number(json, "backward_flops", layer.backward.flops);
    }
}

void put_total(JsonWriter& json, const query::EstimateAnswer& answer) {
    const cost::Estimate& estimate = answer.estimate;
    const cost::Settings& settings = answer.settings;
    if (settings.device)
        json.field("device", settings.device->key);
    else
        json.field("device", nullptr);
    put_number(json, "batch", estimate.batch);
    if (settings.precision)
        json.field("dtype", name_of(*settings.precision));
    else
        json.field("dtype", nullptr);
    json.field("train", settings.train).field("fused", settings.fuse).field("sparse", settings.sparse);
    json.field("derate", settings.derate);
    // Where something is not counted, what is: at least so much, and null where that is nothing.
    const auto sum = [&](std::string_view name, double value) {
        put_known(json, name, value, query::tells(estimate, value));
    };
    json.field("complete", estimate.complete());
    sum("flops", estimate.total.flops());
    sum("macs", estimate.total.macs());
    put_number(json, "parameters", estimate.total.parameters);
    sum("bytes_min", estimate.total.bytes());
    const bool has_intensity = estimate.complete() && estimate.total.bytes() > 0;
    json.field("intensity", has_intensity ? std::optional(estimate.intensity()) : std::nullopt);
    put_number(json, "weight_bytes", estimate.memory.weights);
    sum("gradient_bytes", estimate.memory.gradients);
    sum("optimizer_bytes", estimate.memory.optimizer);
    sum("activation_bytes", estimate.memory.activations);
    sum("peak_memory_bytes", estimate.memory.peak());
    put_bound(json, "bound_s", answer, estimate.total.bound_s);
    put_bound(json, "serial_s", answer, estimate.serial_s);
    put_bound(json, "throughput", answer, estimate.throughput());
    const bool bounded = settings.device && estimate.total.bound_s > 0;
    json.field("limiter", known_name(bounded, name_of(estimate.total.limiter)));
    json.field("uncounted", estimate.uncounted);
}

void put_change(JsonWriter& json, const query::EstimateAnswer& first, const query::ChangedEstimate& change) {
    const auto sum = [&](std::string_view name, double value) {
        put_known(json, name, value, query::tells(change.estimate, value));
    };
    json.field("change", change.change);
    sum("bytes_min", change.estimate.total.bytes());
    sum("peak_memory_bytes", change.estimate.memory.peak());
    put_bound(json, "bound_s", first, change.estimate.total.bound_s);
}

}  // namespace

std::string render_estimate_json(const ModelGraph& graph, const std::vector<query::EstimateAnswer>& answers,
                                 const std::vector<query::ChangedEstimate>& changes) {
    const query::EstimateAnswer& first = answers.front();
    JsonWriter json(1);
    json.object([&] {
        json.field("model", graph.name).field("format", graph.format).field("producer", graph.producer);
        json.object("total", [&] { put_total(json, first); });
        json.list("layers", [&] {
            for (const cost::LayerCost& layer : first.estimate.layers)
                json.object([&] { put_layer(json, first, layer); });
        });
        json.list("configurations", [&] {
            for (const query::EstimateAnswer& answer : answers)
                json.object([&] { put_total(json, answer); });
        });
        json.list("what_if", [&] {
            for (const query::ChangedEstimate& change : changes)
                json.object([&] { put_change(json, first, change); });
        });
        std::vector<std::string> notes = graph.notes;
        notes.insert(notes.end(), first.estimate.notes.begin(), first.estimate.notes.end());
        json.field("notes", notes);
    });
    return json.take() + "\n";
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
