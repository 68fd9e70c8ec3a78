#include "import/tensorrt/documents.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <simdjson.h>
#include <algorithm>
#include <cmath>

#include "import/tensorrt/json.h"

namespace opsight::importer::tensorrt {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

LayerTime layer_time(const object& row) {
    return {std::string(text_of(row, "name")), ns_of(row, {"averageMs"}), ns_of(row, {"medianMs"})};
}

// TensorRT 7 calls the copies "In" and "Out".
Run run_of(const object& row) {
    Run run;
    run.enqueue_begin = ns_of(row, {"startEnqMs"});
    run.enqueue_end = ns_of(row, {"endEnqMs"});
    run.to_device_begin = ns_of(row, {"startH2dMs", "startInMs"});
    run.to_device_ns = ns_of(row, {"h2dMs", "inMs"});
    run.compute_begin = ns_of(row, {"startComputeMs"});
    run.compute_ns = ns_of(row, {"computeMs"});
    run.from_device_begin = ns_of(row, {"startD2hMs", "startOutMs"});
    run.from_device_ns = ns_of(row, {"d2hMs", "outMs"});
    run.latency_ns = ns_of(row, {"latencyMs"});
    return run;
}

std::vector<Tensor> tensors(const object& layer, std::string_view key) {
    std::vector<Tensor> out;
    array list;
    if (layer[key].get(list) != simdjson::SUCCESS) return out;
    for (const element item : list) {
        object tensor;
        if (item.get(tensor) != simdjson::SUCCESS) continue;
        std::string format(text_of(tensor, "Format/Datatype"));
        if (format.empty()) format = text_of(tensor, "Format");
        out.push_back({integers(tensor, "Dimensions"), std::move(format)});
    }
    return out;
}

Layer layer_of(const object& from) {
    const auto text = [&from](std::string_view key) { return std::string(text_of(from, key)); };
    Layer layer;
    layer.name = text("Name");
    layer.type = text("LayerType");
    layer.computes = text("ParameterType");
    for (const std::string_view key : {"PoolingType", "OperationType", "Operation", "Origin", "Mode"})
        if (layer.variant.empty()) layer.variant = text(key);
    layer.tactic_name = text("TacticName");
    layer.tactic = text("TacticValue");
    layer.metadata = text("Metadata");
    layer.inputs = tensors(from, "Inputs");
    layer.outputs = tensors(from, "Outputs");
    layer.kernel = integers(from, "Kernel");
    layer.window = integers(from, "WindowSize");
    layer.stride = integers(from, "Stride");
    layer.dilation = integers(from, "Dilation");
    layer.padding_before = integers(from, "PrePadding");
    layer.padding_after = integers(from, "PostPadding");
    layer.out_maps = integer(from, "OutMaps");
    layer.groups = integer(from, "Groups");
    layer.activation = text("Activation");
    object weights, bias;
    if (from["Weights"].get(weights) == simdjson::SUCCESS) layer.weights_type = text_of(weights, "Type");
    if (from["Bias"].get(bias) == simdjson::SUCCESS) {
        layer.biases = integer(bias, "Count");
        layer.bias_type = text_of(bias, "Type");
    }
    return layer;
}

// "Latency": [0.85, 0.87, ...] are, in this order, what the engine explorer's names of them are.
constexpr const char* kStatistics[] = {"min", "max", "mean", "median", "p90", "p95", "p99"};

std::string statistics(const array& values) {
    std::vector<double> numbers;
    for (const element value : values)
        if (double number = 0; value.get(number) == simdjson::SUCCESS) numbers.push_back(number);
    if (numbers.size() < 5 || numbers.size() > std::size(kStatistics))
        return fmt::format("{}", fmt::join(numbers, ", "));
    std::string text;
    for (size_t i = 0; i < numbers.size(); ++i) {
        // Older versions tell one percentile, the 99th.
        const char* name = i == 4 && numbers.size() == 5 ? "p99" : kStatistics[i];
        text += fmt::format("{}{} {} ms", i == 0 ? "" : ", ", name, numbers[i]);
    }
    return text;
}

void take_settings(const object& from, Facts& facts) {
    for (const auto [key, value] : from) {
        std::string text;
        array list;
        double number = 0;
        std::string_view words;
        if (value.get(list) == simdjson::SUCCESS)
            text = statistics(list);
        else if (value.get(words) == simdjson::SUCCESS)
            text = words;
        else if (value.get(number) == simdjson::SUCCESS)
            text = fmt::format("{}", number);
        if (!text.empty()) facts.settings.emplace_back(fmt::format("trtexec {}", key), std::move(text));
    }
}

void take_capability(double capability, Facts& facts) {
    if (!(capability > 0 && capability < 1000)) return;
    const auto tenths = static_cast<int>(std::lround(capability * 10));
    facts.compute_major = tenths / 10;
    facts.compute_minor = tenths % 10;
}

int64_t scaled(const object& from, std::string_view key, double factor) {
    double value = 0;
    const bool told = from[key].get(value) == simdjson::SUCCESS && value > 0 && value < 1e9;
    return told ? static_cast<int64_t>(value * factor) : 0;
}

// As trtexec prints it: clocks in GHz, the bus in bits. Memory moves twice a clock.
void take_printed_device(const object& from, Facts& facts) {
    facts.device_name = text_of(from, "Selected Device");
    double capability = 0;
    if (from["Compute Capability"].get(capability) == simdjson::SUCCESS) take_capability(capability, facts);
    facts.sm_count = scaled(from, "SMs", 1);
    facts.clock_hz = scaled(from, "Compute Clock Rate", 1e9);
    facts.bandwidth = scaled(from, "Memory Clock Rate", 2e9) / 8 * scaled(from, "Memory Bus Width", 1);
}

// As CUDA's attributes are: clocks in kHz.
void take_cuda_device(const object& from, Facts& facts) {
    facts.device_name = text_of(from, "Name");
    facts.compute_major =
        static_cast<int>(std::clamp<int64_t>(integer(from, "COMPUTE_CAPABILITY_MAJOR"), 0, 999));
    facts.compute_minor =
        static_cast<int>(std::clamp<int64_t>(integer(from, "COMPUTE_CAPABILITY_MINOR"), 0, 999));
    facts.sm_count = std::max<int64_t>(0, integer(from, "MULTIPROCESSOR_COUNT"));
    facts.memory_bytes = std::max<int64_t>(0, integer(from, "TotalMemory"));
    facts.l2_bytes = std::max<int64_t>(0, integer(from, "L2_CACHE_SIZE"));
    facts.clock_hz = scaled(from, "CLOCK_RATE", 1e3);
    facts.bandwidth = scaled(from, "MEMORY_CLOCK_RATE", 2e3) / 8 * scaled(from, "GLOBAL_MEMORY_BUS_WIDTH", 1);
}

}  // namespace

Result<LayerTimes> read_layer_times(std::string& text, bool& unclean) {
    Document document;
    OPSIGHT_ASSIGN(const array rows, document.list(text, unclean, "[{\"count\": N}, {\"name\": ...}, ...]"));
    LayerTimes times;
    for (const element item : rows) {
        object row;
        if (item.get(row) == simdjson::SUCCESS) {
            if (const int64_t count = integer(row, "count"); count >= 0) {
                times.passes = count;
                continue;
            }
            LayerTime layer = layer_time(row);
            if (!layer.name.empty() && layer.average_ns >= 0) {
                times.layers.push_back(std::move(layer));
                continue;
            }
        }
        ++times.broken;
    }
    return times;
}

Result<Runs> read_runs(std::string& text, bool& unclean) {
    Document document;
    OPSIGHT_ASSIGN(const array rows, document.list(text, unclean, "[{\"startEnqMs\": ...}, ...]"));
    Runs runs;
    for (const element item : rows) {
        object row;
        Run run;
        if (item.get(row) == simdjson::SUCCESS) run = run_of(row);
        if (run.compute_begin >= 0 && run.compute_ns >= 0)
            runs.list.push_back(run);
        else
            ++runs.broken;
    }
    const auto begin = [](const Run& run) {
        return run.enqueue_begin < 0 ? run.compute_begin : run.enqueue_begin;
    };
    std::stable_sort(runs.list.begin(), runs.list.end(),
                     [&](const Run& a, const Run& b) { return begin(a) < begin(b); });
    return runs;
}

Result<std::vector<Layer>> read_layers(std::string& text, bool& unclean) {
    Document document;
    OPSIGHT_ASSIGN(const element whole, document.read(text, unclean));
    array list;
    if (whole["Layers"].get(list) != simdjson::SUCCESS)
        return fail("descriptions of TensorRT's layers have no list 'Layers'");
    std::vector<Layer> layers;
    for (const element item : list) {
        object layer;
        std::string_view name;
        if (item.get(layer) == simdjson::SUCCESS) layers.push_back(layer_of(layer));
        if (item.get(name) == simdjson::SUCCESS) layers.emplace_back().name = name;
    }
    return layers;
}

Status read_facts(std::string& text, bool& unclean, Facts& facts) {
    Document document;
    OPSIGHT_ASSIGN(const element whole, document.read(text, unclean));
    array devices;
    if (whole.get(devices) == simdjson::SUCCESS) {
        object device;
        if (devices.size() > 0 && devices.at(0).get(device) == simdjson::SUCCESS)
            take_cuda_device(device, facts);
        return {};
    }
    for (const std::string_view key :
         {"performance_summary", "model_options", "build_options", "inference_options"})
        if (object part; whole[key].get(part) == simdjson::SUCCESS) take_settings(part, facts);
    // What CUDA itself tells is more.
    if (object device;
        facts.device_name.empty() && whole["device_information"].get(device) == simdjson::SUCCESS)
        take_printed_device(device, facts);
    return {};
}

}  // namespace opsight::importer::tensorrt
