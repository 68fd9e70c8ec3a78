#include "replay/graph.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace opsight::replay {
namespace {

double factor_of(RuleSet rules, const Changes& changes) {
    double factor = 1;
    for (; rules; rules &= rules - 1) {
        const auto rule = static_cast<size_t>(std::countr_zero(rules));
        if (rule < changes.factors.size()) factor *= changes.factors[rule];
    }
    return factor;
}

int64_t scaled(int64_t duration, double factor) {
    return factor == 1 ? duration : std::llround(static_cast<double>(duration) * factor);
}

// What is not there any more needs no time before it either.
int64_t lag_of(const Edge& edge, bool removed) {
    return removed ? std::min<int64_t>(edge.lag, 0) : edge.lag;
}

struct Successors {
    std::vector<uint32_t> first, edges;
    explicit Successors(const Graph& graph) : first(graph.tasks.size() + 1), edges(graph.edges.size()) {
        for (const Edge& edge : graph.edges)
            ++first[edge.from + 1];
        for (size_t i = 1; i < first.size(); ++i)
            first[i] += first[i - 1];
        std::vector<uint32_t> next(first.begin(), first.end() - 1);
        for (uint32_t i = 0; i < graph.edges.size(); ++i)
            edges[next[graph.edges[i].from]++] = i;
    }
};

}  // namespace

std::optional<Times> replay(const Graph& graph, const Changes& changes) {
    const size_t count = graph.tasks.size();
    const Successors successors(graph);
    std::vector<uint32_t> open(count);
    for (const Edge& edge : graph.edges)
        ++open[edge.to];
    Times times{std::vector<int64_t>(count), std::vector<int64_t>(count),
                std::vector<uint32_t>(count, Times::kNone)};
    std::vector<uint32_t> ready;
    for (uint32_t i = 0; i < count; ++i)
        if (open[i] == 0) ready.push_back(i);
    size_t done = 0;
    while (!ready.empty()) {
        const uint32_t at = ready.back();
        ready.pop_back();
        ++done;
        const Task& task = graph.tasks[at];
        const double factor = factor_of(task.rules, changes);
        times.start[at] += factor == 0 ? 0 : task.delay;
        times.end[at] = times.start[at] + scaled(task.duration, factor);
        for (uint32_t i = successors.first[at]; i < successors.first[at + 1]; ++i) {
            const Edge& edge = graph.edges[successors.edges[i]];
            const bool removed = edge.lag > 0 && factor_of(graph.tasks[edge.to].rules, changes) == 0;
            const int64_t from = (edge.from_start ? times.start : times.end)[at] + lag_of(edge, removed);
            const bool counts = !(changes.no_waits && edge.link == Link::kSync);
            if (counts && (from > times.start[edge.to] ||
                           (from == times.start[edge.to] && times.bound_by[edge.to] == Times::kNone))) {
                times.start[edge.to] = from;
                times.bound_by[edge.to] = successors.edges[i];
            }
            if (--open[edge.to] == 0) ready.push_back(edge.to);
        }
    }
    if (done < count) return std::nullopt;
    return times;
}

void critical_path(const Graph& graph, const Changes& changes, const Times& times,
                   const std::function<void(const PathPiece&)>& take) {
    if (graph.completions.empty()) return;
    const int64_t stop = times.end[graph.completions.front()];
    const auto add = [&](Piece piece, uint32_t task, int64_t begin, int64_t end) {
        begin = std::max(begin, stop);
        if (end > begin) take({piece, task, begin, end});
    };
    uint32_t at = graph.completions.back();
    bool whole = true;  // the task is on the path, not its start alone
    while (true) {
        const Task& task = graph.tasks[at];
        const int64_t start = times.start[at];
        const int64_t released = start - (factor_of(task.rules, changes) == 0 ? 0 : task.delay);
        if (whole) add(Piece::kTask, at, start, times.end[at]);
        add(Piece::kUnexplained, at, released, start);
        const uint32_t bound = times.bound_by[at];
        if (bound == Times::kNone || released <= stop) {
            add(Piece::kUnexplained, at, 0, released);
            return;
        }
        const Edge& edge = graph.edges[bound];
        const Piece lag = edge.link == Link::kLaunch  ? Piece::kLaunchDelay
                          : edge.link == Link::kOrder ? Piece::kStreamDelay
                                                      : Piece::kOtherDelay;
        add(lag, at, (edge.from_start ? times.start : times.end)[edge.from], released);
        whole = !edge.from_start;
        at = edge.from;
    }
}

}  // namespace opsight::replay
