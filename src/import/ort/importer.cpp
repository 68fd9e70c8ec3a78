#include "import/ort/importer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <simdjson.h>
#include <algorithm>
#include <charconv>
#include <map>

#include "import/kineto/json_events.h"
#include "import/text/lists.h"
#include "model/source_limits.h"

namespace opsight::importer::ort {
namespace {

using kineto::text_of;
using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

// What names of nodes end with: how long they ran. Up to 1.13 the waits before and behind have events of
// their own.
constexpr std::string_view kNode = "_kernel_time", kFences[] = {"_fence_before", "_fence_after"};

// Providers whose nodes compute on the CPU, by their names without the ending. OpenVINO's and others' may be
// either.
constexpr std::string_view kOnCpu[] = {"ACL", "ArmNN", "CPU", "Dnnl", "Xnnpack"},
                           kOnGpu[] = {"CUDA", "Dml",      "MIGraphX", "NvTensorRTRTX",
                                       "ROCM", "Tensorrt", "WebGpu"},
                           kProfiled[] = {"CUDA", "MIGraphX", "ROCM", "Tensorrt"};

template <size_t N>
bool is_in(const std::string_view (&list)[N], std::string_view name) {
    return std::find(std::begin(list), std::end(list), name) != std::end(list);
}

// "CUDA" of "CUDAExecutionProvider".
std::string_view short_name(std::string_view provider) {
    constexpr std::string_view kEnding = "ExecutionProvider";
    if (provider.ends_with(kEnding)) provider.remove_suffix(kEnding.size());
    return provider;
}

// Args that are numbers are written as texts.
int64_t number(const object& args, std::string_view key, int64_t otherwise) {
    int64_t value = otherwise;
    std::string_view text;
    if (args[key].get(value) == simdjson::SUCCESS) return value;
    if (args[key].get(text) != simdjson::SUCCESS) return otherwise;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? value : otherwise;
}

struct Tensor {
    std::string type, shape;  // "float", "[1, 3, 224, 224]"
};

std::vector<int64_t> numbers_of(const array& dims) {
    std::vector<int64_t> numbers;
    for (const element dim : dims) {
        int64_t size = 0;
        if (dim.get(size) == simdjson::SUCCESS) numbers.push_back(size);
    }
    return numbers;
}

// [{"float":[1,3,224,224]},{"int64":[2]}]
std::vector<Tensor> read_tensors(const object& args, std::string_view key) {
    std::vector<Tensor> tensors;
    array list;
    if (args[key].get(list) != simdjson::SUCCESS) return tensors;
    for (const element each : list) {
        object tensor;
        if (each.get(tensor) != simdjson::SUCCESS) continue;
        for (const auto [type, sizes] : tensor) {
            array dims;
            if (sizes.get(dims) == simdjson::SUCCESS)
                tensors.push_back({std::string(type), list_of(numbers_of(dims))});
        }
    }
    return tensors;
}

// Shapes "[[1, 3, 224, 224], [2]]", types "["float", "int64"]", and as values what came out, behind those of
// the inputs, which are not told.
struct Texts {
    std::string shapes, types, values;
};
Texts texts_of(const std::vector<Tensor>& inputs, const std::vector<Tensor>& outputs) {
    std::vector<std::string> shapes, types, values;
    for (const Tensor& input : inputs) {
        shapes.push_back(input.shape);
        types.push_back(in_quotes(input.type));
        values.emplace_back("\"\"");
    }
    for (const Tensor& output : outputs)
        values.push_back(in_quotes(fmt::format("-> {}{}", output.type, output.shape)));
    return {fmt::format("[{}]", fmt::join(shapes, ", ")), fmt::format("[{}]", fmt::join(types, ", ")),
            outputs.empty() ? std::string() : fmt::format("[{}]", fmt::join(values, ", "))};
}

class Import {
  public:
    Import(const OneFile& file, ProfileBuilder& builder)
        : file_(file), json_(file, builder), builder_(builder), rank_(file.begin_rank(builder)) {}

    Result<ImportFacts> run() {
        OPSIGHT_TRY(json_.each([this](const object& event) { take(event); }));
        if (events_ == 0)
            return fail(
                "is a profile of ONNX Runtime without a session or a node", file_.name, {},
                "give the file that the session wrote when it ended (InferenceSession.end_profiling)");
        add_facts();
        return ImportFacts{1, json_.bytes(), events_};
    }

  private:
    void take(const object& event) {
        const std::string_view phase = text_of(event, "ph"), category = text_of(event, "cat");
        if (phase == "M") return;
        if (phase != "X") return note(Diag::kUnknownPhase, phase);
        HostSpan span;
        if (!read_times(event, span)) return;
        ++events_;
        object args;
        if (event["args"].get(args) != simdjson::SUCCESS) return note(Diag::kBadEvent, "no args");
        const std::string_view name = text_of(event, "name");
        if (category == "Kernel") return add_kernel(name, args, span);
        span.track = builder_.host_track(rank_, number(event, "pid", 0), number(event, "tid", 0));
        if (category == "Node" && name.ends_with(kNode)) return add_node(name, args, span);
        if (category == "Session") return add_session(name, span);
        add_other(name, category, span);
    }

    bool read_times(const object& event, HostSpan& span) {
        if (!json_.read_time(event, "ts", span.begin) || !json_.read_time(event, "dur", span.dur))
            return false;
        if (span.dur < 0) note(Diag::kNegativeDuration, text_of(event, "name"));
        span.dur = std::max<int64_t>(0, span.dur);
        return true;
    }

    // "Conv" of the CPU, "CUDA::Conv" of another execution provider.
    std::string op_name(std::string_view op, std::string_view provider) {
        ++providers_[std::string(provider)];
        provider = short_name(provider);
        return provider.empty() || provider == "CPU" ? std::string(op) : fmt::format("{}::{}", provider, op);
    }

    void add_node(std::string_view name, const object& args, HostSpan& span) {
        name.remove_suffix(kNode.size());
        const std::string_view op = text_of(args, "op_name");
        span.kind = HostKind::kOp;
        span.name = intern(op_name(op.empty() ? name : op, text_of(args, "provider")));
        OpDetail detail;
        detail.module_path = intern(name);
        if (!args["input_type_shape"].error()) {
            const Texts texts =
                texts_of(read_tensors(args, "input_type_shape"), read_tensors(args, "output_type_shape"));
            Signature signature;
            signature.shapes = intern(texts.shapes);
            signature.dtypes = intern(texts.types);
            signature.concrete = intern(texts.values);
            detail.signature = builder_.signature(signature);
        }
        builder_.add_op(span, detail);
        last_ = {std::string(name), std::string(op), span.begin, span.track};
    }

    // Runs of the model are told by number, as steps of training are.
    void add_session(std::string_view name, HostSpan& span) {
        span.kind = HostKind::kAnnotation;
        span.name = name == "model_run" ? builder_.text(fmt::format("model_run#{}", runs_++)) : intern(name);
        builder_.add_host(span);
    }

    void add_other(std::string_view name, std::string_view category, HostSpan& span) {
        const bool fence = std::any_of(std::begin(kFences), std::end(kFences),
                                       [name](std::string_view ending) { return name.ends_with(ending); });
        if (!fence) note(Diag::kUnknownCategory, category);
        span.kind = HostKind::kOther;
        span.name = intern(name);
        builder_.add_host(span, intern(category).value);
    }

    // Stands behind the node that launched it, and names its op; in versions that tell it, the node too.
    void add_kernel(std::string_view name, const object& args, const HostSpan& times) {
        DeviceSpan span;
        span.begin = times.begin;
        span.dur = times.dur;
        const bool copies = name.find("emcpy") != name.npos, sets = name.find("emset") != name.npos;
        span.kind = copies ? DeviceKind::kMemcpy : sets ? DeviceKind::kMemset : DeviceKind::kKernel;
        span.name = intern(name);
        // Streams are numbers, or addresses: "0x55d0".
        const std::string_view told = text_of(args, "stream");
        const auto [known, is_new] = streams_.try_emplace(std::string(told), std::ssize(streams_));
        span.track = builder_.stream_track(TrackKind::kDeviceStream, builder_.device(rank_, 0), 0,
                                           number(args, "stream", known->second));
        if (is_new && told.starts_with("0x")) builder_.track(span.track).name = intern(told);
        if (span.kind == DeviceKind::kKernel) span.config = config_of(args);
        const std::string_view op = text_of(args, "op_name"), parent = text_of(args, "parent_name");
        const bool follows = last_.track.valid() && op == last_.op &&
                             (parent.empty() || parent == last_.name + std::string(kNode));
        if (follows) {
            span.correlation = ++launches_;
            builder_.add_flow({launches_, last_.begin, last_.track, FlowKind::kLaunch, true});
        }
        builder_.add_device(span);
    }

    LaunchConfigId config_of(const object& args) {
        LaunchConfig config;
        constexpr std::string_view kGrid[] = {"grid_x", "grid_y", "grid_z"},
                                   kBlock[] = {"block_x", "block_y", "block_z"};
        for (size_t axis = 0; axis < 3; ++axis) {
            config.grid[axis] = number(args, kGrid[axis], -1);
            config.block[axis] = number(args, kBlock[axis], -1);
        }
        return builder_.launch_config(config);
    }

    StringId intern(std::string_view text) { return json_.intern(text); }
    void note(Diag diag, std::string_view text) { json_.note(diag, text); }

    void add_facts() {
        json_.note_end();
        ProfileInfo& info = builder_.info();
        info.producer = "ONNX Runtime";
        info.frameworks.emplace_back("ONNX Runtime");
        info.sources.push_back(file_.name);
        std::string list;
        for (const auto& [provider, nodes] : providers_)
            list += fmt::format("{}{} ({} runs of nodes)", list.empty() ? "" : ", ",
                                provider.empty() ? "not told" : provider, nodes);
        if (!list.empty()) info.properties.emplace_back("execution providers", list);
        // Its profilers of devices are CUPTI and roctracer.
        if (!streams_.empty()) set_kernels_of_cuda_or_hip(info);
        tell_untold_devices(info);
    }

    // Providers that compute elsewhere than on the CPU, or may, where the file has no kernel: "CUDA, Dml".
    void tell_untold_devices(ProfileInfo& info) const {
        if (!streams_.empty()) return;
        std::string list;
        bool gpu = false, profiled = false;
        for (const auto& [provider, nodes] : providers_) {
            const std::string_view name = short_name(provider);
            if (name.empty() || is_in(kOnCpu, name)) continue;
            list += fmt::format("{}{}", list.empty() ? "" : ", ", name);
            gpu |= is_in(kOnGpu, name);
            profiled |= is_in(kProfiled, name);
        }
        if (list.empty()) return;
        set_devices_untold(
            info,
            fmt::format(
                "nodes ran on {}, and no kernel is in the file: times are the host's part of them, and "
                "what a device did is not known{}",
                list,
                profiled ? " (a build of ONNX Runtime with CUDA or ROCm profiling writes kernels)" : ""),
            gpu ? UntoldDevices::kGpus : UntoldDevices::kAny);
    }

    struct Node {
        std::string name, op;
        int64_t begin = 0;
        TrackId track;
    };
    const OneFile& file_;
    kineto::JsonEvents json_;
    ProfileBuilder& builder_;
    RankId rank_;
    std::map<std::string, int64_t> providers_, streams_;
    Node last_;
    int64_t runs_ = 0, launches_ = 0;
    uint64_t events_ = 0;
};

}  // namespace

Result<ImportFacts> import_profile(const OneFile& file, ProfileBuilder& builder) {
    return Import(file, builder).run();
}

}  // namespace opsight::importer::ort
