#include "analyze/collective_ranges.h"

#include <absl/container/flat_hash_map.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <tuple>

#include "cost/torch_call.h"

namespace opsight::analyze {
namespace {

constexpr std::string_view kPrefix = "nccl:";
constexpr int kMostAround = 8;  // spans between a launch and the op of its process group

class RangeTeller {
  public:
    RangeTeller(Profile& profile, const Analysis& analysis) : p_(profile), a_(analysis) {}

    void run() {
        absl::flat_hash_map<HostSpanId, size_t> only;  // the one kernel that a range launched
        for (size_t span = 0; span < p_.device.size(); ++span) {
            const HostSpanId range = range_of(span);
            if (!range.valid()) continue;
            const auto [slot, is_new] = only.try_emplace(range, span);
            if (!is_new) slot->second = p_.device.size();
        }
        for (size_t span = 0; span < p_.device.size() && !only.empty(); ++span) {
            const HostSpanId range = range_of(span);
            if (range.valid() && only.at(range) == span) tell(range, span);
        }
    }

  private:
    // The range that tells of this kernel; invalid: none.
    HostSpanId range_of(size_t span) const {
        const KernelId kernel = a_.kernel[span];
        if (p_.device.collective[span].valid() || !kernel.valid() ||
            a_.kernels[kernel.index()].kernel_class != KernelClass::kCommunication)
            return {};
        HostSpanId at = a_.launch[span];
        for (int i = 0; at.valid() && i < kMostAround; ++i, at = a_.parent[at.index()])
            if (p_.host.kind[at.index()] == HostKind::kAnnotation &&
                p_.host.detail[at.index()] != StringId::kNone)
                return at;
        return {};
    }

    void tell(HostSpanId range, size_t span) {
        const std::string moves(p_.strings.view(StringId(p_.host.detail[range.index()])));
        const size_t blank = moves.find(' ');
        const std::string_view name = p_.strings.view(p_.host.name[range.index()]);
        if (blank == moves.npos || !name.starts_with(kPrefix)) return;
        const std::string kind(name.substr(kPrefix.size()));
        Collective c;
        c.in_elements = std::atoll(moves.c_str());
        if (kind == "all_reduce" || kind == "broadcast" || kind == "reduce")
            c.out_elements = c.in_elements;
        else if (kind == "all_to_all")
            c.out_elements = received(range).value_or(-1);
        if (c.out_elements < 0) return;
        c.name = p_.strings.intern(kind);
        c.dtype = p_.strings.intern(moves.substr(blank + 1));
        c.group_name = c.group_description = c.group_ranks = StringId(size_t{0});
        p_.device.collective[span] = number_of(c);
    }

    // Of c10d::alltoall_base_(output, input, ...) around the range.
    std::optional<int64_t> received(HostSpanId range) const {
        HostSpanId at = a_.parent[range.index()];
        for (int i = 0; at.valid() && i < kMostAround; ++i, at = a_.parent[at.index()]) {
            if (p_.host.kind[at.index()] != HostKind::kOp ||
                p_.strings.view(p_.host.name[at.index()]) != "c10d::alltoall_base_")
                continue;
            const SignatureId signature = p_.op_details.signature[p_.host.detail[at.index()]];
            if (!signature.valid()) return std::nullopt;
            const auto shapes = cost::read_shapes(p_.strings.view(p_.signatures[signature.index()].shapes));
            return shapes.empty() || shapes[0].empty() ? std::nullopt : element_count(shapes[0]);
        }
        return std::nullopt;
    }

    CollectiveId number_of(const Collective& c) {
        const auto [slot, is_new] =
            numbers_.try_emplace({c.name, c.dtype, c.in_elements, c.out_elements}, p_.collectives.size());
        if (is_new) p_.collectives.push_back(c);
        return slot->second;
    }

    Profile& p_;
    const Analysis& a_;
    absl::flat_hash_map<std::tuple<StringId, StringId, int64_t, int64_t>, CollectiveId> numbers_;
};

}  // namespace

void take_collectives_of_ranges(Profile& profile, const Analysis& analysis) {
    RangeTeller(profile, analysis).run();
}

}  // namespace opsight::analyze
