#include "query/dlprof/marks.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "import/nsys/python_literal.h"
#include "query/dlprof/geometry.h"

namespace opsight::dlprof {
namespace {

using Json = nlohmann::json;
using nsys::PythonValue;

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
    for (const PythonValue& arg : args.items) {
        const PythonValue* shape = arg.find("shape");
        if (!shape) continue;
        if (mark.dtype.empty()) mark.dtype = arg.text_of("dtype");
        mark.shapes += (mark.shapes.empty() ? "[" : ", ") + shape->json();
    }
    if (!mark.shapes.empty()) mark.shapes += ']';
}

std::string_view take_part(std::string_view& list, char separator) {
    const size_t end = std::min(list.find(separator), list.size());
    const std::string_view part = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    return part;
}

bool is_convolution(std::string_view type) {
    return type.starts_with("conv") || type.starts_with("Conv");
}

// {"op": "MatMul", "name": "dense/MatMul", "args": [{"name": "x", "shape": [32,64]}], "attrs": {"T":
// "float32"}}: what NVIDIA's TensorFlow writes where it is asked for details, as DLProf asks it.
std::optional<Mark> read_node(std::string_view text) {
    const Json said = Json::parse(text, nullptr, false);
    const auto is_text = [](const Json& of, const char* key) {
        return of.is_object() && of.contains(key) && of[key].is_string();
    };
    if (!is_text(said, "op") || !is_text(said, "name")) return std::nullopt;
    Mark mark;
    mark.is_op = true;
    mark.text = said["op"].get<std::string>();
    mark.node = said["name"].get<std::string>();
    Arguments a;
    Json shapes = Json::array();
    if (said.contains("args") && said["args"].is_array())
        for (const Json& arg : said["args"])
            if (arg.is_object() && arg.contains("shape") && arg["shape"].is_array())
                shapes.push_back(arg["shape"]);
    const Json attrs = said.contains("attrs") ? said["attrs"] : Json();
    for (const char* key : {"dtype", "T"})
        if (is_text(attrs, key)) mark.dtype = attrs[key].get<std::string>();
    if (shapes.empty()) return mark;
    mark.shapes = shapes.dump(-1, ' ', false, Json::error_handler_t::replace);
    for (const Json& shape : shapes) {
        Shape& sizes = a.tensors.emplace_back();
        for (const Json& size : shape)
            sizes.push_back(size.is_number_integer() ? size.get<int64_t>() : -1);
    }
    constexpr const char* kTurned[] = {"transpose_a", "transpose_b"};
    for (size_t i = 0; i < 2 && i < a.tensors.size(); ++i)
        if (attrs.is_object() && attrs.contains(kTurned[i]) && attrs[kTurned[i]] == true)
            std::reverse(a.tensors[i].begin(), a.tensors[i].end());
    if (mark.text == "MatMul")
        mark.outputs = lettered(geometry_of(mark.text, a).outputs, output_letters(mark.text));
    return mark;
}

}  // namespace

std::optional<Mark> read_mark(std::string_view text) {
    if (auto node = read_node(text)) return node;
    const auto value = nsys::parse_python_literal(text);
    if (!value || value->kind != PythonValue::Kind::kDict) return std::nullopt;
    Mark mark;
    mark.text = value->text_of("op");
    mark.is_op = !mark.text.empty();
    if (!mark.is_op) {
        mark.text = value->text_of("funcStack");
        if (const PythonValue* lines = value->find("traceMarker"))
            for (const PythonValue& line : lines->items)
                mark.stack += (mark.stack.empty() ? "" : "\n") + line.text;
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
    if (is_convolution(type)) return "N,C,H,W;K,C,R,S";
    if (type == "linear") return "N,K;M,K";
    return type == "matmul" || type == "mm" || type == "MatMul" ? "M,K;K,N" : "";
}

std::string_view output_letters(std::string_view type) {
    if (is_convolution(type)) return "N,K,P,Q";
    if (type == "linear") return "N,M";
    const bool product = type == "matmul" || type == "mm" || type == "addmm" || type == "MatMul";
    return product ? "M,N" : "";
}

}  // namespace opsight::dlprof
