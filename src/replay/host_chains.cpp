#include "replay/host_chains.h"

#include <algorithm>
#include <limits>

namespace opsight::replay {
namespace {

bool may_wait(CallKind call) {
    return call != CallKind::kNone && call != CallKind::kStreamWait;
}

class Chain {
  public:
    Chain(const Recording& recording, size_t thread, Graph& graph, HostChains& out)
        : recording_(recording),
          spans_(recording.threads[thread]),
          thread_(thread),
          main_(thread == recording.main),
          graph_(graph),
          out_(out),
          now_(recording.begin) {
        for (HandOff& each : out.hand_offs)
            if (main_ || each.worker == thread) {
                hand_offs_.push_back(&each);
                if (main_ && each.beside) beside_.push_back(&each);
            }
        std::sort(beside_.begin(), beside_.end(),
                  [](const HandOff* a, const HandOff* b) { return a->wake < b->wake; });
    }

    void make() {
        for (size_t i = 0; i < spans_.size(); ++i) {
            const HostSpan& span = spans_[i];
            if (span.end < recording_.begin || span.begin > recording_.end) continue;
            const int64_t begin = std::max(span.begin, recording_.begin);
            close_until(begin);
            reach(begin);
            const int64_t end = std::min(span.end, open_.empty() ? recording_.end : open_.back().end);
            const RuleSet rules = rules_of_open() | span.rules;
            out_.callers.set(span.id, {next_task(), rules});
            if (may_wait(span.call))
                i = wait(i, begin, std::max(begin, end), rules);
            else
                open_.push_back({i, std::max(begin, end), rules});
        }
        close_until(recording_.end);
        while (!open_.empty())
            close();
        finish();
    }

  private:
    struct Open {
        size_t span = 0;
        int64_t end = 0;
        RuleSet rules = 0;
    };

    uint32_t next_task() const { return static_cast<uint32_t>(graph_.tasks.size()); }
    RuleSet rules_of_open() const { return open_.empty() ? 0 : open_.back().rules; }

    uint32_t append(TaskKind kind, int64_t span, int64_t duration, RuleSet rules) {
        const uint32_t task =
            graph_.add({kind, static_cast<int32_t>(thread_), span, duration, 0, rules, now_});
        if (last_ != HandOff::kNone) graph_.link(last_, task, Link::kOrder);
        return last_ = task;
    }

    void close() {
        reach(open_.back().end);
        open_.pop_back();
    }
    void close_until(int64_t time) {
        while (!open_.empty() && open_.back().end <= time)
            close();
    }

    // What the thread does until then belongs to the innermost open span.
    void reach(int64_t time) {
        if (time <= now_) return;
        if (open_.empty())
            pass_gap(time);
        else
            stretch(time, static_cast<int64_t>(open_.back().span), open_.back().rules);
        now_ = time;
    }

    // When the main thread next is at the end of an iteration, or asks for work that goes on beside its own.
    int64_t next_mark() const {
        return main_ && mark_ < recording_.marks.size() ? recording_.marks[mark_] : kNever;
    }
    int64_t next_beside() const { return started_ < beside_.size() ? beside_[started_]->wake : kNever; }

    // What begins elsewhere while the main thread waits it had asked for before.
    void ask_before(int64_t time) {
        while (next_beside() < time) {
            HandOff& off = *beside_[started_++];
            off.lag = std::max<int64_t>(0, off.wake - now_);
            off.asked = append(TaskKind::kMark, -1, 0, 0);
        }
    }

    void stretch(int64_t until, int64_t span, RuleSet rules) {
        for (int64_t mark = next_mark(), ask = next_beside(); std::min(mark, ask) <= until;
             mark = next_mark(), ask = next_beside()) {
            const int64_t at = std::max(std::min(mark, ask), now_);
            if (at > now_) append(TaskKind::kHost, span, at - now_, rules);
            const uint32_t task = append(TaskKind::kMark, -1, 0, 0);
            if (mark <= ask) {
                out_.marks.push_back(task);
                ++mark_;
            } else {
                beside_[started_++]->asked = task;
            }
            now_ = at;
        }
        if (until > now_) append(TaskKind::kHost, span, until - now_, rules);
        now_ = until;
    }

    void pass_gap(int64_t until) {
        if (!main_) return pass_gap_of_worker(until);
        while (next_ < hand_offs_.size() && hand_offs_[next_]->done <= until) {
            HandOff& off = *hand_offs_[next_++];
            if (off.first == HandOff::kNone || off.last == HandOff::kNone) continue;
            if (off.beside ? off.asked == HandOff::kNone || off.done < now_ : off.wake < now_) continue;
            if (!off.beside) {
                stretch(off.wake, -1, 0);
                off.asked = append(TaskKind::kMark, -1, 0, 0);
            }
            ask_before(off.done);
            now_ = off.done;
            off.resumed = append(TaskKind::kMark, -1, 0, 0);
        }
        stretch(until, -1, 0);
    }

    void pass_gap_of_worker(int64_t until) {
        note_done();
        if (next_ < hand_offs_.size() && hand_offs_[next_]->wake == until)
            hand_offs_[next_]->first = next_task();
        else
            append(TaskKind::kHost, -1, until - now_, 0);
    }

    // A worker has no more to do for a hand-off.
    void note_done() {
        while (next_ < hand_offs_.size() && hand_offs_[next_]->done <= now_)
            hand_offs_[next_++]->last = last_;
    }

    // Returns the last span that it holds: what goes on within a wait is part of it.
    size_t wait(size_t i, int64_t begin, int64_t end, RuleSet rules) {
        const auto span = static_cast<int64_t>(i);
        ask_before(end);
        const Caller caller{append(TaskKind::kMark, -1, 0, 0), rules};
        out_.callers.set(spans_[i].id, caller);
        const uint32_t after = append(TaskKind::kHost, span, end - begin, rules);
        out_.waits.push_back({thread_, i, begin, end, after});
        now_ = std::max(now_, end);
        for (; i + 1 < spans_.size() && spans_[i + 1].begin < end; ++i)
            out_.callers.set(spans_[i + 1].id, {caller.task, rules | spans_[i + 1].rules});
        return i;
    }

    void finish() {
        if (main_ && !recording_.marks.empty()) reach(std::max(now_, recording_.marks.back()));
        if (main_) stretch(now_, -1, 0);
        while (main_ && out_.marks.size() < recording_.marks.size())
            out_.marks.push_back(append(TaskKind::kMark, -1, 0, 0));
        if (!main_) note_done();
        out_.ends[thread_] = append(TaskKind::kMark, -1, 0, 0);
    }

    const Recording& recording_;
    const std::vector<HostSpan>& spans_;
    size_t thread_;
    bool main_;
    Graph& graph_;
    HostChains& out_;
    static constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
    std::vector<HandOff*> hand_offs_, beside_;
    size_t next_ = 0, mark_ = 0, started_ = 0;
    std::vector<Open> open_;
    int64_t now_ = 0;
    uint32_t last_ = HandOff::kNone;
};

}  // namespace

Callers::Callers(const Recording& recording) {
    size_t work = 0;
    for (const auto& stream : recording.streams)
        work += stream.size();
    known_.reserve(work);
    for (const auto& stream : recording.streams)
        for (const DeviceSpan& span : stream)
            if (span.launch >= 0) known_.try_emplace(span.launch);
}

HostChains chain_threads(const Recording& recording, Graph& graph) {
    HostChains chains(recording);
    chains.ends.resize(recording.threads.size());
    chains.hand_offs = find_hand_offs(recording);
    const auto make = [&](size_t thread) { Chain(recording, thread, graph, chains).make(); };
    for (size_t thread = 0; thread < recording.threads.size(); ++thread)
        if (thread != recording.main) make(thread);
    if (recording.main < recording.threads.size()) make(recording.main);
    std::erase_if(chains.hand_offs, [](const HandOff& off) { return off.resumed == HandOff::kNone; });
    for (const HandOff& off : chains.hand_offs) {
        graph.link(off.asked, off.first, Link::kHandOff, off.lag);
        graph.link(off.last, off.resumed, Link::kHandOff);
    }
    return chains;
}

}  // namespace opsight::replay
