// A program as its authors write them, without any framework: a loop of steps, each with ranges inside, a
// second thread that prepares data, and a range that stays open over several steps. `gpu` has the fake CUPTI
// tell of kernels that some ranges launched. Durations vary from step to step but not from run to run, as far
// as sleeping can be trusted.
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "nvtx.h"

#include "cuda/fake_driver.h"

namespace {

using fake::now;
using fake::put;
uint32_t launched = 0;

// A device and a context, where a fake CUPTI listens.
void start_gpu() {
    if (!fake::start_cuda()) return;
    opsight::cuda::DeviceActivity device{};
    device.kind = opsight::cuda::kDevice;
    device.memory = 80ULL << 30;
    device.sms = 132;
    device.warps = 64;
    device.blocks = 32;
    device.threads_per_block = 1024;
    device.registers_per_sm = device.registers_per_block = 65'536;
    device.shared_per_sm = 233'472;
    device.major = 9;
    device.name = "Fake GPU";
    put(&device, sizeof device, 0);
    opsight::cuda::ContextActivity context{};
    context.kind = opsight::cuda::kContext;
    context.context = 1;
    context.api = 1;
    context.null_stream = 7;
    put(&context, sizeof context, 0);
}

void launch(const char* name, uint64_t nanoseconds) {
    if (!put) return;
    const uint64_t begin = now(), end = now();
    opsight::cuda::KernelActivity kernel{};
    kernel.kind = opsight::cuda::kConcurrentKernel;
    kernel.registers = 32;
    kernel.start = end + 1000;
    kernel.end = kernel.completed = end + 1000 + nanoseconds;
    kernel.context = 1;
    kernel.stream = 7;
    kernel.grid[0] = 132, kernel.grid[1] = kernel.grid[2] = 1;
    kernel.block[0] = 128, kernel.block[1] = kernel.block[2] = 1;
    kernel.correlation = ++launched;
    kernel.name = name;
    put(&kernel, sizeof kernel, 7);
    opsight::cuda::ApiActivity call{};
    call.kind = opsight::cuda::kRuntime;
    call.cbid = 1;
    call.start = begin;
    call.end = end;
    call.process = static_cast<uint32_t>(getpid());
    call.thread = static_cast<uint32_t>(syscall(SYS_gettid));
    call.correlation = launched;
    put(&call, sizeof call, 0);
}

void work(int microseconds) {
    std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
}

struct Range {
    explicit Range(const char* name) { nvtxRangePushA(name); }
    ~Range() { nvtxRangePop(); }
};

struct DomainRange {
    DomainRange(nvtxDomainHandle_t domain, const char* name) : domain_(domain) {
        nvtxEventAttributes_t attributes{};
        attributes.version = NVTX_VERSION;
        attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
        attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
        attributes.message.ascii = name;
        nvtxDomainRangePushEx(domain, &attributes);
    }
    ~DomainRange() { nvtxDomainRangePop(domain_); }

  private:
    nvtxDomainHandle_t domain_;
};

void step(int number, nvtxDomainHandle_t solver) {
    const Range whole("step");
    {
        const Range range("exchange halo");
        work(200 + 50 * (number % 3));
    }
    {
        const DomainRange range(solver, "solve");
        for (int sweep = 0; sweep < 3; ++sweep) {
            const DomainRange inner(solver, "sweep");
            // Not the same in each step: nothing to infer iterations from.
            for (int i = (number * number + sweep) % 5; i >= 0; --i)
                launch(i % 2 ? "_Z4gemmPfS_S_i" : "_Z4spmvPfS_i", 30'000);
            work(300);
        }
    }
    {
        const Range layer("layer:physics/radiation");
        launch("_Z3addPfi", 40'000);
        work(150);
    }
    work(100);
}

void prepare(int steps) {
    for (int i = 0; i < steps; ++i) {
        const Range range(("prefetch " + std::to_string(i)).c_str());
        work(400);
    }
}

}  // namespace

int main(int count, char** values) {
    if (count > 1 && std::strcmp(values[1], "gpu") == 0) start_gpu();
    const int steps = count > 2 ? std::atoi(values[2]) : 12;
    const nvtxDomainHandle_t solver = nvtxDomainCreateA("solver");
    {
        const Range range("initialize");
        work(4000);
    }
    const nvtxRangeId_t epoch = nvtxRangeStartA("time loop");
    std::thread second(prepare, steps);
    for (int i = 0; i < steps; ++i)
        step(i, solver);
    second.join();
    nvtxRangeEnd(epoch);
    {
        const Range range("write output");
        work(2000);
    }
    nvtxMarkA("done");
    std::puts("ran");
    return 0;
}
