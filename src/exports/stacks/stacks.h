// What a run did as stacks, for flame graphs: rank (where there are several), layers, ops within ops, and the
// work that they launched. Equal stacks are one.
#pragma once

#include <string>
#include <vector>

#include "exports/format/format.h"

namespace opsight::exports {

struct StackNode {
    int32_t parent = -1;                      // an earlier node; -1: outermost
    int32_t frame = 0;                        // its place in `frames`
    int64_t calls = 0;                        // ops that began here
    int64_t cpu_ns = 0;                       // of these ops, without the ops that they called
    int64_t device_spans = 0, device_ns = 0;  // kernels, copies and sets; a sum of durations
};

struct Stacks {
    std::vector<std::string> frames;
    std::vector<StackNode> nodes;
    int64_t cpu_ns = 0, device_ns = 0, begin_unix_ns = 0;

    // From the outermost frame to that of the node.
    std::vector<int32_t> path_of(size_t node) const;
};

// Cost: linear in ops and device spans; memory by ops and by distinct stacks.
Result<Stacks> read_stacks(const Job& job);

}  // namespace opsight::exports
