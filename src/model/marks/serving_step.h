// Steps of servers of language models, as they mark them:
//
//   vLLM          "execute_9_context_1(sq512sk512)_generation_8(sq8sk99)", before it "execute_new_1_cached_8"
//   SGLang        "step[DECODE bs=8]", "step[EXTEND bs=1 toks=512]", "step[TARGET_VERIFY bs=8]"
//   TensorRT-LLM  "[Executor] _forward_step 12: 1 ctx reqs, 512 ctx tokens, 8 gen reqs"
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace opsight::marks {

// Sequences that it reads for the first time, and sequences that it goes on with: of each at least so many.
// Neither: the step has none, or does not tell.
struct ServingStep {
    int64_t prefill = 0, decode = 0;
    bool drafts = false;  // it goes on by several tokens at once: speculative decoding
    friend bool operator==(const ServingStep&, const ServingStep&) = default;
};

// How texts of steps begin, as a regular expression for SQL.
inline constexpr const char* kServingStepTexts = "^(execute_|step\\[|\\[Executor\\] _forward_step)";

// Nothing: another text.
std::optional<ServingStep> serving_step(std::string_view text);

}  // namespace opsight::marks
