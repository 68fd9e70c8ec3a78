#include "query/reports/time_spans.h"

#include <algorithm>

namespace opsight::query {
namespace {

void append(TimeSpans& out, const TimeSpan& span) {
    if (span.end <= span.begin) return;
    if (!out.empty() && out.back().rank == span.rank && span.begin <= out.back().end)
        out.back().end = std::max(out.back().end, span.end);
    else
        out.push_back(span);
}

}  // namespace

TimeSpans merged(std::vector<TimeSpan> spans) {
    sort_runs(spans);
    size_t kept = 0;
    for (const TimeSpan& span : spans) {
        if (span.end <= span.begin) continue;
        if (kept > 0 && spans[kept - 1].rank == span.rank && span.begin <= spans[kept - 1].end)
            spans[kept - 1].end = std::max(spans[kept - 1].end, span.end);
        else
            spans[kept++] = span;
    }
    spans.resize(kept);
    return spans;
}

TimeSpans common(const TimeSpans& a, const TimeSpans& b) {
    TimeSpans out;
    for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
        if (a[i].rank == b[j].rank)
            append(out, {a[i].rank, std::max(a[i].begin, b[j].begin), std::min(a[i].end, b[j].end)});
        const bool first_ends = a[i].rank != b[j].rank ? a[i].rank < b[j].rank : a[i].end <= b[j].end;
        ++(first_ends ? i : j);
    }
    return out;
}

TimeSpans without(const TimeSpans& whole, const TimeSpans& spans) {
    TimeSpans out;
    size_t at = 0;
    for (const TimeSpan& within : whole) {
        int64_t begin = within.begin;
        for (; at < spans.size() && spans[at].rank == within.rank && spans[at].begin < within.end; ++at) {
            append(out, {within.rank, begin, std::min(spans[at].begin, within.end)});
            begin = std::max(begin, spans[at].end);
        }
        append(out, {within.rank, begin, within.end});
    }
    return out;
}

TimeSpans bridged(const TimeSpans& spans, int64_t gap_ns) {
    TimeSpans out;
    for (const TimeSpan& span : spans) {
        if (!out.empty() && out.back().rank == span.rank && span.begin - out.back().end < gap_ns)
            out.back().end = std::max(out.back().end, span.end);
        else
            out.push_back(span);
    }
    return out;
}

TimeSpans united(const TimeSpans& a, const TimeSpans& b) {
    if (a.empty() || b.empty()) return a.empty() ? b : a;
    TimeSpans out;
    out.reserve(std::max(a.size(), b.size()));
    for (size_t i = 0, j = 0; i < a.size() || j < b.size();) {
        const bool first = j == b.size() || (i < a.size() && !starts_before(b[j], a[i]));
        append(out, first ? a[i++] : b[j++]);
    }
    return out;
}

int64_t length_of(const TimeSpans& spans) {
    int64_t ns = 0;
    for (const TimeSpan& span : spans)
        ns += span.end - span.begin;
    return ns;
}

}  // namespace opsight::query
