#include "cost/loop_nests.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>

#include "cost/node_view.h"

namespace opsight::cost {
namespace {

using Rule = OpLoopNests (*)(const NodeView& view);

OpLoopNests without(std::string reason) {
    return {{}, std::move(reason)};
}

OpLoopNests no_shapes() {
    return without("its shapes are not known");
}

int64_t product_of(const Shape& shape, size_t from, size_t to) {
    int64_t product = 1;
    for (size_t i = from; i < to; ++i)
        product *= shape[i];
    return product;
}

// Sizes and steps along the axes of a window; TensorFlow's lists have all axes of the tensor.
int64_t along(const std::vector<int64_t>& list, size_t axis, size_t axes, size_t first) {
    if (list.size() == axes) return list[axis];
    return list.size() == axes + 2 ? list[first + axis] : 1;
}

// Weights [out, in of a group, window...]; where a file names the channels, [window..., in, out].
OpLoopNests convolution(const NodeView& view, size_t weight) {
    const Shape *x = view.shape(0, 3), *w = view.shape(weight, 3);
    const ModelTensor* out = view.out(0);
    if (!x || !w || !out || !out->shape_known || out->shape.size() != w->size() || x->size() != w->size())
        return no_shapes();
    const size_t axes = w->size() - 2;
    if (axes > 2) return without("it is a convolution along three axes");
    const bool channels_named = view.node().attributes.contains("output_channels");
    LoopNest nest;
    nest.k = view.node().integer("output_channels", (*w)[0]);
    const bool last = channels_named && view.node().text("data_format", "").starts_with("NC") == false &&
                      out->shape.back() == nest.k;
    const size_t first = last ? 1 : 2, window = channels_named ? 0 : 2;
    const int64_t weights = product_of(*w, 0, w->size()), windows = product_of(*w, window, window + axes);
    const int64_t channels_in = (*x)[last ? axes + 1 : 1];
    if (nest.k < 1 || windows < 1 || weights % (nest.k * windows) != 0) return no_shapes();
    nest.c = weights / (nest.k * windows);
    if (nest.c < 1 || channels_in % nest.c != 0 || nest.k % (channels_in / nest.c) != 0)
        return without("its groups do not divide its channels");
    nest.g = channels_in / nest.c;
    nest.k /= nest.g;
    nest.n = out->shape[0];
    const std::vector<int64_t> strides = view.node().integers("strides");
    const std::vector<int64_t> dilations = view.node().integers("dilations");
    nest.q = out->shape[first + axes - 1];
    nest.s = (*w)[window + axes - 1];
    nest.stride_q = along(strides, axes - 1, axes, first);
    nest.dilation_s = along(dilations, axes - 1, axes, first);
    if (axes == 2) {
        nest.p = out->shape[first];
        nest.r = (*w)[window];
        nest.stride_p = along(strides, 0, axes, first);
        nest.dilation_r = along(dilations, 0, axes, first);
    }
    return {{nest}, {}};
}

OpLoopNests conv(const NodeView& view) {
    return convolution(view, 1);
}
OpLoopNests qlinear_conv(const NodeView& view) {
    return convolution(view, 3);
}

// `a` times `b`; sizes in front of the last two are groups where both have them, else rows.
OpLoopNests product(const NodeView& view, size_t left, size_t right, bool turn_a, bool turn_b) {
    const Shape *a = view.shape(left, 1), *b = view.shape(right, 1);
    const ModelTensor* out = view.out(0);
    if (!a || !b || !out || !out->shape_known) return no_shapes();
    LoopNest nest;
    nest.c = turn_a && a->size() >= 2 ? (*a)[a->size() - 2] : a->back();
    nest.k = b->size() == 1 ? 1 : turn_b ? (*b)[b->size() - 2] : b->back();
    if (nest.c < 1 || nest.k < 1) return no_shapes();
    const int64_t results = product_of(out->shape, 0, out->shape.size());
    if (b->size() > 2) nest.g = product_of(*b, 0, b->size() - 2);
    // What one matrix of `a` meets several of `b` would be counted several times.
    const int64_t left_groups = a->size() > 2 ? product_of(*a, 0, a->size() - 2) : 1;
    if (nest.g < 1 || left_groups < nest.g || results % (nest.g * nest.k) != 0)
        return without("its matrices are stretched");
    nest.q = results / (nest.g * nest.k);
    return {{nest}, {}};
}

bool is_set(const NodeView& view, std::string_view key, std::string_view other = {}) {
    return view.node().integer(key, other.empty() ? 0 : view.node().integer(other, 0)) != 0;
}

OpLoopNests matmul(const NodeView& view) {
    return product(view, 0, 1, is_set(view, "transA", "transpose_a"), is_set(view, "transB", "transpose_b"));
}
OpLoopNests qlinear_matmul(const NodeView& view) {
    return product(view, 0, 3, false, false);
}

OpLoopNests matmul_nbits(const NodeView& view) {
    const ModelTensor* out = view.out(0);
    const int64_t inner = view.node().integer("K", 0);
    if (!out || !out->shape_known || out->shape.empty() || inner < 1 || out->shape.back() < 1)
        return no_shapes();
    LoopNest nest;
    nest.c = inner;
    nest.k = out->shape.back();
    nest.q = product_of(out->shape, 0, out->shape.size() - 1);
    return {{nest}, {}};
}

// Letters of both inputs and the output are groups, of both alone the inner size.
OpLoopNests einsum(const NodeView& view) {
    std::string text = view.node().text("equation", "");
    std::erase(text, ' ');
    const size_t comma = text.find(','), arrow = text.find("->");
    const Shape *a = view.shape(0), *b = view.shape(1);
    if (!a || !b) return no_shapes();
    if (comma == std::string::npos || arrow == std::string::npos || text.find('.') != std::string::npos)
        return without("its equation is not a plain product of two");
    const std::string left = text.substr(0, comma), right = text.substr(comma + 1, arrow - comma - 1);
    const std::string out = text.substr(arrow + 2);
    if (left.size() != a->size() || right.size() != b->size()) return no_shapes();
    LoopNest nest;
    std::set<char> seen;
    for (const char letter : left + right) {
        if (!seen.insert(letter).second) continue;
        const size_t in_left = left.find(letter), in_right = right.find(letter);
        const bool both = in_left != std::string::npos && in_right != std::string::npos;
        const bool kept = out.find(letter) != std::string::npos;
        if (!both && !kept) return without("its equation sums one input alone");
        const int64_t size = in_left != std::string::npos ? (*a)[in_left] : (*b)[in_right];
        (both ? (kept ? nest.g : nest.c) : in_left != std::string::npos ? nest.q : nest.k) *= size;
    }
    return {{nest}, {}};
}

// A step takes the products of the one before: only those of the inputs are made at once.
OpLoopNests recurrent(const NodeView& view, int64_t gates) {
    const Shape *x = view.shape(0, 3), *r = view.shape(2, 3);
    if (!x || !r) return no_shapes();
    const bool batch_first = view.node().integer("layout", 0) != 0;
    const int64_t steps = (*x)[batch_first ? 1 : 0], rows = (*x)[batch_first ? 0 : 1];
    LoopNest inputs{.part = "inputs", .k = gates * (*r)[2], .c = (*x)[2], .q = steps * rows};
    LoopNest state{.part = "state", .k = gates * (*r)[2], .c = (*r)[2], .q = rows};
    inputs.repeat = (*r)[0];
    state.repeat = (*r)[0] * steps;
    return {{inputs, state}, {}};
}

OpLoopNests lstm(const NodeView& view) {
    return recurrent(view, 4);
}
OpLoopNests gru(const NodeView& view) {
    return recurrent(view, 3);
}
OpLoopNests rnn(const NodeView& view) {
    return recurrent(view, 1);
}

OpLoopNests two_products(int64_t groups, int64_t queries, int64_t keys, int64_t width, int64_t values) {
    const LoopNest scores{.part = "scores", .g = groups, .k = keys, .c = width, .q = queries};
    const LoopNest sums{.part = "values", .g = groups, .k = values, .c = keys, .q = queries};
    return {{scores, sums}, {}};
}

// com.microsoft's makes queries, keys and values itself.
OpLoopNests packed_attention(const NodeView& view) {
    const Shape *x = view.shape(0, 3), *w = view.shape(1, 2);
    const int64_t heads = view.node().integer("num_heads", 0);
    if (!x || !w || heads < 1 || (*w)[1] % (3 * heads) != 0) return no_shapes();
    const int64_t width = (*w)[1] / (3 * heads);
    OpLoopNests out = two_products((*x)[0] * heads, (*x)[1], (*x)[1], width, width);
    out.nests.insert(out.nests.begin(),
                     LoopNest{.part = "projections", .k = (*w)[1], .c = (*x)[2], .q = (*x)[0] * (*x)[1]});
    return out;
}

OpLoopNests attention(const NodeView& view) {
    if (view.node().domain == "com.microsoft" && view.node().op_type == "Attention")
        return packed_attention(view);
    const Shape *q = view.shape(0, 3), *k = view.shape(1, 3), *v = view.shape(2, 3);
    if (!q || !k || !v || q->size() != k->size() || k->size() != v->size()) return no_shapes();
    const Shape* past = view.shape(4, 4);
    const int64_t before = past ? (*past)[2] : 0;
    if (q->size() == 4) return two_products((*q)[0] * (*q)[1], (*q)[2], (*k)[2] + before, (*q)[3], (*v)[3]);
    const int64_t heads = view.node().integer("q_num_heads", view.node().integer("num_heads", 1));
    const int64_t value_heads = view.node().integer("kv_num_heads", heads);
    if (q->size() != 3 || heads < 1 || value_heads < 1) return no_shapes();
    return two_products((*q)[0] * heads, (*q)[1], (*k)[1] + before, (*q)[2] / heads, (*v)[2] / value_heads);
}

Rule rule_of(std::string_view op) {
    static const std::unordered_map<std::string_view, Rule> rules = {
        {"Conv", conv},
        {"FusedConv", conv},
        {"ConvInteger", conv},
        {"QLinearConv", qlinear_conv},
        {"Gemm", matmul},
        {"MatMul", matmul},
        {"FusedMatMul", matmul},
        {"MatMulInteger", matmul},
        {"QLinearMatMul", qlinear_matmul},
        {"MatMulNBits", matmul_nbits},
        {"Einsum", einsum},
        {"LSTM", lstm},
        {"GRU", gru},
        {"RNN", rnn},
        {"Attention", attention},
        {"MultiHeadAttention", attention},
    };
    const auto found = rules.find(op);
    return found == rules.end() ? nullptr : found->second;
}

bool is_causal(const ModelNode& node) {
    return node.integer("is_causal", node.integer("unidirectional", 0)) != 0;
}

}  // namespace

double LoopNest::macs() const {
    double macs = 1;
    for (const int64_t size : {g, n, k, c, p, q, r, s})
        macs *= static_cast<double>(size);
    return macs;
}

OpLoopNests loop_nests(const ModelGraph& graph, const ModelNode& node) {
    const Rule rule = rule_of(node.op_type);
    if (rule == nullptr)
        return without(fmt::format("{} is not a plain convolution or product", node.op_type));
    OpLoopNests out = rule({graph, node});
    double macs = 0;
    for (const LoopNest& nest : out.nests) {
        if (nest.macs() <= 0 || nest.repeat < 1) return without("a size of it is 0");
        macs += nest.macs() * static_cast<double>(nest.repeat);
    }
    const double counted = op_work(graph, node).macs;
    if (out.nests.empty() || is_causal(node) || std::abs(macs - counted) <= 1e-9 * counted) return out;
    return without(fmt::format("its loops make {:.0f} multiply-adds, {:.0f} are counted", macs, counted));
}

}  // namespace opsight::cost
