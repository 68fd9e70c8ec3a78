// Unified memory that goes to the device by page faults and comes back by reads of the host.
#include "sample.h"

int main() {
    constexpr int kCount = 1 << 22;
    Did did;
    float* shared;
    CHECK(cudaMallocManaged(&shared, kCount * sizeof(float)));
    double sum = 0;
    for (int turn = 0; turn < 3; ++turn) {
        for (int i = 0; i < kCount; ++i)
            shared[i] = 1;
        add<<<kCount / 256, 256>>>(shared, 1.0f, kCount);
        ++did.kernels;
        CHECK(cudaDeviceSynchronize());
        for (int i = 0; i < kCount; ++i)
            sum += shared[i];
    }
    if (sum != 3.0 * 2 * kCount) return 1;
    tell(did);
}
