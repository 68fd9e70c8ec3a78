// What a run would take if something of it were faster or not there: its iterations are replayed by their
// dependencies, first as they were recorded, then changed. docs/WHATIF.md tells the method and its limits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "query/session/session.h"
#include "query/whatif/changes.h"
#include "query/whatif/grounds.h"

namespace opsight::query {

// What one name has of the critical path.
struct PathShare {
    std::string kind, name;
    int64_t pieces = 0, ns = 0;
};

struct ReplayedIteration {
    int64_t rank = 0, number = -1;  // the rank's number in its job; -1: the run as a whole
    int64_t host_ns = 0;            // as other reports have it, from mark to mark of the host
    int64_t measured_ns = 0, replayed_ns = 0, predicted_ns = 0;  // until its work on the device is done
};

// How much of the chosen iterations a supposition is about.
struct Concerned {
    std::string words;
    int64_t tasks = 0, ns = 0;  // on threads and streams together, each as recorded
};

struct WhatIf {
    std::vector<ReplayedIteration> iterations;
    std::vector<PathShare> path, predicted_path;  // longest first; the sum is that of the iterations
    std::vector<Concerned> concerned;
    int64_t tasks = 0, dependencies = 0, waits = 0, event_waits = 0, hand_offs = 0;
    double error = 0;           // median over iterations of |replayed - measured| / measured
    double unexplained = 0;     // part of the path that is recorded delays of the device for no known reason
    double unlaunched_pct = 0;  // Grounds
    bool ranks_wait = false;    // Grounds
    static constexpr double kLargestError = 0.02, kMostUnexplained = 0.1;
    bool simulatable() const { return error <= kLargestError && unexplained <= kMostUnexplained; }
};

// Nothing where the range has no work at all, or a recording that cannot be replayed (grounds.h).
Result<std::optional<WhatIf>> what_if(Session& session, const Suppositions& suppositions);

double median_of(const std::vector<ReplayedIteration>& iterations, int64_t ReplayedIteration::*field);

}  // namespace opsight::query
