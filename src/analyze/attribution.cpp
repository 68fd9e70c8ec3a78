#include "analyze/attribution.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <optional>

#include "analyze/device_kinds.h"
#include "analyze/id_map.h"
#include "analyze/launch_calls.h"
#include "analyze/names.h"
#include "analyze/told_ops.h"
#include "analyze/track_rows.h"
#include "model/source_limits.h"

namespace opsight::analyze {
namespace {

using IdRows = std::vector<std::pair<int64_t, uint32_t>>;

// Profilers write 0 or -1 where a call or a span has no correlation.
bool is_correlation(int64_t id) {
    return id != 0 && id != -1;
}

class Attribution {
  public:
    Attribution(Profile& profile, Analysis& analysis, std::vector<HostSpanId>& annotations)
        : p_(profile), a_(analysis), annotations_(annotations), names_(profile.strings) {}

    void run() {
        const size_t spans = p_.device.size();
        a_.launch.assign(spans, HostSpanId());
        a_.launch_op.assign(spans, HostSpanId());
        a_.host_ns = p_.device.begin;
        annotations_.assign(spans, HostSpanId());
        if (spans == 0) return;
        index_calls();
        told_ = told_of_spans(p_);
        for (size_t span = 0; span < spans; ++span)
            attribute(span);
        check_external_ids();
    }

  private:
    RankId rank_of(TrackId track) const { return p_.tracks[track.index()].rank; }

    void index_calls() {
        std::vector<size_t> counts(p_.ranks.size(), 0);
        for (uint32_t row = 0; row < p_.host.size(); ++row)
            if (is_api(p_.host.kind[row])) ++counts[rank_of(p_.host.track[row]).index()];
        std::vector<IdRows> calls(p_.ranks.size());
        for (size_t rank = 0; rank < calls.size(); ++rank)
            calls[rank].reserve(counts[rank]);
        for (uint32_t row = 0; row < p_.host.size(); ++row) {
            if (!is_api(p_.host.kind[row])) continue;
            const int64_t id = p_.api_correlation[p_.host.detail[row]];
            if (is_correlation(id)) calls[rank_of(p_.host.track[row]).index()].push_back({id, row});
        }
        for (IdRows& rows : calls) {
            has_calls_.push_back(!rows.empty());
            IdMap map(rows);
            if (map.duplicates() > 0) {
                std::stable_sort(rows.begin(), rows.end(), [&](const auto& x, const auto& y) {
                    return p_.host.begin[x.second] < p_.host.begin[y.second];
                });
                map = IdMap(rows);
            }
            calls_.push_back(std::move(map));
            rows = {};
        }
    }

    void attribute(size_t span) {
        const DeviceKind kind = p_.device.kind[span];
        if (kind == DeviceKind::kAnnotation) return;
        const bool work = is_busy(kind);
        const RankId rank = rank_of(p_.device.track[span]);
        const uint32_t call = call_of(span, rank);
        if (call == IdMap::kNone) {
            if (const HostSpanId op = op_by_arrow(span, rank); op.valid()) {
                a_.launch_op[span] = op;
                a_.host_ns[span] = p_.host.begin[op.index()];
            } else if (work && !has_durations_only(p_.info) && (told_.empty() || !told_[span].valid())) {
                note_span(p_, Diag::kNoLaunch, span);
            }
            return;
        }
        a_.launch[span] = HostSpanId(call);
        a_.host_ns[span] = p_.host.begin[call];
        a_.launch_op[span] = a_.op_span[call];
        if (work && p_.device.begin[span] < p_.host.begin[call])
            note_span(p_, Diag::kNegativeLaunchDelay, span);
        // A range that the program names stands for an op where there is no framework.
        if (!a_.op_span[call].valid()) annotations_[span] = annotation_around(call);
        if (work && !names_open_op(span)) in_doubt_.push_back(static_cast<uint32_t>(span));
    }

    uint32_t call_of(size_t span, RankId rank) {
        const int64_t id = p_.device.correlation[span];
        if (!is_correlation(id)) return IdMap::kNone;
        const auto [first, last] = calls_[rank.index()].find(id);
        if (first == last) return IdMap::kNone;
        if (last - first == 1) return is_of_process(*first, span) ? *first : IdMap::kNone;
        // By rising time: the last one that began before the span, else (clocks differ) the first one after.
        const auto after =
            std::upper_bound(first, last, p_.device.begin[span],
                             [&](int64_t time, uint32_t row) { return time < p_.host.begin[row]; });
        constexpr std::ptrdiff_t kFarthest = 64;  // calls of other processes with the same number
        uint32_t found = IdMap::kNone;
        bool others = false;
        for (const uint32_t* call = after; call != first && after - call < kFarthest;) {
            if (!is_of_process(*--call, span)) continue;
            // A call may be there twice, as the program made it and within it as the driver saw it: the inner
            // one launches.
            if (found == IdMap::kNone)
                found = *call;
            else if (!encloses(*call, found))
                others = true;
        }
        for (const uint32_t* call = after; call != last && call - after < kFarthest; ++call) {
            if (!is_of_process(*call, span)) continue;
            if (found == IdMap::kNone)
                found = *call;
            else if (!encloses(found, *call))
                others = true;
        }
        if (others) note_span(p_, Diag::kDuplicateCorrelation, span);
        return found;
    }

    // Traces without API calls may draw an arrow from where an op begins to its device work. Of ops that
    // begin together the one of the work's name is meant, else the innermost.
    HostSpanId op_by_arrow(size_t span, RankId rank) {
        const int64_t id = p_.device.correlation[span];
        if (id < 0 || has_calls_[rank.index()] || p_.flows.empty()) return {};
        if (threads_.empty()) index_arrows();
        const auto arrow = arrows_.find({rank.value, id});
        if (arrow == arrows_.end()) return {};
        const auto rows = std::lower_bound(threads_.begin(), threads_.end(), arrow->second->track,
                                           [](const TrackRows& t, TrackId track) { return t.track < track; });
        if (rows == threads_.end() || rows->track != arrow->second->track) return {};
        const auto begin = p_.host.begin.begin();
        const auto first = std::lower_bound(begin + rows->first, begin + rows->last, arrow->second->time);
        HostSpanId found;
        for (auto row = static_cast<uint32_t>(first - begin);
             row < rows->last && p_.host.begin[row] == arrow->second->time; ++row) {
            if (p_.host.kind[row] != HostKind::kOp) continue;
            found = HostSpanId(row);
            if (p_.host.name[row] == p_.device.name[span]) break;
        }
        return found;
    }

    void index_arrows() {
        threads_ = track_rows(p_.host.track);
        for (const FlowEnd& flow : p_.flows)
            if (flow.kind == FlowKind::kLaunch && flow.is_start)
                arrows_.try_emplace({rank_of(flow.track).value, flow.id}, &flow);
    }

    bool is_of_process(uint32_t call, size_t span) const {
        const int64_t pid = p_.tracks[p_.device.track[span].index()].pid;
        return pid == 0 || p_.tracks[p_.host.track[call].index()].pid == pid;
    }

    bool encloses(uint32_t outer, uint32_t inner) const {
        return p_.host.track[outer] == p_.host.track[inner] && p_.host.begin[outer] <= p_.host.begin[inner] &&
               p_.host.begin[inner] + p_.host.dur[inner] <= p_.host.begin[outer] + p_.host.dur[outer];
    }

    HostSpanId annotation_around(uint32_t call) {
        for (HostSpanId at = a_.parent[call]; at.valid(); at = a_.parent[at.index()]) {
            const HostKind kind = p_.host.kind[at.index()];
            const bool range =
                kind == HostKind::kAnnotation || kind == HostKind::kDataLoad || kind == HostKind::kFileIo;
            if (range && names_[p_.host.name[at.index()]] != NameClass::kStepMarker) return at;
        }
        return {};
    }

    // Whether the span's External id is that of an op open at its launch (or there is none).
    bool names_open_op(size_t span) const {
        const int64_t id = p_.device.external_id[span];
        if (id <= 0) return true;
        for (HostSpanId op = a_.launch_op[span]; op.valid(); op = a_.op_span[op.index()])
            if (p_.op_details.external_id[p_.host.detail[op.index()]] == id) return true;
        return false;
    }

    // Of the spans in doubt those disagree whose id names an op at all, and none that contains the launch.
    void check_external_ids() {
        if (in_doubt_.empty()) return;
        std::vector<IdRows> ops(p_.ranks.size());
        for (uint32_t row = 0; row < p_.host.size(); ++row) {
            if (p_.host.kind[row] != HostKind::kOp) continue;
            const int64_t id = p_.op_details.external_id[p_.host.detail[row]];
            if (id > 0) ops[rank_of(p_.host.track[row]).index()].push_back({id, row});
        }
        std::vector<IdMap> by_id;
        for (const IdRows& rows : ops)
            by_id.emplace_back(rows);
        for (uint32_t span : in_doubt_) {
            const auto [first, last] =
                by_id[rank_of(p_.device.track[span]).index()].find(p_.device.external_id[span]);
            const size_t call = a_.launch[span].index();
            const bool contains = std::any_of(first, last, [&](uint32_t op) {
                const int64_t since = p_.host.begin[call] - p_.host.begin[op];
                return p_.host.track[op] == p_.host.track[call] && since >= 0 && since <= p_.host.dur[op];
            });
            if (first != last && !contains) note_span(p_, Diag::kExternalIdDisagrees, span);
        }
    }

    Profile& p_;
    Analysis& a_;
    std::vector<HostSpanId>& annotations_;
    NameTable names_;
    std::vector<IdMap> calls_;                                                  // by rank
    std::vector<bool> has_calls_;                                               // by rank
    std::vector<TrackRows> threads_;                                            // where arrows were needed
    absl::flat_hash_map<std::pair<uint32_t, int64_t>, const FlowEnd*> arrows_;  // by rank and number
    std::vector<ToldOpId> told_;      // by span: whose op is known needs no launch
    std::vector<uint32_t> in_doubt_;  // spans whose External id is not that of an open op
};

}  // namespace

void attribute_device_work(Profile& profile, Analysis& analysis, std::vector<HostSpanId>& annotations) {
    Attribution(profile, analysis, annotations).run();
}

}  // namespace opsight::analyze
