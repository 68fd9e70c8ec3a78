// TensorRT's exports as plain values. Each is one JSON document, held as a whole.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace opsight::importer::tensorrt {

// What the device took for a layer, on the average of `LayerTimes::passes` inferences. Ns; -1: not told.
struct LayerTime {
    std::string name;
    int64_t average_ns = -1, median_ns = -1;
};
struct LayerTimes {
    int64_t passes = -1;
    std::vector<LayerTime> layers;  // in the order in which they ran
    uint64_t broken = 0;            // rows without a name, or whose average is not a time
};

// Of one inference. Ns since trtexec's own zero; -1: not told.
struct Run {
    int64_t enqueue_begin = -1, enqueue_end = -1;
    int64_t to_device_begin = -1, to_device_ns = -1;
    int64_t compute_begin = -1, compute_ns = -1;
    int64_t from_device_begin = -1, from_device_ns = -1;
    int64_t latency_ns = -1;
};
struct Runs {
    std::vector<Run> list;  // by enqueue_begin
    uint64_t broken = 0;    // without the begin or the length of the computation
};

struct Tensor {
    std::vector<int64_t> shape;
    std::string format;  // "Channel major FP16 format where channel % 8 == 0"
};
struct Layer {
    std::string name;
    std::string type;      // "CaskConvolution"; empty: names only
    std::string computes;  // "Convolution", "Pooling", ...; empty: not told
    std::string variant;   // "MAX" of a pooling, "QDQ" of a reformat
    std::string tactic_name, tactic;
    std::string metadata;  // "[ONNX Layer: /conv1/Conv]...": where TensorRT 8.6 and later have it
    std::vector<Tensor> inputs, outputs;
    std::vector<int64_t> kernel, window, stride, dilation, padding_before, padding_after;
    int64_t out_maps = -1, groups = -1, biases = -1;
    std::string weights_type, bias_type, activation;
};

// In the words of the source.
struct Facts {
    std::vector<std::pair<std::string, std::string>> settings;
    std::string device_name;
    int compute_major = 0, compute_minor = 0;
    int64_t sm_count = 0, memory_bytes = 0, bandwidth = 0, clock_hz = 0, l2_bytes = 0;
};

// `text` is repaired where it is not UTF-8; `unclean` says so. Errors name no file.
Result<LayerTimes> read_layer_times(std::string& text, bool& unclean);
Result<Runs> read_runs(std::string& text, bool& unclean);
Result<std::vector<Layer>> read_layers(std::string& text, bool& unclean);
// Adds to `facts`.
Status read_facts(std::string& text, bool& unclean, Facts& facts);

}  // namespace opsight::importer::tensorrt
