// What rules of advice judge work and memory by: bounds of counted work, what memory holds at its peak. All
// of the chosen range.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "query/reports/activity_times.h"

namespace opsight::query {

// The op whose kernels take most beyond what its counted work needs at least, over all layers.
struct FarOp {
    std::string name, shapes;  // the shapes may be empty
    int64_t ns = 0, bound_ns = 0;
    bool math = false;  // arithmetic is what bounds it, else memory
};
struct FarWork {
    Occurrences beyond;  // of each kernel the part beyond its bound
    std::optional<FarOp> farthest;
};
// Of kernels that reach less than `pct` of their bound and take `ns` or more each; none of which the work or
// the bound is an estimate.
Result<FarWork> work_far_from_bound(Session& session, double pct, int64_t ns);

// What a device holds at its peak (where none tells memory: the host), and the lines or ops that asked for
// it.
struct MemoryHolder {
    std::string name, direction;  // direction: of an op; else empty
    int64_t bytes = 0, ns = 0;    // ns: of the op's work on devices in the range
};
struct PeakMemory {
    int64_t rank = 0, device = 0, bytes = 0, size = 0;  // size: of the device's memory; 0: not told
    bool host = false;
    std::vector<MemoryHolder> holders;  // the largest first
};
// Nothing where no peak is `least` bytes or more: who holds it takes a while to find out.
Result<std::vector<PeakMemory>> memory_at_peak(Session& session, int64_t least);

// Matrix products and convolutions on the host of which work and bound are known.
struct HostProducts {
    int64_t ns = 0, bound_ns = 0;   // what they took, and what the processor's peaks allow
    std::optional<FarOp> farthest;  // none: of no product they are known
    double reached_pct() const { return 100 * static_cast<double>(bound_ns) / static_cast<double>(ns); }
};
Result<HostProducts> host_products(Session& session);

// FLOP/s of the processor, of FP32 and of BF16; 0: not known.
Result<std::pair<double, double>> host_rates(Session& session);

}  // namespace opsight::query
