#include "model/marks/serving_step.h"

#include <charconv>

#include "base/text.h"

namespace opsight::marks {
namespace {

// The number behind `key`, at its first place that has one, with `after` behind it.
std::optional<int64_t> number_behind(std::string_view text, std::string_view key,
                                     std::string_view after = {}) {
    for (size_t at = text.find(key); at != text.npos; at = text.find(key)) {
        text.remove_prefix(at + key.size());
        int64_t value = 0;
        const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (problem != std::errc() || value < 0) continue;
        if (text.substr(static_cast<size_t>(end - text.data())).starts_with(after)) return value;
    }
    return std::nullopt;
}

std::optional<ServingStep> both(std::optional<int64_t> prefill, std::optional<int64_t> decode) {
    if (!prefill || !decode) return std::nullopt;
    return ServingStep{*prefill, *decode};
}

std::optional<ServingStep> of_vllm(std::string_view text) {
    if (text.starts_with("execute_new_"))
        return both(number_behind(text, "_new_"), number_behind(text, "_cached_"));
    return both(number_behind(text, "_context_", "("), number_behind(text, "_generation_", "("));
}

// "DECODE bs=8]": the names are those of its ForwardMode.
std::optional<ServingStep> of_sglang(std::string_view text) {
    const std::optional<int64_t> batch = number_behind(text, "bs=");
    if (!batch) return std::nullopt;
    const std::string_view mode = text.substr(0, text.find(' '));
    if (mode == "DECODE") return ServingStep{0, *batch};
    if (mode == "EXTEND" || mode == "PREFILL" || mode == "SPLIT_PREFILL") return ServingStep{*batch, 0};
    if (mode == "TARGET_VERIFY" || mode.starts_with("DRAFT_EXTEND")) return ServingStep{0, *batch, true};
    if (mode == "MIXED" && *batch > 1) return ServingStep{1, 1};  // it does not tell how many of each
    return ServingStep{};
}

// "12: 1 ctx reqs, 512 ctx tokens, 8 gen reqs"; of older versions without the number and the tokens.
std::optional<ServingStep> of_tensorrt(std::string_view text) {
    const size_t generation = text.rfind(", ");
    if (generation == text.npos || !text.ends_with(" gen reqs")) return std::nullopt;
    return both(number_behind(text, ": ", " ctx reqs,"),
                number_behind(text.substr(generation), ", ", " gen reqs"));
}

}  // namespace

std::optional<ServingStep> serving_step(std::string_view text) {
    if (text.starts_with("execute_")) return of_vllm(text);
    if (text::take_prefix(text, "step[")) return of_sglang(text);
    if (text::take_prefix(text, "[Executor] _forward_step")) return of_tensorrt(text);
    return std::nullopt;
}

}  // namespace opsight::marks
