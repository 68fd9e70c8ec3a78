// Four streams that wait for each other by events, with copies to and from pinned memory.
#include "sample.h"

int main() {
    constexpr int kStreams = 4, kTurns = 25, kCount = 1 << 20;
    Did did;
    cudaStream_t streams[kStreams];
    cudaEvent_t done[kStreams];
    float *device[kStreams], *host;
    CHECK(cudaMallocHost(&host, kCount * sizeof(float)));
    for (int i = 0; i < kStreams; ++i) {
        CHECK(cudaStreamCreateWithPriority(&streams[i], cudaStreamNonBlocking, i % 2 ? -1 : 0));
        CHECK(cudaEventCreate(&done[i]));
        CHECK(cudaMalloc(&device[i], kCount * sizeof(float)));
        CHECK(cudaMemsetAsync(device[i], 0, kCount * sizeof(float), streams[i]));
        ++did.sets;
    }
    for (int turn = 0; turn < kTurns; ++turn)
        for (int i = 0; i < kStreams; ++i) {
            CHECK(cudaStreamWaitEvent(streams[i], done[(i + 1) % kStreams]));
            CHECK(cudaMemcpyAsync(device[i], host, kCount * sizeof(float), cudaMemcpyHostToDevice, streams[i]));
            add<<<kCount / 256, 256, 0, streams[i]>>>(device[i], 1.0f, kCount);
            CHECK(cudaMemcpyAsync(host, device[i], kCount * sizeof(float), cudaMemcpyDeviceToHost, streams[i]));
            CHECK(cudaEventRecord(done[i], streams[i]));
            ++did.kernels;
            did.copies += 2;
        }
    CHECK(cudaDeviceSynchronize());
    tell(did);
}
