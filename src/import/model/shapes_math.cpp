// Elementwise ops, reductions and products.
#include <algorithm>
#include <unordered_map>

#include "import/model/shapes.h"
#include "model/einsum.h"

namespace opsight::importer::model_import {
namespace {

bool same_shape(NodeShapes& node) {
    const Shape* shape = node.shape(0);
    return shape && node.set(0, *shape);
}

bool same_shape_bool(NodeShapes& node) {
    const Shape* shape = node.shape(0);
    return shape && node.set(0, *shape, ElementType::kBool);
}

// Every output like input 0: Dropout's mask is a bool.
bool dropout(NodeShapes& node) {
    const Shape* shape = node.shape(0);
    return shape && node.set(0, *shape) && node.set(1, *shape, ElementType::kBool);
}

std::optional<Shape> all_inputs(NodeShapes& node, size_t first) {
    Shape out;
    for (size_t i = first; i < node.inputs(); ++i) {
        const Shape* shape = node.shape(i);
        if (!shape) return std::nullopt;
        std::optional<Shape> wider = broadcast(out, *shape);
        if (!wider) {
            node.misfit("inputs of " + shape_text(out) + " and " + shape_text(*shape) +
                        " do not broadcast against each other");
            return std::nullopt;
        }
        out = std::move(*wider);
    }
    return out;
}

// Opsets before 7 broadcast input 1 along an axis: the result is like input 0.
bool elementwise(NodeShapes& node) {
    if (node.node().integer("broadcast", 0) != 0) return same_shape(node);
    const std::optional<Shape> shape = all_inputs(node, 0);
    return shape && node.set(0, *shape);
}

bool comparison(NodeShapes& node) {
    if (!elementwise(node)) return false;
    return node.set(0, Shape(node.out(0) ? node.out(0)->shape : Shape()), ElementType::kBool);
}

bool where(NodeShapes& node) {
    const std::optional<Shape> shape = all_inputs(node, 0);
    return shape && node.in(1) && node.set(0, *shape, node.in(1)->type);
}

bool cast_like(NodeShapes& node) {
    return node.shape(0) && node.in(1) && node.set(0, *node.shape(0), node.in(1)->type);
}

bool reduce(NodeShapes& node) {
    const Shape* shape = node.shape(0);
    if (!shape) return false;
    std::vector<int64_t> axes;
    if (const auto given = node.list("axes", 1))
        axes = *given;
    else if (node.in(1))
        return false;  // axes that the run decides
    const bool keep = node.node().integer("keepdims", 1) != 0;
    if (axes.empty() && node.node().integer("noop_with_empty_axes", 0) != 0) return node.set(0, *shape);
    std::vector<bool> gone(shape->size(), axes.empty());
    for (int64_t axis : axes) {
        const auto at = axis_of(axis, shape->size());
        if (!at) return node.misfit("it reduces an axis that the input does not have");
        gone[*at] = true;
    }
    Shape out;
    for (size_t i = 0; i < shape->size(); ++i)
        if (!gone[i])
            out.push_back((*shape)[i]);
        else if (keep)
            out.push_back(1);
    return node.set(0, out);
}

bool arg_reduce(NodeShapes& node) {
    const Shape* shape = node.shape(0);
    if (!shape) return false;
    const auto axis = axis_of(node.node().integer("axis", 0), shape->size());
    if (!axis) return node.misfit("its axis is not one of the input's");
    Shape out = *shape;
    if (node.node().integer("keepdims", 1) != 0)
        out[*axis] = 1;
    else
        out.erase(out.begin() + static_cast<std::ptrdiff_t>(*axis));
    return node.set(0, out, ElementType::kInt64);
}

bool product(NodeShapes& node, size_t left, size_t right, ElementType type, bool turn_left, bool turn_right) {
    if (!node.shape(left) || !node.shape(right)) return false;
    Shape a = *node.shape(left), b = *node.shape(right);
    const bool vector_a = a.size() == 1, vector_b = b.size() == 1;
    if (a.empty() || b.empty()) return node.misfit("a scalar cannot be multiplied as a matrix");
    if (vector_a) a.insert(a.begin(), 1);
    if (vector_b) b.push_back(1);
    if (turn_left) std::swap(a[a.size() - 1], a[a.size() - 2]);
    if (turn_right) std::swap(b[b.size() - 1], b[b.size() - 2]);
    if (a.back() != b[b.size() - 2])
        return node.misfit("matrices of " + shape_text(a) + " and " + shape_text(b) +
                           " cannot be multiplied");
    const std::optional<Shape> batch =
        broadcast(Shape(a.begin(), a.end() - 2), Shape(b.begin(), b.end() - 2));
    if (!batch)
        return node.misfit("matrices of " + shape_text(a) + " and " + shape_text(b) + " do not broadcast");
    Shape out = *batch;
    if (!vector_a) out.push_back(a[a.size() - 2]);
    if (!vector_b) out.push_back(b.back());
    return node.set(0, out, type);
}

bool matmul(NodeShapes& node) {
    const ElementType type = node.in(0) ? node.in(0)->type : ElementType::kFloat32;
    return product(node, 0, 1, type, node.node().integer("transA", 0) != 0,
                   node.node().integer("transB", 0) != 0);
}

bool matmul_integer(NodeShapes& node) {
    return product(node, 0, 1, ElementType::kInt32, false, false);
}

bool qlinear_matmul(NodeShapes& node) {
    return product(node, 0, 3, node.in(7) ? node.in(7)->type : ElementType::kUint8, false, false);
}

bool gemm(NodeShapes& node) {
    const Shape *a = node.shape(0), *b = node.shape(1);
    if (!a || !b) return false;
    if (a->size() != 2 || b->size() != 2) return node.misfit("Gemm needs two matrices");
    const bool turn_a = node.node().integer("transA", 0) != 0, turn_b = node.node().integer("transB", 0) != 0;
    if ((*a)[turn_a ? 0 : 1] != (*b)[turn_b ? 1 : 0])
        return node.misfit("matrices of " + shape_text(*a) + " and " + shape_text(*b) +
                           " cannot be multiplied");
    return node.set(0, {(*a)[turn_a ? 1 : 0], (*b)[turn_b ? 0 : 1]});
}

// Weights of N columns packed in blocks; the sizes are attributes.
bool matmul_nbits(NodeShapes& node) {
    if (!node.shape(0) || node.shape(0)->empty()) return false;
    Shape out = *node.shape(0);
    out.back() = node.node().integer("N", 0);
    return node.set(0, out);
}

bool einsum(NodeShapes& node) {
    std::vector<Shape> inputs;
    for (size_t i = 0; i < node.inputs(); ++i) {
        if (!node.shape(i)) return false;
        inputs.push_back(*node.shape(i));
    }
    const auto sizes = einsum_sizes(node.node().text("equation", ""), inputs);
    return sizes ? node.set(0, sizes->output) : node.misfit("its equation does not fit its inputs");
}

bool quantize(NodeShapes& node) {
    return node.shape(0) && node.set(0, *node.shape(0), node.in(2) ? node.in(2)->type : ElementType::kUint8);
}

bool dequantize(NodeShapes& node) {
    return node.shape(0) &&
           node.set(0, *node.shape(0), node.in(1) ? node.in(1)->type : ElementType::kFloat32);
}

bool dynamic_quantize(NodeShapes& node) {
    return node.shape(0) && node.set(0, *node.shape(0), ElementType::kUint8) &&
           node.set(1, {}, ElementType::kFloat32) && node.set(2, {}, ElementType::kUint8);
}

bool qlinear_binary(NodeShapes& node) {
    if (!node.shape(0) || !node.shape(3)) return false;
    const auto out = broadcast(*node.shape(0), *node.shape(3));
    return out ? node.set(0, *out) : node.misfit("its inputs do not broadcast against each other");
}

constexpr std::string_view kSameShape[] = {"Abs",
                                           "Acos",
                                           "Acosh",
                                           "Asin",
                                           "Asinh",
                                           "Atan",
                                           "Atanh",
                                           "Ceil",
                                           "Celu",
                                           "Clip",
                                           "Cos",
                                           "Cosh",
                                           "CumSum",
                                           "CumProd",
                                           "Elu",
                                           "Erf",
                                           "Exp",
                                           "FastGelu",
                                           "Floor",
                                           "Gelu",
                                           "QuickGelu",
                                           "HardSigmoid",
                                           "HardSwish",
                                           "Hardmax",
                                           "LeakyRelu",
                                           "Log",
                                           "LogSoftmax",
                                           "Mish",
                                           "Neg",
                                           "Reciprocal",
                                           "Relu",
                                           "Round",
                                           "Selu",
                                           "Shrink",
                                           "Sigmoid",
                                           "Sign",
                                           "Sin",
                                           "Sinh",
                                           "Softmax",
                                           "Softplus",
                                           "Softsign",
                                           "Sqrt",
                                           "Rsqrt",
                                           "Square",
                                           "Swish",
                                           "Tan",
                                           "Tanh",
                                           "Trilu",
                                           "ThresholdedRelu",
                                           "BitwiseNot",
                                           "BiasGelu",
                                           "ImageScaler",
                                           "ParametricSoftplus",
                                           "ScaledTanh",
                                           "Bernoulli",
                                           "Scatter",
                                           "ScatterElements",
                                           "ScatterND",
                                           "ReverseSequence",
                                           "QLinearSigmoid",
                                           "QLinearLeakyRelu",
                                           "TensorScatter"};
constexpr std::string_view kSameShapeBool[] = {"IsNaN", "IsInf", "Not"};
constexpr std::string_view kBroadcast[] = {"Add",         "Sub",       "Mul",        "Div",
                                           "Mod",         "Pow",       "Max",        "Min",
                                           "Mean",        "Sum",       "PRelu",      "BitShift",
                                           "BitwiseAnd",  "BitwiseOr", "BitwiseXor", "SquaredDifference",
                                           "SigmoidGrad", "TanhGrad"};
constexpr std::string_view kCompare[] = {"Equal",          "Less", "Greater", "LessOrEqual",
                                         "GreaterOrEqual", "And",  "Or",      "Xor"};
constexpr std::string_view kReduce[] = {"ReduceL1",  "ReduceL2",       "ReduceLogSum", "ReduceLogSumExp",
                                        "ReduceMax", "ReduceMean",     "ReduceMin",    "ReduceProd",
                                        "ReduceSum", "ReduceSumSquare"};
constexpr std::string_view kArgReduce[] = {"ArgMax", "ArgMin"};
constexpr std::string_view kQuantizedBinary[] = {"QLinearAdd", "QLinearMul"};

const std::unordered_map<std::string_view, ShapeRule>& math_rules() {
    static const std::unordered_map<std::string_view, ShapeRule> table = [] {
        std::unordered_map<std::string_view, ShapeRule> out = {{"Where", where},
                                                               {"CastLike", cast_like},
                                                               {"Dropout", dropout},
                                                               {"MatMul", matmul},
                                                               {"FusedMatMul", matmul},
                                                               {"MatMulInteger", matmul_integer},
                                                               {"QLinearMatMul", qlinear_matmul},
                                                               {"Gemm", gemm},
                                                               {"MatMulNBits", matmul_nbits},
                                                               {"Einsum", einsum},
                                                               {"QuantizeLinear", quantize},
                                                               {"DequantizeLinear", dequantize},
                                                               {"DynamicQuantizeLinear", dynamic_quantize}};
        for (std::string_view op : kSameShape)
            out[op] = same_shape;
        for (std::string_view op : kSameShapeBool)
            out[op] = same_shape_bool;
        for (std::string_view op : kBroadcast)
            out[op] = elementwise;
        for (std::string_view op : kCompare)
            out[op] = comparison;
        for (std::string_view op : kReduce)
            out[op] = reduce;
        for (std::string_view op : kArgReduce)
            out[op] = arg_reduce;
        for (std::string_view op : kQuantizedBinary)
            out[op] = qlinear_binary;
        return out;
    }();
    return table;
}

}  // namespace

ShapeRule math_rule(std::string_view op) {
    const auto found = math_rules().find(op);
    return found == math_rules().end() ? nullptr : found->second;
}

}  // namespace opsight::importer::model_import
