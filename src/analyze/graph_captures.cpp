#include "analyze/graph_captures.h"

#include <algorithm>

#include "analyze/capture_times.h"
#include "analyze/device_kinds.h"
#include "analyze/launch_calls.h"

namespace opsight::analyze {
namespace {

NodeWork work_of_call(LaunchCall call, StringId kernel) {
    if (call == LaunchCall::kCopy) return kCopyNode;
    if (call == LaunchCall::kSet) return kSetNode;
    return call == LaunchCall::kKernel && kernel.valid() && kernel.value != 0 ? kernel.value : kUntoldNode;
}

class CaptureFinder {
  public:
    CaptureFinder(const Profile& profile, const Analysis& analysis)
        : p_(profile), a_(analysis), kinds_(profile), times_(find_capture_times(profile)) {}

    std::vector<GraphCapture> run() {
        std::vector<GraphCapture> captures;
        std::vector<std::vector<uint32_t>> calls = captured_calls();
        for (uint32_t rank = 0; rank < calls.size(); ++rank)
            find(RankId(rank), calls[rank], captures);
        std::stable_sort(captures.begin(), captures.end(),
                         [](const GraphCapture& a, const GraphCapture& b) { return a.end < b.end; });
        return captures;
    }

  private:
    void find(RankId rank, std::vector<uint32_t>& calls, std::vector<GraphCapture>& captures) {
        std::stable_sort(calls.begin(), calls.end(),
                         [&](uint32_t a, uint32_t b) { return p_.host.begin[a] < p_.host.begin[b]; });
        const Interval* last = nullptr;
        for (const uint32_t row : calls) {
            const Interval* time = capture_at(times_[rank.index()], p_.host.begin[row]);
            if (time != last) captures.push_back({rank, time->end, {}, {}});
            last = time;
            GraphCapture& capture = captures.back();
            capture.work.push_back(work_of_call(kinds_(row), p_.api_kernel[p_.host.detail[row]]));
            capture.told &= capture.work.back() != kUntoldNode;
            capture.origin.push_back(a_.op_span[row].valid() ? a_.op_span[row] : HostSpanId(row));
        }
    }

    // By rank. What had work of its own went to a stream that was not captured.
    std::vector<std::vector<uint32_t>> captured_calls() {
        std::vector<std::vector<uint32_t>> calls(times_.size());
        if (std::all_of(times_.begin(), times_.end(), [](const Intervals& t) { return t.empty(); }))
            return calls;
        const std::vector<bool> has_work = calls_with_work(p_, a_);
        for (uint32_t row = 0; row < p_.host.size(); ++row) {
            if (!is_api(p_.host.kind[row]) || has_work[row] || kinds_(row) == LaunchCall::kOther) continue;
            const size_t rank = p_.tracks[p_.host.track[row].index()].rank.index();
            if (is_outer_call(p_, a_, row) && capture_at(times_[rank], p_.host.begin[row]))
                calls[rank].push_back(row);
        }
        return calls;
    }

    const Profile& p_;
    const Analysis& a_;
    CallKinds kinds_;
    const std::vector<Intervals> times_;  // by rank
};

// ROCm copies and sets with kernels of its own where they lie on one device.
NodeWork work_of_span(const Profile& p, uint32_t span) {
    if (p.device.kind[span] == DeviceKind::kMemcpy) return kCopyNode;
    if (p.device.kind[span] == DeviceKind::kMemset) return kSetNode;
    const std::string_view name = p.strings.view(p.device.name[span]);
    if (name.starts_with("__amd_rocclr_copyBuffer")) return kCopyNode;
    return name.starts_with("__amd_rocclr_fillBuffer") ? kSetNode : p.device.name[span].value;
}

}  // namespace

std::vector<GraphCapture> find_graph_captures(const Profile& profile, const Analysis& analysis) {
    return CaptureFinder(profile, analysis).run();
}

std::vector<GraphReplay> find_graph_replays(const Profile& profile, const Analysis& analysis) {
    CallKinds kinds(profile);
    std::vector<GraphReplay> replays;
    absl::flat_hash_map<uint32_t, size_t> by_launch;
    for (uint32_t span = 0; span < profile.device.size(); ++span) {
        if (!is_work(profile.device.kind[span])) continue;
        const HostSpanId launch = analysis.launch[span];
        if (!launch.valid() || kinds(launch.index()) != LaunchCall::kGraph) continue;
        const auto [it, is_new] = by_launch.try_emplace(launch.value, replays.size());
        if (is_new) replays.push_back({launch, {}});
        replays[it->second].spans.push_back(span);
    }
    for (GraphReplay& replay : replays)
        std::stable_sort(replay.spans.begin(), replay.spans.end(), [&](uint32_t a, uint32_t b) {
            return profile.device.begin[a] < profile.device.begin[b];
        });
    std::sort(replays.begin(), replays.end(),
              [](const GraphReplay& a, const GraphReplay& b) { return a.launch < b.launch; });
    return replays;
}

std::vector<NodeWork> work_of(const Profile& profile, const GraphReplay& replay) {
    std::vector<NodeWork> work;
    work.reserve(replay.spans.size());
    for (const uint32_t span : replay.spans)
        work.push_back(work_of_span(profile, span));
    return work;
}

void CaptureIndex::add(const std::vector<NodeWork>& work, size_t capture) {
    fitting_[work].push_back(capture);
    if (work.size() < kFewestWithoutLast) return;
    fitting_[std::vector<NodeWork>(work.begin(), work.end() - 1)].push_back(capture);
}

const std::vector<size_t>* CaptureIndex::find(const std::vector<NodeWork>& work) const {
    const auto found = fitting_.find(work);
    return found == fitting_.end() ? nullptr : &found->second;
}

namespace {

CapturedOp words_of(const Profile& p, const Analysis& a, HostSpanId origin) {
    const auto text = [&](StringId id) { return std::string(p.strings.view(id)); };
    const size_t row = origin.index();
    CapturedOp op;
    LayerId layer = a.layer[row];
    op.is_op = p.host.kind[row] == HostKind::kOp;
    if (op.is_op) {
        const Op& known = a.ops[a.op[p.host.detail[row]].index()];
        op.name = text(known.name);
        op.shapes = text(known.shapes);
        op.dtypes = text(known.dtypes);
        op.direction = known.direction;
        layer = known.layer;
    } else {
        op.name = text(p.host.name[row]);
    }
    for (; layer.valid(); layer = a.layers[layer.index()].parent)
        op.layer.push_back(text(a.layers[layer.index()].name));
    std::reverse(op.layer.begin(), op.layer.end());
    return op;
}

}  // namespace

void add_captured_graphs(const Profile& profile, const Analysis& analysis, CapturedGraphs& to) {
    absl::flat_hash_map<std::pair<uint32_t, uint32_t>, uint32_t> known;  // by op, or by call and layer
    const auto op_of = [&](HostSpanId origin) {
        const size_t row = origin.index();
        const bool is_op = profile.host.kind[row] == HostKind::kOp;
        const auto key = is_op ? std::pair(analysis.op[profile.host.detail[row]].value, UINT32_MAX - 1)
                               : std::pair(profile.host.name[row].value, analysis.layer[row].value);
        const auto [it, is_new] = known.try_emplace(key, static_cast<uint32_t>(to.ops.size()));
        if (is_new) to.ops.push_back(words_of(profile, analysis, origin));
        return it->second;
    };
    for (const GraphCapture& capture : find_graph_captures(profile, analysis)) {
        if (!capture.told) {
            ++to.untold;
            continue;
        }
        CapturedGraphs::Graph graph;
        for (size_t i = 0; i < capture.work.size(); ++i) {
            const NodeWork work = capture.work[i];
            const bool kernel = work != kCopyNode && work != kSetNode;
            graph.kernels.emplace_back(kernel ? profile.strings.view(StringId(size_t{work}))
                                              : std::string_view());
            graph.work.push_back(kernel ? 0 : work);
            graph.ops.push_back(op_of(capture.origin[i]));
        }
        to.graphs.push_back(std::move(graph));
    }
}

}  // namespace opsight::analyze
