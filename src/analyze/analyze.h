// analyze(): from the recorded spans of a Profile to the facts that every report is made of.
//
// The passes run one after another, each linear or n log n; those that look at host threads one by one share
// the threads between `threads` workers. The profile changes in three ways only: names that the analysis
// makes up are added to its strings, spans that cross their neighbours get kOverlapping, and oddities are
// added to its diagnostics.
#pragma once

#include <string>
#include <vector>

#include "analyze/graph_captures.h"
#include "analyze/joined_counters.h"
#include "analyze/results.h"
#include "base/result.h"
#include "model/profile.h"

namespace opsight::analyze {

struct AnalysisOptions {
    std::string key_op;  // cut iterations at the end of each span of this name; empty: choose
    std::string
        iteration_range;  // RE2 pattern: each annotation that it matches is an iteration; empty: choose
    int64_t iter_start = -1, iter_stop = -1;   // the range that reports show unless asked; -1: not said
    const CapturedGraphs* captures = nullptr;  // of graphs that this profile only launches; null: none
    const std::vector<CountedKernel>* counted =
        nullptr;  // of kernels that counters were joined with; null: none
    unsigned threads = 2;
};

// Says whether the options can be used (the pattern is a valid one). analyze() takes a bad pattern to match
// nothing.
Status check(const AnalysisOptions& options);

Analysis analyze(Profile& profile, const AnalysisOptions& options);

}  // namespace opsight::analyze
