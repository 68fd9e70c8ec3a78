#include "model/marks/nvtx_text.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/text.h"
#include "model/engine_paths.h"
#include "model/marks/python_literal.h"
#include "model/marks/tensorflow_node.h"
#include "model/marks/xla_names.h"

namespace opsight::marks {
namespace {

bool is_lower_identifier(std::string_view name) {
    return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    });
}

// "AddmmBackward0", "torch::autograd::AccumulateGrad"
bool is_autograd_node(std::string_view name) {
    if (name.ends_with("AccumulateGrad")) return true;
    while (!name.empty() && name.back() >= '0' && name.back() <= '9')
        name.remove_suffix(1);
    return name.ends_with("Backward");
}

bool is_framework_op(std::string_view name) {
    constexpr std::string_view kSpaces[] = {
        "aten::", "autograd::",  "torch::autograd::", "prims::",           "c10d::",
        "nccl:",  "quantized::", "torchvision::",     "_c10d_functional::"};
    return std::any_of(std::begin(kSpaces), std::end(kSpaces),
                       [&](std::string_view space) { return name.starts_with(space); });
}

bool is_data_loading(std::string_view name) {
    return name.starts_with("enumerate(DataLoader)#") || name.starts_with("enumerate(DataPipe)#");
}

// Cuts " = value" facts off the end of a PyTorch range. A value ends at ", " outside brackets.
struct TorchFacts {
    std::string_view name;
    int64_t sequence = -1, stashed = -1, id = -1;
    std::string_view sizes;
    bool any = false;
};

std::string_view take_value(std::string_view& rest) {
    int depth = 0;
    size_t end = 0;
    for (; end < rest.size(); ++end) {
        const char c = rest[end];
        if (c == '[' || c == '(') ++depth;
        if (c == ']' || c == ')') --depth;
        if (c == ',' && depth <= 0) break;
    }
    const std::string_view value = text::trimmed(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return value;
}

int64_t number_of(std::string_view text) {
    int64_t value = -1;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    return problem == std::errc() && end == text.data() + text.size() ? value : -1;
}

TorchFacts torch_facts(std::string_view text) {
    TorchFacts facts;
    constexpr std::string_view kKeys[] = {", seq = ", ", op_id = ", ", stashed seq = ", ", sizes = "};
    size_t first = text.npos;
    for (const std::string_view key : kKeys)
        first = std::min(first, text.find(key));
    facts.name = text.substr(0, first);
    if (first == text.npos) return facts;
    facts.any = true;
    std::string_view rest = text.substr(first + 2);
    while (!rest.empty()) {
        const size_t equals = rest.find('=');
        if (equals == rest.npos) break;
        const std::string_view key = text::trimmed(rest.substr(0, equals));
        rest.remove_prefix(equals + 1);
        const std::string_view value = take_value(rest);
        if (key == "seq") facts.sequence = number_of(value);
        if (key == "stashed seq") facts.stashed = number_of(value);
        if (key == "op_id") facts.id = number_of(value);
        if (key == "sizes" && value.ends_with(']')) facts.sizes = value;  // a long text may be cut off
    }
    return facts;
}

std::optional<NvtxMeaning> read_torch(std::string_view text) {
    const TorchFacts facts = torch_facts(text);
    NvtxMeaning meaning;
    meaning.name = facts.name;
    if (is_data_loading(facts.name)) {
        meaning.kind = HostKind::kDataLoad;
        return meaning;
    }
    const bool op = is_framework_op(facts.name) ||
                    (facts.any && (is_autograd_node(facts.name) || is_lower_identifier(facts.name) ||
                                   (text::contains(facts.name, "::") && !text::contains(facts.name, " "))));
    if (!op && !facts.any) return std::nullopt;
    if (!op) return meaning;  // record_function of a user
    meaning.kind = HostKind::kOp;
    meaning.sequence = facts.stashed >= 0 ? facts.stashed : facts.sequence;
    meaning.id = facts.id;
    meaning.shapes = facts.sizes;
    return meaning;
}

// As PyTorch's traces write it: "1", "[2, 1]". Texts that need escapes are left out.
std::string plain_value(const PythonValue& value) {
    std::string text = value.kind == PythonValue::Kind::kList ? value.json() : value.text;
    return text.find_first_of("\"\\\n\t") == text.npos ? text : std::string();
}

void read_arguments(const PythonValue& args, NvtxMeaning& meaning) {
    const auto append = [](std::string& list, std::string_view item) {
        list.append(list.empty() ? "[" : ", ").append(item);
    };
    for (const PythonValue& arg : args.items) {
        const PythonValue* shape = arg.find("shape");
        const PythonValue* value = arg.find("value");
        std::string_view type = arg.text_of("dtype");
        if (type.empty()) type = arg.text_of("type");
        append(meaning.shapes, shape ? shape->json() : "[]");
        append(meaning.dtypes, "\"" + std::string(type) + "\"");
        append(meaning.concrete, "\"" + (value ? plain_value(*value) : std::string()) + "\"");
    }
    for (std::string* list : {&meaning.shapes, &meaning.dtypes, &meaning.concrete})
        if (!list->empty()) *list += ']';
}

std::optional<NvtxMeaning> read_pyprof(std::string_view text) {
    if (!text.starts_with('{')) return std::nullopt;
    const std::optional<PythonValue> value = parse_python_literal(text);
    if (!value || value->kind != PythonValue::Kind::kDict) return std::nullopt;
    NvtxMeaning meaning;
    if (const std::string_view op = value->text_of("op"); !op.empty()) {
        const std::string_view module = value->text_of("mod");
        meaning.kind = HostKind::kOp;
        meaning.name = module.empty() ? std::string(op) : std::string(module) + "." + std::string(op);
        meaning.marked = op;
        if (const PythonValue* args = value->find("args")) read_arguments(*args, meaning);
        return meaning;
    }
    const PythonValue* marker = value->find("traceMarker");
    const std::string_view stack = value->text_of("funcStack");
    if (!marker && stack.empty()) return std::nullopt;
    if (marker) meaning.stack = marker->lines();
    meaning.name = modules_of_stack(stack);
    meaning.kind = HostKind::kModule;
    if (meaning.name.empty()) {
        meaning.kind = HostKind::kAnnotation;
        meaning.name = stack.empty() ? meaning.stack.substr(0, meaning.stack.find('\n')) : stack;
    }
    return meaning;
}

// Of hooks around modules, as vLLM (--enable-layerwise-nvtx-tracing) and SGLang
// (--enable-layerwise-nvtx-marker) have them:
// "{'Module': 'top.model.layers.0.mlp', 'TrainableParams': {...}, 'Inputs': [[8, 4096]]}". What a call gave
// comes after it, in a range without work.
std::optional<NvtxMeaning> read_hook(std::string_view text) {
    if (!text::take_prefix(text, "{'Module': '")) return std::nullopt;
    const size_t end = text.find('\'');
    if (end == text.npos || end == 0) return std::nullopt;
    NvtxMeaning meaning;
    meaning.kind = HostKind::kModule;
    std::string_view module = text.substr(0, end);
    for (const std::string_view compiled :
         {"Torch Compiled Module (input):", "Torch Compiled Module (output):"})
        text::take_prefix(module, compiled);
    meaning.name = module;
    if (text::contains(text.substr(end), "'Outputs': [")) {
        meaning.kind = HostKind::kAnnotation;
        meaning.name = "outputs of " + meaning.name;
    }
    return meaning;
}

std::optional<NvtxMeaning> read_path(std::string_view text) {
    constexpr std::string_view kLayer = "layer:";
    NvtxMeaning meaning;
    meaning.kind = HostKind::kModule;
    if (text.starts_with(kLayer) && text.size() > kLayer.size()) {
        meaning.name = text::trimmed(text.substr(kLayer.size()));
        return meaning;
    }
    const bool path = text.starts_with('/') && std::count(text.begin(), text.end(), '/') > 1 &&
                      !text::contains(text, " ") && !text::contains(text, "//");
    if (!path && !text.starts_with("nn.Module: ")) return std::nullopt;
    meaning.name = path ? text.substr(1) : text;
    return meaning;
}

// Of "/a/b/conv": "a/b".
std::string folder_of(std::string_view path) {
    if (path.starts_with('/')) path.remove_prefix(1);
    const size_t slash = path.rfind('/');
    return slash == path.npos ? std::string() : std::string(path.substr(0, slash));
}

std::optional<NvtxMeaning> read_node(std::string_view text) {
    const auto node = parse_tensorflow_node(text);
    if (!node) return std::nullopt;
    NvtxMeaning meaning;
    meaning.kind = HostKind::kOp;
    meaning.name = node->op;
    meaning.module_path = folder_of(node->name);
    meaning.shapes = node->shapes_json;
    if (!node->dtype.empty() && !node->shapes.empty())
        meaning.dtypes = nlohmann::json(std::vector<std::string>(node->shapes.size(), node->dtype))
                             .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    return meaning;
}

std::optional<NvtxMeaning> read_xla(std::string_view text) {
    const XlaRange range = read_xla_range(text);
    NvtxMeaning meaning;
    meaning.scope = range.scope;
    if (!range.module.empty()) {
        meaning.kind = HostKind::kModule;
        meaning.name = range.module;
        meaning.program = true;
    } else if (!range.instruction.empty()) {
        meaning.kind = HostKind::kOp;
        meaning.name = range.instruction;
        const XlaPlace place = place_of_thunk({}, range.scope);
        meaning.module_path = place.layer;
        meaning.backward = place.backward;
    } else {
        return std::nullopt;
    }
    return meaning;
}

std::optional<NvtxMeaning> read_by_domain(std::string_view text, NvtxDomain domain) {
    NvtxMeaning meaning;
    meaning.kind = HostKind::kOp;
    meaning.name = text;
    switch (domain) {
        case NvtxDomain::kTensorRt: {
            // Whole executions, and phases of the builder.
            if (text::contains(text, "ExecutionContext::") || text::contains(text, "Builder") ||
                text::contains(text, "Runtime::"))
                return std::nullopt;
            meaning.module_path = folder_of(engine_path(text::trimmed(text)));
            return meaning;
        }
        case NvtxDomain::kTensorFlow: {
            if (text.starts_with('{')) return read_node(text);
            const size_t colon = text.find(": ");
            if (colon == text.npos || colon == 0 || text::contains(text.substr(0, colon), " "))
                return std::nullopt;
            meaning.name = text.substr(0, colon);
            meaning.module_path = folder_of(text::trimmed(text.substr(colon + 2)));
            return meaning;
        }
        case NvtxDomain::kXla:
            return read_xla(text);
        case NvtxDomain::kNccl:
            return text.starts_with("nccl") ? std::optional(meaning) : std::nullopt;
        default:
            return std::nullopt;
    }
}

// A step of a path of functions: "f(2)" or "f[2]".
struct Step {
    std::string_view name, count;
};

Step step_of(std::string_view text) {
    if (!text.ends_with(')') && !text.ends_with(']')) return {text, {}};
    const size_t open = text.find_last_of("([");
    if (open == text.npos || open + 2 >= text.size()) return {text, {}};
    const std::string_view count = text.substr(open + 1, text.size() - open - 2);
    if (count.find_first_not_of("0123456789") != count.npos) return {text, {}};
    return {text.substr(0, open), count};
}

}  // namespace

std::string modules_of_stack(std::string_view stack) {
    std::string path;
    Step before;
    while (!stack.empty()) {
        const size_t end = std::min(stack.find('/'), stack.size());
        const Step step = step_of(stack.substr(0, end));
        stack.remove_prefix(std::min(end + 1, stack.size()));
        const size_t call = step.name.rfind("::forward");
        if (call != step.name.npos && call > 0) {
            const std::string_view type = step.name.substr(0, call);
            const bool same =
                before.name.starts_with(type) && before.name.substr(type.size()).starts_with("::");
            const std::string_view count = step.count.empty() && same ? before.count : step.count;
            path.append(path.empty() ? "" : "/").append(type);
            if (!count.empty()) path.append("(").append(count).append(")");
        }
        before = step;
    }
    return path;
}

NvtxDomain nvtx_domain(std::string_view name) {
    if (name == "TensorRT") return NvtxDomain::kTensorRt;
    if (name == "NCCL") return NvtxDomain::kNccl;
    if (name == "TSL") return NvtxDomain::kXla;
    if (name.starts_with("tensorflow") || name.starts_with("TensorFlow") || name == "tf")
        return NvtxDomain::kTensorFlow;
    return NvtxDomain::kOther;
}

NvtxMeaning read_nvtx_text(std::string_view text, NvtxDomain domain) {
    if (auto meaning = read_by_domain(text, domain)) return *meaning;
    if (auto meaning = read_hook(text)) return *meaning;
    if (auto meaning = read_pyprof(text)) return *meaning;
    if (auto meaning = read_path(text)) return *meaning;
    if (auto meaning = read_torch(text)) return *meaning;
    NvtxMeaning meaning;
    meaning.name = text;
    return meaning;
}

}  // namespace opsight::marks
