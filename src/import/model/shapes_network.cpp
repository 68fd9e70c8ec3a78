// Convolutions, pooling, normalisation, recurrent cells, attention and losses.
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "import/model/shapes.h"

namespace opsight::importer::model_import {
namespace {

struct Window {
    std::vector<int64_t> kernel, strides, dilations, pads;
    std::string auto_pad;
    bool ceil_mode = false;
};

// Attributes of a window over `spatial` axes; nothing where a list has the wrong length or a size below 1.
std::optional<Window> window_of(const ModelNode& node, size_t spatial, std::vector<int64_t> kernel) {
    Window window;
    window.kernel = node.integers("kernel_shape");
    if (window.kernel.empty()) window.kernel = std::move(kernel);
    window.strides = node.integers("strides");
    if (window.strides.empty()) window.strides.assign(spatial, 1);
    window.dilations = node.integers("dilations");
    if (window.dilations.empty()) window.dilations.assign(spatial, 1);
    window.pads = node.integers("pads");
    if (window.pads.empty()) window.pads.assign(2 * spatial, 0);
    window.auto_pad = node.text("auto_pad", "NOTSET");
    window.ceil_mode = node.integer("ceil_mode", 0) != 0;
    const auto sane = [&](const std::vector<int64_t>& list, size_t length, int64_t least) {
        return list.size() == length && std::all_of(list.begin(), list.end(), [&](int64_t value) {
                   return value >= least && value <= (int64_t{1} << 24);
               });
    };
    if (!sane(window.kernel, spatial, 1) || !sane(window.strides, spatial, 1) ||
        !sane(window.dilations, spatial, 1) || !sane(window.pads, 2 * spatial, -(int64_t{1} << 24)))
        return std::nullopt;
    return window;
}

// Places of the window along one axis; -1 where it does not fit.
int64_t places(const Window& window, size_t axis, int64_t size) {
    const int64_t stride = window.strides[axis];
    if (window.auto_pad.starts_with("SAME")) return (size + stride - 1) / stride;
    const size_t spatial = window.kernel.size();
    const int64_t pads = window.auto_pad == "VALID" ? 0 : window.pads[axis] + window.pads[axis + spatial];
    const int64_t reach = (window.kernel[axis] - 1) * window.dilations[axis] + 1;
    const int64_t room = size + pads - reach;
    if (room < 0) return -1;
    int64_t count = room / stride + 1;
    if (window.ceil_mode && room % stride != 0) {
        ++count;  // but no window may start in the padding behind
        if ((count - 1) * stride >= size + window.pads[axis]) --count;
    }
    return count;
}

bool slide(NodeShapes& node, const Shape& input, const Window& window, Shape& out) {
    for (size_t i = 0; i < window.kernel.size(); ++i) {
        const int64_t count = places(window, i, input[i + 2]);
        if (count < 0)
            return node.misfit("its window of " + shape_text(window.kernel) + " does not fit into " +
                               shape_text(input));
        out.push_back(count);
    }
    return true;
}

bool convolve(NodeShapes& node, size_t weight_input, ElementType type) {
    const Shape *x = node.shape(0), *w = node.shape(weight_input);
    if (!x || !w) return false;
    if (x->size() < 3 || w->size() != x->size())
        return node.misfit("a convolution of " + shape_text(*x) + " with " + shape_text(*w) +
                           " needs the same rank, at least 3");
    const int64_t groups = node.node().integer("group", 1);
    if (groups < 1 || element_count({(*w)[1], groups}) != (*x)[1] || (*w)[0] % groups != 0)
        return node.misfit("a convolution of " + shape_text(*x) + " with " + shape_text(*w) + " in " +
                           std::to_string(groups) + " groups does not fit");
    const auto window = window_of(node.node(), x->size() - 2, Shape(w->begin() + 2, w->end()));
    if (!window) return node.misfit("its kernel, strides, dilations or pads do not fit the input");
    Shape out = {(*x)[0], (*w)[0]};
    return slide(node, *x, *window, out) && node.set(0, out, type);
}

bool conv(NodeShapes& node) {
    return convolve(node, 1, node.in(0) ? node.in(0)->type : ElementType::kFloat32);
}
bool conv_integer(NodeShapes& node) {
    return convolve(node, 1, ElementType::kInt32);
}
bool qlinear_conv(NodeShapes& node) {
    return convolve(node, 3, node.in(7) ? node.in(7)->type : ElementType::kUint8);
}

bool conv_transpose(NodeShapes& node) {
    const Shape *x = node.shape(0), *w = node.shape(1);
    if (!x || !w) return false;
    const int64_t groups = node.node().integer("group", 1);
    if (x->size() < 3 || w->size() != x->size() || (*w)[0] != (*x)[1] || !element_count({(*w)[1], groups}))
        return node.misfit("a transposed convolution of " + shape_text(*x) + " with " + shape_text(*w) +
                           " does not fit");
    const size_t spatial = x->size() - 2;
    const auto window = window_of(node.node(), spatial, Shape(w->begin() + 2, w->end()));
    if (!window) return node.misfit("its kernel, strides, dilations or pads do not fit the input");
    std::vector<int64_t> extra = node.node().integers("output_padding");
    extra.resize(spatial, 0);
    if (std::any_of(extra.begin(), extra.end(),
                    [](int64_t size) { return size < 0 || size > kMostElements; }))
        return node.misfit("its output_padding is none");
    const std::vector<int64_t> wanted = node.node().integers("output_shape");
    Shape out = {(*x)[0], (*w)[1] * groups};
    for (size_t i = 0; i < spatial; ++i) {
        const int64_t reach = (window->kernel[i] - 1) * window->dilations[i] + 1;
        const int64_t pads = window->pads[i] + window->pads[i + spatial];
        if (wanted.size() >= spatial)
            out.push_back(wanted[wanted.size() - spatial + i]);
        else if ((*x)[i + 2] > (int64_t{1} << 31))
            return node.misfit("an input of " + shape_text(*x) + " is too large");
        else if (window->auto_pad.starts_with("SAME"))
            out.push_back((*x)[i + 2] * window->strides[i]);
        else
            out.push_back(((*x)[i + 2] - 1) * window->strides[i] + extra[i] + reach - pads);
    }
    return node.set(0, out);
}

bool pool(NodeShapes& node) {
    const Shape* x = node.shape(0);
    if (!x) return false;
    if (x->size() < 3) return node.misfit("pooling needs an input of rank 3 or more");
    const auto window = window_of(node.node(), x->size() - 2, {});
    if (!window) return node.misfit("its kernel, strides, dilations or pads do not fit the input");
    Shape out = {(*x)[0], (*x)[1]};
    return slide(node, *x, *window, out) && node.set(0, out) && node.set(1, out, ElementType::kInt64);
}

bool global_pool(NodeShapes& node) {
    const Shape* x = node.shape(0);
    if (!x) return false;
    if (x->size() < 2) return node.misfit("pooling needs an input of rank 2 or more");
    Shape out = *x;
    std::fill(out.begin() + 2, out.end(), 1);
    return node.set(0, out);
}

bool roi_pool(NodeShapes& node) {
    const Shape *x = node.shape(0), *rois = node.shape(1);
    if (!x || !rois || x->size() != 4 || rois->empty()) return false;
    std::vector<int64_t> size = node.node().integers("pooled_shape");
    if (size.size() != 2)
        size = {node.node().integer("output_height", 1), node.node().integer("output_width", 1)};
    return node.set(0, {(*rois)[0], (*x)[1], size[0], size[1]});
}

// Normalisations: output 0 like the input; statistics where they are asked for.
bool batch_norm(NodeShapes& node) {
    if (!node.shape(0) || !node.set(0, *node.shape(0))) return false;
    for (size_t i = 1; i < node.outputs(); ++i)
        if (node.shape(1) && !node.set(i, *node.shape(1), node.in(1)->type)) return false;
    return true;
}

bool layer_norm(NodeShapes& node) {
    const Shape* x = node.shape(0);
    if (!x || !node.set(0, *x)) return false;
    const auto axis = axis_of(node.node().integer("axis", -1), x->size());
    if (!axis) return node.misfit("its axis is not one of the input's");
    Shape statistics = *x;
    std::fill(statistics.begin() + static_cast<std::ptrdiff_t>(*axis), statistics.end(), 1);
    return node.set(1, statistics, ElementType::kFloat32) && node.set(2, statistics, ElementType::kFloat32);
}

// Skip(Simplified)LayerNormalization: the sum of both inputs is output 3.
bool skip_layer_norm(NodeShapes& node) {
    const Shape* x = node.shape(0);
    return x && node.set(0, *x) && node.set(1, {}) && node.set(2, {}) && node.set(3, *x);
}

bool recurrent(NodeShapes& node) {
    const Shape *x = node.shape(0), *w = node.shape(1), *r = node.shape(2);
    if (!x || !r || !w) return false;
    if (x->size() != 3 || r->size() != 3 || w->size() != 3)
        return node.misfit("a recurrent op needs inputs and weights of rank 3");
    const bool batch_first = node.node().integer("layout", 0) != 0;
    const int64_t steps = (*x)[batch_first ? 1 : 0], batch = (*x)[batch_first ? 0 : 1];
    const int64_t directions = (*r)[0], hidden = (*r)[2];
    const Shape all =
        batch_first ? Shape{batch, steps, directions, hidden} : Shape{steps, directions, batch, hidden};
    const Shape last = batch_first ? Shape{batch, directions, hidden} : Shape{directions, batch, hidden};
    return node.set(0, all) && node.set(1, last) && node.set(2, last);
}

// The keys (input 1) or values (2) behind an attention op, with those of earlier steps before them.
bool set_present(NodeShapes& node, size_t source, int64_t heads) {
    Shape present = *node.shape(source);
    if (present.size() == 3) present = {present[0], heads, present[1], present[2] / heads};
    if (const Shape* past = node.shape(3 + source); past && past->size() == 4) present[2] += (*past)[2];
    return node.set(source, present);
}

// Attention of opset 23 on, and MultiHeadAttention: queries, keys and values as [B, H, L, D] or [B, L, H·D].
bool attention(NodeShapes& node) {
    const Shape *q = node.shape(0), *k = node.shape(1), *v = node.shape(2);
    if (!q || !k || !v || q->size() != v->size() || k->size() != v->size()) return false;
    // Fewer heads of keys than of queries: every head of values is used by several.
    const int64_t query_heads = std::max<int64_t>(1, node.node().integer("q_num_heads", 1));
    const int64_t value_heads = std::max<int64_t>(1, node.node().integer("kv_num_heads", query_heads));
    Shape out = *q;
    if (q->size() == 4)
        out[3] = (*v)[3];
    else if (q->size() == 3)
        out[2] = element_count({(*v)[2] / value_heads, query_heads}).value_or(-1);
    else
        return false;
    return node.set(0, out) && set_present(node, 1, value_heads) && set_present(node, 2, value_heads);
}

// com.microsoft Attention: one matrix makes queries, keys and values of the hidden size.
bool packed_attention(NodeShapes& node) {
    if (node.node().domain != "com.microsoft") return attention(node);
    const Shape *x = node.shape(0), *w = node.shape(1);
    if (!x || !w || x->size() != 3 || w->size() != 2) return false;
    const std::vector<int64_t> sizes = node.node().integers("qkv_hidden_sizes");
    return node.set(0, {(*x)[0], (*x)[1], sizes.size() == 3 ? sizes[2] : (*w)[1] / 3});
}

// com.microsoft's: queries, or queries, keys and values in one; the cache of keys and values has room for
// all.
bool group_query_attention(NodeShapes& node) {
    const Shape* q = node.shape(0);
    const int64_t heads = node.node().integer("num_heads", 0),
                  groups = node.node().integer("kv_num_heads", 0);
    if (!q || q->size() != 3) return false;
    if (heads < 1 || groups < 1 || std::max(heads, groups) > (*q)[2])
        return node.misfit("its heads do not fit its queries of " + shape_text(*q));
    const bool packed = !node.in(1);
    const int64_t width = (*q)[2] / (packed ? heads + 2 * groups : heads);
    const Shape* past = node.shape(3);
    int64_t present = (*q)[1];
    if (past && past->size() == 4) {
        const auto total = node.values(6);
        present = total && total->size() == 1 ? std::max((*past)[2], (*total)[0]) : (*past)[2] + (*q)[1];
    }
    const Shape cache = {(*q)[0], groups, present, width};
    return node.set(0, {(*q)[0], (*q)[1], heads * width}) && node.set(1, cache) && node.set(2, cache);
}

// Spectra of frames: real and imaginary parts.
bool short_time_fourier(NodeShapes& node) {
    const Shape* signal = node.shape(0);
    const auto step = node.values(1), length = node.values(3);
    const Shape* window = node.shape(2);
    if (!signal || signal->size() < 2 || !step || step->size() != 1 || (*step)[0] < 1) return false;
    const int64_t size = length && length->size() == 1 ? (*length)[0]
                         : window && !window->empty()  ? (*window)[0]
                                                       : 0;
    if (size < 1 || size > (*signal)[1]) return false;
    const bool half = node.node().integer("onesided", 1) != 0;
    return node.set(0, {(*signal)[0], ((*signal)[1] - size) / (*step)[0] + 1, half ? size / 2 + 1 : size, 2});
}

bool first_like_input(NodeShapes& node) {
    return node.shape(0) && node.set(0, *node.shape(0));
}

bool embed_layer_norm(NodeShapes& node) {
    const Shape *ids = node.shape(0), *table = node.shape(2);
    if (!ids || !table || ids->size() != 2 || table->size() != 2) return false;
    return node.set(0, {(*ids)[0], (*ids)[1], (*table)[1]}, node.in(2)->type) &&
           node.set(1, {(*ids)[0]}, ElementType::kInt32);
}

bool loss(NodeShapes& node) {
    const Shape* scores = node.shape(0);
    if (!scores || !node.shape(1)) return false;
    const Shape out = node.node().text("reduction", "mean") == "none" ? *node.shape(1) : Shape{};
    return node.set(0, out) && node.set(1, *scores);
}

bool grid_sample(NodeShapes& node) {
    const Shape *x = node.shape(0), *grid = node.shape(1);
    if (!x || !grid || x->size() < 3 || grid->size() != x->size()) return false;
    Shape out = {(*x)[0], (*x)[1]};
    out.insert(out.end(), grid->begin() + 1, grid->end() - 1);
    return node.set(0, out);
}

const std::unordered_map<std::string_view, ShapeRule>& network_rules() {
    static const std::unordered_map<std::string_view, ShapeRule> table = {
        {"Conv", conv},
        {"FusedConv", conv},
        {"ConvInteger", conv_integer},
        {"QLinearConv", qlinear_conv},
        {"ConvTranspose", conv_transpose},
        {"AveragePool", pool},
        {"MaxPool", pool},
        {"LpPool", pool},
        {"GlobalAveragePool", global_pool},
        {"GlobalMaxPool", global_pool},
        {"GlobalLpPool", global_pool},
        {"QLinearGlobalAveragePool", global_pool},
        {"MaxRoiPool", roi_pool},
        {"RoiAlign", roi_pool},
        {"BatchNormalization", batch_norm},
        {"InstanceNormalization", first_like_input},
        {"GroupNormalization", first_like_input},
        {"GroupNorm", first_like_input},
        {"LRN", first_like_input},
        {"LpNormalization", first_like_input},
        {"MeanVarianceNormalization", first_like_input},
        {"RMSNormalization", first_like_input},
        {"SimplifiedLayerNormalization", layer_norm},
        {"LayerNormalization", layer_norm},
        {"SkipLayerNormalization", skip_layer_norm},
        {"SkipSimplifiedLayerNormalization", skip_layer_norm},
        {"EmbedLayerNormalization", embed_layer_norm},
        {"RotaryEmbedding", first_like_input},
        {"LSTM", recurrent},
        {"GRU", recurrent},
        {"RNN", recurrent},
        {"Attention", packed_attention},
        {"MultiHeadAttention", attention},
        {"GroupQueryAttention", group_query_attention},
        {"MoE", first_like_input},
        {"QMoE", first_like_input},
        {"DeformConv", conv},
        {"STFT", short_time_fourier},
        {"SoftmaxCrossEntropyLoss", loss},
        {"NegativeLogLikelihoodLoss", loss},
        {"GridSample", grid_sample},
    };
    return table;
}

}  // namespace

ShapeRule network_rule(std::string_view op) {
    const auto found = network_rules().find(op);
    return found == network_rules().end() ? nullptr : found->second;
}

}  // namespace opsight::importer::model_import
