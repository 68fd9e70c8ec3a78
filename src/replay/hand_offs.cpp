#include "replay/hand_offs.h"

#include <algorithm>

namespace opsight::replay {
namespace {

struct Interval {
    int64_t begin = 0, end = 0;
};

// A gap shorter than this is not a wait for another thread.
constexpr int64_t kShortestWaitNs = 10'000;

std::vector<Interval> busy_times(const Recording& recording, size_t thread) {
    std::vector<Interval> busy;
    for (const HostSpan& span : recording.threads[thread]) {
        const int64_t begin = std::max(span.begin, recording.begin);
        const int64_t end = std::min(span.end, recording.end);
        if (begin > end || span.end < recording.begin) continue;
        if (!busy.empty() && begin <= busy.back().end)
            busy.back().end = std::max(busy.back().end, end);
        else
            busy.push_back({begin, end});
    }
    return busy;
}

std::vector<Interval> gaps_of_main(const Recording& recording) {
    std::vector<Interval> gaps;
    int64_t at = recording.begin;
    const auto add = [&](int64_t until) {
        if (until - at < kShortestWaitNs) return;
        const auto mark = std::upper_bound(recording.marks.begin(), recording.marks.end(), at);
        if (mark == recording.marks.end() || *mark >= until) gaps.push_back({at, until});
    };
    for (const Interval& busy : busy_times(recording, recording.main)) {
        add(busy.begin);
        at = busy.end;
    }
    add(recording.end);
    return gaps;
}

// Of what the main thread asked for before the gap, and that ends within it.
void find_beside(const Recording& recording, size_t thread, const std::vector<Interval>& gaps,
                 std::vector<HandOff>& best, std::vector<int64_t>& most) {
    size_t gap = 0;
    for (const HostSpan& span : recording.threads[thread]) {
        if (!span.awaited || span.begin <= recording.begin) continue;
        while (gap < gaps.size() && gaps[gap].end < span.end)
            ++gap;
        if (gap == gaps.size()) return;
        const auto [begin, end] = gaps[gap];
        if (span.begin >= begin || span.end <= begin) continue;
        const int64_t waited = span.end - begin;
        if (waited < (end - begin) / 2 || waited <= most[gap]) continue;
        most[gap] = waited;
        best[gap].worker = thread;
        best[gap].wake = span.begin;
        best[gap].done = span.end;
        best[gap].beside = true;
    }
}

}  // namespace

std::vector<HandOff> find_hand_offs(const Recording& recording) {
    if (recording.threads.size() < 2) return {};
    const std::vector<Interval> gaps = gaps_of_main(recording);
    std::vector<HandOff> best(gaps.size());
    std::vector<int64_t> most(gaps.size());
    for (size_t thread = 0; thread < recording.threads.size(); ++thread) {
        if (thread == recording.main) continue;
        const std::vector<Interval> busy = busy_times(recording, thread);
        size_t at = 0;
        for (size_t gap = 0; gap < gaps.size(); ++gap) {
            while (at < busy.size() && busy[at].end <= gaps[gap].begin)
                ++at;
            const size_t first = at;
            while (at < busy.size() && busy[at].end <= gaps[gap].end)
                ++at;
            const bool crosses = (first < busy.size() && busy[first].begin < gaps[gap].begin) ||
                                 (at < busy.size() && busy[at].begin < gaps[gap].end);
            if (crosses || first == at) continue;
            const int64_t wake = busy[first].begin, done = busy[at - 1].end;
            if (done - wake < (gaps[gap].end - gaps[gap].begin) / 2 || done - wake <= most[gap]) continue;
            most[gap] = done - wake;
            best[gap].worker = thread;
            best[gap].wake = wake;
            best[gap].done = done;
            best[gap].beside = false;
        }
        find_beside(recording, thread, gaps, best, most);
    }
    std::vector<HandOff> found;
    for (size_t gap = 0; gap < gaps.size(); ++gap)
        if (most[gap] > 0) found.push_back(best[gap]);
    return found;
}

}  // namespace opsight::replay
