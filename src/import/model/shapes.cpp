#include "import/model/shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace opsight::importer::model_import {

const ModelTensor* NodeShapes::in(size_t index) const {
    return index < node_.inputs.size() ? graph_.tensor(node_.inputs[index]) : nullptr;
}

ModelTensor* NodeShapes::out(size_t index) const {
    if (index >= node_.outputs.size() || node_.outputs[index] == kNoTensor) return nullptr;
    return &graph_.tensors[static_cast<size_t>(node_.outputs[index])];
}

const Shape* NodeShapes::shape(size_t index) const {
    const ModelTensor* tensor = in(index);
    return tensor && tensor->shape_known ? &tensor->shape : nullptr;
}

std::optional<std::vector<int64_t>> NodeShapes::values(size_t index) const {
    const ModelTensor* tensor = in(index);
    if (!tensor || !tensor->has_value) return std::nullopt;
    std::vector<int64_t> out;
    out.reserve(tensor->value.size());
    for (double value : tensor->value)
        out.push_back(static_cast<int64_t>(std::clamp(std::isnan(value) ? 0 : value, -9e18, 9e18)));
    return out;
}

std::optional<std::vector<int64_t>> NodeShapes::list(std::string_view attribute, size_t input) const {
    if (node_.attributes.contains(attribute)) return node_.integers(attribute);
    return values(input);
}

bool NodeShapes::set(size_t output, Shape shape, ElementType type) {
    ModelTensor* tensor = out(output);
    if (!tensor) return true;
    const bool negative = std::any_of(shape.begin(), shape.end(), [](int64_t size) { return size < 0; });
    if (negative) return misfit(fmt::format("its output {} would have a size below 0", output));
    if (shape.size() > 64 || !element_count(shape)) {
        too_large = true;
        return misfit(fmt::format("its output {} would have the sizes {}, more than can be", output,
                                  shape_text(shape)));
    }
    tensor->shape = std::move(shape);
    tensor->shape_known = true;
    tensor->type = type;
    return true;
}

bool NodeShapes::set(size_t output, Shape shape) {
    const ModelTensor* first = in(0);
    return set(output, std::move(shape), first ? first->type : ElementType::kFloat32);
}

bool NodeShapes::misfit(std::string what) {
    problem = std::move(what);
    return false;
}

Status check_dims(const std::map<std::string, int64_t>& given, const std::map<std::string, int64_t>& open) {
    std::string names;
    for (const auto& [name, size] : open)
        names += fmt::format("{}'{}'", names.empty() ? "" : ", ", name);
    for (const auto& [name, size] : given)
        if (!open.contains(name))
            return fail(Error{.what = fmt::format("the model has no open dimension '{}'", name),
                              .remedy = names.empty()
                                            ? "all its sizes are fixed; --shape changes those of an input"
                                            : "it has " + names,
                              .exit_code = 2});
    return {};
}

std::optional<Shape> broadcast(const Shape& a, const Shape& b) {
    Shape out(std::max(a.size(), b.size()), 1);
    for (size_t i = 0; i < out.size(); ++i) {
        const int64_t left = i < a.size() ? a[a.size() - 1 - i] : 1;
        const int64_t right = i < b.size() ? b[b.size() - 1 - i] : 1;
        if (left != right && left != 1 && right != 1) return std::nullopt;
        out[out.size() - 1 - i] = left == 1 ? right : left;
    }
    return out;
}

std::optional<size_t> axis_of(int64_t axis, size_t rank) {
    const int64_t size = static_cast<int64_t>(rank);
    if (axis < -size || axis >= size) return std::nullopt;
    return static_cast<size_t>(axis < 0 ? axis + size : axis);
}

bool infer_shapes(NodeShapes& node) {
    const std::string& op = node.node().op_type;
    ShapeRule rule = layout_rule(op);
    if (!rule) rule = math_rule(op);
    if (!rule) rule = network_rule(op);
    if (!rule || !rule(node)) return false;
    fold_values(node);
    return true;
}

}  // namespace opsight::importer::model_import
