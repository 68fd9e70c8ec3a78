#include "analyze/intervals.h"

#include <algorithm>

namespace opsight::analyze {

void merge(Intervals& intervals) {
    const auto before = [](const Interval& a, const Interval& b) { return a.begin < b.begin; };
    if (!std::is_sorted(intervals.begin(), intervals.end(), before))
        std::sort(intervals.begin(), intervals.end(), before);
    size_t kept = 0;
    for (const Interval& next : intervals) {
        if (kept > 0 && next.begin <= intervals[kept - 1].end)
            intervals[kept - 1].end = std::max(intervals[kept - 1].end, next.end);
        else
            intervals[kept++] = next;
    }
    intervals.resize(kept);
}

Intervals unite(const Intervals& a, const Intervals& b) {
    if (a.empty()) return b;
    if (b.empty()) return a;
    Intervals result;
    result.reserve(a.size() + b.size());
    size_t i = 0, j = 0;
    while (i < a.size() || j < b.size()) {
        const bool from_a = j == b.size() || (i < a.size() && a[i].begin <= b[j].begin);
        const Interval& next = from_a ? a[i++] : b[j++];
        append(result, next.begin, next.end);
    }
    return result;
}

int64_t length(const Intervals& intervals) {
    int64_t sum = 0;
    for (const Interval& i : intervals)
        sum += i.end - i.begin;
    return sum;
}

}  // namespace opsight::analyze
