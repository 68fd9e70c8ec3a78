// What the observer keeps per process and per thread, free of any framework: interning, the stack of open
// spans, the window of recording, and what to do at fork. Hot calls cost one thread-local load, one clock
// reading and one append. Nothing here throws; all memory is bounded and comes from mmap.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "collect/counters.h"
#include "collect/iteration_count.h"
#include "collect/observer_api.h"
#include "collect/run_queue.h"
#include "wire/signature.h"
#include "wire/writer.h"

namespace opsight::collect {

inline uint64_t mix(uint64_t a, uint64_t b) {
    const auto product = static_cast<unsigned __int128>(a) * b;
    return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}
inline constexpr uint64_t kMixA = 0x9e3779b97f4a7c15, kMixB = 0xd1b54a32d192ed03;

// 64-bit hash of a text: one multiplication per 8 bytes. Not for hostile input.
inline uint64_t hash_bytes(const char* at, size_t size, uint64_t seed = 1) {
    const auto load = [](const char* from) {
        uint64_t value;
        std::memcpy(&value, from, sizeof value);
        return value;
    };
    uint64_t state = size * kMixA ^ seed;
    const char* const end = at + size;
    if (size >= 8) {
        for (; end - at > 8; at += 8)
            state = mix(state ^ load(at), kMixA);
        state = mix(state ^ load(end - 8), kMixA);  // may cover some bytes twice
    } else {
        uint64_t rest = 0;
        while (at < end)
            rest = rest << 8 | static_cast<uint8_t>(*at++);
        state = mix(state ^ rest, kMixA);
    }
    return mix(state, kMixB);
}

// Takes an op's inputs like wire::SignatureEncoder and keeps only a hash: what nearly every op needs, since
// its kind is known already.
class SignatureHash {
  public:
    void tag(wire::ArgTag value) { byte(static_cast<uint8_t>(value)); }
    void byte(uint8_t value) { number(value); }
    void number(uint64_t value) { state_ = mix(state_ ^ value, kMixA); }
    void signed_number(int64_t value) { number(static_cast<uint64_t>(value)); }
    void tensor(uint8_t dtype, size_t rank) {
        number(uint64_t{dtype} << 16 | rank << 8 | static_cast<uint8_t>(wire::ArgTag::kTensor));
    }
    bool fits(size_t) const { return true; }
    uint64_t value() const { return state_; }

  private:
    uint64_t state_ = kMixB;
};

// Remembers which texts a thread has defined already. Two ways per set, no growth: what falls out is simply
// defined again.
template <size_t kSets>
class IdCache {
  public:
    void prefetch(uint64_t hash) const { __builtin_prefetch(sets_[hash % kSets]); }
    // The id of what was asked for last in its set; 0: another one.
    uint32_t quick(uint64_t hash) const {
        const Entry& first = sets_[hash % kSets][0];
        return first.hash == hash ? first.id : 0;
    }

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
    bool is_step;          // an optimizer step, or the range that recording waits for: its end has a meaning
    bool done;             // ended out of order; leaves when it comes to the top
    bool counted = false;  // its record has counters
};

// A range that may end on another thread, while the thread that began it remembers where its duration goes.
struct Started {
    uint64_t id;  // 0: none
    uint64_t* dur;
    uint64_t begin;
};

// What a thread has open in an NVTX domain.
struct DomainCount {
    uint32_t depth, seen;
    bool skipping;  // the outermost open range is not in the sample, nor is what lies within it
};

struct ThreadState {
    static constexpr size_t kDeepest = 1024;
    static constexpr size_t kMostDomains = 256;
    static constexpr size_t kMostStarted = 64;
    static constexpr size_t kPadding = 2 * wire::ThreadStream::kRoomForRecord;

    explicit ThreadState(wire::CaptureWriter& writer) : stream(writer) {
        stream.set_open_spans(&open_spans, this);
    }

    uint32_t text(std::string_view value, uint64_t hash) {
        return texts.get(hash ^ stream.salt(),
                         [&] { return stream.define(wire::RecordType::kString, value); });
    }
    uint32_t text(std::string_view value) { return text(value, hash_bytes(value.data(), value.size())); }
    // Name, scope and inputs together: one look-up per op. `encode` gives the inputs' bytes for their hash,
    // that of kind_hash(). The record has to follow.
    template <class Encode>
    uint32_t op_kind(uint64_t hash, std::string_view name, wire::OpScope scope, Encode&& encode) {
        return kinds.get(hash, [&] {
            const auto inputs = encode();
            stream.make_room(2 * sizeof(wire::BlobRecord) + name.size() + inputs.view().size() + kPadding);
            return stream.define_op(text(name), scope, inputs.view());
        });
    }
    // Of the kind of a record that comes now: where blocks are used again, kinds are known for one block
    // only.
    uint64_t kind_hash(uint64_t hash) {
        stream.make_room();
        return hash ^ stream.salt();
    }

    void push(const Frame& frame) {
        if (depth < kDeepest) {
            frames[depth++] = frame;
        } else {
            ++deeper;
            stream.writer().count_left_open();
        }
    }
    // Ends the innermost frame of `key`; false if there is none. `counted`: what the counters read, for
    // frames that have any.
    bool pop(const void* key, uint64_t now, bool& was_step, const uint64_t* counted = nullptr);
    // A thread takes over what one that ended left: its file's block, and the texts that are defined there.
    void take_over();
    // All that is open, as ThreadStream asks for it.
    static wire::OpenSpans open_spans(void* state);
    // When that frame began; 0: there is none, or it is not recorded.
    uint64_t begin_of(const void* key) const;

    ThreadState* next_free = nullptr;
    ThreadCounters counters;
    RunQueue run_queue;
    wire::ThreadStream stream;
    IdCache<1024> texts;
    IdCache<2048> kinds;
    size_t depth = 0, deeper = 0;
    Frame frames[kDeepest];
    bool busy = false;                   // inside a call of ours: a signal handler must not append now
    uint32_t pushed_within = 0;          // ranges that signal handlers began meanwhile
    uint64_t last_range = 0;             // number of the last range that may end on another thread
    Started started[kMostStarted] = {};  // by their number, the last ones
    DomainCount domains[kMostDomains] = {};
    uint64_t** open[kDeepest + kMostStarted];  // see open_spans()
};

// A module name with its hash, made once.
struct ModuleName {
    uint64_t hash;
    uint32_t length;
    char text[];
    std::string_view view() const { return {text, length}; }
};

// One page that all processes and all libraries of a run share, where recording waits for a range.
struct Gate {
    std::atomic<uint32_t> open;   // how many such ranges are open now
    std::atomic<uint32_t> ended;  // how many have ended
    // When the last one began and ended, in ticks: the CUDA library sees them later.
    std::atomic<uint64_t> opened_at, closed_at;
};

// Lives in memory that forked children share, so that they follow the same window. A child that trains itself
// has a window of its own from its first step on.
struct Window {
    std::atomic<bool> recording{false};
    std::atomic<bool> over{false};
    uint32_t trainer = 0;                          // the process whose iterations count
    std::atomic_flag counting = ATOMIC_FLAG_INIT;  // held while the next is changed
    IterationCount iterations;
    wire::ClockKind clock = wire::ClockKind::kMonotonicNs;
    uint64_t skip = 0, keep = 0;        // iterations; keep 0: all
    uint64_t opened_after = 0;          // iterations
    uint64_t from_ticks = 0;            // recording begins at the first event after it
    uint64_t until_ticks = UINT64_MAX;  // and ends at the first event after this
};

// Called by each thread that begins or ends to record, and in forked children.
struct ThreadHooks {
    void (*begins)(ThreadState& state) = nullptr;
    void (*ends)(ThreadState& state) = nullptr;
    void (*forked)() = nullptr;
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
        if (const Gate* gate = gate_; gate && gate->open.load(std::memory_order_relaxed) == 0) return nullptr;
        return state();
    }
    // This thread's state whether or not it records; null where there is none.
    static ThreadState* state() { return state_ ? state_ : make_state(); }
    static ThreadState* existing_state() { return state_; }
    // True while `now` lies in the window; ends the recording where it does not.
    static bool in_window(uint64_t now) { return now < window_->until_ticks || end_recording(); }
    // What iterations are counted by: a batch is being loaded, an optimizer begins to step, or has stepped.
    static void batch_begins();
    static void step_begins(uint64_t optimizer);
    static void step_ended(uint64_t optimizer);
    // How this process stands to the window: it may open, is open, or is closed for good.
    enum class Phase : uint8_t { kWaiting, kOpen, kOver };
    static Phase phase();
    static bool waits_for_time() { return window_ && window_->from_ticks > 0; }

    // The framework's number of the calling thread, for forward-thread links.
    static void set_thread_numbering(uint64_t (*number)()) { thread_number_ = number; }
    // Called for each new file: what is written once per process.
    static void set_introduction(void (*introduce)(wire::ThreadStream&)) { introduce_ = introduce; }
    // Writes facts of the process, which are kept also where other records give way to newer ones. Short, and
    // not in a signal handler that interrupted another one.
    template <class Write>
    static void keep(ThreadState& state, Write&& write) {
        if (!kept_) return write(state.stream);
        lock_kept();
        write(*kept_);
        unlock_kept();
    }
    static void set_thread_hooks(const ThreadHooks& hooks) { hooks_ = hooks; }
    // Called in the process in which the window of iterations opens (true) or closes.
    static void set_window_hook(void (*changed)(bool open)) { window_changed_ = changed; }
    // Records only while the gate in the file named by OPSIGHT_GATE is open, where that is set.
    static void follow_gate();
    static Gate* gate() { return gate_; }

  private:
    static ThreadState* make_state();
    static bool may_begin();
    static bool own_window();
    template <class Count>
    static void count(Count&& count);
    static bool end_recording();
    static bool open_file();
    static void after_fork_in_child();
    static void thread_exits(void* state);
    static ThreadState* left_by_another();

    static inline constinit thread_local ThreadState* state_ = nullptr;
    static inline constinit thread_local bool thread_is_over_ = false;
    static inline Window* window_ = nullptr;
    static inline std::atomic<wire::CaptureWriter*> writer_{nullptr};
    static inline uint64_t (*thread_number_)() = nullptr;
    static void lock_kept();
    static void unlock_kept();
    static inline wire::ThreadStream* kept_ = nullptr;  // where the newest records are kept
    static inline void (*introduce_)(wire::ThreadStream&) = nullptr;
    static inline void (*window_changed_)(bool) = nullptr;
    static inline Gate* gate_ = nullptr;
    static inline ThreadHooks hooks_;
};

}  // namespace opsight::collect
