#include "import/capture/ticks.h"

#include <algorithm>
#include <cmath>

#include "base/time.h"

namespace opsight::importer::capture {
namespace {

// Readings closer than this tell less about the rate than their own error.
constexpr int64_t kShortestNs = 500'000;

}  // namespace

TickClock::TickClock(std::vector<wire::ClockSnapshot> readings, double ns_per_tick) {
    std::sort(readings.begin(), readings.end(),
              [](const auto& a, const auto& b) { return a.ticks < b.ticks; });
    for (const wire::ClockSnapshot& reading : readings) {
        if (reading.monotonic_ns < 0 || reading.monotonic_ns > kMaxNs / 4) continue;
        if (pieces_.empty()) {
            pieces_.push_back({reading.ticks, reading.monotonic_ns, 0});
            continue;
        }
        Piece& last = pieces_.back();
        const int64_t ns = reading.monotonic_ns - last.ns;
        if (ns < kShortestNs || reading.ticks == last.ticks) continue;
        last.rate = static_cast<double>(ns) / static_cast<double>(reading.ticks - last.ticks);
        pieces_.push_back({reading.ticks, reading.monotonic_ns, last.rate});
    }
    if (pieces_.size() > 1)
        rate_ = static_cast<double>(pieces_.back().ns - pieces_.front().ns) /
                static_cast<double>(pieces_.back().ticks - pieces_.front().ticks);
    if (pieces_.empty()) pieces_.push_back({0, 0, 0});
    // Outside the readings the overall rate is the best guess.
    pieces_.back().rate = rate_ > 0 ? rate_ : ns_per_tick;
}

bool TickClock::monotonic_ns(uint64_t ticks, int64_t& ns) const {
    auto piece = std::upper_bound(pieces_.begin(), pieces_.end(), ticks,
                                  [](uint64_t value, const Piece& p) { return value < p.ticks; });
    if (piece != pieces_.begin()) --piece;
    const double distance = ticks >= piece->ticks ? static_cast<double>(ticks - piece->ticks)
                                                  : -static_cast<double>(piece->ticks - ticks);
    const double offset = distance * (ticks >= piece->ticks || rate_ <= 0 ? piece->rate : rate_);
    constexpr double kTenYears = 3.2e17;
    if (!(std::abs(offset) < kTenYears)) return false;
    ns = piece->ns + std::llround(offset);
    return true;
}

}  // namespace opsight::importer::capture
