#include "cost/torch_attention.h"

#include <algorithm>
#include <unordered_map>

namespace opsight::cost {
namespace {

struct Attention {
    int query;          // key and value follow
    bool heads_second;  // (batch, heads, length, width); else (batch, length, heads, width)
    int causal;
    bool causal_by_type = false;  // a number: 1 causal from the top left, 2 from the bottom right
    bool bottom_right = false;    // where a causal mask ends
    int lengths = kNowhere;       // begins of packed sequences, of queries; those of keys follow
    bool backward = false;
    int longest = kNowhere;  // length of the longest of them, of queries; that of keys follows
};

constexpr std::string_view kEquallyLong = "sequences in one tensor are taken to be equally long";

struct HeadSizes {
    int64_t batch = 1, heads = 1, length = 1, width = 1;
};

std::optional<HeadSizes> sizes_of(const TorchTensor& tensor, bool heads_second) {
    const Shape& s = tensor.shape;
    if (s.size() == 3 && !heads_second) return HeadSizes{1, s[1], s[0], s[2]};  // packed
    if (s.size() != 4) return std::nullopt;
    return heads_second ? HeadSizes{s[0], s[1], s[2], s[3]} : HeadSizes{s[0], s[2], s[1], s[3]};
}

// Packed sequences tell how many they are, and some calls how long the longest is: where all together are
// that many times as long, all are. Else they are taken to be of one length.
bool unpack(const TorchCall& call, const Attention& facts, HeadSizes& query, HeadSizes& key,
            TorchWork& work) {
    if (facts.lengths == kNowhere) return true;
    const TorchTensor* begins = call.tensor(static_cast<size_t>(facts.lengths));
    if (!begins || begins->shape.size() != 1 || begins->shape[0] < 2) return true;
    const int64_t sequences = begins->shape[0] - 1;
    if (query.batch != 1 || key.batch != 1) return false;
    bool alike = true;
    for (int i = 0; i < 2; ++i) {
        HeadSizes& each = i == 0 ? query : key;
        const auto longest =
            facts.longest == kNowhere ? std::nullopt : call.integer(static_cast<size_t>(facts.longest + i));
        alike &=
            longest && *longest > 0 && each.length / *longest == sequences && each.length % *longest == 0;
        each.batch = sequences;
        each.length = std::max<int64_t>(1, each.length / sequences);
    }
    if (sequences > 1 && !alike) assume(work, kEquallyLong);
    return true;
}

// AITER's attention over keys and values in the pages of a cache: queries of packed sequences, both caches,
// where each sequence begins among the queries and among the numbers of its pages, these, the lengths of the
// longest sequence of queries and of keys; whether causal stands at 12.
bool paged_attention(const TorchCall& call, const TorchRule&, TorchWork& work) {
    const TorchTensor *q = call.tensor(0), *k = call.tensor(1), *v = call.tensor(2), *begins = call.tensor(3),
                      *pages = call.tensor(5);
    const std::optional<int64_t> longest_q = call.integer(6), longest_k = call.integer(7);
    if (!q || !k || !v || !begins || !pages || !longest_q || !longest_k || q->shape.size() != 3) return false;
    if (begins->shape.size() != 1 || begins->shape[0] < 2 || k->shape.size() < 3 || k->shape.size() > 4 ||
        v->shape.size() != k->shape.size() || *longest_q < 1 || *longest_k < 1)
        return false;
    const int64_t sequences = begins->shape[0] - 1, heads = q->shape[1],
                  key_heads = k->shape[k->shape.size() - 2];
    const int64_t page = k->shape.size() == 4 ? k->shape[1] : 1;
    int64_t queries = std::max<int64_t>(1, q->shape[0] / sequences), keys = *longest_k;
    // Every key of the longest sequence is read in it alone; a new token's own key is in the cache, too.
    const bool alike = q->shape[0] / *longest_q == sequences && q->shape[0] % *longest_q == 0;
    if (!alike || *longest_k != *longest_q) {
        const double told = pages->elements() * static_cast<double>(page) / static_cast<double>(sequences);
        keys = std::max(queries, static_cast<int64_t>(std::min(told, static_cast<double>(keys))));
        assume(work, kEquallyLong);
    }
    const std::optional<bool> causal = call.flag(12);
    if (!causal) assume(work, "whether the mask is causal is not told: taken to be none");
    const int64_t width = q->shape[2], value_width = v->shape.back();
    const OpWork done = OneOp("Attention")
                            .in({sequences, heads, queries, width}, q->type)
                            .in({sequences, heads, keys, width}, q->type)
                            .in({sequences, heads, keys, value_width}, q->type)
                            .set("is_causal", int64_t{causal.value_or(false)})
                            .set("causal_offset", keys - queries)
                            .out({sequences, heads, queries, value_width}, q->type)
                            .work();
    if (done.kind != WorkKind::kMatrix) return false;
    work.kind = WorkKind::kMatrix;
    work.type = q->type;
    work.macs = done.macs;
    work.flops = done.flops;
    work.matrix_flops = done.matrix_flops;
    work.bytes = q->bytes() + bytes_of({sequences, queries, heads, value_width}, q->type) +
                 bytes_of({sequences, keys, key_heads, width}, k->type) +
                 bytes_of({sequences, keys, key_heads, value_width}, v->type);
    return true;
}

bool attention(const TorchCall& call, const TorchRule& rule, TorchWork& work) {
    const Attention& facts = *static_cast<const Attention*>(rule.facts);
    const auto at = static_cast<size_t>(facts.query);
    const TorchTensor *q = call.tensor(at), *k = call.tensor(at + 1), *v = call.tensor(at + 2);
    if (!q || !k || !v) return false;
    std::optional<HeadSizes> query = sizes_of(*q, facts.heads_second), key = sizes_of(*k, facts.heads_second),
                             value = sizes_of(*v, facts.heads_second);
    if (!query || !key || !value || !unpack(call, facts, *query, *key, work)) return false;
    const auto causal_at = static_cast<size_t>(facts.causal);
    std::optional<int64_t> causal = call.integer(causal_at);
    if (const auto flag = call.flag(causal_at); flag && !facts.causal_by_type) causal = *flag;
    if (!causal) assume(work, "whether the mask is causal is not told: taken to be none");
    const bool bottom_right = facts.bottom_right || (facts.causal_by_type && causal == 2);
    OneOp op("Attention");
    op.in({query->batch, query->heads, query->length, query->width}, q->type)
        .in({query->batch, query->heads, key->length, key->width}, q->type)
        .in({query->batch, query->heads, key->length, value->width}, q->type)
        .set("is_causal", int64_t{causal.value_or(0) != 0})
        .set("causal_offset", bottom_right ? key->length - query->length : int64_t{0});
    const OpWork forward = op.out({query->batch, query->heads, query->length, value->width}, q->type).work();
    if (forward.kind != WorkKind::kMatrix) return false;
    const Shape result = {query->batch, query->heads, query->length, value->width};
    const double out = bytes_of(result, q->type);
    const double inputs = q->bytes() + k->bytes() + v->bytes();
    work.kind = WorkKind::kMatrix;
    work.type = q->type;
    if (!facts.backward) {
        work.macs = forward.macs;
        work.flops = forward.flops;
        work.matrix_flops = forward.matrix_flops;
        work.bytes = inputs + out;
        return true;
    }
    // Gradients of Q, K, P and V: a product each. The scores are computed again.
    const double widths = static_cast<double>(query->width + value->width);
    const double again = widths > 0 ? forward.macs * static_cast<double>(query->width) / widths : 0;
    work.macs = 2 * forward.macs + again;
    work.matrix_flops = 2 * work.macs;
    work.recomputed_flops = 2 * again;
    work.flops = work.matrix_flops + 2 * (forward.flops - forward.matrix_flops);
    work.bytes = 2 * inputs + 2 * out;
    return true;
}

// ---- recurrent cells -------------------------------------------------------------------------------------

struct Recurrent {
    int input, hidden;  // places of the input and of the first state
    int mode;           // 0 RNN with ReLU, 1 with tanh, 2 LSTM, 3 GRU
    int size, layers, bidirectional;
    bool backward = false;
    bool one_layer = false;  // the call runs one layer in one direction, whatever the network has
};

bool recurrent(const TorchCall& call, const TorchRule& rule, TorchWork& work) {
    const Recurrent& facts = *static_cast<const Recurrent*>(rule.facts);
    const auto number = [&](int index) { return call.integer(static_cast<size_t>(index)); };
    const TorchTensor *x = call.tensor(static_cast<size_t>(facts.input)),
                      *state = call.tensor(static_cast<size_t>(facts.hidden));
    const auto mode = number(facts.mode), hidden = number(facts.size);
    const auto layers = facts.one_layer ? std::optional<int64_t>(1) : number(facts.layers);
    if (!x || !state || !mode || !hidden || !layers || *layers < 1 || *layers > 1000 || *hidden < 1)
        return false;
    if (*mode < 0 || *mode > 3 || x->shape.size() < 2 || x->shape.back() < 1) return false;
    const bool both_ways =
        !facts.one_layer && call.flag(static_cast<size_t>(facts.bidirectional)).value_or(false);
    const int64_t directions = both_ways ? 2 : 1;
    const int64_t gates = *mode == 2 ? 4 : *mode == 3 ? 3 : 1;
    const int64_t steps = static_cast<int64_t>(x->elements()) / x->shape.back();  // of all elements
    const char* cells[] = {"RNN", "RNN", "LSTM", "GRU"};
    double weights = 0;
    for (int64_t layer = 0; layer < *layers; ++layer) {
        const int64_t width = layer == 0 ? x->shape.back() : *hidden * directions;
        const Shape w = {directions, gates * *hidden, width}, r = {directions, gates * *hidden, *hidden};
        const OpWork cell = OneOp(cells[*mode])
                                .in({steps, 1, width}, x->type)
                                .in(w, x->type)
                                .in(r, x->type)
                                .in({directions, 2 * gates * *hidden}, x->type)
                                .out({steps, directions, 1, *hidden}, x->type)
                                .work();
        if (cell.kind != WorkKind::kMatrix) return false;
        work.macs += cell.macs;
        work.flops += cell.flops;
        work.matrix_flops += cell.matrix_flops;
        weights += bytes_of(w, x->type) + bytes_of(r, x->type) +
                   bytes_of({directions, 2 * gates * *hidden}, x->type);
    }
    work.kind = WorkKind::kMatrix;
    work.type = x->type;
    const double output = bytes_of({steps, *hidden * directions}, x->type);
    work.bytes = x->bytes() + weights + output + 2 * state->bytes() * (*mode == 2 ? 2 : 1);
    if (facts.backward) {
        work.macs *= 2;
        work.flops = 2 * work.matrix_flops + (work.flops - work.matrix_flops) / 2;
        work.matrix_flops *= 2;
        work.bytes *= 2;
    }
    return true;
}

// ---- tables ----------------------------------------------------------------------------------------------

constexpr Attention kSdpa{0, true, 5}, kSdpaFlash{0, true, 4}, kSdpaEfficient{0, true, 6};
constexpr Attention kFlash{0, false, 8, false, false, 3}, kEfficient{0, false, 9, true, false, 4};
constexpr Attention kSdpaFlashBack{1, true, 11, false, false, kNowhere, true};
constexpr Attention kFlashBack{1, false, 11, false, false, 6, true};
constexpr Attention kSdpaEfficientBack{1, true, 11, false, false, kNowhere, true};
constexpr Attention kEfficientBack{1, false, 14, true, false, 6, true};
constexpr Attention kSdpaCudnnBack{1, true, 14, false, false, kNowhere, true};
constexpr Attention kLibrary{0, false, 5, false, true},
    kLibraryBack{1, false, 11, false, true, kNowhere, true};
constexpr Attention kOverrideable{0, true, 5}, kOverrideableBack{1, true, 13, false, false, kNowhere, true};
constexpr Attention kLibraryVarlen{0, false, 9, false, true, 3, false, 5},
    kLibraryVarlenBack{1, false, 15, false, true, 9, true};
constexpr Recurrent kCudnnRnn{0, 4, 6, 7, 9, 13}, kMiopenRnn{0, 3, 5, 6, 7, 11};
constexpr Recurrent kMkldnnRnn{0, 5, 9, 10, 11, 13, false, true}, kCudnnRnnBack{0, 4, 10, 11, 13, 17, true};
constexpr Recurrent kMiopenRnnBack{0, 4, 10, 11, 12, 16, true};

const std::unordered_map<std::string_view, TorchRule>& rules() {
    using Out = TorchRule::Output;
    const auto with = [](const Attention& facts) { return TorchRule{attention, "", 0, Out::kSame, &facts}; };
    const auto cell = [](const Recurrent& facts) { return TorchRule{recurrent, "", 0, Out::kSame, &facts}; };
    static const std::unordered_map<std::string_view, TorchRule> all = {
        {"scaled_dot_product_attention", with(kSdpa)},
        {"_scaled_dot_product_attention_math", with(kSdpa)},
        {"_scaled_dot_product_flash_attention", with(kSdpaFlash)},
        {"_scaled_dot_product_flash_attention_for_cpu", with(kSdpaFlash)},
        {"_scaled_dot_product_efficient_attention", with(kSdpaEfficient)},
        {"_scaled_dot_product_cudnn_attention", with(kSdpaEfficient)},
        {"_flash_attention_forward", with(kFlash)},
        {"_efficient_attention_forward", with(kEfficient)},
        {"_scaled_dot_product_flash_attention_backward", with(kSdpaFlashBack)},
        {"_flash_attention_backward", with(kFlashBack)},
        {"_scaled_dot_product_efficient_attention_backward", with(kSdpaEfficientBack)},
        {"_efficient_attention_backward", with(kEfficientBack)},
        {"_scaled_dot_product_cudnn_attention_backward", with(kSdpaCudnnBack)},
        {"flash_attn::_flash_attn_forward", with(kLibrary)},
        {"flash_attn::_flash_attn_backward", with(kLibraryBack)},
        {"flash_attn::_flash_attn_varlen_forward", with(kLibraryVarlen)},
        {"flash_attn::_flash_attn_varlen_backward", with(kLibraryVarlenBack)},
        {"aiter::fmha_v3_fwd", with(kLibrary)},
        {"aiter::mha_fwd", with(kLibrary)},
        {"aiter::mha_batch_prefill", {paged_attention}},
        {"_scaled_dot_product_fused_attention_overrideable", with(kOverrideable)},
        {"_scaled_dot_product_fused_attention_overrideable_backward", with(kOverrideableBack)},
        {"_cudnn_rnn", cell(kCudnnRnn)},
        {"_cudnn_rnn_backward", cell(kCudnnRnnBack)},
        {"miopen_rnn", cell(kMiopenRnn)},
        {"miopen_rnn_backward", cell(kMiopenRnnBack)},
        {"mkldnn_rnn_layer", cell(kMkldnnRnn)},
    };
    return all;
}

}  // namespace

const TorchRule* torch_attention_rule(std::string_view name) {
    const auto found = rules().find(name);
    return found == rules().end() ? nullptr : &found->second;
}

}  // namespace opsight::cost
