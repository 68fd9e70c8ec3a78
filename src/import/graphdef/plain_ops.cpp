// Elementwise ops, reductions, products and losses.
#include <algorithm>
#include <unordered_map>

#include "import/graphdef/op_view.h"

namespace opsight::importer::graphdef {
namespace {

// Ops that differ from ONNX's in their name alone.
const std::unordered_map<std::string_view, std::string_view> kNames = {
    {"Abs", "Abs"},
    {"Add", "Add"},
    {"AddV2", "Add"},
    {"Ceil", "Ceil"},
    {"Cos", "Cos"},
    {"Div", "Div"},
    {"DivNoNan", "Div"},
    {"Elu", "Elu"},
    {"EluGrad", "Mul"},
    {"Equal", "Equal"},
    {"Erf", "Erf"},
    {"Exp", "Exp"},
    {"Expm1", "Exp"},
    {"Floor", "Floor"},
    {"FloorDiv", "Div"},
    {"FloorMod", "Mod"},
    {"Greater", "Greater"},
    {"GreaterEqual", "GreaterOrEqual"},
    {"Inv", "Reciprocal"},
    {"IsInf", "IsInf"},
    {"IsNan", "IsNaN"},
    {"LeakyRelu", "LeakyRelu"},
    {"Less", "Less"},
    {"LessEqual", "LessOrEqual"},
    {"Log", "Log"},
    {"Log1p", "Log"},
    {"LogSoftmax", "LogSoftmax"},
    {"LogicalAnd", "And"},
    {"LogicalNot", "Not"},
    {"LogicalOr", "Or"},
    {"Maximum", "Max"},
    {"Minimum", "Min"},
    {"Mod", "Mod"},
    {"Mul", "Mul"},
    {"MulNoNan", "Mul"},
    {"Neg", "Neg"},
    {"NotEqual", "Equal"},
    {"Pow", "Pow"},
    {"RealDiv", "Div"},
    {"Reciprocal", "Reciprocal"},
    {"Relu", "Relu"},
    {"Relu6", "Clip"},
    {"Relu6Grad", "Mul"},
    {"ReluGrad", "Mul"},
    {"Rint", "Round"},
    {"Round", "Round"},
    {"Rsqrt", "Rsqrt"},
    {"SelectV2", "Where"},
    {"Selu", "Selu"},
    {"Sigmoid", "Sigmoid"},
    {"SigmoidGrad", "SigmoidGrad"},
    {"Sign", "Sign"},
    {"Sin", "Sin"},
    {"Softmax", "Softmax"},
    {"Softplus", "Softplus"},
    {"Softsign", "Softsign"},
    {"Sqrt", "Sqrt"},
    {"Square", "Square"},
    {"SquaredDifference", "SquaredDifference"},
    {"Sub", "Sub"},
    {"Tanh", "Tanh"},
    {"TanhGrad", "TanhGrad"},
    {"TruncateDiv", "Div"},
    {"TruncateMod", "Mod"},
    {"Xdivy", "Div"},
    {"Xlogy", "Mul"},
};

bool renamed(OpView& op) {
    op.node.op_type = kNames.at(op.type());
    return op.infer();
}

// Along the channels, which are the last axis or the second.
bool bias_add(OpView& op) {
    op.node.op_type = "Add";
    return op.shapes.shape(0) && op.shapes.set(0, *op.shapes.shape(0));
}

bool add_n(OpView& op) {
    op.node.op_type = "Sum";
    return op.shapes.shape(0) && op.shapes.set(0, *op.shapes.shape(0));
}

// The condition of the old Select may be a vector that chooses rows.
bool select(OpView& op) {
    op.node.op_type = "Where";
    return op.shapes.shape(1) && op.shapes.set(0, *op.shapes.shape(1), op.shapes.in(1)->type);
}

bool clip_by_value(OpView& op) {
    op.node.op_type = "Clip";
    return op.shapes.shape(0) && op.shapes.set(0, *op.shapes.shape(0));
}

bool reduce(OpView& op, std::string_view name) {
    op.node.op_type = name;
    const auto axes = op.shapes.values(1);
    if (!axes) return false;
    op.node.attributes["axes"] = *axes;
    op.node.attributes["keepdims"] = static_cast<int64_t>(op.flag("keep_dims", op.flag("keepdims")));
    // No axes at all: nothing is reduced, where ONNX would reduce everything.
    op.node.attributes["noop_with_empty_axes"] = int64_t{1};
    op.drop_inputs_from(1);
    return op.infer();
}

bool arg_reduce(OpView& op) {
    op.node.op_type = op.type();
    const auto axis = op.inputs() > 1 ? op.value(1) : std::optional<int64_t>(0);
    if (!axis) return false;
    op.node.attributes["axis"] = *axis;
    op.node.attributes["keepdims"] = int64_t{0};
    op.drop_inputs_from(1);
    return op.infer();
}

bool l2_loss(OpView& op) {
    op.node.op_type = "ReduceSumSquare";
    return op.shapes.set(0, {});
}

bool cumulate(OpView& op) {
    op.node.op_type = op.type() == "Cumprod" ? "CumProd" : "CumSum";
    return op.shapes.shape(0) && op.shapes.set(0, *op.shapes.shape(0));
}

// Sums over all axes but the channels'.
bool bias_add_grad(OpView& op) {
    op.node.op_type = "ReduceSum";
    const Shape* shape = op.shapes.shape(0);
    if (!shape || shape->size() < 2) return false;
    return op.shapes.set(0, {op.text("data_format", "NHWC") == "NCHW" ? (*shape)[1] : shape->back()});
}

bool matmul(OpView& op) {
    op.node.op_type = "FusedMatMul";
    op.node.attributes["transA"] = static_cast<int64_t>(op.flag("transpose_a", op.flag("adj_x")));
    op.node.attributes["transB"] = static_cast<int64_t>(op.flag("transpose_b", op.flag("adj_y")));
    return op.infer();
}

bool einsum(OpView& op) {
    op.node.op_type = "Einsum";
    op.node.attributes["equation"] = op.text("equation", "");
    return op.infer();
}

// Loss of each row, and the gradient that the backward pass takes.
bool cross_entropy(OpView& op) {
    op.node.op_type = "SoftmaxCrossEntropyLoss";
    const Shape* logits = op.shapes.shape(0);
    if (!logits || logits->size() != 2) return false;
    return op.shapes.set(0, {(*logits)[0]}) && op.shapes.set(1, *logits);
}

bool batch_norm(OpView& op) {
    op.node.op_type = "BatchNormalization";
    const Shape *x = op.shapes.shape(0), *scale = op.shapes.shape(1);
    if (!x || !scale || !op.shapes.set(0, *x)) return false;
    for (size_t i = 1; i < op.node.outputs.size(); ++i)
        if (!op.shapes.set(i, *scale, op.shapes.in(1)->type)) return false;
    return true;
}

bool local_response(OpView& op) {
    op.node.op_type = "LRN";
    const int64_t radius = std::clamp<int64_t>(op.integer("depth_radius", 5), 0, 1 << 20);
    op.node.attributes["size"] = 2 * radius + 1;
    return op.infer();
}

// Axes of each of two shapes over which a gradient is summed because they were broadcast.
bool broadcast_axes(OpView& op) {
    op.node.op_type = "Shape";
    const auto a = op.shapes.values(0), b = op.shapes.values(1);
    if (!a || !b) return false;
    const std::optional<Shape> all = model_import::broadcast(*a, *b);
    if (!all) return op.shapes.misfit("its shapes do not broadcast");
    size_t output = 0;
    for (const Shape* own : {&*a, &*b}) {
        std::vector<double> axes;
        const size_t missing = all->size() - own->size();
        for (size_t i = 0; i < all->size(); ++i)
            if (i < missing || (*own)[i - missing] != (*all)[i]) axes.push_back(static_cast<double>(i));
        ModelTensor* out = op.shapes.out(output);
        if (!op.shapes.set(output++, {static_cast<int64_t>(axes.size())}, ElementType::kInt32)) return false;
        if (!out) continue;
        out->value = std::move(axes);
        out->has_value = true;
    }
    return true;
}

// (variable, state…, rates…, gradient): a step for each element of the variable.
bool optimizer_step(OpView& op) {
    const bool adam =
        op.type().find("Ada") != std::string::npos || op.type().find("RMSProp") != std::string::npos;
    op.node.op_type = adam                                              ? "AdamStep"
                      : op.type().find("Momentum") != std::string::npos ? "MomentumStep"
                                                                        : "GradientDescentStep";
    return op.shapes.shape(0) && op.shapes.set(0, *op.shapes.shape(0));
}

// (inputs…, gradients of outputs…) -> gradients of inputs. Its work is that of a function's backward pass.
bool symbolic_gradient(OpView& op) {
    for (size_t i = 0; i < op.node.outputs.size(); ++i)
        if (!op.shapes.shape(i) || !op.shapes.set(i, *op.shapes.shape(i), op.shapes.in(i)->type))
            return false;
    return true;
}

template <const char* kName>
bool reduce_as(OpView& op) {
    return reduce(op, kName);
}
constexpr char kMean[] = "ReduceMean", kSum[] = "ReduceSum", kProd[] = "ReduceProd", kMax[] = "ReduceMax",
               kMin[] = "ReduceMin", kNorm[] = "ReduceL2";

std::unordered_map<std::string_view, OpRule> make_rules() {
    std::unordered_map<std::string_view, OpRule> rules = {
        {"BiasAdd", bias_add},
        {"BiasAddV1", bias_add},
        {"BiasAddGrad", bias_add_grad},
        {"AddN", add_n},
        {"AccumulateNV2", add_n},
        {"Select", select},
        {"ClipByValue", clip_by_value},
        {"Mean", reduce_as<kMean>},
        {"Sum", reduce_as<kSum>},
        {"Prod", reduce_as<kProd>},
        {"Max", reduce_as<kMax>},
        {"Min", reduce_as<kMin>},
        {"All", reduce_as<kMin>},
        {"Any", reduce_as<kMax>},
        {"EuclideanNorm", reduce_as<kNorm>},
        {"ArgMax", arg_reduce},
        {"ArgMin", arg_reduce},
        {"L2Loss", l2_loss},
        {"Cumsum", cumulate},
        {"Cumprod", cumulate},
        {"MatMul", matmul},
        {"SparseMatMul", matmul},
        {"BatchMatMul", matmul},
        {"BatchMatMulV2", matmul},
        {"BatchMatMulV3", matmul},
        {"_FusedMatMul", matmul},
        {"Einsum", einsum},
        {"SoftmaxCrossEntropyWithLogits", cross_entropy},
        {"SparseSoftmaxCrossEntropyWithLogits", cross_entropy},
        {"FusedBatchNorm", batch_norm},
        {"FusedBatchNormV2", batch_norm},
        {"FusedBatchNormV3", batch_norm},
        {"_FusedBatchNormEx", batch_norm},
        {"LRN", local_response},
        {"BroadcastGradientArgs", broadcast_axes},
        {"SymbolicGradient", symbolic_gradient},
    };
    for (std::string_view name :
         {"ApplyGradientDescent", "ApplyMomentum", "ApplyAdam", "ApplyAdagrad", "ApplyAdaMax", "ApplyRMSProp",
          "ResourceApplyGradientDescent", "ResourceApplyMomentum", "ResourceApplyKerasMomentum",
          "ResourceApplyAdam", "ResourceApplyAdagrad", "ResourceApplyAdaMax", "ResourceApplyRMSProp"})
        rules[name] = optimizer_step;
    for (const auto& [name, same] : kNames)
        rules[name] = renamed;
    return rules;
}

}  // namespace

OpRule plain_rule(std::string_view op) {
    static const std::unordered_map<std::string_view, OpRule> rules = make_rules();
    const auto found = rules.find(op);
    return found == rules.end() ? nullptr : found->second;
}

}  // namespace opsight::importer::graphdef
