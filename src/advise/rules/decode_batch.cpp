#include <fmt/format.h>

#include <algorithm>

#include "advise/rules/rules.h"
#include "query/reports/advice_steps.h"

namespace opsight::advise {
namespace {

Status check(Context& c) {
    OPSIGHT_ASSIGN(const auto steps, query::serving_steps(c.session()));
    OPSIGHT_ASSIGN(const std::optional<double> rows, query::balanced_rows(c.session()));
    if (steps.empty())
        return c.cannot("no steps that a server names (vLLM, SGLang, TensorRT-LLM) were recorded"), Status();
    if (!rows) return c.cannot("the peaks of the device are not known"), Status();
    std::vector<query::TimeSpan> low;
    double sequences = 0, step_ns = 0, used_ns = 0;
    for (const query::ServingStep& step : steps) {
        const double part = static_cast<double>(step.of.decode) / *rows;
        // Where drafts are verified, each sequence has several rows: how many is not told.
        if (step.of.prefill > 0 || step.of.drafts || 100 * part >= c.threshold("part")) continue;
        const auto ns = static_cast<double>(step.time.end - step.time.begin);
        low.push_back(step.time);
        sequences += static_cast<double>(step.of.decode);
        step_ns += ns;
        used_ns += ns * part;
    }
    if (step_ns <= 0) return {};
    const auto count = static_cast<int64_t>(low.size());
    OPSIGHT_ASSIGN(query::TimeSpans times, query::within_range(c.session(), std::move(low)));
    // What the host does meanwhile is not bound by the device's memory.
    OPSIGHT_ASSIGN(const query::Occurrences kernels, query::times_of(c.session(), query::Activity::kKernels));
    times = query::common(times, kernels.times);
    for (query::TimeSpan& span : times)
        span.begin += static_cast<int64_t>(static_cast<double>(span.end - span.begin) * used_ns / step_ns);
    const double share = c.share_of(times);
    if (share < c.threshold("share")) return {};
    Finding finding{
        "decode_batch", "problem",
        fmt::format("Decoding goes on with {:.0f} sequences at once, and reads all weights for them",
                    sequences / static_cast<double>(count))};
    finding.evidence = fmt::format(
        "{} steps of decoding. With 16-bit weights the device needs as long for arithmetic as for memory "
        "from "
        "{:.0f} sequences on: below, memory bounds the steps. An estimate, for caches of keys are read too.",
        count, *rows);
    finding.advice =
        "More sequences at once take hardly longer: a higher limit of the server, where its cache of keys "
        "and values has room. Else fewer bytes: 8- or 4-bit weights, or speculative decoding.";
    finding.share_pct = share;
    finding.view = "timeline";
    finding.times = std::move(times);
    c.add(std::move(finding));
    return {};
}

std::string lacks(const query::RunFacts& f) {
    return f.trains ? "the run trains" : lacks_device_work(f);
}

}  // namespace

Rule decode_batch_rule() {
    return {
        .id = "decode_batch",
        .looks_for = "decoding of few sequences at once, which memory bounds",
        .needs =
            "steps that the server names (vLLM, SGLang, TensorRT-LLM), and a device of which the peaks are "
            "known",
        .thresholds = {{"share", 10, "% of the wall clock", "what takes less is hardly a headline"},
                       {"part", 50, "% of the sequences at which arithmetic binds",
                        "near it more sequences take longer as well"}},
        .bound =
            "of each step the part that it would not need for a sequence, if so many went at once that "
            "arithmetic binds, and of that when kernels run: time for each token, not of a step",
        .confidence =
            "low: an estimate for 16-bit weights, and who asks for answers decides how many there are",
        .remedy = "More sequences at once, or smaller weights.",
        .lines =
            "vllm serve MODEL --max-num-seqs 256   # SGLang: --max-running-requests; trtllm-serve "
            "--max_batch_size\n"
            "vllm serve MODEL --quantization fp8",
        .query =
            "SELECT name, count(*) AS steps, sum(dur_ns) / 1e6 AS ms FROM annotations WHERE {range} "
            "AND regexp_matches(name, '{serving_steps}') GROUP BY ALL ORDER BY ms DESC, name",
        .verify = "opsight compare BEFORE.opsight AFTER.opsight --per-sample OLD NEW",
        .source =
            "vLLM, optimization and tuning; Pope et al., Efficiently scaling transformer inference (2022)",
        .lacks = lacks,
        .check = check,
    };
}

}  // namespace opsight::advise
