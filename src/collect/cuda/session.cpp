#include "collect/cuda/session.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <new>

#include "collect/environment.h"

namespace opsight::cuda {
namespace {

using collect::option;

constexpr int64_t kNsPerS = 1'000'000'000;
constexpr int64_t kExitWaitNs = 20 * kNsPerS;
constexpr double kGatePollS = 0.002;
constexpr uint32_t kEventTimesSince = 130000;  // CUPTI tells when devices came by events

// What is recorded from the beginning: who things are. The rest is turned on and off with the window.
constexpr Kind kFacts[] = {kDevice, kContext, kStream};
constexpr Kind kActivities[] = {kConcurrentKernel,   kMemcpy,    kMemcpyPeer, kMemset,     kRuntime,  kDriver,
                                kSynchronization,    kCudaEvent, kMemory,     kMemoryPool, kOverhead, kJit,
                                kExternalCorrelation};

const char* name_of(Kind kind) {
    switch (kind) {
        case kConcurrentKernel:
            return "kernels";
        case kMemcpy:
            return "copies";
        case kMemcpyPeer:
            return "copies between devices";
        case kMemset:
            return "memory sets";
        case kRuntime:
            return "calls of the runtime";
        case kDriver:
            return "calls of the driver";
        case kSynchronization:
            return "waits";
        case kCudaEvent:
            return "events";
        case kMemory:
            return "allocations";
        case kMemoryPool:
            return "memory pools";
        case kOverhead:
            return "overhead";
        case kJit:
            return "compilation";
        case kGraphTrace:
            return "graphs";
        case kUnifiedMemory:
            return "unified memory";
        default:
            return "devices, contexts and streams";
    }
}

void callback(void* session, uint32_t domain, uint32_t id, const void* data) {
    auto* self = static_cast<Session*>(session);
    if (!self->alive() || !data) return;
    if (domain == kResource)
        self->resource(id, *static_cast<const ResourceData*>(data));
    else if (const auto& call = *static_cast<const ApiData*>(data); call.function)
        self->api(call.site == 1, call.function);
}

void requested(uint8_t** buffer, size_t* size, size_t* most_records) {
    Session* session = Session::current();
    *buffer = session->alive() ? session->request_buffer() : nullptr;
    *size = *buffer ? Buffers::kBytes : 0;
    *most_records = 0;
}

void completed(void* context, uint32_t stream, uint8_t* buffer, size_t, size_t valid) {
    if (buffer) Session::current()->complete_buffer(context, stream, buffer, valid);
}

uint64_t now() {
    return Session::current()->stream().ticks();
}

timespec deadline(int64_t ns) {
    return {static_cast<time_t>(ns / kNsPerS), static_cast<long>(ns % kNsPerS)};
}

Options read_options() {
    Options options;
    options.flush_s = std::clamp(option("OPSIGHT_FLUSH", 1), 0.01, 3600.0);
    options.whole_graphs = option("OPSIGHT_CUDA_WHOLE_GRAPHS", 0) != 0;
    options.unified_memory = option("OPSIGHT_CUDA_UNIFIED_MEMORY", 0) != 0;
    const char* range = std::getenv("OPSIGHT_CAPTURE_RANGE");
    options.profiler_range = range && std::string_view(range) == "cudaProfilerApi";
    options.repeat = option("OPSIGHT_CAPTURE_REPEAT", 0) != 0;
    const collect::TimeWindow window = collect::time_window();
    const int64_t now_ns = wire::clock_ns(CLOCK_MONOTONIC);
    const auto after = [&](double s) { return now_ns + static_cast<int64_t>(s * 1e9); };
    if (window.delay_s > 0) options.from_ns = after(window.delay_s);
    if (window.duration_s > 0) options.until_ns = after(window.delay_s + window.duration_s);
    return options;
}

collect::Gate* map_gate() {
    const char* path = std::getenv("OPSIGHT_GATE");
    if (!path || !*path) return nullptr;
    const int file = ::open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) return nullptr;
    void* page = mmap(nullptr, sizeof(collect::Gate), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    ::close(file);
    return page == MAP_FAILED ? nullptr : static_cast<collect::Gate*>(page);
}

// What a refusal of CUPTI means, and what to do.
wire::CudaState meaning(Result result) {
    switch (result) {
        case kMultipleSubscribers:
        case kMaxLimitReached:
            return wire::CudaState::kHeld;
        case kInsufficientPrivileges:
        case kVirtualPrivileges:
            return wire::CudaState::kNoPermission;
        case kNotCompatible:
        case kNotInitialized:
        case kUnknownError:
            return wire::CudaState::kNoDriver;
        default:
            return wire::CudaState::kFailed;
    }
}

const char* advice(wire::CudaState state) {
    switch (state) {
        case wire::CudaState::kHeld:
            return "another profiler in this process uses CUPTI (torch.profiler, Nsight, DCGM): only one "
                   "can; "
                   "leave it out, or record without --cuda";
        case wire::CudaState::kNoPermission:
            return "no permission to trace the GPU: ask the administrator for it "
                   "(NVreg_RestrictProfilingToAdminUsers=0)";
        case wire::CudaState::kNoDriver:
            return "CUPTI does not work here: there is no NVIDIA driver or GPU, or the driver is older than "
                   "CUPTI; "
                   "name a CUPTI that fits with OPSIGHT_CUPTI";
        default:
            return "CUPTI failed";
    }
}

}  // namespace

bool Session::start() {
    if (current_) return current_->alive();
    void* room = mmap(nullptr, sizeof(Session), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED) return false;
    current_ = new (room) Session;
    return current_->open();
}

bool Session::open() {
    const char* folder = std::getenv("OPSIGHT_CAPTURE_DIR");
    if (!folder || !*folder) return false;  // loaded by hand: nowhere to write to
    const auto limit = static_cast<uint64_t>(option("OPSIGHT_LIMIT_BYTES", double{1 << 30}));
    if (const int problem = stream_.open(folder, limit)) {
        char line[512];
        const int length = std::snprintf(line, sizeof line, "opsight: not recording CUDA: %s: %s\n", folder,
                                         strerror(problem));
        [[maybe_unused]] const ssize_t told = write(2, line, static_cast<size_t>(length));
        return false;
    }
    owner_ = getpid();
    options_ = read_options();
    gate_ = map_gate();
    if (gate_ && !options_.profiler_range) stream_.spans = &spans_;
    if (std::getenv("OPSIGHT_ITERATIONS")) {
        stream_.spans = &spans_;
        if (option("OPSIGHT_ITERATIONS", 0) == 0) stream_.open_span(0);
    }
    buffers_.set_limit(static_cast<size_t>(option("OPSIGHT_CUDA_BUFFER_BYTES", double{64 << 20})));
    stream_.cubin_budget = std::min<uint64_t>(limit / 4, uint64_t{256} << 20);
    collect::describe_process(stream_.raw());
    pthread_atfork(nullptr, nullptr, &Session::after_fork_in_child);
    if (!subscribe()) {
        stream_.finish();
        return false;
    }
    std::atexit(&Session::at_exit);
    start_thread();
    return true;
}

bool Session::subscribe() {
    const auto refuse = [this](wire::CudaState state, Result result, const char* what, const char* line) {
        const char* said = nullptr;
        if (result && cupti_.cuptiGetResultString) cupti_.cuptiGetResultString(result, &said);
        char text[2048];
        std::snprintf(text, sizeof text, "%s%s%s%s%s%s", line, what || said ? " (" : "", what ? what : "",
                      what && said ? ": " : "", said ? said : "", what || said ? ")" : "");
        const Stream::Held held(stream_);
        stream_.state(state, result, text);
        return false;
    };
    switch (open_cupti(cupti_)) {
        case Opened::kNotFound: {
            const char* named = std::getenv("OPSIGHT_CUPTI");
            return refuse(wire::CudaState::kNoCupti, 0, named,
                          named && *named
                              ? "the CUPTI that OPSIGHT_CUPTI names cannot be opened"
                              : "no CUPTI was found (libcupti.so.13 or .12): install the CUDA toolkit or the "
                                "package nvidia-cuda-cupti, or name the file with OPSIGHT_CUPTI");
        }
        case Opened::kTooOld:
            return refuse(wire::CudaState::kTooOld, 0, cupti_.path,
                          "this CUPTI is older than CUDA 12: name a newer one with OPSIGHT_CUPTI");
        case Opened::kYes:
            break;
    }
    stream_.raw().property("cupti_version", std::to_string(cupti_.version));
    stream_.raw().property("cupti_library", cupti_.path);
    alive_ = true;
    const auto failed = [&](Result result, const char* call) {
        alive_ = false;
        return refuse(meaning(result), result, call, advice(meaning(result)));
    };
    if (const Result result = cupti_.cuptiSubscribe(&subscriber_, &callback, this))
        return failed(result, "cuptiSubscribe");
    stream_.names.fill(cupti_);
    if (const Result result = cupti_.cuptiActivityRegisterCallbacks(&requested, &completed))
        return failed(result, "cuptiActivityRegisterCallbacks");
    settle_clock();
    choose_callbacks();
    for (const Kind kind : kFacts)
        cupti_.cuptiActivityEnable(kind);
    if (options_.profiler_range || options_.from_ns > 0) return true;
    // The kernels are what counts: without them nothing is recorded.
    if (const Result result = cupti_.cuptiActivityEnable(kConcurrentKernel))
        return failed(result, "cuptiActivityEnable");
    recording_ = true;
    enable_kinds(true);
    const Stream::Held held(stream_);
    stream_.state(wire::CudaState::kRecording, 0, "CUDA is recorded");
    return true;
}

// Our clock, which NVTX and PyTorch's ops are recorded with; else pairs of readings relate CUPTI's to it.
void Session::settle_clock() {
    if (cupti_.cuptiSetThreadIdType) cupti_.cuptiSetThreadIdType(kSystemThreads);
    own_clock_ = cupti_.cuptiActivityRegisterTimestampCallback &&
                 cupti_.cuptiActivityRegisterTimestampCallback(&now) == kSuccess;
    if (!own_clock_ && stream_.spans) {
        // Ranges and windows count in our ticks, which its times cannot be compared with while it runs.
        stream_.spans = nullptr;
        const Stream::Held held(stream_);
        stream_.state(wire::CudaState::kPart, 0,
                      "this CUPTI does not take our clock: work outside of the chosen range is kept, too");
    }
    write_clock();
}

void Session::write_clock() {
    wire::CudaClockRecord best{};
    best.times = own_clock_ ? wire::CudaTimes::kTicks : wire::CudaTimes::kOther;
    best.after = UINT64_MAX;
    for (int i = 0; i < 5; ++i) {
        wire::CudaClockRecord pair = best;
        pair.before = stream_.ticks();
        if (own_clock_)
            pair.cupti = pair.before;
        else
            cupti_.cuptiGetTimestamp(&pair.cupti);
        pair.after = own_clock_ ? pair.before : stream_.ticks();
        if (pair.after - pair.before < best.after - best.before) best = pair;
    }
    const Stream::Held held(stream_);
    stream_.put(wire::RecordType::kCudaClock, best);
    stream_.raw().snapshot();
}

void Session::choose_callbacks() {
    for (const uint32_t what :
         {kContextCreated, kStreamCreated, kInitFinished, kModuleLoaded, kGraphCreated, kGraphDestroyed,
          kGraphCloned, kNodeCreated, kNodeDestroyed, kExecCreated, kExecDestroyed, kNodeCloned})
        cupti_.cuptiEnableCallback(1, subscriber_, kResource, what);
    if (!options_.profiler_range) return;
    for (const uint32_t domain : {kDriverApi, kRuntimeApi})
        for (uint32_t id = 1; id < ApiNames::kMost; ++id) {
            const char* name = stream_.names.name[domain - 1][id];
            if (name && std::string_view(name).find("ProfilerSt") != std::string_view::npos)
                cupti_.cuptiEnableCallback(1, subscriber_, domain, id);
        }
}

bool Session::enable_kinds(bool on) {
    bool all = true;
    for (Kind kind : kActivities) {
        if (kind == kConcurrentKernel && options_.whole_graphs) {
            if (on)
                cupti_.cuptiActivityEnable(kGraphTrace);
            else
                cupti_.cuptiActivityDisable(kGraphTrace);
        }
        if (on && kind == kDriver && cupti_.cuptiActivityEnableDriverApi) continue;  // see thin_out_calls
        const Result result = on ? cupti_.cuptiActivityEnable(kind) : cupti_.cuptiActivityDisable(kind);
        if (!on || result == kSuccess) continue;
        all = false;
        char line[128];
        std::snprintf(line, sizeof line, "%s cannot be recorded here", name_of(kind));
        const Stream::Held held(stream_);
        stream_.state(wire::CudaState::kPart, result, line);
    }
    if (cupti_.cuptiActivityEnableAllSyncRecords && on) cupti_.cuptiActivityEnableAllSyncRecords(0);
    if (cupti_.cuptiActivityEnableCudaEventDeviceTimestamps && on && cupti_.version >= kEventTimesSince)
        cupti_.cuptiActivityEnableCudaEventDeviceTimestamps(1);
    thin_out_calls(on);
    return all;
}

// Calls that are not recorded anyway need not be traced: of the driver few are wanted, of the runtime most.
void Session::thin_out_calls(bool on) {
    const ApiNames& names = stream_.names;
    for (uint32_t id = 1; id < ApiNames::kMost; ++id) {
        if (cupti_.cuptiActivityEnableDriverApi && names.name[kDriverApi - 1][id] &&
            names.wanted[kDriverApi - 1][id])
            cupti_.cuptiActivityEnableDriverApi(id, on);
        if (on && cupti_.cuptiActivityEnableRuntimeApi && names.name[kRuntimeApi - 1][id] &&
            !names.wanted[kRuntimeApi - 1][id])
            cupti_.cuptiActivityEnableRuntimeApi(id, 0);
    }
}

// ---- The thread

void Session::start_thread() {
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&wake_, &monotonic);
    pthread_condattr_destroy(&monotonic);
    // The program's signals are for its own threads.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    if (pthread_create(&thread, nullptr, &Session::run_thread, this) == 0) {
        thread_runs_ = true;
        pthread_detach(thread);
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void* Session::run_thread(void* session) {
    auto* self = static_cast<Session*>(session);
    pthread_setname_np(pthread_self(), "opsight-cuda");
    {
        const Stream::Held held(self->stream_);
        self->stream_.own_thread = static_cast<uint32_t>(syscall(SYS_gettid));
    }
    self->work();
    return nullptr;
}

void Session::work() {
    const auto period = static_cast<int64_t>(options_.flush_s * 1e9);
    const auto poll =
        static_cast<int64_t>((gate_ ? std::min(kGatePollS, options_.flush_s) : options_.flush_s) * 1e9);
    int64_t next_flush = wire::clock_ns(CLOCK_MONOTONIC) + period;
    for (bool last = false; !last;) {
        int64_t now_ns = wire::clock_ns(CLOCK_MONOTONIC);
        int64_t until = std::min(next_flush, now_ns + poll);
        for (const int64_t edge : {options_.from_ns, options_.until_ns})
            if (edge > now_ns) until = std::min(until, edge);
        const timespec at = deadline(until);
        pthread_mutex_lock(&mutex_);
        if (!last_wanted_ && !context_made_ && !driver_ready_) pthread_cond_timedwait(&wake_, &mutex_, &at);
        last = last_wanted_;
        pthread_mutex_unlock(&mutex_);
        if (driver_ready_.exchange(false)) configure_unified_memory();
        if (context_made_.exchange(false)) ask_devices();
        follow_gate();
        now_ns = wire::clock_ns(CLOCK_MONOTONIC);
        follow_window(now_ns);
        if (!last && now_ns < next_flush) continue;
        flush(last);
        next_flush = now_ns + period;
    }
    pthread_mutex_lock(&mutex_);
    last_done_ = true;
    pthread_cond_broadcast(&wake_);
    pthread_mutex_unlock(&mutex_);
}

// The delay and duration that the user asked for.
void Session::follow_window(int64_t now_ns) {
    if (options_.from_ns > 0 && now_ns >= options_.from_ns && now_ns < options_.until_ns) {
        options_.from_ns = 0;
        if (!options_.profiler_range && !recording_.exchange(true)) {
            const bool all = enable_kinds(true);
            const Stream::Held held(stream_);
            if (all) stream_.state(wire::CudaState::kRecording, 0, "CUDA is recorded");
        }
    }
    if (now_ns >= options_.until_ns) {
        options_.until_ns = INT64_MAX;
        options_.from_ns = 0;
        range_over_ = true;
        if (recording_.exchange(false)) enable_kinds(false);
    }
}

void Session::flush(bool forced) {
    cupti_.cuptiActivityFlushAll(forced ? kForced : 0);
    size_t dropped = 0;
    const bool told = cupti_.cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped) == kSuccess;
    const uint64_t refused = buffers_.refused();
    write_clock();
    const Stream::Held held(stream_);
    if (told && dropped > 0) stream_.lost(wire::CudaLoss::kDropped, dropped);
    if (refused > 0) stream_.lost(wire::CudaLoss::kNoBuffer, refused);
    if (newer_.exchange(false))
        stream_.state(wire::CudaState::kNewer, 0,
                      "this CUPTI is newer than Opsight knows: what its records have grown by is left out");
}

void Session::at_exit() {
    Session* self = current_;
    if (!self->alive() || getpid() != self->owner_) return;
    if (self->thread_runs_) {
        const timespec at = deadline(wire::clock_ns(CLOCK_MONOTONIC) + kExitWaitNs);
        pthread_mutex_lock(&self->mutex_);
        self->last_wanted_ = true;
        pthread_cond_broadcast(&self->wake_);
        int problem = 0;
        while (!self->last_done_ && problem != ETIMEDOUT)
            problem = pthread_cond_timedwait(&self->wake_, &self->mutex_, &at);
        pthread_mutex_unlock(&self->mutex_);
    } else {
        self->flush(true);
    }
    self->stream_.finish();
}

void Session::after_fork_in_child() {
    Session* self = current_;
    self->alive_ = false;
    self->stream_.abandon();
    self->buffers_.reset_in_child();
}

}  // namespace opsight::cuda
