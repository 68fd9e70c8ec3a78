#include "query/model/estimates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace opsight::query {
namespace {

using cost::Estimate;
using cost::LayerCost;
using cost::Settings;
using hardware::Precision;
using hardware::UnitKind;

constexpr double kNsPerSecond = 1e9;

Cell time_cell(const Settings& settings, double seconds) {
    if (!settings.device) return std::monostate();
    return seconds * kNsPerSecond;
}

Cell ratio_cell(double up, double down) {
    if (down <= 0) return std::monostate();
    return up / down;
}

// In the unit that suits it: a millisecond is long for a small layer.
std::string time_text(double seconds) {
    if (seconds >= 1) return fmt::format("{:.6g} s", seconds);
    if (seconds >= 1e-3) return fmt::format("{:.6g} ms", seconds * 1e3);
    return seconds >= 1e-6 ? fmt::format("{:.6g} µs", seconds * 1e6)
                           : fmt::format("{:.6g} ns", seconds * 1e9);
}

// Without an exponent.
std::string rate_text(double rate) {
    return rate >= 1e6 ? fmt::format("{:.0f}", rate) : fmt::format("{:.6g}", rate);
}

// In MiB; below a hundredth of one in bytes.
std::string size_text(double bytes) {
    constexpr double kMiB = 1024 * 1024;
    return bytes < kMiB / 100 ? fmt::format("{:.0f} B", bytes) : fmt::format("{:.2f} MiB", bytes / kMiB);
}

Cell sum_cell(const Estimate& estimate, double value) {
    return tells(estimate, value) ? Cell(value) : Cell();
}

std::string device_key(const Settings& settings) {
    return settings.device ? settings.device->key : std::string();
}

// The next narrower format worth trying, by what the device computes in.
std::vector<Precision> narrower(const Settings& settings, Precision own) {
    std::vector<Precision> formats;
    const auto bits = hardware::bits_of(own);
    for (Precision format :
         {Precision::kTf32, Precision::kFp16, Precision::kBf16, Precision::kFp8, Precision::kInt8}) {
        const bool tf32_of_fp32 = format == Precision::kTf32 && own == Precision::kFp32;
        if (hardware::bits_of(format) >= bits && !tf32_of_fp32) continue;
        if (settings.train && (format == Precision::kInt8)) continue;
        const bool has_units = settings.device && settings.device->peak(UnitKind::kMatrix, format);
        const bool bytes_only =
            !settings.device && (format == Precision::kFp16 || format == Precision::kInt8);
        if (has_units || bytes_only) formats.push_back(format);
    }
    return formats;
}

Precision main_precision(const Settings& settings, const Estimate& estimate) {
    if (settings.precision) return *settings.precision;
    for (const LayerCost& layer : estimate.layers)
        if (layer.kind == cost::WorkKind::kMatrix) return layer.precision;
    return Precision::kFp32;
}

}  // namespace

Cell count_cell(double value) {
    if (value < 9007199254740992.0 && value == std::floor(value)) return static_cast<int64_t>(value);
    return value;
}

std::string format_text(const Settings& settings) {
    return settings.precision ? std::string(name_of(*settings.precision)) : "as in file";
}

std::vector<EstimateAnswer> answer_estimates(const cost::Network& network, const EstimateQuestion& question) {
    std::vector<EstimateAnswer> answers;
    std::vector<std::optional<hardware::Device>> devices(question.devices.begin(), question.devices.end());
    if (devices.empty()) devices.emplace_back();
    std::vector<std::optional<Precision>> formats(question.precisions.begin(), question.precisions.end());
    if (formats.empty()) formats.emplace_back();
    const std::vector<double> batches = question.batches.empty() ? std::vector<double>{0} : question.batches;
    for (const auto& device : devices)
        for (double batch : batches)
            for (const auto& format : formats) {
                Settings settings = question.common;
                settings.device = device;
                settings.batch = batch;
                settings.precision = format;
                Estimate estimate = network.estimate(settings);
                answers.push_back({std::move(settings), std::move(estimate)});
            }
    return answers;
}

std::vector<ChangedEstimate> what_if(const cost::Network& network, const Settings& settings) {
    std::vector<ChangedEstimate> changes;
    const Estimate base = network.estimate(settings);
    const auto add = [&](std::string change, const Settings& changed) {
        changes.push_back({std::move(change), network.estimate(changed)});
    };
    if (!settings.fuse) {
        Settings changed = settings;
        changed.fuse = true;
        add("fuse ops", changed);
    }
    for (Precision format : narrower(settings, main_precision(settings, base))) {
        Settings changed = settings;
        changed.precision = format;
        add(fmt::format("compute in {}", name_of(format)), changed);
    }
    const Precision own = main_precision(settings, base);
    const hardware::Peak* peak = settings.device ? settings.device->peak(UnitKind::kMatrix, own) : nullptr;
    if (!settings.sparse && !settings.train && peak && peak->sparse > 0) {
        Settings changed = settings;
        changed.sparse = true;
        add("weights 2:4 sparse", changed);
    }
    return changes;
}

ResultTable layer_table(const EstimateAnswer& answer) {
    ResultTable table{.name = "layers",
                      .title = "Layers",
                      .columns = {{"name", "Layer Name", Unit::kNone, 0},
                                  {"op_type", "Op Type", Unit::kNone, 0},
                                  {"output_shape", "Output", Unit::kNone, 5},
                                  {"flops", "FLOPs (1)", Unit::kFlops, 0},
                                  {"macs", "MACs (1)", Unit::kFlops, 3},
                                  {"parameters", "Parameters", Unit::kCount, 2},
                                  {"weight_bytes", "Weights (B)", Unit::kBytes, 6},
                                  {"input_bytes", "Inputs (B)", Unit::kBytes, 6},
                                  {"output_bytes", "Outputs (B)", Unit::kBytes, 6},
                                  {"bytes_min", "Bytes (B)", Unit::kBytes, 1},
                                  {"intensity", "FLOP/B", Unit::kNone, 2, Role::kNumber},
                                  {"kind", "Units", Unit::kNone, 4},
                                  {"limiter", "Limiter", Unit::kNone, 1},
                                  {"bound_ns", "Bound (ns)", Unit::kNs, 0},
                                  {"bound_pct", "Bound %", Unit::kPercent, 2}},
                      .notes = {}};
    const double all = answer.estimate.serial_s;
    for (const LayerCost& layer : answer.estimate.layers) {
        const bool counted = layer.kind != cost::WorkKind::kUncounted;
        const auto number = [&](double value) { return counted ? count_cell(value) : Cell(); };
        const auto bytes = [&](double value) { return layer.bytes_known ? Cell(value) : Cell(); };
        table.rows.push_back(
            {layer.name, layer.op_type, layer.output_shape, number(layer.flops()), number(layer.macs()),
             count_cell(layer.parameters), layer.weight_bytes, bytes(layer.input_bytes),
             bytes(layer.output_bytes), counted ? bytes(layer.bytes()) : Cell(),
             counted && layer.bytes_known && layer.bytes() > 0 ? Cell(layer.intensity()) : Cell(),
             std::string(name_of(layer.kind)),
             counted && layer.bound_s > 0 ? Cell(std::string(name_of(layer.limiter))) : Cell(),
             counted ? time_cell(answer.settings, layer.bound_s) : Cell(),
             counted && answer.settings.device ? ratio_cell(100 * layer.bound_s, all) : Cell()});
    }
    return table;
}

ResultTable costliest_layers(const EstimateAnswer& answer, size_t most) {
    EstimateAnswer shown = answer;
    std::vector<LayerCost>& layers = shown.estimate.layers;
    const size_t all = layers.size();
    if (most > 0 && most < all) {
        std::stable_sort(layers.begin(), layers.end(), [&](const LayerCost& a, const LayerCost& b) {
            return answer.settings.device ? a.bound_s > b.bound_s : a.flops() > b.flops();
        });
        layers.resize(most);
    }
    ResultTable table = layer_table(shown);
    table.rows_in_all = static_cast<int64_t>(all);
    return table;
}

ResultTable configuration_table(const std::vector<EstimateAnswer>& answers) {
    ResultTable table{.name = "configurations",
                      .title = "Bounds by Device, Batch and Format",
                      .columns = {{"device", "Device", Unit::kNone, 0},
                                  {"batch", "Batch", Unit::kNone, 0},
                                  {"dtype", "Format", Unit::kNone, 0},
                                  {"flops", "FLOPs (1)", Unit::kFlops, 1},
                                  {"bytes_min", "Bytes (B)", Unit::kBytes, 1},
                                  {"intensity", "FLOP/B", Unit::kNone, 3, Role::kNumber},
                                  {"peak_memory_bytes", "Peak Memory (B)", Unit::kBytes, 1},
                                  {"limiter", "Limiter", Unit::kNone, 2},
                                  {"bound_ns", "Bound (ns)", Unit::kNs, 0},
                                  {"throughput", "Samples/s", Unit::kNone, 0}},
                      .notes = {}};
    bool gaps = false;
    for (const EstimateAnswer& answer : answers) {
        const Estimate& estimate = answer.estimate;
        gaps |= !estimate.complete();
        const bool bounded = answer.settings.device && estimate.total.bound_s > 0;
        table.rows.push_back(
            {device_key(answer.settings), count_cell(estimate.batch), format_text(answer.settings),
             tells(estimate, estimate.total.flops()) ? count_cell(estimate.total.flops()) : Cell(),
             sum_cell(estimate, estimate.total.bytes()),
             estimate.complete() && estimate.total.bytes() > 0 ? Cell(estimate.intensity()) : Cell(),
             sum_cell(estimate, estimate.memory.peak()),
             bounded ? Cell(std::string(name_of(estimate.total.limiter))) : Cell(),
             bounded ? time_cell(answer.settings, estimate.total.bound_s) : Cell(),
             bounded ? Cell(estimate.throughput()) : Cell()});
    }
    // The first answer's stand below its totals.
    std::set<std::string> told;
    if (!answers.empty())
        told.insert(answers.front().estimate.notes.begin(), answers.front().estimate.notes.end());
    for (const EstimateAnswer& answer : answers)
        for (const std::string& note : answer.estimate.notes)
            if (told.insert(note).second) table.notes.push_back(note);
    if (gaps)
        table.notes.push_back(
            "not all is counted: FLOPs, bytes, memory and bounds are at least these, samples/s "
            "at most");
    return table;
}

ResultTable what_if_table(const EstimateAnswer& base, const std::vector<ChangedEstimate>& changes) {
    ResultTable table{.name = "what_if",
                      .title = "What It Would Buy at Most",
                      .columns = {{"change", "Change", Unit::kNone, 0},
                                  {"bytes_min", "Bytes (B)", Unit::kBytes, 0},
                                  {"peak_memory_bytes", "Peak Memory (B)", Unit::kBytes, 0},
                                  {"bound_ns", "Bound (ns)", Unit::kNs, 0},
                                  {"speedup", "Speedup of the Bound", Unit::kNone, 0}},
                      .notes = {}};
    bool gaps = false;
    const auto row = [&](const std::string& change, const Estimate& estimate) {
        gaps |= !estimate.complete();
        const bool bounded = estimate.total.bound_s > 0;
        table.rows.push_back(
            {change, sum_cell(estimate, estimate.total.bytes()), sum_cell(estimate, estimate.memory.peak()),
             bounded ? time_cell(base.settings, estimate.total.bound_s) : Cell(),
             base.settings.device && bounded ? ratio_cell(base.estimate.total.bound_s, estimate.total.bound_s)
                                             : Cell()});
    };
    row("as asked", base.estimate);
    for (const ChangedEstimate& change : changes)
        row(change.change, change.estimate);
    if (gaps) table.notes.push_back("not all is counted: bytes, memory and bounds are at least these");
    return table;
}

ResultTable total_table(const ModelGraph& graph, const EstimateAnswer& answer) {
    const Estimate& estimate = answer.estimate;
    const Settings& settings = answer.settings;
    ResultTable table{.name = "total",
                      .title = fmt::format("{} ({})", graph.name, graph.format),
                      .columns = {{"fact", "Fact", Unit::kNone, 0}, {"value", "Value", Unit::kNone, 0}},
                      .notes = graph.notes};
    const auto add = [&](const char* fact, std::string value) {
        table.rows.push_back({std::string(fact), std::move(value)});
    };
    const bool complete = estimate.complete();
    const auto at_least = [&](double value, std::string text) {
        if (!tells(estimate, value)) return std::string("not known");
        return complete ? text : "at least " + text;
    };
    const auto count = [&](double value) { return at_least(value, fmt::format("{:.0f}", value)); };
    const auto mib = [&](double bytes) { return at_least(bytes, size_text(bytes)); };
    add("Batch", fmt::format("{:g}", estimate.batch));
    add("Number format", format_text(settings));
    add("Pass", settings.train ? "training: forward, backward, optimizer" : "inference");
    add("Layers", fmt::format("{}", estimate.layers.size()));
    add("FLOPs", count(estimate.total.flops()));
    add("MACs of products", count(estimate.total.macs()));
    add("Parameters", fmt::format("{:.0f}", estimate.total.parameters));
    add("Bytes (compulsory)", mib(estimate.total.bytes()));
    add("FLOP/B", complete && estimate.total.bytes() > 0 ? fmt::format("{:.2f}", estimate.intensity())
                                                         : std::string("not known"));
    add("Weights", size_text(estimate.memory.weights));
    if (settings.train) {
        add("Gradients", mib(estimate.memory.gradients));
        add("Optimizer", mib(estimate.memory.optimizer));
    }
    add(settings.train ? "Activations kept" : "Activations live at once", mib(estimate.memory.activations));
    add("Peak memory", mib(estimate.memory.peak()));
    if (settings.device) {
        const bool bounded = estimate.total.bound_s > 0;
        add("Device", settings.device->name);
        add("Bound", bounded ? fmt::format("{}, {}", time_text(estimate.total.bound_s),
                                           name_of(estimate.total.limiter))
                             : std::string("not known"));
        add("Layer after layer", at_least(estimate.serial_s, time_text(estimate.serial_s)));
        add("Samples/s at most", bounded ? rate_text(estimate.throughput()) : "not known");
    }
    for (const std::string& note : estimate.notes)
        table.notes.push_back(note);
    if (!estimate.uncounted.empty())
        table.notes.push_back(fmt::format("not counted: {}", fmt::join(estimate.uncounted, ", ")));
    return table;
}

}  // namespace opsight::query
