#include "analyze/nesting.h"

#include <algorithm>
#include <mutex>

#include "analyze/parallel.h"
#include "analyze/track_rows.h"

namespace opsight {
namespace {

class ThreadSweep {
  public:
    ThreadSweep(Profile& profile, Analysis& analysis) : p_(profile), h_(profile.host), a_(analysis) {}

    void run(const TrackRows& rows) {
        for (uint32_t row = rows.first; row < rows.last; ++row)
            place(row);
        for (uint32_t row = rows.first; row < rows.last; ++row)
            if (h_.kind[row] == HostKind::kOp) {
                int64_t& self = a_.self_ns[h_.detail[row]];
                self = std::max<int64_t>(self, 0);
            }
    }
    Diagnostics& diagnostics() { return diagnostics_; }

  private:
    struct Open {
        int64_t end;
        uint32_t row;
    };

    void place(uint32_t row) {
        const int64_t begin = h_.begin[row];
        int64_t end = begin + h_.dur[row];
        while (!open_.empty() && open_.back().end <= begin && !holds_empty(open_.back(), row))
            open_.pop_back();
        const bool leaf = (h_.flags[row] & kInstant) || h_.kind[row] == HostKind::kOverhead;
        size_t outside = open_.size();  // how many open spans enclose it
        if (is_call(row))
            end = clip(row, begin, end);
        else if (!leaf)
            outside = make_room(row, begin, end);
        // What crosses the end of an op or a range does not end it: the op stays the innermost one. Of two
        // ops that cross, the later one is the innermost.
        if (h_.kind[row] == HostKind::kOp) open_.resize(outside);

        if (outside > 0) enter(row, open_[outside - 1].row, end - begin);
        if (h_.kind[row] == HostKind::kOp) a_.self_ns[h_.detail[row]] += h_.dur[row];
        if (!leaf) open_.insert(open_.begin() + static_cast<ptrdiff_t>(outside), {end, row});
    }

    bool is_call(uint32_t row) const {
        return h_.kind[row] == HostKind::kRuntimeApi || h_.kind[row] == HostKind::kDriverApi;
    }

    // A call belongs to what is open at its begin, even where it ends later.
    int64_t clip(uint32_t row, int64_t begin, int64_t end) {
        if (open_.empty() || end <= open_.back().end) return end;
        if (end - open_.back().end > kRoundingNs) note_crossing(row, begin);
        return open_.back().end;
    }

    // Both have no length and begin together: only their kinds tell whether one holds the other.
    bool holds_empty(const Open& outer, uint32_t row) const {
        return h_.dur[row] == 0 && h_.begin[outer.row] == h_.begin[row] &&
               inwardness(h_.kind[outer.row]) < inwardness(h_.kind[row]);
    }

    // How many of the open spans enclose the row; rounds `end` to that of a span that it exceeds by little.
    // Inserted above those, the ends on the stack never grow.
    size_t make_room(uint32_t row, int64_t begin, int64_t& end) {
        bool crosses = false;
        size_t outside = open_.size();
        for (; outside > 0 && open_[outside - 1].end < end; --outside) {
            const int64_t beyond = end - open_[outside - 1].end, within = open_[outside - 1].end - begin;
            if (beyond <= kRoundingNs && beyond <= within) {
                end = open_[outside - 1].end;
                break;
            }
            crosses |= within > kRoundingNs;
        }
        if (crosses) note_crossing(row, begin);
        return outside;
    }

    void note_crossing(uint32_t row, int64_t begin) {
        h_.flags[row] |= kOverlapping;
        diagnostics_.add(Diag::kOverlappingSpans,
                         diagnostics_.wants_place(Diag::kOverlappingSpans)
                             ? DiagOccurrence{{}, -1, begin, std::string(p_.strings.view(h_.name[row]))}
                             : DiagOccurrence{});
    }

    void enter(uint32_t row, uint32_t outer, int64_t within) {
        a_.parent[row] = HostSpanId(outer);
        a_.depth[row] = static_cast<uint16_t>(std::min<uint32_t>(a_.depth[outer] + 1u, UINT16_MAX));
        const HostSpanId op = h_.kind[outer] == HostKind::kOp ? HostSpanId(outer) : a_.op_span[outer];
        a_.op_span[row] = op;
        if (op.valid() && h_.kind[row] == HostKind::kOp) a_.self_ns[h_.detail[op.index()]] -= within;
    }

    Profile& p_;
    HostSpans& h_;
    Analysis& a_;
    std::vector<Open> open_;
    Diagnostics diagnostics_;
};

}  // namespace

void find_nesting(Profile& profile, Analysis& analysis, unsigned threads) {
    const size_t rows = profile.host.size();
    analysis.parent.assign(rows, HostSpanId());
    analysis.depth.assign(rows, 0);
    analysis.op_span.assign(rows, HostSpanId());
    analysis.self_ns.assign(profile.op_details.size(), 0);

    std::vector<TrackRows> tracks = track_rows(profile.host.track);
    std::erase_if(tracks, [&](const TrackRows& t) {
        return profile.tracks[t.track.index()].kind == TrackKind::kOther;
    });
    std::mutex mutex;
    parallel_over(
        tracks, threads, [](const TrackRows& t) { return size_t{t.last - t.first}; },
        [&](const TrackRows& t) {
            ThreadSweep sweep(profile, analysis);
            sweep.run(t);
            const std::lock_guard lock(mutex);
            profile.diagnostics.merge(sweep.diagnostics());
        });
}

}  // namespace opsight
