#include "replay/streams.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace opsight::replay {
namespace {

// A delay before work that is longer, and that nothing explains, stays as it was recorded.
constexpr int64_t kUnexplainedNs = 10'000;
// A launch takes less: work that starts later after its call waits for something that was not recorded.
constexpr int64_t kLongestLaunchNs = 1'000'000;
// With more streams than this, only those count as waited for that ended just before.
constexpr size_t kFewStreams = 8;

// Typical delays of a recording.
struct Delays {
    std::array<int64_t, kWorkKinds>
        launch{};                  // from the begin of the call, where the stream had nothing to do
    std::vector<int64_t> between;  // between two pieces of work that had been launched, by stream
};

int64_t median(std::vector<int64_t>& values) {
    if (values.empty()) return 0;
    const auto middle = values.begin() + static_cast<int64_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

bool has_launch(const DeviceSpan& span, const HostChains& chains) {
    return chains.callers.find(span.launch) != nullptr;
}

// Calls that let a stream wait for another one, by time.
struct StreamWaits {
    std::vector<std::vector<int64_t>> of_stream;
    std::vector<int64_t> of_any;

    explicit StreamWaits(const Recording& recording) : of_stream(recording.streams.size()) {
        for (const auto& thread : recording.threads)
            for (const HostSpan& span : thread) {
                if (span.call != CallKind::kStreamWait) continue;
                const bool told = span.stream >= 0 && static_cast<size_t>(span.stream) < of_stream.size();
                (told ? of_stream[static_cast<size_t>(span.stream)] : of_any).push_back(span.begin);
            }
        for (auto& times : of_stream)
            std::sort(times.begin(), times.end());
        std::sort(of_any.begin(), of_any.end());
    }

    // The last one after `from` and before `until`; -1: none.
    static int64_t last_between(const std::vector<int64_t>& times, int64_t from, int64_t until) {
        const auto after = std::lower_bound(times.begin(), times.end(), until);
        return after == times.begin() || *(after - 1) <= from ? -1 : *(after - 1);
    }
};

// Where the stream had nothing to do, and no other stream to wait for.
void take_launch_delays(const std::vector<DeviceSpan>& spans, const std::vector<int64_t>& waits,
                        const HostChains& chains, std::array<std::vector<int64_t>, kWorkKinds>& delays) {
    int64_t busy_until = INT64_MIN, last_launch = INT64_MIN;
    for (const DeviceSpan& span : spans) {
        const bool first = has_launch(span, chains) && span.launch_begin != last_launch;
        const bool waited = StreamWaits::last_between(waits, last_launch, span.launch_begin) >= 0;
        const int64_t delay = span.begin - span.launch_begin;
        if (first && !waited && busy_until <= span.launch_begin && 0 <= delay && delay <= kLongestLaunchNs)
            delays[static_cast<size_t>(span.kind)].push_back(delay);
        last_launch = span.launch_begin;
        busy_until = std::max(busy_until, span.end);
    }
}

Delays typical_delays(const Recording& recording, const HostChains& chains, const StreamWaits& waits) {
    Delays delays;
    std::array<std::vector<int64_t>, kWorkKinds> launches;
    for (size_t stream = 0; stream < recording.streams.size(); ++stream) {
        const auto& told = waits.of_stream[stream];
        take_launch_delays(recording.streams[stream], told.empty() ? waits.of_any : told, chains, launches);
    }
    for (size_t kind = 0; kind < kWorkKinds; ++kind)
        delays.launch[kind] = median(launches[kind]);
    for (const auto& stream : recording.streams) {
        int64_t busy_until = INT64_MIN, sum = 0, count = 0;
        for (const DeviceSpan& span : stream) {
            const int64_t launched = span.launch_begin + delays.launch[static_cast<size_t>(span.kind)];
            const bool queued = busy_until > launched && span.begin >= busy_until;
            if (queued && span.begin - busy_until <= kUnexplainedNs) {
                sum += span.begin - busy_until;
                ++count;
            }
            busy_until = std::max(busy_until, span.end);
        }
        delays.between.push_back(count ? sum / count : 0);
    }
    return delays;
}

class StreamChains {
  public:
    StreamChains(const Recording& recording, const HostChains& chains, Graph& graph)
        : recording_(recording),
          chains_(chains),
          graph_(graph),
          waits_(recording),
          delays_(typical_delays(recording, chains, waits_)) {}

    Streams make() {
        out_.work.resize(recording_.streams.size());
        for (size_t stream = 0; stream < recording_.streams.size(); ++stream)
            add_tasks(stream);
        for (StreamWork& work : out_.work)
            work.sort();
        for (size_t stream = 0; stream < recording_.streams.size(); ++stream)
            chain(stream);
        return std::move(out_);
    }

  private:
    void add_tasks(size_t stream) {
        const auto& spans = recording_.streams[stream];
        first_.push_back(static_cast<uint32_t>(graph_.tasks.size()));
        for (size_t i = 0; i < spans.size(); ++i) {
            const int64_t begin = std::max(spans[i].begin, recording_.begin);
            const bool earlier = spans[i].launch_begin < recording_.begin;  // it decides when all begins
            RuleSet rules = earlier ? 0 : spans[i].rules;
            if (const Caller* caller = chains_.callers.find(spans[i].launch); !earlier && caller)
                rules |= caller->rules;
            const uint32_t task =
                graph_.add({TaskKind::kDevice, static_cast<int32_t>(stream), static_cast<int64_t>(i),
                            std::max<int64_t>(spans[i].end - begin, 0), 0, rules, begin});
            out_.work[stream].add(task, spans[i].launch_begin, spans[i].end);
        }
    }

    void chain(size_t stream) {
        const auto& spans = recording_.streams[stream];
        size_t last = 0;  // that which ended last
        for (size_t i = 0; i < spans.size(); ++i) {
            const uint32_t task = first_[stream] + static_cast<uint32_t>(i);
            const int64_t begin = std::max(spans[i].begin, recording_.begin);
            int64_t explained = recording_.begin;
            if (i > 0) explained = follow(stream, last, i, begin);
            if (const Caller* caller = chains_.callers.find(spans[i].launch)) {
                const int64_t lag = delays_.launch[static_cast<size_t>(spans[i].kind)];
                graph_.link(caller->task, task, Link::kLaunch, lag, true);
                explained = std::max(explained, std::max(spans[i].launch_begin, recording_.begin) + lag);
            }
            const int64_t since = i > 0 ? spans[i - 1].launch_begin : INT64_MIN;
            explained = std::max(explained, wait_for_streams(stream, task, spans[i], since, explained));
            if (begin - explained > kUnexplainedNs) graph_.tasks[task].delay = begin - explained;
            if (spans[i].end >= spans[last].end) last = i;
        }
    }

    // Returns when its place in the stream lets it start.
    int64_t follow(size_t stream, size_t last, size_t i, int64_t begin) {
        const auto& spans = recording_.streams[stream];
        const uint32_t task = first_[stream] + static_cast<uint32_t>(i);
        if (begin >= spans[last].end) {
            const int64_t lag = delays_.between[stream];
            graph_.link(first_[stream] + static_cast<uint32_t>(last), task, Link::kOrder, lag);
            return spans[last].end + lag;
        }
        // Some devices start work before that before it ends.
        const int64_t before = std::max(spans[i - 1].begin, recording_.begin);
        graph_.link(task - 1, task, Link::kOrder, std::max<int64_t>(begin - before, 0), true);
        return begin;
    }

    int64_t wait_for_streams(size_t stream, uint32_t task, const DeviceSpan& span, int64_t since,
                             int64_t explained) {
        const int64_t told = StreamWaits::last_between(waits_.of_stream[stream], since, span.launch_begin);
        const bool late = span.begin - explained > kUnexplainedNs;
        int64_t call = told;
        if (call < 0 && late) call = StreamWaits::last_between(waits_.of_any, since, span.launch_begin);
        if (call < 0) return explained;
        const StreamWork::Item* latest = nullptr;
        for (size_t other = 0; other < out_.work.size(); ++other) {
            if (other == stream) continue;
            const StreamWork::Item* item = out_.work[other].launched_before(call);
            if (!item || item->end > span.begin + kClockNs) continue;
            if (!latest || item->end > latest->end) latest = item;
            if (told >= 0 && out_.work.size() <= kFewStreams) add_wait(*item, task);
        }
        if (!latest) return explained;
        const bool binding = latest->end > explained;
        if (told < 0 || out_.work.size() > kFewStreams) {
            if (!binding) return explained;
            add_wait(*latest, task);
        }
        return std::max(explained, latest->end);
    }

    void add_wait(const StreamWork::Item& item, uint32_t task) {
        graph_.link(item.task, task, Link::kEvent);
        ++out_.event_waits;
    }

    const Recording& recording_;
    const HostChains& chains_;
    Graph& graph_;
    StreamWaits waits_;
    Delays delays_;
    Streams out_;
    std::vector<uint32_t> first_;
};

}  // namespace

void StreamWork::sort() {
    std::stable_sort(items_.begin(), items_.end(),
                     [](const Item& a, const Item& b) { return a.launch < b.launch; });
    for (uint32_t i = 0; i < items_.size(); ++i)
        last_.push_back(i > 0 && items_[last_.back()].end > items_[i].end ? last_.back() : i);
    by_end_.resize(items_.size());
    std::iota(by_end_.begin(), by_end_.end(), 0U);
    std::stable_sort(by_end_.begin(), by_end_.end(),
                     [&](uint32_t a, uint32_t b) { return items_[a].end < items_[b].end; });
}

const StreamWork::Item* StreamWork::launched_before(int64_t time) const {
    const auto after = std::lower_bound(items_.begin(), items_.end(), time,
                                        [](const Item& item, int64_t at) { return item.launch < at; });
    return after == items_.begin() ? nullptr
                                   : &items_[last_[static_cast<size_t>(after - items_.begin() - 1)]];
}

const StreamWork::Item* StreamWork::ended_by(int64_t end, int64_t launch) const {
    auto at = std::upper_bound(by_end_.begin(), by_end_.end(), end,
                               [&](int64_t time, uint32_t i) { return time < items_[i].end; });
    for (int tries = 0; at != by_end_.begin() && tries < 64; ++tries)
        if (const Item& item = items_[*--at]; item.launch < launch) return &item;
    return nullptr;
}

Streams chain_streams(const Recording& recording, const HostChains& chains, Graph& graph) {
    return StreamChains(recording, chains, graph).make();
}

}  // namespace opsight::replay
