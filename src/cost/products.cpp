// Convolutions, matrix products and recurrent cells.
#include <algorithm>
#include <unordered_map>

#include "cost/node_view.h"
#include "model/einsum.h"

namespace opsight::cost {
namespace {

// A bias counts as one multiply-add for each output.
double bias_flops(const NodeView& view, size_t input) {
    return view.in(input) ? 2 * view.out_elements(0) : 0;
}

// The attribute where the channels are not the first axis of the weights: [windows…, in, out] in TensorFlow.
double channels_of(const NodeView& view, const Shape& weights, std::string_view attribute) {
    return static_cast<double>(view.node().integer(attribute, weights[0]));
}

// Part of the multiply-adds that Winograd's minimal filtering needs for a window of these sizes moved one by
// one: (m + r - 1) for m outputs of r weights each instead of m·r along each axis. Libraries go up to m = 6.
double winograd_part(const NodeView& view, const Shape& weights) {
    constexpr double kOutputs = 6;
    for (const char* attribute : {"strides", "dilations"})
        for (int64_t step : view.node().integers(attribute))
            if (step != 1) return 1;
    double part = 1;
    for (size_t i = 2; i < weights.size(); ++i) {
        const auto window = static_cast<double>(weights[i]);
        if (window > 1) part *= (kOutputs + window - 1) / (kOutputs * window);
    }
    return part;
}

// Each output: one multiply-add for each weight of its channel.
bool convolution(const NodeView& view, OpWork& work, size_t weight, size_t bias) {
    const Shape* w = view.shape(weight, 2);
    const double channels = w ? channels_of(view, *w, "output_channels") : 0;
    if (channels <= 0) return false;
    const double each = view.in_elements(weight) / channels;
    set_product(work, view.out_elements(0) * each, bias_flops(view, bias));
    work.saved_macs = work.macs * (1 - winograd_part(view, *w));
    return true;
}

bool conv(const NodeView& view, OpWork& work) {
    return convolution(view, work, 1, 2);
}
// Each weight meets a value between four places: 9 FLOPs as in GridSample, of each channel.
bool deform_conv(const NodeView& view, OpWork& work) {
    const Shape *w = view.shape(1, 3), *out = view.out(0) ? &view.out(0)->shape : nullptr;
    if (!w || !out || out->size() != w->size() || (*w)[0] < 1 || !convolution(view, work, 1, 3)) return false;
    double samples =
        static_cast<double>((*out)[0]) * static_cast<double>(view.shape(0, 2) ? (*view.shape(0, 2))[1] : 0);
    for (size_t i = 2; i < w->size(); ++i)
        samples *= static_cast<double>((*w)[i]) * static_cast<double>((*out)[i]);
    work.flops += 9 * samples;
    work.saved_macs = 0;
    return true;
}
bool conv_integer(const NodeView& view, OpWork& work) {
    return convolution(view, work, 1, SIZE_MAX);
}
bool qlinear_conv(const NodeView& view, OpWork& work) {
    return convolution(view, work, 3, 8);
}

// Each input: one multiply-add for each weight of its channel.
bool conv_transpose(const NodeView& view, OpWork& work) {
    const Shape* w = view.shape(1, 2);
    const double channels = w ? channels_of(view, *w, "input_channels") : 0;
    if (channels <= 0) return false;
    const double each = view.in_elements(1) / channels;
    return set_product(work, view.in_elements(0) * each, bias_flops(view, 2));
}

// (x, dy) -> dw: each element of dy meets the weights of its channel once.
bool filter_gradient(const NodeView& view, OpWork& work) {
    const double channels = static_cast<double>(view.node().integer("output_channels", 0));
    if (channels <= 0) return false;
    return set_product(work, view.in_elements(1) * (view.out_elements(0) / channels), 0);
}

bool gemm(const NodeView& view, OpWork& work) {
    const Shape* a = view.shape(0, 2);
    if (!a) return false;
    const double inner = static_cast<double>((*a)[view.node().integer("transA", 0) != 0 ? 0 : 1]);
    return set_product(work, view.out_elements(0) * inner, bias_flops(view, 2));
}

bool matmul(const NodeView& view, OpWork& work) {
    const Shape* a = view.shape(0, 1);
    if (!a) return false;
    const bool turned = view.node().integer("transA", view.node().integer("transpose_a", 0)) != 0;
    const size_t axis = turned && a->size() >= 2 ? a->size() - 2 : a->size() - 1;
    return set_product(work, view.out_elements(0) * static_cast<double>((*a)[axis]), 0);
}

// All letters of the equation multiplied; one input alone is moved or summed.
bool einsum(const NodeView& view, OpWork& work) {
    std::vector<Shape> inputs;
    for (size_t i = 0; i < view.node().inputs.size(); ++i) {
        const Shape* shape = view.shape(i);
        if (!shape) return false;
        inputs.push_back(*shape);
    }
    const auto sizes = einsum_sizes(view.node().text("equation", ""), inputs);
    if (!sizes) return false;
    if (inputs.size() == 2) return set_product(work, sizes->product, 0);
    work.kind = WorkKind::kVector;
    work.flops = inputs.size() == 1 ? 0 : sizes->product * static_cast<double>(inputs.size() - 1);
    return true;
}

// `gates` products of h·(x + h) for each element and step; `plain`: FLOPs of gates and state for each hidden
// unit.
bool recurrent(const NodeView& view, OpWork& work, double gates, double plain) {
    const Shape *x = view.shape(0, 3), *r = view.shape(2, 3);
    if (!x || !r) return false;
    const double steps = static_cast<double>((*x)[0]) * static_cast<double>((*x)[1]);
    const double directions = static_cast<double>((*r)[0]), hidden = static_cast<double>((*r)[2]);
    const double input = static_cast<double>((*x)[2]);
    const double cells = steps * directions;
    const double bias = view.in(3) ? 2 * gates : 0;  // two vectors of it, one addition for each
    work.state_macs = cells * gates * hidden * hidden;
    return set_product(work, cells * gates * hidden * (input + hidden), 0, cells * hidden * (plain + bias));
}

// Gates: sigmoid 4 FLOPs, tanh 1; the states take 3 products and a sum in an LSTM, 3 products and 3 sums in a
// GRU.
constexpr double kLstmPlain = 3 * 4 + 2 * 1 + 4, kGruPlain = 2 * 4 + 1 + 6;

bool lstm(const NodeView& view, OpWork& work) {
    return recurrent(view, work, 4, kLstmPlain);
}
bool gru(const NodeView& view, OpWork& work) {
    return recurrent(view, work, 3, kGruPlain);
}
bool rnn(const NodeView& view, OpWork& work) {
    return recurrent(view, work, 1, 1);
}

// TensorFlow's fused cells, whose weights for input and state are one matrix [in + hidden, gates · hidden].
// `rows`: steps × elements.
bool fused_cell(OpWork& work, double rows, double weights, double hidden, double gates, double plain) {
    work.state_macs = rows * gates * hidden * hidden;
    return set_product(work, rows * weights, 0, rows * hidden * plain);
}

bool block_lstm(const NodeView& view, OpWork& work) {
    const bool one_step = view.node().op_type == "LSTMBlockCell";
    const Shape* x = view.shape(one_step ? 0 : 1, one_step ? 2 : 3);
    const size_t at = one_step ? 3 : 4;
    const Shape* w = view.shape(at, 2);
    if (!x || !w || (*w)[1] % 4 != 0) return false;
    const double rows = static_cast<double>((*x)[0]) * (one_step ? 1 : static_cast<double>((*x)[1]));
    const double hidden = static_cast<double>((*w)[1]) / 4;
    // One vector of biases, and a look of three gates at the state where that is asked for.
    const double peephole = view.node().integer("use_peephole", 0) != 0 ? 6 : 0;
    return fused_cell(work, rows, view.in_elements(at), hidden, 4, kLstmPlain + 4 + peephole);
}

bool gru_cell(const NodeView& view, OpWork& work) {
    const Shape *x = view.shape(0, 2), *state = view.shape(1, 2);
    if (!x || !state || !view.shape(2, 2) || !view.shape(3, 2)) return false;
    return fused_cell(work, static_cast<double>((*x)[0]), view.in_elements(2) + view.in_elements(3),
                      static_cast<double>((*state)[1]), 3, kGruPlain + 3);
}

// Layers above each other, each with two vectors of biases; the ones above read what all directions below
// made.
bool cudnn_rnn(const NodeView& view, OpWork& work) {
    const Shape *x = view.shape(0, 3), *h = view.shape(1, 3);
    if (!x || !h) return false;
    const std::string cell = view.node().text("cell", "lstm");
    const double gates = cell == "lstm" ? 4 : cell == "gru" ? 3 : 1;
    const double plain = cell == "lstm" ? kLstmPlain : cell == "gru" ? kGruPlain : 1;
    const double directions = static_cast<double>(view.node().integer("directions", 1));
    const double layers = static_cast<double>(view.node().integer("layers", 1));
    const double hidden = static_cast<double>((*h)[2]), input = static_cast<double>((*x)[2]);
    const double cells = static_cast<double>((*x)[0]) * static_cast<double>((*x)[1]) * directions;
    const double inputs = input + (layers - 1) * directions * hidden + layers * hidden;
    work.state_macs = cells * layers * gates * hidden * hidden;
    return set_product(work, cells * gates * hidden * inputs, 0,
                       cells * layers * hidden * (plain + 2 * gates));
}

bool matmul_nbits(const NodeView& view, OpWork& work) {
    return set_product(work, view.out_elements(0) * static_cast<double>(view.node().integer("K", 0)), 0);
}

const std::unordered_map<std::string_view, WorkRule> kRules = {
    {"Conv", conv},
    {"FusedConv", conv},
    {"ConvInteger", conv_integer},
    {"QLinearConv", qlinear_conv},
    {"ConvTranspose", conv_transpose},
    {"ConvFilterGradient", filter_gradient},
    {"Gemm", gemm},
    {"MatMul", matmul},
    {"FusedMatMul", matmul},
    {"MatMulInteger", matmul},
    {"QLinearMatMul", matmul},
    {"MatMulNBits", matmul_nbits},
    {"Einsum", einsum},
    {"LSTM", lstm},
    {"GRU", gru},
    {"RNN", rnn},
    {"BlockLSTM", block_lstm},
    {"BlockLSTMV2", block_lstm},
    {"LSTMBlockCell", block_lstm},
    {"GRUBlockCell", gru_cell},
    {"CudnnRNN", cudnn_rnn},
    {"CudnnRNNV2", cudnn_rnn},
    {"CudnnRNNV3", cudnn_rnn},
    {"DeformConv", deform_conv},
};

}  // namespace

WorkRule product_rule(std::string_view op) {
    const auto found = kRules.find(op);
    return found == kRules.end() ? attention_rule(op) : found->second;
}

}  // namespace opsight::cost
