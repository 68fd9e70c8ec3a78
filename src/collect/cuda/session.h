// What the library does in a process: subscribes to CUPTI, takes its buffers and callbacks, has a thread of
// its own that empties them every so often, and leaves the program alone whatever goes wrong.
//
// After a fork CUPTI does not work in the child: it records nothing of CUDA there, and a program that
// executes another one begins anew. At exit the thread empties the buffers one last time, and the exit waits
// for it, but not for ever.
#pragma once

#include <pthread.h>
#include <sys/types.h>

#include <atomic>

#include "collect/cuda/buffers.h"
#include "collect/cuda/stream.h"

namespace opsight::cuda {

struct Options {
    double flush_s = 1;
    bool whole_graphs = false;                  // graphs as one record, not kernel by kernel
    bool unified_memory = false;                // migrations and page faults
    bool profiler_range = false;                // record from cudaProfilerStart to cudaProfilerStop
    bool repeat = false;                        // every time, not only the first
    int64_t from_ns = 0, until_ns = INT64_MAX;  // of CLOCK_MONOTONIC
};

class Session {
  public:
    static Session* current() { return current_; }
    // Called once, by the driver while it starts. False: nothing will be recorded in this process.
    static bool start();

    // Whether this is the process that started it, and it has not ended.
    bool alive() const { return alive_.load(std::memory_order_relaxed); }
    const Cupti& cupti() const { return cupti_; }
    Stream& stream() { return stream_; }

    // From CUPTI.
    uint8_t* request_buffer();
    void complete_buffer(void* context, uint32_t stream, uint8_t* buffer, size_t valid);
    void resource(uint32_t what, const ResourceData& data);
    void graph(uint32_t what, const GraphData& data);
    void handle(Handle context, Handle stream);
    void api(bool exit, std::string_view function);
    // A window of the framework's recorder in this process opened or closed: what lies outside is left out.
    void framework_window(bool open);

  private:
    bool open();
    bool subscribe();
    void settle_clock();
    bool enable_kinds(bool on);
    void thin_out_calls(bool on);
    void choose_callbacks();
    void ask_devices();
    void configure_unified_memory();
    void start_thread();
    static void* run_thread(void* session);
    void work();
    void follow_window(int64_t now_ns);
    void follow_gate();
    void flush(bool forced);
    void write_clock();
    void profiler(bool on);
    static void at_exit();
    static void after_fork_in_child();

    struct Batch;
    struct Losses;
    void decode_batch(const Batch& batch, Losses& losses);
    void write_losses(const Losses& losses);

    static inline Session* current_ = nullptr;

    Cupti cupti_;
    Stream stream_;
    Buffers buffers_;
    Options options_;
    Spans spans_;
    collect::Gate* gate_ = nullptr;
    uint64_t gate_opened_ = 0, gate_closed_ = 0;
    void* subscriber_ = nullptr;
    pid_t owner_ = 0;
    bool own_clock_ = false;
    std::atomic<bool> recording_{false}, range_over_{false};  // of the kinds that follow the window
    std::atomic<bool> alive_{false}, newer_{false};
    std::atomic<bool> context_made_{false}, driver_ready_{false};

    pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;  // of what follows; CUPTI is not called under it
    pthread_cond_t wake_ = PTHREAD_COND_INITIALIZER;
    bool thread_runs_ = false, last_wanted_ = false, last_done_ = false;
};

}  // namespace opsight::cuda
