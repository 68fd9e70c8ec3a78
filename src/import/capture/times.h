// Times of one capture on the profile's clock.
#pragma once

#include <fmt/format.h>

#include <string>

#include "import/capture/ticks.h"
#include "model/profile_builder.h"

namespace opsight::importer::capture {

class Times {
  public:
    // `epoch_ns`: from CLOCK_MONOTONIC to ns since 1970.
    Times(const TickClock& clock, int64_t epoch_ns, const std::string& file, ProfileBuilder& builder)
        : clock_(clock), epoch_ns_(epoch_ns), file_(file), builder_(builder) {}

    // The ns of `ticks`; false, and a diagnostic, where they make no sense.
    bool ns(uint64_t ticks, int64_t& ns) {
        if (convert(ticks, ns)) return true;
        bad(ticks);
        return false;
    }
    // Of a reading of CLOCK_MONOTONIC.
    int64_t from_monotonic(int64_t ns) const { return ns + epoch_ns_; }
    // The time of a span; `dur` 0: it has not ended.
    bool set(HostSpan& span, uint64_t begin, uint64_t dur) {
        int64_t end = 0;
        if (!convert(begin, span.begin) || !convert(begin + dur, end) || end < span.begin) {
            bad(begin);
            return false;
        }
        span.dur = end - span.begin;
        if (dur == 0) {
            span.flags |= kUnfinished;
            builder_.diagnostics().add(Diag::kUnfinishedSpan, {file_, -1, -1, {}});
        }
        return true;
    }

    // The same as ns() without a diagnostic.
    bool convert(uint64_t ticks, int64_t& ns) const {
        if (!clock_.monotonic_ns(ticks, ns)) return false;
        ns += epoch_ns_;
        return true;
    }

  private:
    void bad(uint64_t ticks) {
        builder_.diagnostics().add(Diag::kBadTime, {file_, -1, -1, fmt::format("{} ticks", ticks)});
    }

    const TickClock& clock_;
    const int64_t epoch_ns_;
    const std::string& file_;
    ProfileBuilder& builder_;
};

}  // namespace opsight::importer::capture
