#include "query/dlprof/marks.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "model/marks/python_literal.h"
#include "model/marks/tensorflow_node.h"
#include "query/dlprof/geometry.h"

namespace opsight::query::dlprof {
namespace {

using Json = nlohmann::json;
using marks::PythonValue;

std::optional<int64_t> whole(const std::string& said) {
    int64_t value = 0;
    const auto [end, problem] = std::from_chars(said.data(), said.data() + said.size(), value);
    if (problem != std::errc() || end != said.data() + said.size()) return std::nullopt;
    return value;
}

std::optional<std::vector<int64_t>> whole_list(const PythonValue& said) {
    std::vector<int64_t> values;
    for (const PythonValue& item : said.items) {
        const auto value = whole(item.text);
        if (!value) return std::nullopt;
        values.push_back(*value);
    }
    if (said.kind == PythonValue::Kind::kList) return values;
    const auto value = whole(said.text);
    return value ? std::optional(std::vector{*value}) : std::nullopt;
}

// Those of a convolution, by name or else by place: input, weight, bias, stride, padding, dilation, groups.
Arguments arguments_of(const PythonValue& args) {
    Arguments a;
    constexpr std::string_view kPlaces[] = {"input",   "weight",   "bias",  "stride",
                                            "padding", "dilation", "groups"};
    for (size_t i = 0; i < args.items.size(); ++i) {
        const PythonValue& arg = args.items[i];
        if (const PythonValue* shape = arg.find("shape")) {
            a.tensors.push_back(whole_list(*shape).value_or(Shape()));
            continue;
        }
        const PythonValue* value = arg.find("value");
        const std::string_view own = arg.text_of("name");
        const std::string_view name = own.empty() && i < std::size(kPlaces) ? kPlaces[i] : own;
        if (!value || name == "bias" || std::find(kPlaces + 3, std::end(kPlaces), name) == std::end(kPlaces))
            continue;
        const auto values = whole_list(*value);
        a.complete &= values && !values->empty();
        a.named |= !own.empty();
        if (!a.complete) continue;
        if (name == "stride") a.stride = values;
        if (name == "padding") a.padding = values;
        if (name == "dilation") a.dilation = values;
        if (name == "groups") a.groups = values->front();
    }
    return a;
}

void read_tensors(const PythonValue& args, Mark& mark) {
    std::string shapes;
    for (const PythonValue& arg : args.items) {
        const PythonValue* shape = arg.find("shape");
        if (!shape) continue;
        if (mark.dtype.empty()) mark.dtype = arg.text_of("dtype");
        shapes += (shapes.empty() ? "[" : ", ") + shape->json();
    }
    if (!shapes.empty()) mark.shapes = lettered(shapes + ']', input_letters(mark.text));
}

std::string_view take_part(std::string_view& list, char separator) {
    const size_t end = std::min(list.find(separator), list.size());
    const std::string_view part = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    return part;
}

Mark mark_of(const marks::TensorFlowNode& node) {
    Mark mark;
    mark.is_op = true;
    mark.text = node.op;
    mark.node = node.name;
    mark.dtype = node.dtype;
    if (node.op != "MatMul") {
        mark.shapes = lettered(node.shapes_json, {});
        return mark;
    }
    // A transposed matrix has its columns first.
    const std::string letters =
        fmt::format("{};{}", node.transpose_a ? "K,M" : "M,K", node.transpose_b ? "N,K" : "K,N");
    mark.shapes = lettered(node.shapes_json, letters);
    Arguments a;
    a.tensors = node.shapes;
    const bool turned[] = {node.transpose_a, node.transpose_b};
    for (size_t i = 0; i < std::size(turned) && i < a.tensors.size(); ++i)
        if (turned[i]) std::reverse(a.tensors[i].begin(), a.tensors[i].end());
    mark.outputs = lettered(geometry_of(node.op, a).outputs, "M,N");
    return mark;
}

}  // namespace

std::optional<Mark> read_mark(std::string_view text, marks::NvtxDomain domain) {
    if (domain == marks::NvtxDomain::kTensorFlow)
        if (const auto node = marks::parse_tensorflow_node(text)) return mark_of(*node);
    const auto value = marks::parse_python_literal(text);
    if (!value || value->kind != PythonValue::Kind::kDict) return std::nullopt;
    Mark mark;
    mark.text = value->text_of("op");
    mark.is_op = !mark.text.empty();
    if (!mark.is_op) {
        mark.text = value->text_of("funcStack");
        if (const PythonValue* frames = value->find("traceMarker")) mark.stack = frames->lines();
        if (mark.text.empty() && mark.stack.empty()) return std::nullopt;
    } else if (const PythonValue* args = value->find("args")) {
        read_tensors(*args, mark);
        Geometry geometry = geometry_of(mark.text, arguments_of(*args));
        mark.parameters = lettered(geometry.parameters, kParameterLetters);
        mark.outputs = lettered(geometry.outputs, output_letters(mark.text));
    }
    return mark;
}

std::string lettered(std::string_view json, std::string_view letters) {
    const Json list = Json::parse(json, nullptr, false);
    if (!list.is_array()) return {};
    std::string out;
    for (const Json& shape : list) {
        if (!shape.is_array()) return {};
        std::string_view names = take_part(letters, ';');
        const auto count = names.empty() ? 0 : 1 + std::count(names.begin(), names.end(), ',');
        const bool fits = count == static_cast<ptrdiff_t>(shape.size());
        std::string sizes;
        for (const Json& size : shape) {
            sizes += sizes.empty() ? "" : ", ";
            if (fits) sizes.append(take_part(names, ',')).append(":");
            sizes += size.dump(-1, ' ', false, Json::error_handler_t::replace);
        }
        out += (out.empty() ? "<" : "; <") + sizes + ">";
    }
    return out;
}

std::string_view input_letters(std::string_view type) {
    if (type == "conv2d") return "N,C,H,W;K,C,R,S";
    return type == "linear" ? "N,K;M,K" : "";
}

std::string_view output_letters(std::string_view type) {
    if (type == "conv2d") return "N,K,P,Q";
    return type == "linear" ? "N,M" : "";
}

bool is_convolution(std::string_view type) {
    // Of torch.nn.functional, and the operators behind them (ATen/native/native_functions.yaml).
    constexpr std::string_view kAll[] = {"conv1d",
                                         "conv2d",
                                         "conv3d",
                                         "conv_tbc",
                                         "conv_transpose1d",
                                         "conv_transpose2d",
                                         "conv_transpose3d",
                                         "convolution",
                                         "_convolution",
                                         "convolution_backward",
                                         "cudnn_convolution",
                                         "cudnn_convolution_add_relu",
                                         "cudnn_convolution_relu",
                                         "cudnn_convolution_transpose"};
    return std::find(std::begin(kAll), std::end(kAll), type) != std::end(kAll);
}

}  // namespace opsight::query::dlprof
