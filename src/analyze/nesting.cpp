#include "analyze/nesting.h"

#include <algorithm>
#include <mutex>

#include "analyze/open_spans.h"
#include "analyze/parallel.h"
#include "analyze/track_rows.h"

namespace opsight::analyze {
namespace {

class ThreadSweep {
  public:
    ThreadSweep(Profile& profile, Analysis& analysis)
        : p_(profile), h_(profile.host), a_(analysis), open_(profile.host), open_ops_(profile.host) {}

    void run(const TrackRows& rows) {
        for (uint32_t row = rows.first; row < rows.last; ++row) {
            place(row);
            place_among_ops(row);
        }
        for (uint32_t row = rows.first; row < rows.last; ++row)
            if (h_.kind[row] == HostKind::kOp) {
                int64_t& self = a_.self_ns[h_.detail[row]];
                self = std::max<int64_t>(self, 0);
            }
    }
    Diagnostics& diagnostics() { return diagnostics_; }

  private:
    void place(uint32_t row) {
        open_.advance(row);
        if (is_call(row)) return place_call(row);
        if (is_leaf(row)) {
            if (!open_.empty()) enter(row, open_.top());
            return;
        }
        const OpenSpans::Place place = open_.place_of(row);
        if (open_.encloses(place)) enter(row, open_.around(place));
        if (h_.kind[row] == HostKind::kOp)
            open_.push(row, place);
        else
            open_.slide_under(row, place);
        if (place.crosses) note_crossing(row);
    }

    bool is_call(uint32_t row) const {
        return h_.kind[row] == HostKind::kRuntimeApi || h_.kind[row] == HostKind::kDriverApi;
    }
    bool is_leaf(uint32_t row) const {
        return (h_.flags[row] & kInstant) || h_.kind[row] == HostKind::kOverhead ||
               h_.kind[row] == HostKind::kOsRuntime;
    }

    // A call belongs to what is open at its begin, even where it ends later.
    void place_call(uint32_t row) {
        OpenSpans::Place place{h_.begin[row] + h_.dur[row], open_.depth(), false};
        if (!open_.empty()) {
            enter(row, open_.top());
            if (place.end > open_.top_end() + kRoundingNs) note_crossing(row);
            place.end = std::min(place.end, open_.top_end());
        }
        open_.push(row, place);
    }

    void enter(uint32_t row, uint32_t outer) {
        a_.parent[row] = HostSpanId(outer);
        a_.depth[row] = static_cast<uint16_t>(std::min<uint32_t>(a_.depth[outer] + 1u, UINT16_MAX));
    }

    void place_among_ops(uint32_t row) {
        open_ops_.advance(row);
        if (h_.kind[row] != HostKind::kOp) {
            if (!open_ops_.empty()) a_.op_span[row] = HostSpanId(open_ops_.top());
            return;
        }
        const OpenSpans::Place place = open_ops_.place_of(row);
        a_.self_ns[h_.detail[row]] += h_.dur[row];
        if (open_ops_.encloses(place)) {
            const uint32_t outer = open_ops_.around(place);
            a_.op_span[row] = HostSpanId(outer);
            a_.self_ns[h_.detail[outer]] -= place.end - h_.begin[row];
        }
        if (!(h_.flags[row] & kInstant)) open_ops_.push(row, place);
    }

    void note_crossing(uint32_t row) {
        constexpr Diag diag = Diag::kOverlappingSpans;
        h_.flags[row] |= kOverlapping;
        DiagOccurrence where;
        if (diagnostics_.wants_place(diag))
            where = {{}, -1, h_.begin[row], std::string(p_.strings.view(h_.name[row]))};
        diagnostics_.add(diag, std::move(where));
    }

    Profile& p_;
    HostSpans& h_;
    Analysis& a_;
    OpenSpans open_, open_ops_;
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

}  // namespace opsight::analyze
