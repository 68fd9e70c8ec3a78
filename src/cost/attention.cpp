// Attention, and layers of experts.
#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>

#include "cost/node_view.h"

namespace opsight::cost {
namespace {

struct AttentionSizes {
    double batch = 0, heads = 1, queries = 0, keys = 0, width = 0, value_width = 0;  // widths of one head
    // With a causal mask query i sees the keys up to i + offset; none: all.
    std::optional<double> causal_offset = std::nullopt;
};

// Pairs of a query and a key that it sees.
double pairs(const AttentionSizes& s) {
    if (!s.causal_offset) return s.queries * s.keys;
    // Queries before `first` see nothing, those from `full` on every key, those between one more each.
    const double first = std::clamp(-*s.causal_offset, 0.0, s.queries);
    const double full = std::clamp(s.keys - 1 - *s.causal_offset, first, s.queries);
    const double rising = full - first, least = first + 1 + *s.causal_offset;
    return rising * least + rising * (rising - 1) / 2 + (s.queries - full) * s.keys;
}

// Q·Kᵀ and P·V; softmax and scaling of the scores, 6 FLOPs each. Of a causal mask only what is seen counts;
// any other mask changes nothing.
bool set_attention(OpWork& work, const AttentionSizes& s, double projections) {
    const double scores = s.batch * s.heads * pairs(s);
    return set_product(work, scores * (s.width + s.value_width) + projections, 0, 6 * scores);
}

bool attention(const NodeView& view, OpWork& work) {
    const Shape *q = view.shape(0, 3), *k = view.shape(1, 2), *v = view.shape(2, 3);
    const bool causal = view.node().integer("is_causal", view.node().integer("unidirectional", 0)) != 0;
    const auto offset = [&](double past_keys) { return causal ? std::optional(past_keys) : std::nullopt; };
    if (view.node().domain == "com.microsoft" && view.node().op_type == "Attention") {
        // One matrix makes queries, keys and values of the input.
        if (!q || !k) return false;
        const double rows = static_cast<double>((*q)[0]) * static_cast<double>((*q)[1]);
        const double made = static_cast<double>((*k)[1]);
        const double hidden = made / 3;
        return set_attention(work,
                             {static_cast<double>((*q)[0]), 1, static_cast<double>((*q)[1]),
                              static_cast<double>((*q)[1]), hidden, hidden, offset(0)},
                             rows * static_cast<double>((*q)[2]) * made);
    }
    if (!q || !k || !v || q->size() != k->size() || k->size() != v->size()) return false;
    const auto size = [](const Shape& shape, size_t at) { return static_cast<double>(shape[at]); };
    const Shape* past = view.shape(4, 4);
    if (q->size() == 4) {
        const double before = past ? size(*past, 2) : 0;
        const double begin = static_cast<double>(view.node().integer("causal_offset", 0));
        return set_attention(work,
                             {size(*q, 0), size(*q, 1), size(*q, 2), size(*k, 2) + before, size(*q, 3),
                              size(*v, 3), offset(before + begin)},
                             0);
    }
    const double heads =
        static_cast<double>(view.node().integer("q_num_heads", view.node().integer("num_heads", 1)));
    const double value_heads =
        static_cast<double>(view.node().integer("kv_num_heads", static_cast<int64_t>(heads)));
    if (q->size() != 3 || heads < 1 || value_heads < 1) return false;
    const double before = past ? size(*past, 2) : 0;
    return set_attention(work,
                         {size(*q, 0), heads, size(*q, 1), size(*k, 1) + before, size(*q, 2) / heads,
                          size(*v, 2) / value_heads, offset(before)},
                         0);
}

// com.microsoft's: past keys before the own ones, always causal; in a window each query sees as many keys at
// most.
bool group_query_attention(const NodeView& view, OpWork& work) {
    const Shape* q = view.shape(0, 3);
    const auto number = [&](std::string_view key) {
        return static_cast<double>(view.node().integer(key, 0));
    };
    const double heads = number("num_heads"), groups = number("kv_num_heads"),
                 window = number("local_window_size");
    if (!q || heads < 1 || groups < 1) return false;
    const double width = static_cast<double>((*q)[2]) / (view.in(1) ? heads : heads + 2 * groups);
    const auto batch = static_cast<double>((*q)[0]), queries = static_cast<double>((*q)[1]);
    const ModelTensor* present = view.out(1);
    double keys = queries;
    if (const ModelTensor* total = view.in(6); total && total->has_value && total->value.size() == 1)
        keys = std::max(keys, total->value[0]);
    else if (present && present->shape_known && present->shape.size() == 4)
        keys = std::max(keys, static_cast<double>(present->shape[2]));
    const AttentionSizes sizes{batch, heads, queries, keys, width, width, keys - queries};
    const double seen = window > 0 ? std::min(pairs(sizes), queries * window) : pairs(sizes);
    const double scores = batch * heads * seen;
    const double turned =
        view.node().integer("do_rotary", 0) != 0 ? 3 * batch * queries * width * (heads + groups) : 0;
    return set_product(work, scores * 2 * width, 0, 6 * scores + turned);
}

// com.microsoft's MoE(x, router, weights 1, bias, weights 2, bias, weights 3, bias): each row through its k
// experts.
bool experts(const NodeView& view, OpWork& work) {
    const Shape *x = view.shape(0, 2), *router = view.shape(1, 2);
    const bool quantized = view.node().op_type == "QMoE";
    if (!x || !router || x->back() < 1) return false;
    const double rows = view.in_elements(0) / static_cast<double>(x->back());
    const auto count = static_cast<double>(router->back());
    const double chosen = std::min(static_cast<double>(view.node().integer("k", 1)), count);
    double weights = 0;
    const size_t step = quantized ? 3 : 2;  // weights, (scales,) bias
    for (size_t input = 2; input <= 2 + 2 * step; input += step)
        if (const Shape* w = view.shape(input, 3); w && (*w)[0] == router->back())
            weights += view.in_elements(input);
    // Quantized ones are packed.
    if (quantized)
        weights *=
            8 / static_cast<double>(std::max<int64_t>(1, view.node().integer("expert_weight_bits", 4)));
    if (weights <= 0 || count < 1) return false;
    work.weights_part = std::min(1.0, rows * chosen / count);
    return set_product(work, rows * chosen * weights / count, 0, 5 * view.in_elements(1));
}

// STFT: the window, and a fast transform of each frame, half of 5 n log2 n for real signals.
bool short_time_fourier(const NodeView& view, OpWork& work) {
    const ModelTensor* out = view.out(0);
    const Shape* signal = view.shape(0, 2);
    if (!out || out->shape.size() != 4 || !signal) return false;
    const bool half = view.node().integer("onesided", 1) != 0;
    const double bins = static_cast<double>(out->shape[2]), size = half ? 2 * (bins - 1) : bins;
    const double frames = static_cast<double>(out->shape[0]) * static_cast<double>(out->shape[1]);
    const bool complex = signal->size() == 3 && signal->back() == 2;
    work.kind = WorkKind::kVector;
    work.flops =
        frames * ((complex ? 5 : 2.5) * size * std::log2(std::max(size, 2.0)) + (view.in(2) ? size : 0));
    return true;
}

}  // namespace

WorkRule attention_rule(std::string_view op) {
    static const std::unordered_map<std::string_view, WorkRule> rules = {
        {"Attention", attention},
        {"MultiHeadAttention", attention},
        {"GroupQueryAttention", group_query_attention},
        {"MoE", experts},
        {"QMoE", experts},
        {"STFT", short_time_fourier},
    };
    const auto found = rules.find(op);
    return found == rules.end() ? nullptr : found->second;
}

}  // namespace opsight::cost
