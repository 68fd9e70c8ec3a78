#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "advise/rules/rules.h"
#include "query/reports/advice_steps.h"

namespace opsight::advise {
namespace {

// Steps that only read new sequences, of ranks that have decoded before and go on with it afterwards.
std::vector<query::TimeSpan> blocking(const std::vector<query::ServingStep>& steps) {
    std::map<int64_t, std::pair<size_t, size_t>> decodes;  // rank: its first step and its last that decode
    for (size_t i = 0; i < steps.size(); ++i)
        if (steps[i].of.decode > 0) decodes.try_emplace(steps[i].time.rank, i, i).first->second.second = i;
    std::vector<query::TimeSpan> found;
    for (size_t i = 0; i < steps.size(); ++i) {
        const auto of_rank = decodes.find(steps[i].time.rank);
        if (steps[i].of.prefill == 0 || steps[i].of.decode > 0 || of_rank == decodes.end()) continue;
        const auto [first, last] = of_rank->second;
        if (first < i && i < last) found.push_back(steps[i].time);
    }
    return found;
}

Status check(Context& c) {
    OPSIGHT_ASSIGN(const auto steps, query::serving_steps(c.session()));
    if (steps.empty())
        return c.cannot("no steps that a server names (vLLM, SGLang, TensorRT-LLM) were recorded"), Status();
    std::vector<query::TimeSpan> found = blocking(steps);
    const auto count = static_cast<int64_t>(found.size());
    int64_t longest = 0;
    for (const query::TimeSpan& step : found)
        longest = std::max(longest, step.end - step.begin);
    OPSIGHT_ASSIGN(query::TimeSpans times, query::within_range(c.session(), std::move(found)));
    const double share = c.share_of(times);
    if (share < c.threshold("share")) return {};
    Finding finding{
        "prefill_steps", "problem",
        fmt::format("Decoding waits for the prefill of new sequences in {} of the time", percent(share))};
    finding.evidence =
        fmt::format("{} steps between steps of decoding only read new sequences; the longest takes {}.",
                    count, milliseconds(longest));
    finding.advice =
        "Chunked prefill goes beside decoding in one step, and bounds how long others wait; or servers of "
        "their own for prefill and decoding.";
    finding.share_pct = share;
    finding.view = "timeline";
    finding.times = std::move(times);
    c.add(std::move(finding));
    return {};
}

}  // namespace

Rule prefill_steps_rule() {
    return {
        .id = "prefill_steps",
        .looks_for = "prefill of new sequences that holds up the decoding of others",
        .needs = "steps that the server names (vLLM, SGLang, TensorRT-LLM)",
        .thresholds = {{"share", 10, "% of the wall clock", "new sequences must be read at some time"}},
        .bound = "the time of steps that only prefill, between steps that decode: what decoding waits for",
        .confidence = "high for the time; the prefill itself has still to be done",
        .remedy = "Chunked prefill.",
        .lines = "vllm serve MODEL --enable-chunked-prefill   # SGLang: --enable-mixed-chunk",
        .query =
            "SELECT name, begin_ns, dur_ns / 1e6 AS ms FROM annotations WHERE {range} AND "
            "regexp_matches(name, '{serving_steps}') ORDER BY begin_ns, name",
        .verify = "opsight compare BEFORE.opsight AFTER.opsight",
        .source = "Agrawal et al., Sarathi-Serve (OSDI 2024); vLLM, optimization and tuning: chunked prefill",
        .lacks = [](const query::RunFacts& f) { return std::string(f.trains ? "the run trains" : ""); },
        .check = check,
    };
}

}  // namespace opsight::advise
