#include "analyze/collective_ranges.h"

#include <absl/container/flat_hash_map.h>

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
                p_.host.detail[at.index()] != SignatureId::kNone)
                return at;
        return {};
    }

    void tell(HostSpanId range, size_t span) {
        std::string_view kind = p_.strings.view(p_.host.name[range.index()]);
        kind.remove_prefix(kind.starts_with(kPrefix) ? kPrefix.size() : 0);
        const Given given = given_to(kind, SignatureId(p_.host.detail[range.index()]));
        Collective c;
        c.in_elements = given.elements;
        if (kind == "all_reduce" || kind == "broadcast" || kind == "reduce")
            c.out_elements = c.in_elements;
        else if (kind == "all_to_all")
            c.out_elements = received(range);
        if (c.in_elements < 0 || c.out_elements < 0) return;
        c.name = p_.strings.intern(std::string(kind));
        c.dtype = p_.strings.intern(name_of(given.type));
        c.group_name = c.group_description = c.group_ranks = StringId(size_t{0});
        p_.device.collective[span] = number_of(c);
    }

    // All tensors together; -1: not told, too many, or of several types.
    struct Given {
        int64_t elements = -1;
        ElementType type = ElementType::kUnknown;
    };

    Given given_to(std::string_view name, SignatureId id) const {
        int64_t sum = 0;
        ElementType type = ElementType::kUnknown;
        for (const cost::TorchArgument& argument : call_of(name, id).arguments)
            for (const cost::TorchTensor& tensor : argument.tensors) {
                const std::optional<int64_t> elements = element_count(tensor.shape);
                const bool alike = type == ElementType::kUnknown || type == tensor.type;
                if (!elements || !alike || __builtin_add_overflow(sum, *elements, &sum)) return {};
                type = tensor.type;
            }
        return type == ElementType::kUnknown ? Given() : Given{sum, type};
    }

    cost::TorchCall call_of(std::string_view name, SignatureId id) const {
        const Signature& s = p_.signatures[id.index()];
        return cost::read_torch_call(name, {p_.strings.view(s.shapes), p_.strings.view(s.dtypes), {}, {}},
                                     ElementType::kUnknown);
    }

    // By c10d::alltoall_base_(output, input, ...) around the range; -1: not told.
    int64_t received(HostSpanId range) const {
        constexpr std::string_view kOp = "c10d::alltoall_base_";
        HostSpanId at = a_.parent[range.index()];
        for (int i = 0; at.valid() && i < kMostAround; ++i, at = a_.parent[at.index()]) {
            if (p_.host.kind[at.index()] != HostKind::kOp || p_.strings.view(p_.host.name[at.index()]) != kOp)
                continue;
            const SignatureId signature = p_.op_details.signature[p_.host.detail[at.index()]];
            if (!signature.valid()) return -1;
            const cost::TorchCall call = call_of(kOp, signature);
            const cost::TorchTensor* output = call.tensor(0);
            return output ? element_count(output->shape).value_or(-1) : -1;
        }
        return -1;
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
