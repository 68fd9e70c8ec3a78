// Elementwise ops, reductions, normalisations, pooling, and ops that only move data.
#include <algorithm>
#include <unordered_map>

#include "cost/node_view.h"

namespace opsight::cost {
namespace {

bool set_vector(OpWork& work, double flops, FuseKind fuse, double backward) {
    work.kind = WorkKind::kVector;
    work.flops = flops;
    work.fuse = fuse;
    work.backward_rest = backward;
    return true;
}

// FLOPs for each output; the backward pass relative to that, and whether it needs the inputs or the output.
struct Elementwise {
    double flops, backward;
    bool saves_inputs, saves_output;
};

// An addition, multiplication, division, comparison, root or transcendental function is one FLOP.
const std::unordered_map<std::string_view, Elementwise> kElementwise = {
    {"Add", {1, 0, false, false}},
    {"Sub", {1, 0, false, false}},
    {"Mul", {1, 2, true, false}},
    {"Div", {1, 3, true, false}},
    {"Pow", {1, 3, true, false}},
    {"Mod", {1, 0, false, false}},
    {"Max", {1, 1, true, false}},
    {"Min", {1, 1, true, false}},
    {"Relu", {1, 1, false, true}},
    {"LeakyRelu", {2, 1, true, false}},
    {"PRelu", {2, 2, true, false}},
    {"ThresholdedRelu", {1, 1, true, false}},
    {"Clip", {2, 1, true, false}},
    {"Sigmoid", {4, 0.75, false, true}},
    {"Tanh", {1, 3, false, true}},
    {"HardSigmoid", {4, 0.5, true, false}},
    {"HardSwish", {5, 1, true, false}},
    {"Swish", {5, 1.2, true, false}},
    {"Mish", {5, 2, true, false}},
    {"Gelu", {5, 2, true, false}},
    {"FastGelu", {8, 2, true, false}},
    {"QuickGelu", {6, 1.2, true, false}},
    {"BiasGelu", {6, 2, true, false}},
    {"Elu", {3, 1, true, false}},
    {"Celu", {4, 1, true, false}},
    {"Selu", {4, 1, true, false}},
    {"Softplus", {3, 1, true, false}},
    {"Softsign", {3, 1, true, false}},
    {"Erf", {1, 4, true, false}},
    {"Exp", {1, 1, false, true}},
    {"Log", {1, 1, true, false}},
    {"Sqrt", {1, 2, false, true}},
    {"Rsqrt", {2, 1.5, false, true}},
    {"Square", {1, 2, true, false}},
    {"SquaredDifference", {2, 1, true, false}},
    {"SigmoidGrad", {3, 1, true, false}},
    {"TanhGrad", {3, 1, true, false}},
    {"Reciprocal", {1, 2, false, true}},
    {"Abs", {1, 1, true, false}},
    {"Neg", {1, 1, false, false}},
    {"Sign", {1, 0, false, false}},
    {"Sin", {1, 2, true, false}},
    {"Cos", {1, 2, true, false}},
    {"Floor", {1, 0, false, false}},
    {"Ceil", {1, 0, false, false}},
    {"Round", {1, 0, false, false}},
    {"Where", {1, 1, true, false}},
    {"Equal", {1, 0, false, false}},
    {"Less", {1, 0, false, false}},
    {"Greater", {1, 0, false, false}},
    {"LessOrEqual", {1, 0, false, false}},
    {"GreaterOrEqual", {1, 0, false, false}},
    {"And", {1, 0, false, false}},
    {"Or", {1, 0, false, false}},
    {"Xor", {1, 0, false, false}},
    {"Not", {1, 0, false, false}},
    {"IsNaN", {1, 0, false, false}},
    {"IsInf", {1, 0, false, false}},
    {"QuantizeLinear", {4, 0, false, false}},
    {"DequantizeLinear", {2, 0, false, false}},
    {"QLinearAdd", {7, 0, false, false}},
    {"QLinearMul", {7, 0, false, false}},
    {"GradientDescentStep", {2, 0, false, false}},
    {"MomentumStep", {4, 0, false, false}},
    {"AdamStep", {12, 0, false, false}},
    {"BatchNormalization", {2, 4, true, false}},
    {"ImageScaler", {2, 1, false, false}},
    {"RotaryEmbedding", {3, 1, false, false}},
};

bool elementwise(const NodeView& view, OpWork& work) {
    const Elementwise& facts = kElementwise.at(view.node().op_type);
    work.saves_inputs = facts.saves_inputs;
    work.saves_output = facts.saves_output;
    work.passes = view.node().op_type == "DequantizeLinear";
    return set_vector(work, facts.flops * view.out_elements(0), FuseKind::kElementwise, facts.backward);
}

// Sum, Mean, Max and Min of several tensors.
bool variadic(const NodeView& view, OpWork& work) {
    const double terms = static_cast<double>(std::max<size_t>(view.node().inputs.size(), 1)) - 1;
    const bool mean = view.node().op_type == "Mean";
    work.saves_inputs = view.node().op_type == "Max" || view.node().op_type == "Min";
    return set_vector(work, (terms + (mean ? 1 : 0)) * view.out_elements(0), FuseKind::kElementwise,
                      work.saves_inputs ? 1 : 0);
}

// FLOPs for each element of the input; output kept for the backward pass or not.
struct PerInput {
    double flops, backward;
    bool saves_output;
};

const std::unordered_map<std::string_view, PerInput> kReductions = {
    {"Softmax", {5, 0.8, true}},
    {"LogSoftmax", {6, 0.67, true}},
    {"Hardmax", {2, 0, false}},
    {"LayerNormalization", {8, 2, false}},
    {"InstanceNormalization", {8, 2, false}},
    {"GroupNormalization", {8, 2, false}},
    {"GroupNorm", {8, 2, false}},
    {"MeanVarianceNormalization", {6, 2, false}},
    {"SkipLayerNormalization", {9, 2, false}},
    {"SkipSimplifiedLayerNormalization", {5, 2, false}},
    {"SimplifiedLayerNormalization", {4, 2, false}},
    {"RMSNormalization", {4, 2, false}},
    {"LpNormalization", {3, 2, false}},
    {"ReduceMean", {1, 1, false}},
    {"ReduceSum", {1, 0, false}},
    {"ReduceMax", {1, 1, false}},
    {"ReduceMin", {1, 1, false}},
    {"ReduceProd", {1, 2, false}},
    {"ReduceL1", {2, 1, false}},
    {"ReduceL2", {2, 1, false}},
    {"ReduceSumSquare", {2, 1, false}},
    {"ReduceLogSum", {1, 1, false}},
    {"ReduceLogSumExp", {3, 1, false}},
    {"ArgMax", {1, 0, false}},
    {"ArgMin", {1, 0, false}},
    {"TopK", {1, 0, false}},
    {"CumSum", {1, 1, false}},
    {"CumProd", {1, 2, false}},
    {"GlobalAveragePool", {1, 1, false}},
    {"GlobalMaxPool", {1, 1, false}},
    {"GlobalLpPool", {2, 1, false}},
    {"QLinearGlobalAveragePool", {1, 0, false}},
    {"SoftmaxCrossEntropyLoss", {6, 0.5, false}},
    {"NegativeLogLikelihoodLoss", {1, 1, false}},
    {"DynamicQuantizeLinear", {6, 0, false}},
};

bool reduction(const NodeView& view, OpWork& work) {
    const PerInput& facts = kReductions.at(view.node().op_type);
    work.saves_output = facts.saves_output;
    work.saves_inputs = !facts.saves_output;
    return set_vector(work, facts.flops * view.in_elements(0), FuseKind::kReduction, facts.backward);
}

// One FLOP for each place of the window and output.
bool pool(const NodeView& view, OpWork& work) {
    double window = 1;
    for (int64_t size : view.node().integers("kernel_shape"))
        window *= static_cast<double>(size);
    work.saves_inputs = view.node().op_type == "MaxPool";
    return set_vector(work, window * view.out_elements(0), FuseKind::kNever, 1);
}

// Squares, a window of sums, scale and shift, power, division.
bool local_response(const NodeView& view, OpWork& work) {
    const double size = static_cast<double>(std::max<int64_t>(1, view.node().integer("size", 1)));
    return set_vector(work, (size + 5) * view.out_elements(0), FuseKind::kReduction, 2);
}

// Linear: d interpolations in turn, 3 FLOPs each, 2^d - 1 of them; cubic: 4^d multiply-adds.
bool resize(const NodeView& view, OpWork& work) {
    const std::string mode = view.node().text("mode", "nearest");
    double each = 0;
    if (mode == "linear" || mode == "bilinear") each = 9;
    if (mode == "cubic" || mode == "bicubic") each = 32;
    work.saves_inputs = false;
    set_vector(work, each * view.out_elements(0), FuseKind::kNever, 1);
    if (each == 0) work.kind = WorkKind::kMove;
    work.passes = each == 0;
    return true;
}

bool interpolate(const NodeView& view, OpWork& work) {
    const double samples =
        static_cast<double>(std::max<int64_t>(1, view.node().integer("sampling_ratio", 1)));
    return set_vector(work, 9 * samples * samples * view.out_elements(0), FuseKind::kNever, 1);
}

bool view_op(const NodeView&, OpWork& work) {
    work.kind = WorkKind::kFree;
    work.is_view = true;
    work.saves_inputs = false;
    return true;
}

bool free_op(const NodeView&, OpWork& work) {
    work.kind = WorkKind::kFree;
    work.saves_inputs = false;
    return true;
}

// Makes or changes a tensor.
bool move(const NodeView&, OpWork& work) {
    work.kind = WorkKind::kMove;
    work.saves_inputs = false;
    return true;
}

// Only says where an element is found.
bool rearrange(const NodeView& view, OpWork& work) {
    work.passes = true;
    return move(view, work);
}

bool move_part(const NodeView& view, OpWork& work) {
    work.partial_first_input = true;
    return rearrange(view, work);
}

bool cast(const NodeView& view, OpWork& work) {
    work.fuse = FuseKind::kElementwise;
    return rearrange(view, work);
}

std::unordered_map<std::string_view, WorkRule> make_rules() {
    std::unordered_map<std::string_view, WorkRule> rules;
    for (const auto& [op, facts] : kElementwise)
        rules[op] = elementwise;
    for (const auto& [op, facts] : kReductions)
        rules[op] = reduction;
    for (std::string_view op : {"Sum", "Mean", "Max", "Min"})
        rules[op] = variadic;
    for (std::string_view op : {"MaxPool", "AveragePool", "LpPool"})
        rules[op] = pool;
    for (std::string_view op :
         {"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity", "Dropout", "LoopState"})
        rules[op] = view_op;
    for (std::string_view op : {"Shape", "Size", "Constant"})
        rules[op] = free_op;
    for (std::string_view op : {"Transpose", "Concat", "Pad", "Expand", "Broadcast", "Tile", "DepthToSpace",
                                "SpaceToDepth", "ReverseSequence", "Trilu"})
        rules[op] = rearrange;
    for (std::string_view op :
         {"ConstantOfShape", "ConstantFill", "Range", "EyeLike", "RandomNormal", "RandomUniform",
          "RandomNormalLike", "RandomUniformLike", "OneHot", "ScatterND", "ScatterElements", "Scatter"})
        rules[op] = move;
    for (std::string_view op : {"Slice", "DynamicSlice", "Split", "Gather", "GatherElements", "GatherND"})
        rules[op] = move_part;
    for (std::string_view op : {"Cast", "CastLike"})
        rules[op] = cast;
    rules.insert({{"LRN", local_response},
                  {"Resize", resize},
                  {"Upsample", resize},
                  {"GridSample", interpolate},
                  {"RoiAlign", interpolate}});
    return rules;
}

}  // namespace

WorkRule plain_rule(std::string_view op) {
    static const std::unordered_map<std::string_view, WorkRule> rules = make_rules();
    const auto found = rules.find(op);
    return found == rules.end() ? nullptr : found->second;
}

}  // namespace opsight::cost
