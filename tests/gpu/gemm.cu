// Matrix products with and without Tensor Cores: half precision may use them, pedantic single precision may not.
#include <cublas_v2.h>
#include <cuda_fp16.h>

#include "sample.h"

static void check(cublasStatus_t result, const char* call, int line) {
    if (result == CUBLAS_STATUS_SUCCESS) return;
    std::fprintf(stderr, "%s in line %d: status %d\n", call, line, static_cast<int>(result));
    std::exit(1);
}

int main() {
    constexpr int kSize = 2048, kTurns = 10;
    void *a, *b, *c;
    for (void** matrix : {&a, &b, &c}) {
        CHECK(cudaMalloc(matrix, size_t{kSize} * kSize * sizeof(float)));
        CHECK(cudaMemset(*matrix, 0, size_t{kSize} * kSize * sizeof(float)));
    }
    cublasHandle_t handle;
    CHECK(cublasCreate(&handle));
    const float one = 1, zero = 0;
    for (int i = 0; i < kTurns; ++i) {
        CHECK(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, kSize, kSize, kSize, &one, a, CUDA_R_16F, kSize, b,
                           CUDA_R_16F, kSize, &zero, c, CUDA_R_16F, kSize, CUBLAS_COMPUTE_32F,
                           CUBLAS_GEMM_DEFAULT));
        CHECK(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, kSize, kSize, kSize, &one, a, CUDA_R_32F, kSize, b,
                           CUDA_R_32F, kSize, &zero, c, CUDA_R_32F, kSize, CUBLAS_COMPUTE_32F_PEDANTIC,
                           CUBLAS_GEMM_DEFAULT));
    }
    CHECK(cudaDeviceSynchronize());
    std::printf("{\"products\": %d, \"sets\": 3}\n", 2 * kTurns);
}
