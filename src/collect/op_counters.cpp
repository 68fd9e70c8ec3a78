#include "collect/op_counters.h"

#include <string>

#include "collect/kept_files.h"
#include "collect/observer_api.h"
#include "collect/recorder.h"

namespace opsight::collect {
namespace {

uint32_t g_counters = 0;  // that were asked for, as bits of slots

}  // namespace

void read_around_ops() {
    Recorder::set_thread_hooks({[](ThreadState& state) {
                                    if (g_counters != 0) state.counters.open(g_counters);
                                    state.run_queue.open();
                                },
                                [](ThreadState& state) {
                                    state.counters.close();
                                    state.run_queue.close();
                                },
                                &close_inherited_files});
}

void tell_run_queue() {
    ThreadState* state = Recorder::state();
    if (!state || !state->run_queue.is_open()) return;
    Recorder::keep(*state, [](wire::ThreadStream& stream) { stream.property("run_queue", "schedstat"); });
}

void tell_counters() {
    if (g_counters == 0) return;
    std::string here, missing;
    for (size_t slot = 0; slot < kCpuCounters; ++slot) {
        if (!(g_counters & slot_bit(slot))) continue;
        const std::string name(kCpuCounterFacts[slot].name);
        const int problem = try_counter(static_cast<CpuCounter>(slot));
        if (problem < 0)
            missing += (missing.empty() ? "" : "; ") + name + ": " + why_no_counter(problem);
        else
            here += (here.empty() ? "" : " ") + name;
    }
    ThreadState* state = Recorder::state();
    if (!state) return;
    Recorder::keep(*state, [&](wire::ThreadStream& stream) {
        stream.property("cpu_counters", here.empty() ? "none" : here);
        if (!missing.empty()) stream.property("cpu_counters_missing", missing);
    });
}

}  // namespace opsight::collect

void opsight_torch_counters(uint32_t wanted) {
    using namespace opsight::collect;
    g_counters = wanted;
}
