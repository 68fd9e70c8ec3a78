#include "analyze/ops.h"

#include <absl/container/flat_hash_map.h>

#include "analyze/names.h"
#include "hardware/op_tables.h"
#include "hardware/tensor_cores.h"

namespace opsight {
namespace {

class OpTable {
  public:
    OpTable(StringPool& strings, std::vector<Op>& ops) : strings_(strings), ops_(ops) {}

    OpId get(const Op& op) {
        const auto [it, is_new] =
            known_.try_emplace({op.name.value, op.layer.value, static_cast<uint32_t>(op.direction),
                                op.shapes.value, op.dtypes.value},
                               OpId(ops_.size()));
        if (is_new) ops_.push_back(op);
        return it->second;
    }
    OpId pseudo(std::string_view name, std::string_view type, LayerId layer = {}) {
        Op op;
        op.name = strings_.intern(name);
        op.type = strings_.intern(type);
        op.layer = layer;
        op.direction = Direction::kOther;
        op.shapes = op.dtypes = StringId(size_t{0});
        return get(op);
    }

  private:
    struct Key {
        uint32_t name, layer, direction, shapes, dtypes;
        friend bool operator==(const Key&, const Key&) = default;
        template <class H>
        friend H AbslHashValue(H state, const Key& k) {
            return H::combine(std::move(state), k.name, k.layer, k.direction, k.shapes, k.dtypes);
        }
    };
    StringPool& strings_;
    std::vector<Op>& ops_;
    absl::flat_hash_map<Key, OpId> known_;
};

void fill_type(Op& op, StringPool& strings, absl::flat_hash_map<StringId, std::pair<StringId, bool>>& known) {
    const auto [it, is_new] = known.try_emplace(op.name);
    if (is_new) {
        const std::string_view name = strings.view(op.name);
        const std::string type(op_type_of(name));
        it->second = {strings.intern(type),
                      hardware::is_tensor_core_op(name) || hardware::is_tensor_core_node_type(type)};
    }
    op.type = it->second.first;
    op.tc_eligible = it->second.second;
}

// Which dtypes the matrix units of a profile's devices take.
class Eligibility {
  public:
    explicit Eligibility(const Profile& profile) : strings_(profile.strings) {
        for (const Device& d : profile.devices) {
            any_ |= hardware::has_tensor_cores(d.name, d.compute_major, d.compute_minor).value_or(true);
            fp64_ |= hardware::has_fp64_tensor_cores(d.name, d.compute_major, d.compute_minor).value_or(true);
        }
    }
    // The first tensor among the inputs decides: ["float", "Scalar"]
    bool operator()(StringId dtypes) const {
        if (!any_) return false;
        std::string_view rest = strings_.view(dtypes);
        while (true) {
            const size_t open = rest.find('"');
            if (open == std::string_view::npos) return true;
            rest.remove_prefix(open + 1);
            const size_t close = std::min(rest.find('"'), rest.size());
            const std::string_view dtype = rest.substr(0, close);
            if (!dtype.empty() && dtype != "Scalar") return hardware::is_tensor_core_dtype(dtype, fp64_);
            rest.remove_prefix(std::min(close + 1, rest.size()));
        }
    }

  private:
    const StringPool& strings_;
    bool any_ = false, fp64_ = false;
};

// Instances: by name, layer, direction and signature; the signature stands for its shapes and dtypes.
void identify_instances(Profile& profile, Analysis& analysis, const std::vector<Direction>& directions,
                        OpTable& table) {
    const HostSpans& h = profile.host;
    absl::flat_hash_map<StringId, std::pair<StringId, bool>> types;
    const Eligibility suits(profile);
    struct Last {  // the same op mostly comes with the same signature again
        uint64_t name_layer = UINT64_MAX, signature_direction = 0;
        OpId op;
    };
    std::vector<Last> last(1024);
    analysis.op.assign(profile.op_details.size(), OpId());
    for (size_t row = 0; row < h.size(); ++row) {
        if (h.kind[row] != HostKind::kOp) continue;
        const SignatureId signature = profile.op_details.signature[h.detail[row]];
        const uint64_t name_layer = uint64_t{h.name[row].value} << 32 | analysis.layer[row].value;
        const uint64_t rest = uint64_t{signature.value} << 8 | static_cast<uint64_t>(directions[row]);
        const uint64_t mixed = (name_layer ^ rest * 0x9E3779B97F4A7C15u) * 0x9E3779B97F4A7C15u;
        Last& slot = last[mixed >> 54];
        if (slot.name_layer != name_layer || slot.signature_direction != rest || !slot.op.valid()) {
            Op op;
            op.name = h.name[row];
            op.layer = analysis.layer[row];
            op.direction = directions[row];
            op.shapes = op.dtypes = StringId(size_t{0});
            if (signature.valid()) {
                op.shapes = profile.signatures[signature.index()].shapes;
                op.dtypes = profile.signatures[signature.index()].dtypes;
            }
            fill_type(op, profile.strings, types);
            op.tc_eligible = op.tc_eligible && suits(op.dtypes);
            slot = {name_layer, rest, table.get(op)};
        }
        analysis.op[h.detail[row]] = slot.op;
    }
}

void identify_device_work(Profile& profile, Analysis& analysis, const std::vector<Direction>& directions,
                          const std::vector<HostSpanId>& annotations, const std::vector<HostSpanId>& captures,
                          OpTable& table) {
    const HostSpans& h = profile.host;
    // By the name of the API call and the layer that it lies in.
    absl::flat_hash_map<std::pair<uint32_t, uint32_t>, OpId> unassociated;
    OpId unattributed;
    analysis.device_op.assign(profile.device.size(), OpId());
    for (size_t span = 0; span < profile.device.size(); ++span) {
        OpId& op = analysis.device_op[span];
        const HostSpanId launch = analysis.launch[span];
        const HostSpanId captured = captures.empty() ? HostSpanId() : captures[span];
        const bool in_op = captured.valid() && h.kind[captured.index()] == HostKind::kOp;
        if (in_op || (!captured.valid() && analysis.launch_op[span].valid())) {
            op = analysis.op[h.detail[(in_op ? captured : analysis.launch_op[span]).index()]];
        } else if (captured.valid() || annotations[span].valid()) {
            const size_t row = (captured.valid() ? captured : annotations[span]).index();
            Op range;
            range.name = h.name[row];
            range.type = profile.strings.intern("annotation");
            range.layer = analysis.layer[captured.valid() ? row : launch.index()];
            // A range that says nothing of its direction has none, whatever the user calls it.
            const bool told = captured.valid() || directions[row] != Direction::kForward;
            range.direction = told ? directions[row] : Direction::kOther;
            range.shapes = range.dtypes = StringId(size_t{0});
            op = table.get(range);
        } else if (launch.valid()) {
            const LayerId layer = analysis.layer[launch.index()];
            OpId& known = unassociated[{h.name[launch.index()].value, layer.value}];
            if (!known.valid()) {
                std::string name("unassociated_");
                name += profile.strings.view(h.name[launch.index()]);
                known = table.pseudo(name, "unassociated", layer);
            }
            op = known;
        } else {
            if (!unattributed.valid()) unattributed = table.pseudo("unattributed", "unattributed");
            op = unattributed;
        }
    }
}

}  // namespace

void identify_ops(Profile& profile, Analysis& analysis, const std::vector<Direction>& directions,
                  const std::vector<HostSpanId>& annotations, const std::vector<HostSpanId>& captures) {
    OpTable table(profile.strings, analysis.ops);
    identify_instances(profile, analysis, directions, table);
    identify_device_work(profile, analysis, directions, annotations, captures, table);
}

}  // namespace opsight
