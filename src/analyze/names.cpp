#include "analyze/names.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "model/marks/serving_step.h"
#include "model/marks/xla_names.h"

namespace opsight::analyze {
namespace {

constexpr std::string_view kEvaluate = "autograd::engine::evaluate_function: ";

bool all_digits(std::string_view word) {
    return !word.empty() && std::all_of(word.begin(), word.end(), text::is_digit);
}

std::string_view without_trailing_digits(std::string_view word) {
    while (!word.empty() && text::is_digit(word.back()))
        word.remove_suffix(1);
    return word;
}

// Names of autograd nodes end in "Backward" and a version; C++ nodes have a class of their own. The text of
// older emit_nvtx ranges goes on with ", seq = 5".
bool is_backward(std::string_view name) {
    if (name.starts_with("autograd::engine::") || text::contains(name, "torch::autograd::")) return true;
    std::string_view head = name.substr(0, name.find(", seq = "));
    head = head.substr(0, head.find(' '));
    if (without_trailing_digits(head).ends_with("Backward")) return true;
    return text::contains(head, "::") && head.ends_with("_backward");
}

// Of torch.profiler, PyTorch Lightning, servers, iterations of DLProf, and runs of ONNX Runtime.
bool is_step_marker(std::string_view name) {
    constexpr std::string_view prefixes[] = {"ProfilerStep#", "ProfilerStep*", "DLProf iteration #",
                                             "model_run#"};
    for (std::string_view prefix : prefixes)
        if (text::take_prefix(name, prefix)) return name.empty() || all_digits(name);
    // Of XLA's profiler: "Step #5", "Step #5 (train)".
    if (text::take_prefix(name, "Step #")) return all_digits(name.substr(0, name.find(" (")));
    return name == "[pl][profile]run_training_batch" || marks::serving_step(name);
}

bool contains_any(std::string_view name, const auto& parts) {
    return std::any_of(parts.begin(), parts.end(),
                       [&](std::string_view part) { return text::contains(name, part); });
}

constexpr std::array<std::string_view, 4> kGraphCalls = {"StreamBeginCapture", "StreamEndCapture",
                                                         "GraphInstantiate", "CUDAGraph.capture_begin"};
constexpr std::array<std::string_view, 7> kSearchCalls = {
    "cudnnFindConvolution",  "cudnnGetConvolutionForwardAlgorithm_v7",
    "miopenFindConvolution", "miopenConvolutionForwardGetSolution",
    "cudnn::find",           "miopenRunPlanSearch",
    "cudnnBenchmark"};
constexpr std::array<std::string_view, 12> kCompileCalls = {
    "XlaCompile:#",         "urProgramBuild",
    "piProgramBuild",       "nvrtcCompileProgram",
    "hiprtcCompileProgram", "cuLinkComplete",
    "TorchDynamo Compile",  "_compile.compile_inner",
    "compile_fx_inner",     "OutputGraph.call_user_compiler",
    "triton.compile",       "CachingAutotuner.benchmark_all_configs"};

constexpr std::array<std::string_view, 16> kTensorFlowOptimizers = {
    "Adadelta", "Adagrad",         "AdagradDA", "Adam",   "AdaMax",   "Adamax",
    "AdamW",    "AddSign",         "Ftrl",      "Lion",   "Momentum", "GradientDescent",
    "Nadam",    "ProximalAdagrad", "SGD",       "RMSProp"};
// With "Resource" and "Sparse" before them the types of their updates.
constexpr std::array<std::string_view, 18> kTensorFlowUpdates = {"Adadelta",
                                                                 "Adagrad",
                                                                 "AdagradDA",
                                                                 "AdagradV2",
                                                                 "Adam",
                                                                 "AdaMax",
                                                                 "AdamWithAmsgrad",
                                                                 "AddSign",
                                                                 "CenteredRMSProp",
                                                                 "Ftrl",
                                                                 "FtrlV2",
                                                                 "GradientDescent",
                                                                 "KerasMomentum",
                                                                 "Momentum",
                                                                 "PowerSign",
                                                                 "ProximalAdagrad",
                                                                 "ProximalGradientDescent",
                                                                 "RMSProp"};

// "_12" or nothing.
std::string_view without_number(std::string_view scope) {
    const std::string_view stem = without_trailing_digits(scope);
    if (stem.size() == scope.size() || !stem.ends_with('_')) return scope;
    return stem.substr(0, stem.size() - 1);
}

bool is_update(std::string_view type) {
    type = without_number(type);
    text::take_prefix(type, "Resource");
    text::take_prefix(type, "Sparse");
    return text::take_prefix(type, "Apply") &&
           std::find(kTensorFlowUpdates.begin(), kTensorFlowUpdates.end(), type) != kTensorFlowUpdates.end();
}

}  // namespace

bool in_optimizer_scope(std::string_view name) {
    const size_t slash = name.rfind('/');
    if (is_update(slash == name.npos ? name : name.substr(slash + 1))) return true;
    if (slash == name.npos) return false;
    for (size_t begin = 0; begin <= name.size();) {
        const size_t end = std::min(name.find('/', begin), name.size());
        const std::string_view scope = without_number(name.substr(begin, end - begin));
        if (std::find(kTensorFlowOptimizers.begin(), kTensorFlowOptimizers.end(), scope) !=
            kTensorFlowOptimizers.end())
            return true;
        begin = end + 1;
    }
    return false;
}

bool in_gradient_scope(std::string_view name) {
    for (size_t end = name.find('/'); end != name.npos; end = name.find('/')) {
        std::string_view scope = without_trailing_digits(name.substr(0, end));
        name.remove_prefix(end + 1);
        if (scope.ends_with('_')) scope.remove_suffix(1);
        if (scope == "gradients" || scope == "gradient_tape") return true;
    }
    return false;
}

NameClass classify_name(std::string_view name) {
    if (text::contains(name, "CheckpointFunctionBackward")) return NameClass::kRecompute;
    if (is_backward(name)) return NameClass::kBackward;
    if (in_gradient_scope(name)) return NameClass::kGradientScope;
    if (in_optimizer_scope(name)) return NameClass::kOptimizerScope;
    if (name.starts_with("Optimizer.step#")) return NameClass::kOptimizerStep;
    if (name.starts_with("Optimizer.")) return NameClass::kOptimizer;
    if (name.starts_with("enumerate(DataLoader)#") || name.starts_with("enumerate(DataPipe)#"))
        return NameClass::kDataLoad;
    if (is_step_marker(name)) return NameClass::kStepMarker;
    if (contains_any(name, kGraphCalls)) return NameClass::kGraphCapture;
    if (contains_any(name, kSearchCalls)) return NameClass::kCudnnBenchmark;
    if (contains_any(name, kCompileCalls)) return NameClass::kCompilation;
    return NameClass::kPlain;
}

std::string_view op_type_of(std::string_view name) {
    text::take_prefix(name, kEvaluate);
    text::take_prefix(name, "## ");
    text::take_suffix(name, " ##");
    if (name.starts_with("Call CompiledFxGraph ")) return "Call CompiledFxGraph";
    if (name.starts_with("Torch-Compiled Region: ")) return "Torch-Compiled Region";
    const size_t hash = name.find('#');
    if (hash != std::string_view::npos && hash > 0) name = name.substr(0, hash);
    name = name.substr(0, name.find(", seq = "));
    if (name.starts_with("triton_")) {
        const std::string_view stem = without_trailing_digits(name);
        return stem.size() < name.size() && stem.ends_with("_") ? stem.substr(0, stem.size() - 1) : name;
    }
    const std::string_view scope = name.substr(0, name.find_first_of("<("));
    const size_t colons = scope.rfind("::");
    if (colons == std::string_view::npos) return marks::stem_of_instruction(name);
    return colons + 2 < name.size() ? name.substr(colons + 2) : name;
}

}  // namespace opsight::analyze
