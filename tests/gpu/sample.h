// What the samples have in common: each prints what it did as one line of JSON, which gpu-check compares with
// what was recorded.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

inline void check(cudaError_t result, const char* call, int line) {
    if (result == cudaSuccess) return;
    std::fprintf(stderr, "%s in line %d: %s\n", call, line, cudaGetErrorString(result));
    std::exit(1);
}
#define CHECK(call) check((call), #call, __LINE__)

struct Did {
    int kernels = 0, copies = 0, sets = 0, graph_launches = 0;
};

inline void tell(const Did& did) {
    std::printf("{\"kernels\": %d, \"copies\": %d, \"sets\": %d, \"graph_launches\": %d}\n", did.kernels,
                did.copies, did.sets, did.graph_launches);
}

static __global__ void add(float* to, float what, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) to[i] += what;
}
