// Sets of time, as sorted disjoint half-open intervals.
#pragma once

#include <cstdint>
#include <vector>

namespace opsight::analyze {

struct Interval {
    int64_t begin, end;
    friend bool operator==(const Interval&, const Interval&) = default;
};
using Intervals = std::vector<Interval>;

// Sorts by begin (if need be) and joins what touches or overlaps. Empty intervals stay where they touch
// nothing, so that the ends of the set are those of its members.
void merge(Intervals& intervals);

// Adds an interval that begins no earlier than the last one of the set does.
inline void append(Intervals& intervals, int64_t begin, int64_t end) {
    if (end <= begin) return;
    if (!intervals.empty() && begin <= intervals.back().end) {
        if (end > intervals.back().end) intervals.back().end = end;
    } else {
        intervals.push_back({begin, end});
    }
}

Intervals unite(const Intervals& a, const Intervals& b);
int64_t length(const Intervals& intervals);

}  // namespace opsight::analyze
