#include "analyze/attribution.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <optional>

#include "analyze/correlated_calls.h"
#include "analyze/device_kinds.h"
#include "analyze/id_map.h"
#include "analyze/names.h"
#include "analyze/told_ops.h"
#include "analyze/track_rows.h"
#include "model/source_limits.h"

namespace opsight::analyze {
namespace {

using IdRows = std::vector<std::pair<int64_t, uint32_t>>;

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
        calls_.emplace(p_);
        told_ = told_of_spans(p_);
        for (size_t span = 0; span < spans; ++span)
            attribute(span);
        check_external_ids();
    }

  private:
    RankId rank_of(TrackId track) const { return p_.tracks[track.index()].rank; }

    void attribute(size_t span) {
        const DeviceKind kind = p_.device.kind[span];
        if (kind == DeviceKind::kAnnotation) return;
        const bool work = is_busy(kind);
        const RankId rank = rank_of(p_.device.track[span]);
        const uint32_t call = call_of(span);
        if (call == CorrelatedCalls::kNone) {
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

    uint32_t call_of(size_t span) {
        const CorrelatedCalls::Found found = calls_->of_span(span);
        if (found.others) note_span(p_, Diag::kDuplicateCorrelation, span);
        return found.row;
    }

    // Traces without API calls may draw an arrow from where an op begins to its device work. Of ops that
    // begin together the one of the work's name is meant, else the innermost.
    HostSpanId op_by_arrow(size_t span, RankId rank) {
        const int64_t id = p_.device.correlation[span];
        if (id < 0 || calls_->has_calls(rank) || p_.flows.empty()) return {};
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
    std::optional<CorrelatedCalls> calls_;
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
