#include "analyze/op_work.h"

#include <algorithm>

#include "analyze/launch_calls.h"
#include "analyze/launch_order.h"

namespace opsight::analyze {
namespace {

constexpr uint32_t kNone = UINT32_MAX;

class OpWorkSums {
  public:
    OpWorkSums(const Profile& profile, Analysis& analysis)
        : p_(profile), a_(analysis), order_(profile, analysis), work_of_(profile.op_details.size(), kNone) {}

    void run() {
        find_ops_with_work();
        for (size_t row = 0; row < p_.host.size(); ++row)
            if (is_outermost_call(p_, a_, row) && a_.op_span[row].valid())
                work(a_.op_span[row]).api_ns += p_.host.dur[row];
        for (uint32_t at = 0; at < order_.size(); ++at)
            add_span(at);
        // Children have higher rows than their parents: backwards, every op is complete when its turn comes.
        for (size_t i = a_.op_work.size(); i-- > 0;) {
            finish(i);
            hand_up(i);
        }
    }

  private:
    struct Stretch {
        uint32_t first = kNone, last = 0;  // of order_
        uint32_t own = kNone;    // last span launched with the op itself innermost; a chain by next_own_
        uint32_t child = kNone;  // a child with work
        bool empty() const { return first == kNone; }
    };

    OpWork& work(HostSpanId op) { return a_.op_work[work_of_[p_.host.detail[op.index()]]]; }

    void mark(HostSpanId op) {
        for (; op.valid() && work_of_[p_.host.detail[op.index()]] == kNone; op = a_.op_span[op.index()])
            work_of_[p_.host.detail[op.index()]] = 0;
    }

    void find_ops_with_work() {
        for (size_t row = 0; row < p_.host.size(); ++row)
            if (is_api(p_.host.kind[row])) mark(a_.op_span[row]);
        for (uint32_t at = 0; at < order_.size(); ++at)
            mark(a_.launch_op[order_.span(at)]);
        const auto marked = static_cast<size_t>(
            std::count_if(work_of_.begin(), work_of_.end(), [](uint32_t w) { return w != kNone; }));
        a_.op_work.clear();
        a_.op_work.reserve(marked);
        for (size_t row = 0; row < p_.host.size(); ++row) {
            if (p_.host.kind[row] != HostKind::kOp || work_of_[p_.host.detail[row]] == kNone) continue;
            work_of_[p_.host.detail[row]] = static_cast<uint32_t>(a_.op_work.size());
            a_.op_work.push_back({});
            a_.op_work.back().span = HostSpanId(row);
        }
        stretches_.resize(a_.op_work.size());
        next_own_.assign(order_.size(), kNone);
    }

    void add_span(uint32_t at) {
        const uint32_t span = order_.span(at);
        if (!a_.launch_op[span].valid()) return;
        const uint32_t index = work_of_[p_.host.detail[a_.launch_op[span].index()]];
        OpWork& w = a_.op_work[index];
        Stretch& s = stretches_[index];
        if (s.empty()) s.first = at;
        s.last = at + 1;
        next_own_[at] = s.own;
        s.own = at;
        if (p_.device.kind[span] == DeviceKind::kMemcpy) ++w.memcpys;
        if (p_.device.kind[span] == DeviceKind::kMemset) ++w.memsets;
        if (p_.device.kind[span] == DeviceKind::kKernel) add_kernel(w, span);
        // Of a graph that was recorded as a whole nobody knows what its kernels used.
        if (p_.device.kind[span] == DeviceKind::kGraph) ++w.unknown_tc_kernels;
    }

    void add_kernel(OpWork& w, uint32_t span) const {
        const int64_t dur = p_.device.dur[span];
        const TensorCoreUse use = a_.kernels[a_.kernel[span].index()].uses_tc;
        ++w.kernels;
        ++w.self_kernels;
        w.kernel_ns += dur;
        w.self_kernel_ns += dur;
        if (use == TensorCoreUse::kYes) {
            ++w.tc_kernels;
            w.tc_kernel_ns += dur;
        }
        if (use == TensorCoreUse::kUnknown) ++w.unknown_tc_kernels;
    }

    void finish(size_t i) {
        OpWork& w = a_.op_work[i];
        const Stretch& s = stretches_[i];
        if (s.empty()) return;
        const bool like_child = s.own == kNone && s.child != kNone && stretches_[s.child].first == s.first &&
                                stretches_[s.child].last == s.last;
        if (like_child) {
            w.gpu_ns = a_.op_work[s.child].gpu_ns;
            w.gpu_idle_ns = a_.op_work[s.child].gpu_idle_ns;
            return;
        }
        const LaunchOrder::Cover cover = order_.cover(s.first, s.last);
        w.gpu_ns = cover.covered_ns;
        w.gpu_idle_ns = cover.end - cover.begin - cover.covered_ns;
        if (s.own == kNone) return;
        if (s.child == kNone) {
            w.self_gpu_ns = w.gpu_ns;
            return;
        }
        own_.clear();
        for (uint32_t at = s.own; at != kNone; at = next_own_[at])
            own_.push_back(at);
        w.self_gpu_ns = order_.cover_of(own_).covered_ns;
    }

    void hand_up(size_t i) {
        const OpWork& w = a_.op_work[i];
        const HostSpanId outer = a_.op_span[w.span.index()];
        if (!outer.valid()) return;
        const uint32_t index = work_of_[p_.host.detail[outer.index()]];
        OpWork& up = a_.op_work[index];
        up.api_ns += w.api_ns;
        up.kernel_ns += w.kernel_ns;
        up.tc_kernel_ns += w.tc_kernel_ns;
        up.kernels += w.kernels;
        up.tc_kernels += w.tc_kernels;
        up.unknown_tc_kernels += w.unknown_tc_kernels;
        up.memcpys += w.memcpys;
        up.memsets += w.memsets;
        const Stretch& s = stretches_[i];
        if (s.empty()) return;
        Stretch& around = stretches_[index];
        around.first = std::min(around.first, s.first);
        around.last = std::max(around.last, s.last);
        around.child = static_cast<uint32_t>(i);
    }

    const Profile& p_;
    Analysis& a_;
    LaunchOrder order_;
    std::vector<uint32_t> work_of_;   // row of op_work, beside OpDetails
    std::vector<Stretch> stretches_;  // beside op_work
    std::vector<uint32_t> next_own_, own_;
};

}  // namespace

void sum_op_work(const Profile& profile, Analysis& analysis) {
    OpWorkSums(profile, analysis).run();
}

}  // namespace opsight::analyze
