// A graph of ten kernels and a copy, captured once and launched fifty times.
#include "sample.h"

int main() {
    constexpr int kNodes = 10, kLaunches = 50, kCount = 1 << 16;
    Did did;
    float *device, *other;
    CHECK(cudaMalloc(&device, kCount * sizeof(float)));
    CHECK(cudaMalloc(&other, kCount * sizeof(float)));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (int i = 0; i < kNodes; ++i)
        add<<<kCount / 256, 256, 0, stream>>>(device, 1.0f, kCount);
    CHECK(cudaMemcpyAsync(other, device, kCount * sizeof(float), cudaMemcpyDeviceToDevice, stream));
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    for (int i = 0; i < kLaunches; ++i) {
        CHECK(cudaGraphLaunch(executable, stream));
        ++did.graph_launches;
        did.kernels += kNodes;
        ++did.copies;
    }
    CHECK(cudaStreamSynchronize(stream));
    tell(did);
}
