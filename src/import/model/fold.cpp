// Elements of small tensors, as far as shapes may depend on them: what exporters write around Reshape, Slice,
// Expand and Range.
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "import/model/shapes.h"

namespace opsight::importer::model_import {
namespace {

using Binary = double (*)(double, double);
using Unary = double (*)(double);

const std::unordered_map<std::string_view, Binary> kBinary = {
    {"Add", [](double a, double b) { return a + b; }},
    {"Sub", [](double a, double b) { return a - b; }},
    {"Mul", [](double a, double b) { return a * b; }},
    {"Div", [](double a, double b) { return a / b; }},
    {"Pow", [](double a, double b) { return std::pow(a, b); }},
    {"Min", [](double a, double b) { return std::min(a, b); }},
    {"Max", [](double a, double b) { return std::max(a, b); }},
    {"Mod", [](double a, double b) { return b == 0 ? 0 : a - b * std::floor(a / b); }},
    {"Equal", [](double a, double b) { return a == b ? 1.0 : 0.0; }},
    {"Less", [](double a, double b) { return a < b ? 1.0 : 0.0; }},
    {"LessOrEqual", [](double a, double b) { return a <= b ? 1.0 : 0.0; }},
    {"Greater", [](double a, double b) { return a > b ? 1.0 : 0.0; }},
    {"GreaterOrEqual", [](double a, double b) { return a >= b ? 1.0 : 0.0; }},
    {"And", [](double a, double b) { return a != 0 && b != 0 ? 1.0 : 0.0; }},
    {"Or", [](double a, double b) { return a != 0 || b != 0 ? 1.0 : 0.0; }},
};
const std::unordered_map<std::string_view, Unary> kUnary = {
    {"Neg", [](double a) { return -a; }},
    {"Abs", [](double a) { return std::fabs(a); }},
    {"Sqrt", [](double a) { return std::sqrt(a); }},
    {"Floor", [](double a) { return std::floor(a); }},
    {"Ceil", [](double a) { return std::ceil(a); }},
    {"Round", [](double a) { return std::nearbyint(a); }},
    {"Not", [](double a) { return a == 0 ? 1.0 : 0.0; }},
};
// The elements stay, in their order.
bool keeps_elements(std::string_view op) {
    return op == "Identity" || op == "Reshape" || op == "Squeeze" || op == "Unsqueeze" || op == "Flatten" ||
           op == "CastLike" || op == "Cast";
}

bool is_integer(ElementType type) {
    return !is_float(type) && type != ElementType::kUnknown && type != ElementType::kString;
}

const ModelTensor* known(NodeShapes& node, size_t index) {
    const ModelTensor* tensor = node.in(index);
    return tensor && tensor->has_value && tensor->shape_known ? tensor : nullptr;
}

// Offset in a tensor of `shape` of the element that broadcasts to place `at` of `out`.
size_t broadcast_offset(const Shape& shape, const Shape& out, int64_t at) {
    size_t offset = 0;
    int64_t stride = 1;
    for (size_t i = 0; i < out.size(); ++i) {
        const int64_t size = out[out.size() - 1 - i], place = at % size;
        at /= size;
        if (i >= shape.size()) break;
        const int64_t own = shape[shape.size() - 1 - i];
        if (own != 1) offset += static_cast<size_t>(place * stride);
        stride *= own;
    }
    return offset;
}

double element(const ModelTensor& tensor, const Shape& out, int64_t at) {
    return tensor.value[broadcast_offset(tensor.shape, out, at)];
}

using Elements = std::optional<std::vector<double>>;

Elements fold_binary(NodeShapes& node, const ModelTensor& out, Binary apply) {
    const ModelTensor *a = known(node, 0), *b = known(node, 1);
    if (!a || !b || node.inputs() != 2 || node.node().integer("broadcast", 0) != 0) return std::nullopt;
    std::vector<double> values;
    const bool whole_division = node.node().op_type == "Div" && is_integer(a->type);
    for (int64_t i = 0; i < out.elements(); ++i) {
        const double value = apply(element(*a, out.shape, i), element(*b, out.shape, i));
        values.push_back(whole_division ? std::trunc(value) : value);
    }
    return values;
}

Elements fold_where(NodeShapes& node, const ModelTensor& out) {
    const ModelTensor *condition = known(node, 0), *yes = known(node, 1), *no = known(node, 2);
    if (!condition || !yes || !no) return std::nullopt;
    std::vector<double> values;
    for (int64_t i = 0; i < out.elements(); ++i)
        values.push_back(element(element(*condition, out.shape, i) != 0 ? *yes : *no, out.shape, i));
    return values;
}

Elements fold_shape(NodeShapes& node, const ModelTensor& out) {
    const Shape* x = node.shape(0);
    if (!x) return std::nullopt;
    if (node.node().op_type == "Size")
        return std::vector<double>{static_cast<double>(node.in(0)->elements())};
    const int64_t rank = static_cast<int64_t>(x->size());
    int64_t start = node.node().integer("start", 0);
    start = std::clamp<int64_t>(start < 0 ? start + rank : start, 0, rank);
    std::vector<double> values;
    for (int64_t i = 0; i < out.elements(); ++i)
        values.push_back(static_cast<double>((*x)[static_cast<size_t>(start + i)]));
    return values;
}

Elements fold_gather(NodeShapes& node) {
    const ModelTensor *x = known(node, 0), *indices = known(node, 1);
    if (!x || !indices || x->shape.size() != 1) return std::nullopt;
    std::vector<double> values;
    for (double index : indices->value) {
        const double at = index < 0 ? index + static_cast<double>(x->value.size()) : index;
        if (!(at >= 0 && at < static_cast<double>(x->value.size()))) return std::nullopt;
        values.push_back(x->value[static_cast<size_t>(at)]);
    }
    return values;
}

Elements fold_concat(NodeShapes& node) {
    std::vector<double> values;
    for (size_t i = 0; i < node.inputs(); ++i) {
        const ModelTensor* part = known(node, i);
        if (!part || part->shape.size() != 1) return std::nullopt;
        values.insert(values.end(), part->value.begin(), part->value.end());
    }
    return values;
}

// Places along each axis of the element number `at`.
std::vector<int64_t> places_of(const Shape& shape, int64_t at) {
    std::vector<int64_t> places(shape.size(), 0);
    for (size_t i = shape.size(); i > 0; --i) {
        places[i - 1] = at % shape[i - 1];
        at /= shape[i - 1];
    }
    return places;
}

double element_at(const ModelTensor& tensor, const std::vector<int64_t>& places) {
    int64_t offset = 0;
    for (size_t i = 0; i < places.size(); ++i)
        offset = offset * tensor.shape[i] + places[i];
    return tensor.value[static_cast<size_t>(offset)];
}

// Slices of one axis: exporters turn the pads of F.pad around by one.
Elements fold_slice(NodeShapes& node, const ModelTensor& out) {
    const ModelTensor* x = known(node, 0);
    const auto starts = node.list("starts", 1), axes = node.list("axes", 3), steps = node.values(4);
    if (!x || !starts || starts->size() != 1 || (axes && axes->size() != 1)) return std::nullopt;
    const auto axis = axis_of(axes ? (*axes)[0] : 0, x->shape.size());
    if (!axis) return std::nullopt;
    const int64_t size = x->shape[*axis], step = steps && !steps->empty() ? (*steps)[0] : 1;
    int64_t start = (*starts)[0] < 0 ? (*starts)[0] + size : (*starts)[0];
    start = std::clamp<int64_t>(start, 0, std::max<int64_t>(0, step > 0 ? size : size - 1));
    std::vector<double> values;
    for (int64_t i = 0; i < out.elements(); ++i) {
        std::vector<int64_t> places = places_of(out.shape, i);
        places[*axis] = start + places[*axis] * step;
        values.push_back(element_at(*x, places));
    }
    return values;
}

Elements fold_transpose(NodeShapes& node, const ModelTensor& out) {
    const ModelTensor* x = known(node, 0);
    if (!x) return std::nullopt;
    const std::vector<int64_t> order = node.node().integers("perm");
    std::vector<bool> seen(x->shape.size(), false);
    for (int64_t axis : order)
        seen[*axis_of(axis, seen.size())] = true;  // the shape's rule has checked them
    if (!order.empty() && std::find(seen.begin(), seen.end(), false) != seen.end()) return std::nullopt;
    std::vector<double> values;
    for (int64_t i = 0; i < out.elements(); ++i) {
        const std::vector<int64_t> to = places_of(out.shape, i);
        std::vector<int64_t> from(to.size());
        for (size_t axis = 0; axis < to.size(); ++axis)
            from[order.empty() ? to.size() - 1 - axis : *axis_of(order[axis], to.size())] = to[axis];
        values.push_back(element_at(*x, from));
    }
    return values;
}

Elements fold_reduce(NodeShapes& node, const ModelTensor& out) {
    const ModelTensor* x = known(node, 0);
    if (!x || out.elements() != 1 || x->value.empty()) return std::nullopt;
    double value = x->value[0];
    const std::string& op = node.node().op_type;
    for (size_t i = 1; i < x->value.size(); ++i) {
        const double next = x->value[i];
        if (op == "ReduceProd") value *= next;
        if (op == "ReduceSum") value += next;
        if (op == "ReduceMax") value = std::max(value, next);
        if (op == "ReduceMin") value = std::min(value, next);
    }
    return std::vector<double>{value};
}

Elements fold_range(NodeShapes& node, const ModelTensor& out) {
    std::vector<double> values;
    for (int64_t i = 0; i < out.elements(); ++i)
        values.push_back(node.in(0)->value[0] + static_cast<double>(i) * node.in(2)->value[0]);
    return values;
}

Elements fold_expand(NodeShapes& node, const ModelTensor& out) {
    const ModelTensor* x = known(node, 0);
    if (!x) return std::nullopt;
    std::vector<double> values;
    for (int64_t i = 0; i < out.elements(); ++i)
        values.push_back(element(*x, out.shape, i));
    return values;
}

Elements fold_cast(NodeShapes& node, const ModelTensor& out) {
    const ModelTensor* x = known(node, 0);
    if (!x) return std::nullopt;
    std::vector<double> values = x->value;
    if (is_integer(out.type) && out.type != ElementType::kBool)
        for (double& value : values)
            value = std::trunc(value);
    return values;
}

Elements fold_unary(NodeShapes& node, Unary apply) {
    const ModelTensor* x = known(node, 0);
    if (!x) return std::nullopt;
    std::vector<double> values = x->value;
    std::transform(values.begin(), values.end(), values.begin(), apply);
    return values;
}

Elements fold(NodeShapes& node, const ModelTensor& out) {
    const std::string& op = node.node().op_type;
    if (op == "Shape" || op == "Size") return fold_shape(node, out);
    if (op == "Gather") return fold_gather(node);
    if (op == "Concat") return fold_concat(node);
    if (op == "Slice") return fold_slice(node, out);
    if (op == "Transpose") return fold_transpose(node, out);
    if (op == "Range") return fold_range(node, out);
    if (op == "Expand") return fold_expand(node, out);
    if (op == "Where") return fold_where(node, out);
    if (op == "ConstantOfShape")
        return std::vector<double>(static_cast<size_t>(out.elements()), node.node().real("fill", 0));
    if (op == "ReduceProd" || op == "ReduceSum" || op == "ReduceMax" || op == "ReduceMin")
        return fold_reduce(node, out);
    if (keeps_elements(op)) return fold_cast(node, out);
    if (const auto binary = kBinary.find(op); binary != kBinary.end())
        return fold_binary(node, out, binary->second);
    if (const auto unary = kUnary.find(op); unary != kUnary.end()) return fold_unary(node, unary->second);
    return std::nullopt;
}

}  // namespace

void fold_values(NodeShapes& node) {
    ModelTensor* out = node.out(0);
    if (!out || !out->shape_known || out->elements() > kMostValues) return;
    Elements values = fold(node, *out);
    if (!values || static_cast<int64_t>(values->size()) != out->elements()) return;
    out->value = std::move(*values);
    out->has_value = true;
}

}  // namespace opsight::importer::model_import
