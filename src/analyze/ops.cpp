#include "analyze/ops.h"

#include <absl/container/flat_hash_map.h>

#include "analyze/device_kinds.h"
#include "analyze/launch_calls.h"
#include "analyze/layers.h"
#include "analyze/names.h"
#include "analyze/told_ops.h"
#include "hardware/op_tables.h"
#include "hardware/tensor_cores.h"

namespace opsight::analyze {
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

// Types of ops by name, each worked out once.
class OpTypes {
  public:
    explicit OpTypes(StringPool& strings) : strings_(strings) {}
    void fill(Op& op) {
        const auto [it, is_new] = known_.try_emplace(op.name);
        if (is_new) {
            const std::string_view name = strings_.view(op.name);
            const std::string type(op_type_of(name));
            it->second = {strings_.intern(type),
                          hardware::is_tensor_core_op(name) || hardware::is_tensor_core_node_type(type)};
        }
        op.type = it->second.first;
        op.tc_eligible = it->second.second;
    }

  private:
    StringPool& strings_;
    absl::flat_hash_map<StringId, std::pair<StringId, bool>> known_;
};

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
    OpTypes types(profile.strings);
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
            types.fill(op);
            op.tc_eligible = op.tc_eligible && suits(op.dtypes);
            slot = {name_layer, rest, table.get(op)};
        }
        analysis.op[h.detail[row]] = slot.op;
    }
}

// Ops of captures in another trace, and what making them needs.
struct Others {
    Others(Profile& profile, std::vector<Layer>& layers, size_t ops)
        : tree(profile.strings, layers), suits(profile), types(profile.strings), made(ops) {}
    Op op(Profile& profile, const CapturedOp& captured, LayerId layer) {
        Op op;
        op.name = profile.strings.intern(captured.name);
        op.layer = layer;
        op.direction = captured.direction;
        op.shapes = profile.strings.intern(captured.shapes);
        op.dtypes = profile.strings.intern(captured.dtypes);
        types.fill(op);
        op.tc_eligible = op.tc_eligible && suits(op.dtypes);
        return op;
    }

    LayerTree tree;
    Eligibility suits;
    OpTypes types;
    std::vector<OpId> made;
};

// What device work counts for: an op of the profile, of another trace that holds the capture, or a name made
// up.
class DeviceOps {
  public:
    DeviceOps(Profile& profile, Analysis& analysis, const std::vector<Direction>& directions,
              const std::vector<HostSpanId>& annotations, OpTable& table)
        : p_(profile), a_(analysis), directions_(directions), annotations_(annotations), table_(table) {}

    void identify(const Captures& captures, const CapturedGraphs* other) {
        a_.device_op.assign(p_.device.size(), OpId());
        told_ = told_of_spans(p_);
        for (size_t span = 0; span < p_.device.size(); ++span) {
            const int32_t elsewhere = other && !captures.elsewhere.empty() ? captures.elsewhere[span] : -1;
            if (elsewhere < 0) {
                a_.device_op[span] = op_of(span, captures.at(span));
                continue;
            }
            a_.device_op[span] = of_capture(*other, static_cast<uint32_t>(elsewhere));
            if (!other->ops[static_cast<size_t>(elsewhere)].is_op) note_outside(span);
        }
    }

  private:
    OpId op_of(size_t span, HostSpanId captured) {
        const HostSpans& h = p_.host;
        const HostSpanId launch = a_.launch[span];
        const bool in_op = captured.valid() && h.kind[captured.index()] == HostKind::kOp;
        if (!told_.empty() && told_[span].valid()) return of_source(told_[span]);
        if (in_op || (!captured.valid() && a_.launch_op[span].valid()))
            return a_.op[h.detail[(in_op ? captured : a_.launch_op[span]).index()]];
        if (captured.valid() && is_api(h.kind[captured.index()])) return outside(captured, span);
        if (captured.valid() || annotations_[span].valid())
            return range((captured.valid() ? captured : annotations_[span]).index(),
                         captured.valid() ? captured : launch, captured.valid());
        if (launch.valid()) return outside(launch, span);
        if (!unattributed_.valid()) unattributed_ = table_.pseudo("unattributed", "unattributed");
        return unattributed_;
    }

    OpId of_source(ToldOpId id) {
        if (made_of_told_.empty()) made_of_told_.resize(p_.told_ops.size());
        OpId& known = made_of_told_[id.index()];
        if (known.valid()) return known;
        if (!others_) others_.emplace(p_, a_.layers, 0);
        const ToldOp& told = p_.told_ops[id.index()];
        Op op;
        op.name = told.name;
        op.type = told.type.value != 0 ? told.type : told.name;
        op.layer = others_->tree.path(p_.strings.view(told.layer));
        op.direction = direction_of_told(p_.strings.view(told.framework));
        op.shapes = told.shapes;
        op.dtypes = told.dtypes;
        // PyProf counts no work of "multi_head_attention_forward", which multiplies all the same.
        const std::string_view type = p_.strings.view(op.type);
        const bool product =
            told.is_product || hardware::is_tensor_core_node_type(type) || hardware::is_tensor_core_op(type);
        op.tc_eligible = product && others_->suits(told.dtypes);
        return known = table_.get(op);
    }

    OpId range(size_t row, HostSpanId layer_of, bool captured) {
        Op range;
        range.name = p_.host.name[row];
        range.type = p_.strings.intern("annotation");
        range.layer = a_.layer[layer_of.index()];
        // A range that says nothing of its direction has none, whatever the user calls it.
        const bool told = captured || directions_[row] != Direction::kForward;
        range.direction = told ? directions_[row] : Direction::kOther;
        range.shapes = range.dtypes = StringId(size_t{0});
        return table_.get(range);
    }

    OpId outside(HostSpanId call, size_t span) {
        note_outside(span);
        const StringId name = p_.host.name[call.index()];
        const LayerId layer = a_.layer[call.index()];
        OpId& known = outside_[{name.value, layer.value}];
        if (!known.valid()) known = outside(p_.strings.view(name), layer);
        return known;
    }
    OpId outside(std::string_view call, LayerId layer) {
        return table_.pseudo("unassociated_" + std::string(call), "unassociated", layer);
    }

    void note_outside(size_t span) {
        if (is_busy(p_.device.kind[span])) note_span(p_, Diag::kNoOpAtLaunch, span);
    }

    // Only captured ops that work ran from become ops of this profile, with their layers.
    OpId of_capture(const CapturedGraphs& other, uint32_t index) {
        if (!others_) others_.emplace(p_, a_.layers, other.ops.size());
        others_->made.resize(other.ops.size());
        OpId& known = others_->made[index];
        if (known.valid()) return known;
        const CapturedOp& each = other.ops[index];
        LayerId layer;
        for (const std::string& name : each.layer)
            layer = others_->tree.child(layer, name);
        return known = each.is_op ? table_.get(others_->op(p_, each, layer)) : outside(each.name, layer);
    }

    Profile& p_;
    Analysis& a_;
    const std::vector<Direction>& directions_;
    const std::vector<HostSpanId>& annotations_;
    OpTable& table_;
    // By the name of the API call and the layer that it lies in.
    absl::flat_hash_map<std::pair<uint32_t, uint32_t>, OpId> outside_;
    OpId unattributed_;
    std::optional<Others> others_;
    std::vector<ToldOpId> told_;      // by span, where the source tells any
    std::vector<OpId> made_of_told_;  // by told op
};

// NVTX ranges of PyTorch's ops come without its name.
void name_framework(Profile& profile, const std::vector<Op>& ops) {
    if (!profile.info.frameworks.empty()) return;
    for (const Op& op : ops)
        if (profile.strings.view(op.name).starts_with("aten::")) {
            profile.info.frameworks.emplace_back("PyTorch");
            return;
        }
}

}  // namespace

void identify_ops(Profile& profile, Analysis& analysis, const std::vector<Direction>& directions,
                  const std::vector<HostSpanId>& annotations, const Captures& captures,
                  const CapturedGraphs* other) {
    OpTable table(profile.strings, analysis.ops);
    identify_instances(profile, analysis, directions, table);
    DeviceOps(profile, analysis, directions, annotations, table).identify(captures, other);
    name_framework(profile, analysis.ops);
}

}  // namespace opsight::analyze
