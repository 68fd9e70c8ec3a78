// Clocks of NVTX events that a program submits later: time domains, and the moments that relate them to
// others.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "wire/nvtx.h"

namespace opsight::importer::nvtx {

inline constexpr uint64_t kToolClock = 1, kTscClock = 10;

class Clocks {
  public:
    void define_domain(uint64_t id, const wire::NvtxTimeDomain& domain) { domains_[id] = domain; }
    void define_point(uint64_t first, uint64_t second, const wire::NvtxTimePoint& point);

    // The ns of a time on a clock that is known without any of this; false where it is not.
    using Known = std::function<bool(uint64_t clock, int64_t value, int64_t& ns)>;
    void set_known(Known known) { known_ = std::move(known); }
    // False: nothing relates the clock to one that is known, or the time makes no sense.
    bool ns(uint64_t clock, int64_t value, int64_t& ns) { return find(clock, value, ns, 0); }
    // Of events and counters in a scope; 0: not told.
    uint64_t of_scope(uint64_t scope) const;

  private:
    struct Point {
        uint64_t other;
        int64_t here, there;
        double slope;
    };
    struct Anchor {
        int64_t at, ns;
    };
    struct Relation {
        bool settled = false, settling = false;
        std::vector<Point> points;
        std::vector<Anchor> anchors;  // in order
        double rate = 0;              // ns per tick; 0: not known
    };
    bool find(uint64_t clock, int64_t value, int64_t& ns, int depth);
    void settle(uint64_t clock, Relation& relation, int depth);
    double told_rate(uint64_t clock) const;

    Known known_;
    std::map<uint64_t, wire::NvtxTimeDomain> domains_;
    std::map<uint64_t, Relation> relations_;
    int settles_ = 0;
};

}  // namespace opsight::importer::nvtx
