#include "analyze/capture_times.h"

#include <algorithm>
#include <map>
#include <set>

#include "analyze/track_rows.h"
#include "base/text.h"

namespace opsight::analyze {
namespace {

enum class Call : int8_t { kUnseen, kOther, kBegin, kEnd };

Call call_of(std::string_view name) {
    if (text::contains(name, "BeginCapture")) return Call::kBegin;
    return text::contains(name, "EndCapture") ? Call::kEnd : Call::kOther;
}

struct Event {
    int64_t time;
    Call call;
    int64_t end;  // of an end of a capture: when it is over; of a begin: of its thread
    TrackId thread;
};

std::vector<std::vector<Event>> events_by_rank(const Profile& p) {
    std::vector<std::vector<Event>> events(p.ranks.size());
    std::vector<Call> calls(p.strings.size(), Call::kUnseen);
    for (const TrackRows& rows : track_rows(p.host.track)) {
        std::vector<Event>& of_rank = events[p.tracks[rows.track.index()].rank.index()];
        const size_t first = of_rank.size();
        int64_t thread_end = 0;
        for (uint32_t row = rows.first; row < rows.last; ++row) {
            const int64_t end = p.host.begin[row] + p.host.dur[row];
            thread_end = std::max(thread_end, end);
            if (p.host.kind[row] != HostKind::kRuntimeApi && p.host.kind[row] != HostKind::kDriverApi)
                continue;
            Call& call = calls[p.host.name[row].index()];
            if (call == Call::kUnseen) call = call_of(p.strings.view(p.host.name[row]));
            const bool failed = p.api_result[p.host.detail[row]] > 0;
            if (call == Call::kEnd || (call == Call::kBegin && !failed))
                of_rank.push_back({p.host.begin[row], call, end, rows.track});
        }
        for (size_t i = first; i < of_rank.size(); ++i)
            if (of_rank[i].call == Call::kBegin) of_rank[i].end = thread_end;
    }
    return events;
}

// Captures that go on, each by the thread that began it.
class OpenCaptures {
  public:
    explicit OpenCaptures(Intervals& found) : found_(found) {}

    void begin(const Event& event) {
        close(event.thread, event.time);  // the driver's call in the runtime's, or its end is lost
        open_[event.thread] = {event.time, event.end};
        order_.insert({event.time, event.thread});
    }
    void end(const Event& event) {
        if (order_.empty()) return;
        close(open_.contains(event.thread) ? event.thread : order_.rbegin()->second, event.end);
    }
    void finish() {
        for (const auto& [thread, capture] : open_)
            found_.push_back(capture);
    }

  private:
    void close(TrackId thread, int64_t end) {
        const auto found = open_.find(thread);
        if (found == open_.end()) return;
        found_.push_back({found->second.begin, end});
        order_.erase({found->second.begin, thread});
        open_.erase(found);
    }

    Intervals& found_;
    std::map<TrackId, Interval> open_;
    std::set<std::pair<int64_t, TrackId>> order_;
};

}  // namespace

std::vector<Intervals> find_capture_times(const Profile& profile) {
    std::vector<Intervals> result;
    for (std::vector<Event>& events : events_by_rank(profile)) {
        std::stable_sort(events.begin(), events.end(),
                         [](const Event& a, const Event& b) { return a.time < b.time; });
        Intervals& captures = result.emplace_back();
        OpenCaptures open(captures);
        for (const Event& event : events)
            event.call == Call::kBegin ? open.begin(event) : open.end(event);
        open.finish();
        merge(captures);
    }
    return result;
}

const Interval* capture_at(const Intervals& captures, int64_t time) {
    const auto after = std::upper_bound(captures.begin(), captures.end(), time,
                                        [](int64_t t, const Interval& each) { return t < each.begin; });
    if (after == captures.begin() || std::prev(after)->end <= time) return nullptr;
    return &*std::prev(after);
}

}  // namespace opsight::analyze
