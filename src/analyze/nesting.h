// Nesting: which span of a thread encloses which, and the self time of ops.
//
// One sweep per thread with a stack of open spans (open_spans.h). A span is enclosed by the innermost span
// that is open at its begin and does not end before it. What crosses the end of an open span is placed beside
// it and counted (kOverlappingSpans); what follows is inside the one that ends first, of
// two ops inside the later one. API calls belong to what is open at their begin, whenever they end. A
// crossing of at most kRoundingNs is the rounding of the source's times and is read as the nesting or the
// sequence that it comes from. Equal intervals nest in row order; of equal intervals without length only
// those of different kinds nest. Instants and profiler overhead enclose nothing.
//
// Ops nest among themselves, whatever ranges and Python frames cross them: op_span of an op is the innermost
// op that encloses it, that of another span the innermost op that is open at its begin.
#pragma once

#include "analyze/results.h"
#include "model/profile.h"

namespace opsight::analyze {

// Fills parent, depth, op_span and self_ns. Cost: one pass over the host spans.
void find_nesting(Profile& profile, Analysis& analysis, unsigned threads);

}  // namespace opsight::analyze
