#include "import/capture/cuda_times.h"

#include <algorithm>
#include <cmath>

namespace opsight::importer::capture {

CudaTimes::CudaTimes(const std::vector<wire::CudaClockRecord>& pairs, Times& times) : times_(times) {
    for (const wire::CudaClockRecord& pair : pairs) {
        int64_t before = 0, after = 0;
        const bool sane = pair.times != wire::CudaTimes::kTicks && times_.convert(pair.before, before) &&
                          times_.convert(pair.after, after) && after >= before;
        if (!sane) continue;
        pairs_.push_back({pair.cupti, before + (after - before) / 2});
        error_ns_ = std::max(error_ns_, (after - before + 1) / 2);
    }
    std::sort(pairs_.begin(), pairs_.end(), [](const Pair& a, const Pair& b) { return a.cupti < b.cupti; });
}

bool CudaTimes::ns(uint64_t time, int64_t& ns) const {
    if (counts_ == wire::CudaTimes::kTicks) return times_.convert(time, ns);
    if (pairs_.empty()) return false;
    const auto after = std::upper_bound(pairs_.begin(), pairs_.end(), time,
                                        [](uint64_t t, const Pair& pair) { return t < pair.cupti; });
    const Pair& from = after == pairs_.begin() ? *after : *(after - 1);
    // CUPTI counts nanoseconds. Between two readings their rates are made equal.
    double rate = 1;
    if (after != pairs_.begin() && after != pairs_.end() && after->cupti > from.cupti)
        rate = static_cast<double>(after->ns - from.ns) / static_cast<double>(after->cupti - from.cupti);
    const double distance =
        time >= from.cupti ? static_cast<double>(time - from.cupti) : -static_cast<double>(from.cupti - time);
    const double offset = distance * rate;
    constexpr double kTenYears = 3.2e17;
    if (!(std::abs(offset) < kTenYears)) return false;
    ns = from.ns + std::llround(offset);
    return true;
}

}  // namespace opsight::importer::capture
