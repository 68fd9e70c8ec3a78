// The process's stream of CUDA records. Threads of CUPTI, of the program and our own write into it, one at a
// time. Nothing of CUPTI may be called while it is held: CUPTI calls us with locks of its own held.
#pragma once

#include <pthread.h>

#include "collect/cuda/cupti.h"
#include "collect/cuda/decode.h"
#include "collect/recorder.h"
#include "wire/cuda.h"
#include "wire/writer.h"

namespace opsight::cuda {

// Names of API calls by CUPTI's numbers. Filled before anything is recorded, then only read.
struct ApiNames {
    static constexpr uint32_t kMost = 1024;  // of each domain; CUDA 13.0 has 807 and 523
    const char* name[2][kMost] = {};
    bool wanted[2][kMost] = {};
    void fill(const Cupti& cupti);
};
// Whether calls of this function are recorded: not those that only ask for something that is known.
bool worth_recording(wire::CudaDomain domain, std::string_view name);
// "cudaMalloc" of "cudaMalloc_v3020".
std::string_view plain_name(std::string_view name);

// The times in which records are kept, where recording waits for something: the last of them.
//
// Work on devices is kept that was launched in such a time. Which call launched it is known only when that
// call's record comes, before or after the work's own; but CUPTI numbers calls in the order in which they
// begin. So work is left out that a call launched whose number is not below that of a call after the end, and
// what is kept too much (launched before the beginning, or before a later call was seen) the import leaves
// out, which knows all calls.
class Spans {
  public:
    void open(uint64_t ticks);
    void close(uint64_t ticks);
    bool is_open() const { return count_ > 0 && spans_[count_ - 1].end == UINT64_MAX; }
    uint64_t last_begin() const { return count_ > 0 ? spans_[count_ - 1].begin : 0; }
    // Whether something of this time is to be kept.
    bool any(uint64_t begin, uint64_t end) const;
    // Whether work of a call may have been launched in one of the times; 0, 0: when it ran is not known.
    bool may_launch(uint32_t correlation, uint64_t begin, uint64_t end) const;
    void saw_call(uint32_t correlation, uint64_t begin);

  private:
    static constexpr size_t kMost = 64;
    // Numbers are given and times are read a moment apart.
    static constexpr uint64_t kMoment = 100'000;
    struct Span {
        uint64_t begin, end;
        uint32_t after;    // lowest number of a call after the end
        bool after_known;  // whether there was one
    };
    Span spans_[kMost] = {};
    size_t count_ = 0;
};

class Stream final : public Sink {
  public:
    // 0, or an errno value.
    int open(const char* folder, uint64_t limit_bytes);
    void finish();
    // In a forked child: the file is the parent's.
    void abandon();

    wire::CaptureWriter& writer() { return writer_; }
    uint64_t ticks() const { return writer_.ticks(); }

    // Holds the stream.
    class Held {
      public:
        explicit Held(Stream& stream) : mutex_(stream.mutex_) { pthread_mutex_lock(&mutex_); }
        ~Held() { pthread_mutex_unlock(&mutex_); }
        Held(const Held&) = delete;
        Held& operator=(const Held&) = delete;

      private:
        pthread_mutex_t& mutex_;
    };

    // The rest needs Held.
    void begin() override;
    uint32_t text(std::string_view text) override;
    uint32_t api_name(wire::CudaDomain domain, uint32_t cbid) override;
    uint32_t kernel_kind(const wire::CudaKernelKindRecord& kind) override;
    void put(const wire::RecordHeader& record, std::string_view text) override;
    bool wants_api(wire::CudaDomain domain, uint32_t cbid, uint32_t thread) override;
    bool wants_time(uint64_t begin, uint64_t end) override;
    bool wants_work(uint32_t correlation, uint64_t begin, uint64_t end) override;
    void saw_call(uint32_t correlation, uint64_t begin) override;
    // A time in which records are kept begins, and ends.
    void open_span(uint64_t ticks);
    void close_span(uint64_t ticks);
    template <class Record>
    void put(wire::RecordType type, Record& record, std::string_view text = {}) {
        record.header.type = static_cast<uint16_t>(type);
        record.header.bytes = sizeof record;
        put(record.header, text);
    }
    void state(wire::CudaState state, Result result, const char* line);
    void lost(wire::CudaLoss what, uint64_t count, uint32_t kind = 0);
    void module(uint32_t number, uint32_t context, std::string_view cubin);
    // Where facts of the process go.
    wire::ThreadStream& raw() { return *kept_; }

    ApiNames names;
    Spans* spans = nullptr;     // null: all times are kept
    uint32_t own_thread = 0;    // whose API calls are not the program's
    uint64_t cubin_budget = 0;  // bytes of code that may yet be written

  private:
    struct Cubin {
        uint64_t hash, number;
        bool whole;
    };
    static constexpr size_t kCubins = 4096;
    Cubin* cubin_of(uint64_t hash);
    void write_cubin(uint64_t number, std::string_view cubin);

    wire::CaptureWriter writer_;
    wire::ThreadStream* stream_ = nullptr;
    wire::ThreadStream* kept_ = nullptr;  // the same, but where only the newest records are kept
    pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
    collect::IdCache<1024> texts_ = {};
    collect::IdCache<2048> kinds_ = {};
    uint32_t name_ids_[2][ApiNames::kMost] = {};
    Cubin cubins_[kCubins] = {};
    uint64_t cubin_count_ = 0;
    uint64_t names_salt_ = 0;  // of name_ids_
    alignas(wire::ThreadStream) char stream_room_[sizeof(wire::ThreadStream)] = {};
    alignas(wire::ThreadStream) char kept_room_[sizeof(wire::ThreadStream)] = {};
};

}  // namespace opsight::cuda
