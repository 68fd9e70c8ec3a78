// What the observer keeps per process and per thread, free of any framework: interning, the stack of open
// spans, the window of recording, and what to do at fork. Hot calls cost one thread-local load, one clock
// reading and one append. Nothing here throws; all memory is bounded and comes from mmap.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "collect/observer_api.h"
#include "wire/signature.h"
#include "wire/writer.h"

namespace opsight::collect {

// 64-bit hash of a text: two multiplications per 16 bytes. Not for hostile input.
inline uint64_t hash_bytes(const char* at, size_t size, uint64_t seed = 1) {
    auto mix = [](uint64_t a, uint64_t b) {
        const auto product = static_cast<unsigned __int128>(a) * b;
        return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
    };
    constexpr uint64_t kA = 0x9e3779b97f4a7c15, kB = 0xd1b54a32d192ed03;
    uint64_t state = size * kA ^ seed;
    auto load = [](const char* from, size_t bytes) {
        uint64_t value = 0;
        std::memcpy(&value, from, bytes);
        return value;
    };
    for (; size >= 8; at += 8, size -= 8)
        state = mix(state ^ load(at, 8), kA);
    if (size > 0) state = mix(state ^ load(at, size) ^ (uint64_t{size} << 56), kB);
    return mix(state, kB);
}

// Remembers which texts a thread has defined already. Two ways per set, no growth: what falls out is simply
// defined again.
template <size_t kSets>
class IdCache {
  public:
    template <class Define>
    uint32_t get(uint64_t hash, Define&& define) {
        Entry* set = sets_[hash % kSets];
        if (set[0].hash == hash && set[0].id) return set[0].id;
        if (set[1].hash == hash && set[1].id) {
            std::swap(set[0], set[1]);
            return set[0].id;
        }
        set[1] = set[0];
        set[0] = {hash, define()};
        return set[0].id;
    }

  private:
    struct Entry {
        uint64_t hash;
        uint32_t id;
    };
    Entry sets_[kSets][2];
};

// An open span of a thread.
struct Frame {
    const void* key;  // who opened it
    uint64_t* dur;    // where its duration goes; null: not recorded
    uint64_t begin;
    bool is_step;  // an optimizer step: its end ends an iteration
    bool done;     // ended out of order; leaves when it comes to the top
};

struct ThreadState {
    static constexpr size_t kDeepest = 1024;

    explicit ThreadState(wire::CaptureWriter& writer) : stream(writer) {}

    uint32_t text(std::string_view value, uint64_t hash) {
        return texts.get(hash, [&] { return stream.define(wire::RecordType::kString, value); });
    }
    uint32_t text(std::string_view value) { return text(value, hash_bytes(value.data(), value.size())); }
    // Name, scope and inputs together: one look-up per op.
    uint32_t op_kind(std::string_view name, wire::OpScope scope, std::string_view inputs) {
        const uint64_t name_hash = hash_bytes(name.data(), name.size());
        const uint64_t seed = name_hash + static_cast<uint64_t>(scope);
        return kinds.get(hash_bytes(inputs.data(), inputs.size(), seed),
                         [&] { return stream.define_op(text(name, name_hash), scope, inputs); });
    }

    void push(const Frame& frame) {
        if (depth < kDeepest) {
            frames[depth++] = frame;
        } else {
            ++deeper;
            stream.writer().count_lost();  // stays open in the capture
        }
    }
    // Ends the innermost frame of `key`; false if there is none.
    bool pop(const void* key, uint64_t now, bool& was_step);

    wire::ThreadStream stream;
    IdCache<1024> texts;
    IdCache<2048> kinds;
    size_t depth = 0, deeper = 0;
    Frame frames[kDeepest];
};

// A module name with its hash, made once.
struct ModuleName {
    uint64_t hash;
    uint32_t length;
    char text[];
    std::string_view view() const { return {text, length}; }
};

// Lives in memory that forked children share, so that they follow the same window.
struct Window {
    std::atomic<bool> recording{false};
    std::atomic<bool> over{false};
    std::atomic<uint64_t> steps{0};
    wire::ClockKind clock = wire::ClockKind::kMonotonicNs;
    uint64_t skip = 0, keep = 0;        // iterations; keep 0: all
    uint64_t from_ticks = 0;            // recording begins at the first event after it
    uint64_t until_ticks = UINT64_MAX;  // and ends at the first event after this
};

// The process's recorder. Trivially destructible state only: events may arrive while the process exits.
class Recorder {
  public:
    static int open(const char* directory, uint64_t limit_bytes, const opsight_torch_window& window);
    static void finish();

    // This thread's state where events are to be recorded now, else null.
    static ThreadState* recording() {
        const Window* window = window_;
        if (!window) return nullptr;
        if (!window->recording.load(std::memory_order_relaxed) && !may_begin()) return nullptr;
        return state();
    }
    // This thread's state whether or not it records; null where there is none.
    static ThreadState* state() { return state_ ? state_ : make_state(); }
    static ThreadState* existing_state() { return state_; }
    static bool counts_steps() {
        const Window* window = window_;
        return window && (window->skip > 0 || window->keep > 0);
    }
    // True while `now` lies in the window; ends the recording where it does not.
    static bool in_window(uint64_t now) { return now < window_->until_ticks || end_recording(); }
    static void step_ended();

    // The framework's number of the calling thread, for forward-thread links.
    static void set_thread_numbering(uint64_t (*number)()) { thread_number_ = number; }

  private:
    static ThreadState* make_state();
    static bool may_begin();
    static bool end_recording();
    static bool open_file();
    static void after_fork_in_child();
    static void thread_exits(void* state);

    static inline constinit thread_local ThreadState* state_ = nullptr;
    static inline constinit thread_local bool thread_is_over_ = false;
    static inline Window* window_ = nullptr;
    static inline std::atomic<wire::CaptureWriter*> writer_{nullptr};
    static inline uint64_t (*thread_number_)() = nullptr;
};

}  // namespace opsight::collect
