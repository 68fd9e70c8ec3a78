// Finds the iterations of a profile, by the first of these grounds that gives any: an explicit key op or
// range pattern (which then is the only ground), step markers, optimizer steps, the repetition of launched
// kernels or (with few kernels) of the outermost ops on the busiest thread. Else there are none
// (kNoIterations).
#pragma once

#include "analyze/analyze.h"
#include "analyze/iterations.h"

namespace opsight::analyze {

// Needs launch, host_ns, kernel and op_span.
Iterations find_iterations(Profile& profile, const Analysis& analysis, const AnalysisOptions& options);

// Candidates for the functions of iterations.h, and what else they need.
std::vector<IterationCandidate> spans_named(const Profile& profile, std::string_view name);
// Those of NVTX ranges that say the name whole, as TensorFlow's do ("MatMul: model/dense/MatMul").
std::vector<IterationCandidate> spans_said(const Profile& profile, std::string_view name);
bool is_range_of(std::string_view text, std::string_view name);
std::vector<IterationCandidate> annotations_matching(const Profile& profile, std::string_view pattern);
std::vector<RankBegin> rank_begins(const Profile& profile);

// Why an iteration is a warm-up one when a span of this name begins in it; empty: it is not for that.
std::string_view warmup_reason(std::string_view name);

// Fills iteration and device_iteration from analysis.iterations: host spans go by their begin, device spans
// by host_ns.
void number_spans(const Profile& profile, Analysis& analysis);

}  // namespace opsight::analyze
