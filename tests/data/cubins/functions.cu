// Products in functions that are not part of the kernel: compiled as relocatable code.
#include <mma.h>
using namespace nvcuda;

__device__ __noinline__ void product(half* a, float* c) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> right;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.f);
    wmma::load_matrix_sync(left, a, 16);
    wmma::load_matrix_sync(right, a + 256, 16);
    wmma::mma_sync(sum, left, right, sum);
    wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);
}

extern "C" __global__ void calls_product(half* a, float* c) {
    product(a, c);
    product(a + 512, c + 256);
}

extern "C" __global__ void calls_nothing(float* c) {
    c[threadIdx.x] *= 2;
}
