// A libcupti for tests: the functions that Opsight uses, fed by the test program instead of a GPU. Like the
// real one it holds a lock of its own while it calls the tool, which may call it back from the same thread
// only: who waits for another thread there never returns.
//
// FAKE_CUPTI_CUDA: the version of the records. FAKE_CUPTI_FAILS: "cuptiSubscribe=39,..." functions that fail,
// and with what. FAKE_CUPTI_NO_CLOCK: the tool's clock is refused.
#include "fake_cupti.h"

#include <pthread.h>

#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <mutex>
#include <new>
#include <set>
#include <string>
#include <vector>

#include "collect/cuda/abi.h"

using namespace opsight::cuda;

namespace {

struct Buffer {
    uint8_t* at;
    size_t size, used;
};

// Never destroyed: threads may go on while the process ends.
template <class T>
T& everlasting() {
    static T* const made = new T;
    return *made;
}
std::recursive_mutex& g_lock = everlasting<std::recursive_mutex>();
void (*g_request)(uint8_t**, size_t*, size_t*) = nullptr;
void (*g_complete)(void*, uint32_t, uint8_t*, size_t, size_t) = nullptr;
uint64_t (*g_clock)() = nullptr;
void (*g_callback)(void*, uint32_t, uint32_t, const void*) = nullptr;
void* g_callback_data = nullptr;
struct State {
    std::set<uint32_t> kinds;
    std::set<std::pair<uint32_t, uint32_t>> callbacks, calls_off, calls_on;
    std::map<uint32_t, Buffer> buffers;
    std::vector<const uint8_t*> places;  // of the records of the buffer that is being delivered
};
State& g = everlasting<State>();
size_t g_dropped = 0;
bool g_event_times = false;

using Lock = std::lock_guard<std::recursive_mutex>;

// A child that is forked while another thread is in here finds the lock free, and the state whole.
[[maybe_unused]] const int g_fork_handlers = pthread_atfork([] { g_lock.lock(); }, [] { g_lock.unlock(); },
                                                            [] { new (&g_lock) std::recursive_mutex; });

std::string cuda_version() {
    const char* version = std::getenv("FAKE_CUPTI_CUDA");
    return version ? version : "13.0";
}

// What a record takes in a buffer.
size_t size_of(uint32_t kind, size_t newest) {
    static const auto& cuda12_0 = *new std::map<uint32_t, size_t>{{kConcurrentKernel, 208},
                                                                  {kMemcpy, 88},
                                                                  {kMemcpyPeer, 88},
                                                                  {kMemset, 80},
                                                                  {kDevice, 176},
                                                                  {kContext, 16},
                                                                  {kOverhead, 40},
                                                                  {kUnifiedMemory, 64},
                                                                  {kCudaEvent, 24},
                                                                  {kSynchronization, 40},
                                                                  {kMemory, 120},
                                                                  {kMemoryPool, 72},
                                                                  {kJit, 64},
                                                                  {kGraphTrace, 48}};
    static const auto& cuda12_9 = *new std::map<uint32_t, size_t>{
        {kConcurrentKernel, 208}, {kContext, 24}, {kMemory, 120}, {kMemoryPool, 72}};
    const std::string version = cuda_version();
    if (version == "14.0") return newest + 8;
    const auto& sizes = version == "12.0" ? cuda12_0 : cuda12_9;
    const auto found = version == "13.0" ? sizes.end() : sizes.find(kind);
    return found == sizes.end() ? newest : found->second;
}

Result failure(const char* function) {
    const char* list = std::getenv("FAKE_CUPTI_FAILS");
    const std::string wanted = std::string(function) + "=";
    const char* found = list ? std::strstr(list, wanted.c_str()) : nullptr;
    return found ? static_cast<Result>(std::atoi(found + wanted.size())) : kSuccess;
}
#define FAIL_IF_TOLD \
    if (const Result told = failure(__func__)) return told

size_t record_size(const uint8_t* record) {
    size_t size = 0;
    std::memcpy(&size, record - sizeof size, sizeof size);
    return size;
}

// Delivers a buffer. The sizes that this fake notes before each record are taken out on the way: what the
// tool sees is packed as CUPTI packs it.
const uint8_t* g_places_of = nullptr;

void deliver(uint32_t stream) {
    const auto found = g.buffers.find(stream);
    if (found == g.buffers.end()) return;
    const Buffer buffer = found->second;
    g.buffers.erase(found);
    g.places.clear();
    g_places_of = buffer.at;
    std::vector<uint8_t> noted(buffer.at, buffer.at + buffer.used);
    size_t used = 0;
    for (size_t at = 0; at < noted.size();) {
        const uint8_t* record = noted.data() + at + sizeof(size_t);
        const size_t size = record_size(record);
        std::memcpy(buffer.at + used, record, size);
        g.places.push_back(buffer.at + used);
        used += size;
        at += sizeof(size_t) + size;
    }
    g_complete(nullptr, stream, buffer.at, buffer.size, used);
}

void append(const void* record, size_t newest, size_t size, uint32_t stream) {
    auto found = g.buffers.find(stream);
    if (found != g.buffers.end() && found->second.used + size + sizeof size > found->second.size) {
        deliver(stream);
        found = g.buffers.end();
    }
    if (found == g.buffers.end()) {
        Buffer buffer{};
        size_t most = 0;
        g_request(&buffer.at, &buffer.size, &most);
        if (!buffer.at) {
            ++g_dropped;
            return;
        }
        found = g.buffers.emplace(stream, buffer).first;
    }
    Buffer& buffer = found->second;
    std::memcpy(buffer.at + buffer.used, &size, sizeof size);
    uint8_t* to = buffer.at + buffer.used + sizeof size;
    std::memset(to, 0xcd, size);  // what a newer version would have there
    std::memcpy(to, record, newest < size ? newest : size);
    buffer.used += size + sizeof size;
}

const char* const kRuntimeNames[] = {nullptr,
                                     "cudaLaunchKernel_v7000",
                                     "cudaMemcpyAsync_v3020",
                                     "cudaGetLastError_v3020",
                                     "cudaGraphLaunch_v10000",
                                     "cudaProfilerStart_v4000",
                                     "cudaProfilerStop_v4000",
                                     "cudaStreamSynchronize_ptsz_v7000",
                                     "cudaEventRecord_v3020"};
const char* const kDriverNames[] = {nullptr, "cuLaunchKernel", "cuCtxGetCurrent", "cuMemAlloc_v2"};

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

Result cuptiGetVersion(uint32_t* version) {
    const std::string cuda = cuda_version();
    *version = cuda == "12.0"   ? 18
               : cuda == "12.9" ? 28
               : cuda == "11.8" ? 17
               : cuda == "13.0" ? 130000
                                : 140000;
    return kSuccess;
}

Result cuptiSubscribe(void** subscriber, void (*callback)(void*, uint32_t, uint32_t, const void*),
                      void* data) {
    FAIL_IF_TOLD;
    const Lock lock(g_lock);
    *subscriber = &g.kinds;
    g_callback = callback;
    g_callback_data = data;
    return kSuccess;
}

Result cuptiEnableCallback(uint32_t enable, void*, uint32_t domain, uint32_t id) {
    const Lock lock(g_lock);
    if (enable) g.callbacks.insert({domain, id});
    return kSuccess;
}

Result cuptiActivityRegisterCallbacks(void (*request)(uint8_t**, size_t*, size_t*),
                                      void (*complete)(void*, uint32_t, uint8_t*, size_t, size_t)) {
    FAIL_IF_TOLD;
    g_request = request;
    g_complete = complete;
    return kSuccess;
}

Result cuptiActivityRegisterTimestampCallback(uint64_t (*clock)()) {
    if (std::getenv("FAKE_CUPTI_NO_CLOCK")) return kMultipleSubscribers;
    g_clock = clock;
    return kSuccess;
}

Result cuptiActivityEnable(uint32_t kind) {
    FAIL_IF_TOLD;
    const Lock lock(g_lock);
    if (kind == kJit && failure("jit")) return failure("jit");
    g.kinds.insert(kind);
    return kSuccess;
}

Result cuptiActivityDisable(uint32_t kind) {
    const Lock lock(g_lock);
    g.kinds.erase(kind);
    return kSuccess;
}

Result cuptiActivityFlushAll(uint32_t) {
    const Lock lock(g_lock);
    std::vector<uint32_t> streams;
    for (const auto& [stream, buffer] : g.buffers)
        streams.push_back(stream);
    for (const uint32_t stream : streams)
        deliver(stream);
    return kSuccess;
}

Result cuptiActivityGetNextRecord(uint8_t* buffer, size_t, uint8_t** record) {
    const Lock lock(g_lock);
    if (buffer != g_places_of) return kInvalidParameter;
    size_t next = 0;
    while (*record && next < g.places.size() && g.places[next] != *record)
        ++next;
    next += *record != nullptr;
    if (next >= g.places.size()) return kMaxLimitReached;
    uint32_t kind = 0;
    std::memcpy(&kind, g.places[next], sizeof kind);
    if (kind == 0) return kInvalidKind;
    *record = const_cast<uint8_t*>(g.places[next]);
    return kSuccess;
}

Result cuptiActivityGetNumDroppedRecords(void*, uint32_t, size_t* dropped) {
    const Lock lock(g_lock);
    *dropped = g_dropped;
    g_dropped = 0;
    return kSuccess;
}

Result cuptiGetCallbackName(uint32_t domain, uint32_t id, const char** name) {
    const bool runtime = domain == kRuntimeApi;
    const size_t count = runtime ? std::size(kRuntimeNames) : std::size(kDriverNames);
    if (id == 0 || id >= count) return kInvalidParameter;
    *name = runtime ? kRuntimeNames[id] : kDriverNames[id];
    return kSuccess;
}

Result cuptiGetTimestamp(uint64_t* now) {
    *now = fake_now();
    return kSuccess;
}

Result cuptiActivityEnableRuntimeApi(uint32_t id, uint8_t on) {
    const Lock lock(g_lock);
    if (!on) g.calls_off.insert({kRuntimeApi, id});
    return kSuccess;
}

Result cuptiActivityEnableDriverApi(uint32_t id, uint8_t on) {
    const Lock lock(g_lock);
    if (on)
        g.calls_on.insert({kDriverApi, id});
    else
        g.calls_on.erase({kDriverApi, id});
    return kSuccess;
}

Result cuptiSetThreadIdType(uint32_t) {
    return kSuccess;
}
Result cuptiGetContextId(void* context, uint32_t* id) {
    const Lock lock(g_lock);
    *id = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(context));
    return kSuccess;
}
// The second byte of a handle is the stream's number.
Result cuptiGetStreamIdEx(void* context, void* stream, uint8_t, uint32_t* id) {
    if (!context) return kInvalidParameter;
    *id = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(stream) >> 8 & 0xff);
    return kSuccess;
}
Result cuptiActivityEnableCudaEventDeviceTimestamps(uint8_t on) {
    const Lock lock(g_lock);
    g_event_times = on != 0;
    return kSuccess;
}
Result cuptiGetGraphId(void* graph, uint32_t* id) {
    return cuptiGetContextId(graph, id);
}
Result cuptiGetGraphExecId(void* graph, uint32_t* id) {
    return cuptiGetContextId(graph, id);
}
Result cuptiGetGraphNodeId(void* node, uint64_t* id) {
    const Lock lock(g_lock);
    *id = reinterpret_cast<uintptr_t>(node);
    return kSuccess;
}
Result cuptiGetResultString(uint32_t result, const char** text) {
    *text = result == kMultipleSubscribers ? "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED" : "CUPTI_ERROR";
    return kSuccess;
}

// ---- What a GPU would do

void fake_put(const void* record, size_t bytes, uint32_t stream) {
    const Lock lock(g_lock);
    uint32_t kind = 0, id = 0;
    std::memcpy(&kind, record, sizeof kind);
    std::memcpy(&id, static_cast<const char*>(record) + sizeof kind, sizeof id);
    const bool wanted = kind == kRuntime  ? g.kinds.contains(kind) && !g.calls_off.contains({kRuntimeApi, id})
                        : kind == kDriver ? g.kinds.contains(kind) || g.calls_on.contains({kDriverApi, id})
                                          : g.kinds.contains(kind) || kind > kDeviceGraphTrace;
    if (wanted && g_request) append(record, bytes, size_of(kind, bytes), stream);
}

void fake_callback(uint32_t domain, uint32_t id, const void* data) {
    const Lock lock(g_lock);
    if (g_callback && g.callbacks.contains({domain, id})) g_callback(g_callback_data, domain, id, data);
}

int fake_event_times() {
    const Lock lock(g_lock);
    return g_event_times;
}

uint64_t fake_now() {
    if (g_clock) return g_clock();
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

int fake_enabled(uint32_t kind) {
    const Lock lock(g_lock);
    return g.kinds.contains(kind);
}

void fake_drop(size_t count) {
    const Lock lock(g_lock);
    g_dropped += count;
}

void fake_break(uint32_t stream) {
    const Lock lock(g_lock);
    const uint64_t nothing[2] = {};
    if (g_request) append(nothing, sizeof nothing, sizeof nothing, stream);
}
}
#pragma GCC visibility pop
