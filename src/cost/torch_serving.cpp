// Ops of libraries that serve language models: vLLM ("_C::", "_C_cache_ops::"), SGLang ("sgl_kernel::",
// "sglang::") and AITER ("aiter::"). Orders of arguments are those of their registrations. What comes out is
// an argument too.
#include <algorithm>
#include <array>
#include <unordered_map>

#include "cost/torch_rules.h"

namespace opsight::cost {
namespace {

// Moves the first `count` arguments once, and those of the bits `twice` once more. `ops`: for each
// element of the argument `main`.
struct Plan {
    std::string_view ops;
    int count, main;
    unsigned twice = 0;
};

bool serve(const TorchCall& call, const TorchRule& rule, TorchWork& work) {
    const Plan& plan = *static_cast<const Plan*>(rule.facts);
    const TorchTensor* main = call.tensor(static_cast<size_t>(plan.main));
    if (!main) return false;
    for (int i = 0; i < plan.count; ++i) {
        const TorchTensor* tensor = call.tensor(static_cast<size_t>(i));
        if (!tensor) continue;
        work.bytes += tensor->bytes() * (plan.twice >> i & 1U ? 2 : 1);
    }
    std::string_view rest = plan.ops;
    while (!rest.empty()) {
        const size_t end = std::min(rest.find(' '), rest.size());
        work.flops += OneOp(std::string(rest.substr(0, end)))
                          .in(main->shape, main->type)
                          .in(main->shape, main->type)
                          .out(main->shape, main->type)
                          .work()
                          .flops;
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    work.kind = work.flops > 0 ? WorkKind::kVector : WorkKind::kMove;
    work.type = main->type;
    return true;
}

// Turns queries and keys in place; of the table of sines and cosines one row for each position.
bool rotary(const TorchCall& call, const TorchRule&, TorchWork& work) {
    const TorchTensor *positions = call.tensor(0), *query = call.tensor(1), *key = call.tensor(2),
                      *table = call.tensor(4);
    if (!positions || !query || !table || table->shape.empty()) return false;
    const double turned = query->elements() + (key ? key->elements() : 0);
    work.bytes = 2 * (query->bytes() + (key ? key->bytes() : 0)) + positions->bytes() +
                 positions->elements() * bytes_of({table->shape.back()}, table->type);
    work.flops = 3 * turned;
    work.kind = WorkKind::kVector;
    work.type = query->type;
    return true;
}

// Keys and values of some tokens into the pages of a cache: read, and written elsewhere.
bool store_cache(const TorchCall& call, const TorchRule&, TorchWork& work) {
    const TorchTensor *key = call.tensor(0), *value = call.tensor(1), *places = call.tensor(4);
    if (!key || !value || !places) return false;
    work.bytes = 2 * (key->bytes() + value->bytes()) + places->bytes();
    work.kind = WorkKind::kMove;
    work.type = key->type;
    return true;
}

constexpr Plan kQuantize{"QuantizeLinear", 3, 1};                             // out, input, scale
constexpr Plan kQuantizeByRange{"DynamicQuantizeLinear", 3, 1};               // and finds the scale
constexpr Plan kQuantizeFirst{"DynamicQuantizeLinear", 3, 0};                 // input, out, scale
constexpr Plan kNorm{"RMSNormalization", 3, 1};                               // out, input, weight
constexpr Plan kNormInPlace{"SkipSimplifiedLayerNormalization", 3, 0, 0b11};  // input, residual, weight
constexpr Plan kNormAdd{"SkipSimplifiedLayerNormalization", 5, 1};  // out, input, residual in and out, weight
constexpr Plan kSilu{"Swish Mul", 2, 0}, kGelu{"Gelu Mul", 2, 0};   // out, both halves in one

}  // namespace

const TorchRule* torch_serving_rule(std::string_view name) {
    static const std::unordered_map<std::string_view, TorchRule> rules = [] {
        std::unordered_map<std::string_view, TorchRule> made;
        const auto add = [&made](std::string_view rule, const Plan& plan) {
            made[rule] = {.apply = serve, .facts = &plan};
        };
        add("rms_norm", kNorm);
        add("rmsnorm", kNorm);
        add("fused_add_rms_norm", kNormInPlace);
        add("fused_add_rmsnorm", kNormInPlace);
        add("add_rmsnorm", kNormAdd);
        add("silu_and_mul", kSilu);
        add("gelu_and_mul", kGelu);
        add("gelu_tanh_and_mul", kGelu);
        for (std::string_view rule : {"static_scaled_fp8_quant", "static_scaled_int8_quant"})
            add(rule, kQuantize);
        for (std::string_view rule :
             {"dynamic_scaled_fp8_quant", "dynamic_per_token_scaled_fp8_quant", "dynamic_scaled_int8_quant"})
            add(rule, kQuantizeByRange);
        for (std::string_view rule :
             {"sgl_per_token_quant_fp8", "sgl_per_tensor_quant_fp8", "sgl_per_token_group_quant_fp8"})
            add(rule, kQuantizeFirst);
        made["rotary_embedding"] = {rotary};
        made["store_cache"] = made["reshape_and_cache"] = made["reshape_and_cache_flash"] = {store_cache};
        return made;
    }();
    constexpr std::array<std::string_view, 5> kLibraries = {
        "_C::", "_C_cache_ops::", "sgl_kernel::", "sglang::", "aiter::"};
    for (const std::string_view library : kLibraries) {
        if (!name.starts_with(library)) continue;
        const auto found = rules.find(name.substr(library.size()));
        return found == rules.end() ? nullptr : &found->second;
    }
    return nullptr;
}

}  // namespace opsight::cost
