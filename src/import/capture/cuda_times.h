// Times of CUDA records on the profile's clock.
#pragma once

#include <vector>

#include "import/capture/times.h"
#include "wire/cuda.h"

namespace opsight::importer::capture {

class CudaTimes {
  public:
    // `pairs`: readings of CUPTI's clock in any order.
    CudaTimes(const std::vector<wire::CudaClockRecord>& pairs, Times& times);

    // What the times of the records that follow count.
    void use(wire::CudaTimes times) { counts_ = times; }
    // False where the time makes no sense; nothing is reported.
    bool ns(uint64_t time, int64_t& ns) const;
    // How far times of the device may be off, by the readings; 0: no readings.
    int64_t error_ns() const { return error_ns_; }

  private:
    struct Pair {
        uint64_t cupti;
        int64_t ns;
    };
    Times& times_;
    wire::CudaTimes counts_ = wire::CudaTimes::kTicks;
    std::vector<Pair> pairs_;  // by rising time of CUPTI
    int64_t error_ns_ = 0;
};

}  // namespace opsight::importer::capture
