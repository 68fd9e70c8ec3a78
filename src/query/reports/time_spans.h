// Stretches of time of ranks, and what can be made of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

namespace opsight::query {

struct TimeSpan {
    int64_t rank = 0, begin = 0, end = 0;  // ns
};
using TimeSpans = std::vector<TimeSpan>;  // by rank and begin; those of a rank do not touch

struct ByBegin {
    template <class Span>
    bool operator()(const Span& a, const Span& b) const {
        return a.rank != b.rank ? a.rank < b.rank : a.begin < b.begin;
    }
};
inline constexpr ByBegin starts_before;

// Of any spans, by rank and begin. Rows of a table come thread by thread, each in its order: such runs are
// merged, which takes less than to sort them all.
template <class Span>
void sort_runs(std::vector<Span>& spans) {
    std::vector<std::ptrdiff_t> ends;  // of the runs
    for (size_t i = 1; i < spans.size(); ++i)
        if (starts_before(spans[i], spans[i - 1])) ends.push_back(static_cast<std::ptrdiff_t>(i));
    ends.push_back(std::ssize(spans));
    while (ends.size() > 1) {
        size_t kept = 0;
        std::ptrdiff_t begin = 0;
        for (size_t i = 0; i < ends.size(); i += 2) {
            const std::ptrdiff_t middle = ends[i], end = ends[std::min(i + 1, ends.size() - 1)];
            std::inplace_merge(spans.begin() + begin, spans.begin() + middle, spans.begin() + end,
                               starts_before);
            ends[kept++] = begin = end;
        }
        ends.resize(kept);
    }
}
// The time in which at least one of any spans goes on.
TimeSpans merged(std::vector<TimeSpan> spans);

// Makes TimeSpans of spans as they come, in whatever order.
class SpanCollector {
  public:
    void add(const TimeSpan& span) {
        if (span.end <= span.begin) return;
        if (!spans_.empty() && spans_.back().rank == span.rank && span.begin >= spans_.back().begin &&
            span.begin <= spans_.back().end) {
            if (span.end > spans_.back().end) spans_.back().end = span.end;
            return;
        }
        spans_.push_back(span);
    }
    TimeSpans take() { return merged(std::exchange(spans_, {})); }

  private:
    std::vector<TimeSpan> spans_;
};

// Those with less than this in between are one.
TimeSpans bridged(const TimeSpans& spans, int64_t gap_ns);
TimeSpans united(const TimeSpans& a, const TimeSpans& b);
TimeSpans common(const TimeSpans& a, const TimeSpans& b);
// The part of `whole` that is not in `spans`.
TimeSpans without(const TimeSpans& whole, const TimeSpans& spans);
int64_t length_of(const TimeSpans& spans);  // ns, ranks added up

}  // namespace opsight::query
