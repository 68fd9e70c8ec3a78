// What the NVTX library keeps per process beside the recorder: options, domains, registered texts, and all
// definitions, which a forked child repeats in its own file. Memory comes from mmap and is bounded.
#pragma once

#include <cstdint>
#include <string_view>

#include "collect/nvtx/abi.h"
#include "collect/nvtx/text.h"
#include "collect/recorder.h"
#include "wire/nvtx.h"

namespace opsight::nvtx {

using collect::Recorder;
using collect::ThreadState;

// A domain handle points to one of these. Domains of one name are one domain, whichever copy of NVTX makes
// them; they are never freed, since programs use handles after they destroyed them.
struct Domain {
    uint32_t number = 0;
    uint32_t every = 1;    // ranges and marks that are kept: 1 all, 0 none, N every Nth outermost one
    bool awaited = false;  // the range that recording waits for is in this domain
    uint16_t length = 0;
    char name[256] = "";
};
const Domain& domain_of(const void* handle);
const Domain* make_domain(const char* name);
void destroy_domain(const void* handle);

// A handle of a registered text.
struct Registered {
    HashedText text;
    uint64_t key;  // of domain and text
};
const Registered* register_text(const Domain& domain, const char* text);

struct AwaitedRange {
    HashedText name;
    bool once = true;
};
const AwaitedRange& awaited_range();

// Begins to record, at the first call of all. False: it cannot be done, and never will be.
bool start_session();

// Writes a fact of the whole process into the capture, now and in the captures of forked children.
void define(wire::NvtxFact fact, uint32_t domain, uint64_t id, std::string_view blob, uint64_t detail = 0,
            uint32_t extra = 0);
// Numbers for what programs let the tool number.
uint64_t next_dynamic_id();

// A call that may append: this thread's state, marked busy until the call is over. Null where nothing is to
// be recorded: outside of the window, or in a signal handler that interrupted another call of ours.
class Call {
  public:
    Call() : Call(Recorder::recording()) {}
    explicit Call(ThreadState* state) : state_(state) {
        if (!state_) return;
        if (state_->busy) [[unlikely]] {
            state_->stream.writer().count_interrupted();
            state_ = nullptr;
            return;
        }
        state_->busy = true;
        std::atomic_signal_fence(std::memory_order_seq_cst);
    }
    ~Call() {
        if (!state_) return;
        std::atomic_signal_fence(std::memory_order_seq_cst);
        state_->busy = false;
    }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    explicit operator bool() const { return state_ != nullptr; }
    ThreadState* operator->() const { return state_; }
    ThreadState& operator*() const { return *state_; }

  private:
    ThreadState* state_;
};

template <class Call>
void fill(Function** slots, unsigned count, unsigned id, Call* call) {
    if (id < count && slots[id]) *slots[id] = reinterpret_cast<Function>(call);
}
template <class Call>
void fill(const ExtensionSegment& segment, size_t id, Call* call) {
    if (id < segment.slots) segment.slot[id] = reinterpret_cast<intptr_t>(call);
}
// What the calls of each module and extension are. Each fills the slots that it implements.
void fill_core(Function** slots, unsigned count);
void fill_core2(Function** slots, unsigned count);
void fill_names(int module, Function** slots, unsigned count);
void fill_sync(Function** slots, unsigned count);
void fill_payload(const ExtensionSegment& segment);
void fill_counters(const ExtensionSegment& segment);
void fill_memory(const ExtensionSegment& segment);

}  // namespace opsight::nvtx
