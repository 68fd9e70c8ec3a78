#include <algorithm>

#include "replay/host_chains.h"
#include "replay/recording.h"
#include "replay/streams.h"

namespace opsight::replay {
namespace {

// A span begins a task and ends one, and work has its stream, its launch and the end of an iteration before
// and behind it: a graph that grew to that would be copied on the way, with twice the memory meanwhile.
Graph graph_for(const Recording& recording) {
    size_t host = recording.marks.size(), device = 0;
    for (const auto& thread : recording.threads)
        host += thread.size();
    for (const auto& stream : recording.streams)
        device += stream.size();
    Graph graph;
    graph.tasks.reserve(2 * host + device);
    graph.edges.reserve(2 * host + 3 * device);
    return graph;
}

class Builder {
  public:
    explicit Builder(const Recording& recording)
        : recording_(recording),
          out_{.graph = graph_for(recording)},
          chains_(chain_threads(recording, out_.graph)) {}

    Built make() {
        first_device_ = static_cast<uint32_t>(out_.graph.tasks.size());
        Streams streams = chain_streams(recording_, chains_, out_.graph);
        out_.event_waits = streams.event_waits;
        out_.hand_offs = static_cast<int64_t>(chains_.hand_offs.size());
        work_ = std::move(streams.work);
        find_copies();
        for (const Wait& wait : chains_.waits)
            resolve(wait);
        complete();
        return std::move(out_);
    }

  private:
    const HostSpan& span_of(const Wait& wait) const { return recording_.threads[wait.thread][wait.span]; }

    const DeviceSpan& device_span(uint32_t task) const {
        const Task& of = out_.graph.tasks[task];
        return recording_.streams[static_cast<size_t>(of.place)][static_cast<size_t>(of.span)];
    }

    // The work that each copying call launched, by the task that its call begins with.
    void find_copies() {
        for (auto task = first_device_; task < out_.graph.tasks.size(); ++task)
            if (const Caller* caller = chains_.callers.find(device_span(task).launch))
                launched_[caller->task] = task;
    }

    void resolve(const Wait& wait) {
        const CallKind call = span_of(wait).call;
        const int64_t latest_end = wait.end + kClockNs;
        int64_t until = wait.begin;
        const auto wait_for = [&](uint32_t task, int64_t end) {
            out_.graph.link(task, wait.after, Link::kSync);
            until = std::max(until, end);
            ++out_.waits;
        };
        if (call == CallKind::kCopy) {
            const auto launched = launched_.find(wait.after - 1);
            if (launched != launched_.end() && device_span(launched->second).end <= latest_end)
                wait_for(launched->second, device_span(launched->second).end);
        } else if (call == CallKind::kEventSync || call == CallKind::kQueueFull) {
            if (const auto* item = last_ended(wait); item) wait_for(item->task, item->end);
        } else {
            for (const StreamWork::Item* item : awaited(wait))
                wait_for(item->task, item->end);
        }
        Task& rest = out_.graph.tasks[wait.after];
        rest.begin = std::min(until, wait.end);
        rest.duration = wait.end - rest.begin;
    }

    const StreamWork::Item* last_ended(const Wait& wait) const {
        const StreamWork::Item* latest = nullptr;
        for (const StreamWork& work : work_) {
            const auto* item = work.ended_by(wait.end + kClockNs, wait.begin);
            if (item && item->end > wait.begin && (!latest || item->end > latest->end)) latest = item;
        }
        return latest;
    }

    std::vector<const StreamWork::Item*> awaited(const Wait& wait) const {
        const HostSpan& span = span_of(wait);
        std::vector<const StreamWork::Item*> items;
        const bool told = span.stream >= 0 && static_cast<size_t>(span.stream) < work_.size();
        bool left = false;
        for (size_t stream = 0; stream < work_.size(); ++stream) {
            if (told && stream != static_cast<size_t>(span.stream)) continue;
            const auto* item = work_[stream].launched_before(wait.begin);
            if (!item) continue;
            if (item->end <= wait.end + kClockNs)
                items.push_back(item);
            else
                left = true;
        }
        if (span.call == CallKind::kFree && left) return {};
        const bool of_unknown = span.call == CallKind::kStreamSync && !told && items.size() > 1;
        if (!of_unknown) return items;
        // Which stream is not told: the one that ended last, if the call outlasted it.
        const auto* latest = *std::max_element(items.begin(), items.end(),
                                               [](const auto* a, const auto* b) { return a->end < b->end; });
        if (latest->end <= wait.begin) return {};
        return {latest};
    }

    // Marks where iterations are complete: the main thread is there, and what was launched before is done.
    void complete() {
        Graph& graph = out_.graph;
        const auto marks = chains_.marks.size();
        const size_t iterations = std::max<size_t>(marks, 1);
        std::vector<int64_t> measured(iterations + 1, recording_.begin);
        for (size_t i = 0; i <= iterations; ++i)
            graph.completions.push_back(graph.add({}));
        for (size_t i = 0; i < iterations; ++i) {
            graph.link(graph.completions[i], graph.completions[i + 1], Link::kMark);
            if (marks == 0) continue;
            graph.link(chains_.marks[i], graph.completions[i + 1], Link::kMark);
            measured[i + 1] = recording_.marks[i];
        }
        for (auto task = first_device_; task < graph.completions[0]; ++task) {
            const DeviceSpan& span = device_span(task);
            const size_t of = iteration_of(span.launch_begin, marks);
            if (of > iterations) continue;
            graph.link(task, graph.completions[of], Link::kMark);
            measured[of] = std::max(measured[of], span.end);
        }
        if (marks == 0)
            for (size_t thread = 0; thread < chains_.ends.size(); ++thread) {
                graph.link(chains_.ends[thread], graph.completions[1], Link::kMark);
                for (const HostSpan& span : recording_.threads[thread])
                    measured[1] = std::max(measured[1], std::min(span.end, recording_.end));
            }
        for (size_t i = 0; i < measured.size(); ++i) {
            if (i > 0) measured[i] = std::max(measured[i], measured[i - 1]);
            out_.completions.push_back(measured[i]);
        }
    }

    // The number of the completion that work launched then counts for.
    size_t iteration_of(int64_t launch, size_t marks) const {
        if (launch < recording_.begin) return 0;
        if (marks == 0) return 1;
        const auto after = std::upper_bound(recording_.marks.begin(), recording_.marks.end(), launch);
        return static_cast<size_t>(after - recording_.marks.begin()) + 1;
    }

    const Recording& recording_;
    Built out_;
    HostChains chains_;
    std::vector<StreamWork> work_;
    uint32_t first_device_ = 0;
    std::unordered_map<uint32_t, uint32_t> launched_;
};

}  // namespace

Built build(const Recording& recording) {
    return Builder(recording).make();
}

}  // namespace opsight::replay
