// Kernels that are known to use no Tensor Cores, of ops that could by their names: on what floats these work,
// and of what form they are. All of the chosen range.
#pragma once

#include <cstdint>

#include "query/reports/activity_times.h"

namespace opsight::query {

// Sums of kernels' durations, ns. A depthwise convolution (one channel a group) and a product with a vector
// multiply too little by each value that they read for Tensor Cores to matter: memory bounds them.
struct EligibleTime {
    int64_t ns = 0, depthwise_ns = 0, vector_ns = 0;  // the latter two are parts of the first

    int64_t memory_bound_ns() const { return depthwise_ns + vector_ns; }
};

struct WithoutTensorCores {
    EligibleTime fp32, fp64, narrow, untold;  // narrow: 16 bits or less; untold: the recording has no types

    EligibleTime all() const;
};

// Of an op of several types the narrowest counts. The form is told by shapes, else by the kernel's name;
// where neither tells, it is none of both.
Result<WithoutTensorCores> work_without_tensor_cores(Session& session);
// When these kernels run, without those that are bound by memory and have 16 bits or less already: neither
// another type nor Tensor Cores would help them.
Result<Occurrences> times_without_tensor_cores(Session& session);

}  // namespace opsight::query
