// From CUPTI's records to ours. Pure: what is asked of the process goes through Sink.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "wire/cuda.h"

namespace opsight::cuda {

class Sink {
  public:
    // Before the first of the calls for one record of CUPTI.
    virtual void begin() = 0;
    // Ids of texts; 0 for none.
    virtual uint32_t text(std::string_view text) = 0;
    virtual uint32_t api_name(wire::CudaDomain domain, uint32_t cbid) = 0;
    // Defines the kind where it is new. `kind` has neither header nor id.
    virtual uint32_t kernel_kind(const wire::CudaKernelKindRecord& kind) = 0;
    // A record whose header is filled in, and text that follows it.
    virtual void put(const wire::RecordHeader& record, std::string_view text) = 0;
    // False where a call of this name is not worth its place (cudaGetLastError).
    virtual bool wants_api(wire::CudaDomain domain, uint32_t cbid, uint32_t thread) = 0;
    // Whether what happened in this time is to be kept.
    virtual bool wants_time(uint64_t begin, uint64_t end) = 0;
    // The same of what the call of this correlation id put on a device; 0, 0: it tells no time.
    virtual bool wants_work(uint32_t correlation, uint64_t begin, uint64_t end) = 0;
    // Every call, before it is asked for.
    virtual void saw_call(uint32_t correlation, uint64_t begin) = 0;

  protected:
    ~Sink() = default;
};

enum class Decoded { kTaken, kLeftOut, kUnknownKind, kDamaged };

// One record of CUPTI at `record`, of which `room` bytes are there (the next one begins behind them, or the
// buffer ends). Fields of newer versions than the record's are 0, those of versions that are not known are
// passed over; `newer` is set where there were such.
Decoded decode(const void* record, size_t room, Sink& sink, bool& newer);

}  // namespace opsight::cuda
