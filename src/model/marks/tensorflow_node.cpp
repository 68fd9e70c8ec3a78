#include "model/marks/tensorflow_node.h"

#include <nlohmann/json.hpp>

namespace opsight::marks {
namespace {

using Json = nlohmann::json;

std::string text_of(const Json& of, const char* key) {
    return of.is_object() && of.contains(key) && of[key].is_string() ? of[key].get<std::string>()
                                                                     : std::string();
}

bool is_set(const Json& of, const char* key) {
    return of.is_object() && of.contains(key) && of[key] == true;
}

void read_shapes(const Json& args, TensorFlowNode& node) {
    Json shapes = Json::array();
    for (const Json& arg : args) {
        if (!arg.is_object() || !arg.contains("shape") || !arg["shape"].is_array()) continue;
        shapes.push_back(arg["shape"]);
        std::vector<int64_t>& sizes = node.shapes.emplace_back();
        for (const Json& size : arg["shape"])
            sizes.push_back(size.is_number_integer() ? size.get<int64_t>() : -1);
    }
    if (!shapes.empty()) node.shapes_json = shapes.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::optional<TensorFlowNode> parse_tensorflow_node(std::string_view text) {
    if (!text.starts_with('{')) return std::nullopt;
    const Json said = Json::parse(text, nullptr, false);
    TensorFlowNode node;
    node.op = text_of(said, "op");
    node.name = text_of(said, "name");
    if (node.op.empty() || node.name.empty()) return std::nullopt;
    const Json attrs = said.contains("attrs") ? said["attrs"] : Json();
    node.dtype = text_of(attrs, "T");
    if (node.dtype.empty()) node.dtype = text_of(attrs, "dtype");
    node.transpose_a = is_set(attrs, "transpose_a");
    node.transpose_b = is_set(attrs, "transpose_b");
    if (said.contains("args") && said["args"].is_array()) read_shapes(said["args"], node);
    return node;
}

}  // namespace opsight::marks
