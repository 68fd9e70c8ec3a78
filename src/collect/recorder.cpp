#include "collect/recorder.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "collect/environment.h"

namespace opsight::collect {
namespace {

constexpr size_t kPathBytes = 4096;
char g_directory[kPathBytes - 64];
uint64_t g_limit_bytes = 0;
std::atomic_flag g_opening = ATOMIC_FLAG_INIT;
std::atomic_flag g_introduced = ATOMIC_FLAG_INIT;
pthread_key_t g_thread_key;
ThreadState* g_free_states = nullptr;  // of threads that ended
std::atomic_flag g_changing_free = ATOMIC_FLAG_INIT;
std::atomic_flag g_keeping = ATOMIC_FLAG_INIT;

void lock_free_states() {
    while (g_changing_free.test_and_set(std::memory_order_acquire))
        sched_yield();
}

void* map_memory(size_t bytes, int sharing) {
    void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, sharing | MAP_ANONYMOUS, -1, 0);
    return at == MAP_FAILED ? nullptr : at;
}

// Ticks of a moment `seconds` from now, judged by a short comparison of the two clocks.
uint64_t ticks_after(wire::ClockKind clock, double seconds) {
    const wire::ClockSnapshot a = wire::take_snapshot(clock);
    while (wire::clock_ns(CLOCK_MONOTONIC) - a.monotonic_ns < 2'000'000) {
    }
    const wire::ClockSnapshot b = wire::take_snapshot(clock);
    const double rate =
        static_cast<double>(b.ticks - a.ticks) / static_cast<double>(b.monotonic_ns - a.monotonic_ns);
    return a.ticks + static_cast<uint64_t>(seconds * 1e9 * rate);
}

void describe_thread(ThreadState& state, uint64_t number) {
    char name[32] = "";
    pthread_getname_np(pthread_self(), name, sizeof name);
    const bool is_main = syscall(SYS_gettid) == getpid();
    state.stream.introduce_thread(number, is_main ? "main" : name);
}

}  // namespace

bool ThreadState::pop(const void* key, uint64_t now, bool& was_step, const uint64_t* counted) {
    if (deeper > 0) {
        --deeper;
        return false;
    }
    size_t at = depth;
    while (at > 0 && (frames[at - 1].key != key || frames[at - 1].done))
        --at;
    if (at == 0) return false;
    Frame& frame = frames[at - 1];
    if (frame.counted && frame.dur && counted) {
        auto* record = reinterpret_cast<wire::CountedOpRecord*>(reinterpret_cast<char*>(frame.dur) -
                                                                offsetof(wire::OpRecord, dur));
        wire::take_difference(reinterpret_cast<uint64_t*>(record + 1), counted,
                              wire::counted_values(record->counters));
    }
    if (frame.dur) *frame.dur = now > frame.begin ? now - frame.begin : 1;
    was_step = frame.is_step;
    frame.done = true;
    while (depth > 0 && frames[depth - 1].done)
        --depth;
    return true;
}

void ThreadState::take_over() {
    depth = deeper = 0;
    pushed_within = 0;
    busy = false;
    std::memset(started, 0, sizeof started);
    std::memset(domains, 0, sizeof domains);
}

wire::OpenSpans ThreadState::open_spans(void* state) {
    auto& own = *static_cast<ThreadState*>(state);
    size_t count = 0;
    for (size_t i = 0; i < own.depth; ++i)
        if (Frame& frame = own.frames[i]; frame.dur && !frame.done) own.open[count++] = &frame.dur;
    for (Started& started : own.started)
        if (started.id != 0 && started.dur) own.open[count++] = &started.dur;
    std::sort(own.open, own.open + count, [](uint64_t** a, uint64_t** b) { return *a < *b; });
    return {own.open, count};
}

uint64_t ThreadState::begin_of(const void* key) const {
    if (deeper > 0) return 0;
    for (size_t at = depth; at-- > 0;)
        if (frames[at].key == key && !frames[at].done) return frames[at].dur ? frames[at].begin : 0;
    return 0;
}

int Recorder::open(const char* directory, uint64_t limit_bytes, const opsight_torch_window& window) {
    if (window_) return OPSIGHT_ALREADY_OPEN;
    if (std::snprintf(g_directory, sizeof g_directory, "%s", directory) >=
        static_cast<int>(sizeof g_directory))
        return ENAMETOOLONG;
    g_limit_bytes = limit_bytes;
    if (const int problem = pthread_key_create(&g_thread_key, &Recorder::thread_exits)) return problem;
    if (const int problem = pthread_atfork(nullptr, nullptr, &Recorder::after_fork_in_child)) return problem;
    void* shared = map_memory(sizeof(Window), MAP_SHARED);
    if (!shared) return ENOMEM;
    errno = 0;
    if (!open_file()) return errno ? errno : EIO;

    auto* w = new (shared) Window;
    const wire::ClockKind clock = w->clock = writer_.load()->clock();
    w->trainer = static_cast<uint32_t>(getpid());
    w->skip = window.skip_iterations;
    w->keep = window.record_iterations;
    if (window.delay_s > 0) w->from_ticks = ticks_after(clock, window.delay_s);
    if (window.duration_s > 0) w->until_ticks = ticks_after(clock, window.delay_s + window.duration_s);
    w->recording = w->skip == 0 && w->from_ticks == 0;
    window_ = w;
    return 0;
}

void Recorder::finish() {
    if (!window_) return;
    // A forked child that ends must not end its parent's recording.
    if (static_cast<uint32_t>(getpid()) == window_->trainer) end_recording();
    // A forked child that never recorded has no file to close.
    if (wire::CaptureWriter* writer = writer_.load()) {
        if (ThreadState* own = state()) own->stream.snapshot();
        writer->finish();
    }
}

bool Recorder::may_begin() {
    Window& w = *window_;
    if (w.over.load(std::memory_order_relaxed) || w.iterations.ended() < w.skip) return false;
    if (w.from_ticks > 0 && wire::read_ticks(w.clock) < w.from_ticks) return false;
    const bool opens = !w.recording.exchange(true);
    if (opens) w.opened_after = w.iterations.ended();
    if (opens && window_changed_) window_changed_(true);
    return true;
}

bool Recorder::end_recording() {
    const bool closes = !window_->over.exchange(true);
    window_->recording = false;
    if (closes && window_changed_) window_changed_(false);
    return false;
}

Recorder::Phase Recorder::phase() {
    if (!window_ || window_->over.load(std::memory_order_relaxed)) return Phase::kOver;
    return window_->recording.load(std::memory_order_relaxed) ? Phase::kOpen : Phase::kWaiting;
}

// Children share the window of their parent. One that trains gets a copy, in which its own iterations count.
bool Recorder::own_window() {
    if (!window_) return false;
    const auto pid = static_cast<uint32_t>(getpid());
    if (window_->trainer == pid) return true;
    void* shared = map_memory(sizeof(Window), MAP_SHARED);
    if (!shared) return false;
    auto* own = new (shared) Window;
    own->trainer = pid;
    own->clock = window_->clock;
    own->skip = window_->skip;
    own->keep = window_->keep;
    own->from_ticks = window_->from_ticks;
    own->until_ticks = window_->until_ticks;
    own->recording = own->skip == 0 && own->from_ticks == 0;
    window_ = own;
    return true;
}

template <class Count>
void Recorder::count(Count&& count) {
    Window& w = *window_;
    while (w.counting.test_and_set(std::memory_order_acquire))
        sched_yield();
    const uint64_t before = w.iterations.ended();
    count(w.iterations);
    const uint64_t ended = w.iterations.ended();
    if (ended < before) w.opened_after = 0;  // what looked like several was a part of the first
    const bool sure = w.iterations.is_sure();
    w.counting.clear(std::memory_order_release);
    if (!w.recording.load(std::memory_order_relaxed)) {
        if (w.skip > 0) may_begin();
    } else if (w.keep > 0 && ended >= w.opened_after + w.keep && sure) {
        end_recording();
    }
}

void Recorder::batch_begins() {
    if (!window_ || window_->trainer != static_cast<uint32_t>(getpid())) return;
    count([](IterationCount& iterations) { iterations.batch(); });
}

void Recorder::step_begins(uint64_t optimizer) {
    if (own_window()) count([=](IterationCount& iterations) { iterations.step_begins(optimizer); });
}

void Recorder::step_ended(uint64_t optimizer) {
    if (own_window()) count([=](IterationCount& iterations) { iterations.step(optimizer); });
}

bool Recorder::open_file() {
    void* memory = map_memory(sizeof(wire::CaptureWriter), MAP_PRIVATE);
    if (!memory) return false;
    auto* writer = new (memory) wire::CaptureWriter;
    const int problem = open_capture(*writer, g_directory, g_limit_bytes);
    if (problem != 0) {
        munmap(memory, sizeof *writer);
        errno = problem;
        return false;
    }
    if (writer->keeps_last()) {
        void* stream = map_memory(sizeof(wire::ThreadStream), MAP_PRIVATE);
        if (stream) kept_ = new (stream) wire::ThreadStream(*writer, true);
    }
    writer_.store(writer, std::memory_order_release);
    return true;
}

ThreadState* Recorder::make_state() {
    if (thread_is_over_ || !window_) return nullptr;
    wire::CaptureWriter* writer = writer_.load(std::memory_order_acquire);
    if (!writer) {  // a forked child's first event
        if (g_opening.test_and_set(std::memory_order_acquire)) return nullptr;
        const bool opened = writer_.load() || open_file();
        if (opened) g_opening.clear(std::memory_order_release);  // else: never again in this process
        writer = writer_.load();
        if (!writer) return nullptr;
    }
    state_ = left_by_another();
    if (!state_) {
        void* memory = map_memory(sizeof(ThreadState), MAP_PRIVATE);
        if (!memory) return nullptr;
        state_ = new (memory) ThreadState(*writer);
    }
    pthread_setspecific(g_thread_key, state_);
    describe_thread(*state_, thread_number_ ? thread_number_() : 0);
    if (introduce_ && !g_introduced.test_and_set(std::memory_order_acquire)) keep(*state_, introduce_);
    if (hooks_.begins) hooks_.begins(*state_);
    return state_;
}

void Recorder::lock_kept() {
    while (g_keeping.test_and_set(std::memory_order_acquire))
        sched_yield();
}

void Recorder::unlock_kept() {
    g_keeping.clear(std::memory_order_release);
}

void Recorder::follow_gate() {
    const char* path = std::getenv("OPSIGHT_GATE");
    if (!path || !*path) return;
    const int file = ::open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) return;
    void* page = mmap(nullptr, sizeof(Gate), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    ::close(file);
    if (page != MAP_FAILED) gate_ = static_cast<Gate*>(page);
}

// Programs may start a thread for every request: each goes on where one before it ended.
void Recorder::thread_exits(void* state) {
    thread_is_over_ = true;
    state_ = nullptr;
    auto* left = static_cast<ThreadState*>(state);
    if (hooks_.ends) hooks_.ends(*left);
    lock_free_states();
    left->next_free = g_free_states;
    g_free_states = left;
    g_changing_free.clear(std::memory_order_release);
}

ThreadState* Recorder::left_by_another() {
    lock_free_states();
    ThreadState* state = g_free_states;
    if (state) g_free_states = state->next_free;
    g_changing_free.clear(std::memory_order_release);
    if (state) state->take_over();
    return state;
}

// The child shares the parent's file: it must never write there. Its own file is made at its first event.
void Recorder::after_fork_in_child() {
    if (hooks_.forked) hooks_.forked();
    if (state_) {
        pthread_setspecific(g_thread_key, nullptr);
        munmap(static_cast<void*>(state_), sizeof(ThreadState));
        state_ = nullptr;
    }
    thread_is_over_ = false;
    g_free_states = nullptr;  // they write to the parent's file
    g_changing_free.clear();
    kept_ = nullptr;
    g_keeping.clear();
    if (wire::CaptureWriter* writer = writer_.exchange(nullptr)) writer->abandon();
    g_opening.clear();
    g_introduced.clear();
}

}  // namespace opsight::collect
