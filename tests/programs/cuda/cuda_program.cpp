// A program that uses a GPU, as far as the collector can tell: it loads the library that
// CUDA_INJECTION64_PATH names as the driver would, and has the fake CUPTI tell of kernels and copies. The
// first argument says how it lives and dies; it prints "ran" and ends with 9 where it ends in order.
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cinttypes>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "../nvtx.h"
#include "collect/cuda/abi.h"
#include "fake_driver.h"

using namespace opsight::cuda;
using namespace fake;

namespace {

template <class Activity>
void give(const Activity& activity, uint32_t stream) {
    put(&activity, sizeof activity, stream);
}

void api(uint32_t kind, uint32_t cbid, uint32_t correlation, uint64_t begin, uint64_t end) {
    ApiActivity call{};
    call.kind = kind;
    call.cbid = cbid;
    call.start = begin;
    call.end = end;
    call.process = static_cast<uint32_t>(getpid());
    call.thread = static_cast<uint32_t>(syscall(SYS_gettid));
    call.correlation = correlation;
    give(call, 0);
}

KernelActivity kernel(const char* name, uint32_t correlation, uint64_t begin, uint64_t end) {
    KernelActivity k{};
    k.kind = kConcurrentKernel;
    k.cache = 0x21;
    k.registers = 32;
    k.start = begin;
    k.end = end;
    k.completed = end;
    k.context = 1;
    k.stream = 7;
    k.grid[0] = 16, k.grid[1] = 2, k.grid[2] = 1;
    k.block[0] = 128, k.block[1] = 1, k.block[2] = 1;
    k.static_shared = 1024;
    k.dynamic_shared = 2048;
    k.shared_executed = 8192;
    k.local_total = 4096;
    k.correlation = correlation;
    k.grid_id = correlation;
    k.name = name;
    k.channel = 3;
    k.channel_type = 1;
    k.cluster[0] = k.cluster[1] = k.cluster[2] = 1;
    k.active_clusters = 5;
    return k;
}

constexpr const char* kGemm = "_Z4gemmPfS_S_i";
constexpr const char* kAdd = "_Z3addPfi";

// A launch and its kernel, whose records come in the other order.
void launch(uint32_t correlation, const char* name = kGemm) {
    const uint64_t begin = now();
    api(kRuntime, 3, correlation + 1'000'000, begin, begin + 1);  // cudaGetLastError: nobody wants it
    const uint64_t end = now();
    give(kernel(name, correlation, end + 1000, end + 51'000), 7);
    api(kRuntime, 1, correlation, begin, end);
}

void facts() {
    DeviceActivity device{};
    device.kind = kDevice;
    device.bandwidth_kb = 2'000'000'000;
    device.memory = 80ULL << 30;
    device.l2 = 50 << 20;
    device.threads_per_warp = 32;
    device.clock_khz = 1'980'000;
    device.sms = 132;
    device.warps = 64;
    device.blocks = 32;
    device.shared_per_sm = 233'472;
    device.registers_per_sm = device.registers_per_block = 65'536;
    device.shared_per_block = 49'152;
    device.threads_per_block = 1024;
    device.major = 9;
    device.ecc = 1;
    for (int i = 0; i < 16; ++i)
        device.uuid.bytes[i] = static_cast<uint8_t>(i + 1);
    device.name = "Fake GPU";
    give(device, 0);
    ContextActivity context{};
    context.kind = kContext;
    context.context = 1;
    context.api = 1;
    context.null_stream = 7;
    give(context, 0);
    StreamActivity stream{};
    stream.kind = kStream;
    stream.context = 1;
    stream.stream = 13;
    stream.priority = static_cast<uint32_t>(-1);
    stream.flag = 2;
    give(stream, 0);
}

// Two streams that have the same handle one after the other, and names for both and for the default stream.
void named_streams() {
    const auto make = [](uintptr_t stream) {
        ResourceData data{};
        data.context = reinterpret_cast<Handle>(1);
        data.stream = reinterpret_cast<Handle>(stream);
        call_back(kResource, kStreamCreated, &data);
    };
    make(13 << 8);
    nvtxNameCudaStreamA(reinterpret_cast<cudaStream_t>(13 << 8), "copies");
    nvtxNameCudaStreamA(nullptr, "all the rest");
    nvtxNameCudaDeviceA(0, "the only one");
    make(14 << 8);
    nvtxNameCuStreamA(reinterpret_cast<CUstream>(14 << 8), "not used");
}

void copies() {
    const uint64_t t = now();
    api(kRuntime, 2, 50, t, t + 1000);
    MemcpyActivity copy{};
    copy.kind = kMemcpy;
    copy.copy_kind = 1;
    copy.from_kind = 2;
    copy.to_kind = 3;
    copy.flags = 1;
    copy.bytes = 1 << 20;
    copy.start = t + 2000;
    copy.end = t + 90'000;
    copy.context = 1;
    copy.stream = 13;
    copy.correlation = 50;
    copy.channel = 4;
    copy.channel_type = 2;
    copy.count = 3;
    give(copy, 13);
    PeerActivity peer{};
    peer.kind = kMemcpyPeer;
    peer.copy_kind = 10;
    peer.bytes = 4096;
    peer.start = t;
    peer.end = t + 10;
    peer.context = 1;
    peer.stream = 13;
    peer.from_device = 0, peer.to_device = 1, peer.from_context = 1, peer.to_context = 2;
    peer.correlation = 51;
    give(peer, 13);
    MemsetActivity set{};
    set.kind = kMemset;
    set.value = 7;
    set.bytes = 512;
    set.start = t + 5;
    set.end = t + 9;
    set.context = 1;
    set.stream = 7;
    set.memory_kind = 3;
    set.correlation = 52;
    give(set, 7);
}

void waits_and_memory() {
    const uint64_t t = now();
    api(kRuntime, 8, 60, t, t + 100);
    EventActivity event{};
    event.kind = kCudaEvent;
    event.correlation = 60;
    event.device_time = event_times() ? t + 70'000 : 0;
    event.context = 1;
    event.stream = 7;
    event.event = 5;
    event.sync = 77;
    give(event, 0);
    SyncActivity sync{};
    sync.kind = kSynchronization;
    sync.type = 2;
    sync.start = t;
    sync.end = t + 10;
    sync.correlation = 61;
    sync.context = 1;
    sync.stream = 13;
    sync.event = 5;
    sync.sync = 77;
    give(sync, 0);
    MemoryActivity memory{};
    memory.kind = kMemory;
    memory.operation = 1;
    memory.memory_kind = 3;
    memory.address = 0x7f0000000000;
    memory.bytes = 1 << 20;
    memory.time = t;
    memory.context = 1;
    memory.correlation = 62;
    memory.pool_kind = 1;
    memory.size = 2 << 20;
    memory.source = "libtorch_cuda.so";
    give(memory, 0);
}

void lesser_records() {
    const uint64_t t = now();
    PoolActivity pool{};
    pool.kind = kMemoryPool;
    pool.operation = 1;
    pool.pool_kind = 1;
    pool.size = 2 << 20;
    pool.time = t;
    give(pool, 0);
    OverheadActivity overhead{};
    overhead.kind = kOverhead;
    overhead.overhead = 3 << 16;
    overhead.object = 2;
    overhead.start = t;
    overhead.end = t + 5;
    give(overhead, 0);
    JitActivity jit{};
    jit.kind = kJit;
    jit.entry = 1;
    jit.operation = 3;
    jit.start = t;
    jit.end = t + 1000;
    jit.path = "/cache";
    give(jit, 0);
    ExternalActivity external{};
    external.kind = kExternalCorrelation;
    external.external_kind = 5;
    external.id = 1234;
    external.correlation = 60;
    give(external, 0);
}

// A graph that is captured, made executable, and launched: one call, many kernels.
void graph() {
    const auto handle = [](uintptr_t number) { return reinterpret_cast<Handle>(number); };
    const auto tell = [](uint32_t what, const GraphData& graph_data) {
        ResourceData data{};
        data.descriptor = &graph_data;
        call_back(kResource, what, &data);
    };
    tell(kGraphCreated, {handle(1), nullptr, nullptr, nullptr, 0, nullptr, nullptr});
    for (uintptr_t node = 100; node < 103; ++node)
        tell(kNodeCreated, {handle(1), nullptr, handle(node), nullptr, 0, nullptr, nullptr});
    tell(kGraphCloned, {handle(2), handle(1), nullptr, nullptr, 0, nullptr, nullptr});
    for (uintptr_t node = 100; node < 103; ++node)
        tell(kNodeCloned, {handle(2), handle(1), handle(node + 100), handle(node), 0, nullptr, nullptr});
    tell(kExecCreated, {handle(2), nullptr, nullptr, nullptr, 0, nullptr, handle(9)});
    for (uint32_t turn = 0; turn < 2; ++turn) {
        const uint64_t t = now();
        api(kRuntime, 4, 70 + turn, t, t + 3000);
        for (uint32_t i = 0; i < 3; ++i) {
            KernelActivity k =
                kernel(i == 1 ? kAdd : kGemm, 70 + turn, t + 5000 + i * 100, t + 5090 + i * 100);
            k.graph = 9;
            k.graph_node = 200 + i;
            give(k, 7);
        }
    }
}

void modules() {
    const std::string code(100'000, 'c'), other(50, 'd');
    uint32_t number = 0;
    for (const std::string& cubin : {code, other, code}) {
        const ModuleData module{++number, cubin.size(), cubin.data()};
        ResourceData data{};
        data.context = reinterpret_cast<Handle>(1);
        data.descriptor = &module;
        call_back(kResource, kModuleLoaded, &data);
    }
}

void everything() {
    facts();
    named_streams();
    for (uint32_t i = 1; i <= 10; ++i)
        launch(i, i % 2 ? kGemm : kAdd);
    copies();
    waits_and_memory();
    lesser_records();
    graph();
    modules();
    const uint64_t t = now();
    api(kDriver, 2, 90, t, t + 1);  // cuCtxGetCurrent: nobody wants it
    api(kDriver, 3, 91, t, t + 2);
}

void odd_records() {
    launch(1);
    launch(1);                              // ids come again
    give(kernel("_Z4zeroPf", 2, 0, 0), 7);  // did not run before the buffer was taken
    const uint64_t t = now();
    give(kernel("_Z4latePf", 4, t + 9000, t + 9500), 7);
    give(kernel("_Z5earlyPf", 3, t + 100, t + 200), 7);  // comes after a later one
    give(kernel(nullptr, 5, t, t + 1), 7);
    static const auto& long_name =
        *new std::string("_Z" + std::string(10'000, 'x'));  // read while the process ends
    give(kernel(long_name.c_str(), 6, t, t + 1), 7);
    const uint64_t unknown[4] = {99};
    put(unknown, sizeof unknown, 7);
    drop(17);
    put_nonsense(13);
    launch(8);
}

void many(uint32_t threads, uint32_t each) {
    std::vector<std::thread> running;
    for (uint32_t i = 0; i < threads; ++i)
        running.emplace_back([=] {
            for (uint32_t n = 1; n <= each; ++n)
                launch(i * each + n);
        });
    for (std::thread& thread : running)
        thread.join();
}

void wait_ms(int ms) {
    std::this_thread::sleep_for(std::chrono::milliseconds(ms));
}

// Whether the child ends with 5. One that hangs is ended, so that the test fails instead of hanging too.
bool ends_with_5(pid_t child) {
    constexpr int kStepMs = 10, kMostMs = 60'000;
    int status = 0;
    for (int waited = 0; waited < kMostMs; waited += kStepMs) {
        const pid_t ended = waitpid(child, &status, WNOHANG);
        if (ended != 0) return ended == child && WIFEXITED(status) && WEXITSTATUS(status) == 5;
        wait_ms(kStepMs);
    }
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    std::fprintf(stderr, "the forked child hung\n");
    return false;
}

int forked() {
    launch(1);
    const pid_t child = fork();
    if (child == 0) {
        for (uint32_t i = 0; i < 100; ++i)
            launch(100 + i);
        std::exit(5);
    }
    const bool well = ends_with_5(child);
    launch(2);
    return well ? 9 : 1;
}

// Forks while other threads are in the middle of everything.
int fork_storm() {
    bool over = false;
    std::vector<std::thread> running;
    for (int i = 0; i < 3; ++i)
        running.emplace_back([&over, i] {
            for (uint32_t n = 0; !__atomic_load_n(&over, __ATOMIC_RELAXED) && n < 100'000; ++n)
                launch(static_cast<uint32_t>(i) << 24 | n);
        });
    int wrong = 0;
    for (int i = 0; i < 40; ++i) {
        const pid_t child = fork();
        if (child == 0) std::exit(5);
        wrong += !ends_with_5(child);
    }
    __atomic_store_n(&over, true, __ATOMIC_RELAXED);
    for (std::thread& thread : running)
        thread.join();
    return wrong ? 1 : 9;
}

void profiled_range() {
    ApiData call{1, "cudaProfilerStart"};
    launch(1);
    for (uint32_t turn = 0; turn < 2; ++turn) {
        call = {1, "cudaProfilerStart"};
        call_back(kRuntimeApi, 5, &call);
        launch(10 + turn);
        call = {0, "cudaProfilerStop"};
        call_back(kRuntimeApi, 6, &call);
        launch(20 + turn);
    }
}

// A call now, whose kernel runs from `begin_ms` to `end_ms` after it.
void launch_for_later(uint32_t correlation, uint64_t ms, uint64_t begin_ms, uint64_t end_ms) {
    const uint64_t begin = now();
    api(kRuntime, 1, correlation, begin, now());
    give(kernel(kGemm, correlation, begin + begin_ms * ms, begin + end_ms * ms), 7);
}

// Ranges of NVTX that recording is limited to, and work that is launched in and around them.
void nvtx_ranges() {
    const uint64_t start = now();
    wait_ms(20);
    const uint64_t ms = (now() - start) / 20;
    facts();
    launch_for_later(1, ms, 0, 5'000);  // runs through all that follows
    for (uint32_t turn = 0; turn < 2; ++turn) {
        const uint32_t id = 10 * (turn + 1);
        nvtxRangePushA("wanted");
        wait_ms(10);
        launch_for_later(id + 1, ms, 1, 2);
        launch_for_later(id + 2, ms, 500, 600);
        wait_ms(10);
        nvtxRangePop();
        wait_ms(10);
        launch_for_later(id + 3, ms, 1, 2);
        launch_for_later(id + 4, ms, 20, 5'000);  // into the next range
    }
}

int die(const std::string& how) {
    for (uint32_t i = 1; i <= 100; ++i)
        launch(i);
    wait_ms(1500);  // several flushes, also on a busy machine
    std::printf("ran\n");
    std::fflush(stdout);
    launch(200);
    if (how == "kill") raise(SIGKILL);
    if (how == "_exit") _exit(3);
    if (how == "abort") std::abort();
    if (how == "exec") execl("/bin/sh", "sh", "-c", "exit 4", nullptr);
    return 1;
}

int run(const std::string& how, uint32_t number) {
    if (how == "everything") everything();
    if (how == "odd") odd_records();
    if (how == "many") many(1, number);
    if (how == "threads") many(8, number);
    if (how == "fork") return forked();
    if (how == "fork_storm") return fork_storm();
    if (how == "profiler") profiled_range();
    if (how == "ranges") nvtx_ranges();
    if (how == "delayed") {
        launch(1);
        wait_ms(600);
        launch(2);
        wait_ms(800);
        launch(3);
    }
    if (how == "outlive")
        std::thread([] {
            for (uint32_t n = 1;; ++n)
                launch(n);
        }).detach(),
            wait_ms(50);
    return 9;
}

}  // namespace

int main(int count, char** arguments) {
    const std::string how = count > 1 ? arguments[1] : "everything";
    const bool cuda = start_cuda();
    if (how == "kill" || how == "_exit" || how == "abort" || how == "exec") return die(how);
    const int code = cuda ? run(how, count > 2 ? static_cast<uint32_t>(std::atoi(arguments[2])) : 1000) : 9;
    std::printf("ran\n");
    std::fflush(stdout);
    return code;
}
