// Patterns of ops that rules of advice look for, and the times in which they go on. All of the chosen range.
#pragma once

#include <cstdint>
#include <optional>

#include "query/reports/activity_times.h"

namespace opsight::query {

enum class OpPattern : uint8_t {
    kRepeated,    // one op over and over, with the same shapes
    kGrowing,     // a tensor that grows by concatenation
    kRecomputed,  // forward work within the backward pass
    kDense,       // gradients of whole embeddings of which few rows were used
    kAnomaly,     // checks for NaN in the backward pass
};

struct PatternChoice {
    OpPattern pattern;
    int64_t least = 1;  // ops in a stretch, rows of an embedding, or how often an iteration does it
    int64_t parts = 1;  // iterations
    bool device =
        false;  // the kernels that these ops launched, else the host from the first of a stretch to its last
};

// The count is that of the ops. Cost: linear in the ops (and kernels), and a sort.
Result<Occurrences> times_of_pattern(Session& session, const PatternChoice& choice);

// Ops that work element by element, `least` or more one after the other.
struct ElementwiseChains {
    Occurrences found;
    // What goes from each op to the next through memory, written once and read once, if each result is what
    // the next op reads; none where shapes or types do not tell.
    std::optional<double> bytes_between;
};
Result<ElementwiseChains> elementwise_chains(Session& session, int64_t least, bool device);

}  // namespace opsight::query
