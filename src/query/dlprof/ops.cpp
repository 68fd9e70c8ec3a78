// Which calls are the ops, and what they are named.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "hardware/op_tables.h"
#include "query/dlprof/model.h"

namespace opsight::query::dlprof {
namespace {

using Json = nlohmann::json;

// First type of a JSON list that is one of a tensor: ["float", "Scalar"].
std::string first_type(const std::string& dtypes) {
    const Json list = Json::parse(dtypes, nullptr, false);
    if (list.is_array())
        for (const Json& item : list)
            if (item.is_string() && item != "" && item != "Scalar") return item.get<std::string>();
    return {};
}

// Arguments that are not tensors have empty shapes.
std::string shapes_of_tensors(const std::string& shapes) {
    Json list = Json::parse(shapes, nullptr, false);
    if (!list.is_array()) return {};
    Json tensors = Json::array();
    for (Json& shape : list)
        if (!shape.empty()) tensors.push_back(std::move(shape));
    return tensors.dump(-1, ' ', false, Json::error_handler_t::replace);
}

class Finder {
  public:
    explicit Finder(Model& model) : model_(model), r_(model.recording) {}

    void run() {
        if (r_.origin == Origin::kNone) return;
        if (r_.origin == Origin::kMarked) find_stacks();
        forward_.assign(r_.ops.size(), -1);
        for (int32_t row = 0; row < static_cast<int32_t>(r_.ops.size()); ++row)
            if (is_op(row)) take(row);
        // Backward ops are named by forward ones, which may come later in the order of threads.
        for (const auto& [row, instance] : backward_)
            name_backward(row, model_.instances[instance]);
    }

  private:
    const Identity& identity(int32_t row) const {
        static const Identity kNone;
        const auto id = static_cast<size_t>(r_.ops.op[row]);
        return id < r_.identities.size() ? r_.identities[id] : kNone;
    }

    // In marked recordings what lies outside of the marks is not an op, but for those calls of autograd that
    // have a sequence number (not so the accumulation of gradients).
    bool is_op(int32_t row) const {
        if (r_.origin == Origin::kRecorded) return r_.told_of.contains(r_.ops.id[row]);
        if (r_.origin == Origin::kOps) return r_.ops.parent[row] < 0;
        if (!is_marked(row)) return false;
        for (int32_t id = r_.ops.parent[row]; id >= 0;) {
            const int32_t around = row_of(id);
            if (around < 0) break;
            if (is_marked(around)) return false;
            id = r_.ops.parent[around];
        }
        return true;
    }

    bool is_marked(int32_t row) const {
        return stacks_.contains(r_.ops.id[row]) || (identity(row).backward && r_.ops.sequence[row] >= 0);
    }

    void take(int32_t row) {
        Instance instance;
        instance.track = r_.ops.track[row];
        instance.iteration = r_.ops.iteration[row];
        instance.begin = r_.ops.begin[row];
        instance.end = r_.ops.end[row];
        if (r_.origin == Origin::kRecorded) {
            recorded_.take(r_.told_of.at(r_.ops.id[row]), instance);
        } else if (!stacks_.contains(r_.ops.id[row]) && identity(row).backward) {
            backward_.emplace_back(row, model_.instances.size());
        } else {
            take_forward(row, instance);
            forward_[row] = static_cast<int32_t>(model_.instances.size());
        }
        model_.instances.push_back(instance);
    }

    // What is known of a call by `key`: of a mark and its trace marker, or of an identity, stack and type.
    template <class Key>
    int32_t details(absl::flat_hash_map<Key, int32_t>& known, const Key& key, auto&& make) {
        const auto [it, is_new] = known.try_emplace(key, static_cast<int32_t>(model_.details.size()));
        if (is_new) model_.details.push_back(make());
        return it->second;
    }

    void take_forward(int32_t row, Instance& instance) {
        const auto stack = stacks_.find(r_.ops.id[row]);
        if (stack == stacks_.end()) return take_plain(row, "fprop", instance);
        const Mark& mark = r_.marks.at(stack->second.text);
        OpKind op;
        op.direction = "fprop";
        op.type = mark.text;
        op.name = "/" + op.type;
        const Mark* marker = stack->second.marker >= 0 ? &r_.marks.at(stack->second.marker) : nullptr;
        if (marker && !marker->text.empty()) op.name = op_name_of_stack(marker->text);
        if (!mark.node.empty()) {
            op.name = mark.node;
            op.direction.clear();
            op.by_name = true;
        }
        instance.eligible = can_use_tensor_cores(r_, op.type) || identity(row).eligible;
        instance.kind = model_.kind(op);
        instance.details =
            details(details_of_mark_, std::pair(stack->second.text, stack->second.marker), [&] {
                return Details{mark.shapes, mark.parameters, mark.outputs, mark.dtype,
                               marker ? marker->stack : std::string()};
            });
    }

    // By what Opsight itself knows of it.
    void take_plain(int32_t row, const char* direction, Instance& instance) {
        const Identity& known = identity(row);
        const auto told = r_.told_of.find(r_.ops.id[row]);
        OpKind op;
        op.direction = direction;
        op.type = known.type;
        op.name = (known.layer.empty() ? "" : "/" + known.layer) + "/" + known.name;
        if (told != r_.told_of.end()) {
            const auto& [name, type] = r_.told[told->second];
            op.name = name;
            if (op.type.empty()) op.type = type;
        }
        const bool tensorflow = r_.tensorflow || r_.fact("framework").find("TensorFlow") != std::string::npos;
        if (tensorflow) {
            op.direction.clear();
            op.by_name = true;
        }
        instance.eligible = can_use_tensor_cores(r_, op.type) || known.eligible;
        instance.kind = model_.kind(op);
        if (r_.ops.op[row] < 0) return;
        const auto stack = r_.stack_of.find(r_.ops.id[row]);
        const int32_t frames = stack == r_.stack_of.end() ? -1 : stack->second;
        instance.details =
            details(details_of_identity_, std::tuple(r_.ops.op[row], instance.kind, frames), [&] {
                return Details{lettered(shapes_of_tensors(known.shapes), input_letters(op.type)),
                               {},
                               {},
                               first_type(known.dtypes),
                               frames < 0 ? std::string() : r_.stacks.at(frames)};
            });
    }

    // A call of autograd has the name, type, shapes and stack of the forward op, where that is known.
    void name_backward(int32_t row, Instance& instance) {
        const int32_t id = r_.ops.forward[row];
        int32_t forward = id < 0 ? -1 : row_of(id);
        while (forward >= 0 && forward_[forward] < 0)
            forward = r_.ops.parent[forward] < 0 ? -1 : row_of(r_.ops.parent[forward]);
        if (forward < 0) return take_plain(row, "bprop", instance);
        const Instance& of = model_.instances[forward_[forward]];
        OpKind op = model_.kinds[of.kind];
        op.direction = "bprop";
        instance.details = of.details;
        instance.eligible = of.eligible;
        instance.kind = model_.kind(op);
    }

    int32_t row_of(int32_t id) const {
        const auto at = std::lower_bound(r_.ops.id.begin(), r_.ops.id.end(), id);
        return at != r_.ops.id.end() && *at == id ? static_cast<int32_t>(at - r_.ops.id.begin()) : -1;
    }

    // For each marked op the trace marker around it: the innermost one that is open.
    void find_stacks() {
        struct Open {
            int64_t end;
            int32_t text;
            bool is_op;
        };
        std::vector<Open> open;
        int32_t track = -1;
        for (const Range& range : r_.ranges) {
            if (range.track != track) open.clear();
            track = range.track;
            while (!open.empty() && (open.back().end <= range.begin || open.back().end < range.end))
                open.pop_back();
            const bool is_op = r_.marks.at(range.text).is_op;
            if (is_op) {
                int32_t marker = -1;
                if (!open.empty() && !open.back().is_op) marker = open.back().text;
                stacks_.emplace(range.id, Stack{range.text, marker});
            }
            open.push_back({range.end, range.text, is_op});
        }
    }

    struct Stack {
        int32_t text, marker;
    };
    Model& model_;
    const Recording& r_;
    absl::flat_hash_map<int32_t, Stack> stacks_;  // by id of the op
    std::vector<int32_t> forward_;                // instance of a row that is a forward one; else -1
    std::vector<std::pair<int32_t, size_t>> backward_;
    absl::flat_hash_map<std::pair<int32_t, int32_t>, int32_t> details_of_mark_;
    absl::flat_hash_map<std::tuple<int32_t, int32_t, int32_t>, int32_t> details_of_identity_;
    RecordedOps recorded_{model_};
};

}  // namespace

void find_calls(Model& model) {
    Finder(model).run();
}

int32_t Model::kind(const OpKind& facts) {
    const auto [it, is_new] =
        known_kinds_.try_emplace({facts.name, facts.type, facts.direction, facts.pseudo, facts.by_name},
                                 static_cast<int32_t>(kinds.size()));
    if (is_new) kinds.push_back(facts);
    return it->second;
}

bool can_use_tensor_cores(const Recording& recording, const std::string& type) {
    const auto& devices = recording.devices;
    const bool any = devices.empty() || std::any_of(devices.begin(), devices.end(),
                                                    [](const Device& d) { return d.tensor_cores; });
    return any && (hardware::is_tensor_core_op(type) || hardware::is_tensor_core_node_type(type));
}

void RecordedOps::take(int32_t told, Instance& instance) {
    const auto [it, is_new] = known_.try_emplace(told);
    if (is_new) it->second = read(told);
    instance.kind = it->second.kind;
    instance.op = it->second.op;
    instance.details = it->second.details;
}

RecordedOps::Known RecordedOps::read(int32_t told) {
    const auto& [name, payload] = model_.recording.told[told];
    const Json facts = Json::parse(payload, nullptr, false);
    const auto fact = [&](const char* key) {
        return facts.is_object() && facts.contains(key) && facts[key].is_string()
                   ? facts[key].get<std::string>()
                   : std::string();
    };
    OpKind kind;
    kind.name = name.empty() ? fact("op_name") : name;
    kind.type = fact("op_type");
    kind.direction = fact("direction");
    kind.pseudo = name.empty();
    const auto next = [](const auto& list) { return static_cast<int32_t>(list.size()); };
    Known known;
    known.kind = model_.kind(kind);
    Op op;
    op.id = fact("op_id");
    op.kind = known.kind;
    op.data_type = fact("data_type");
    op.stack = fact("stack");
    op.judged = facts.is_object() && facts.contains("tc_support_status");
    op.eligible = op.judged ? facts["tc_support_status"] == 0
                            : !kind.pseudo && can_use_tensor_cores(model_.recording, kind.type);
    const auto [known_op, new_op] = ops_.try_emplace({op.id, known.kind}, next(model_.ops));
    known.op = known_op->second;
    known.details = next(model_.details);
    model_.details.push_back({lettered(fact("input_shapes"), fact("input_letters")),
                              lettered(fact("parameters"), fact("parameter_letters")),
                              lettered(fact("output_shapes"), fact("output_letters")), op.data_type,
                              op.stack});
    if (new_op) model_.ops.push_back(std::move(op));
    return known;
}

std::string op_name_of_stack(std::string_view stack) {
    std::string name(stack);
    std::erase_if(name, [](char c) { return c == '<' || c == '>'; });
    for (size_t open = name.find('('); open != name.npos; open = name.find('(', open + 1)) {
        const size_t close = name.find_first_not_of("0123456789", open + 1);
        const bool repeat = close != name.npos && close > open + 1 && name[close] == ')' &&
                            (close + 1 == name.size() || name[close + 1] == '/');
        if (!repeat) continue;
        name[open] = '[';
        name[close] = ']';
    }
    return name;
}

void make_ops(Model& model) {
    const bool recorded = model.recording.origin == Origin::kRecorded;
    if (!recorded) model.ops.clear();
    std::vector<int32_t> order;
    for (size_t i = 0; i < model.instances.size(); ++i)
        if (!recorded || model.instances[i].op < 0) order.push_back(static_cast<int32_t>(i));
    std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
        return model.instances[a].begin < model.instances[b].begin;
    });
    absl::flat_hash_map<std::pair<int32_t, int32_t>, int32_t> calls;   // of an iteration and kind
    absl::flat_hash_map<std::pair<int32_t, int32_t>, int32_t> places;  // op by kind and place among these
    std::map<std::string, int64_t> count;
    for (const int32_t index : order) {
        Instance& instance = model.instances[index];
        const OpKind& kind = model.kinds[instance.kind];
        const int32_t place = kind.by_name ? 0 : calls[{instance.iteration, instance.kind}]++;
        const auto [it, is_new] =
            places.try_emplace({instance.kind, place}, static_cast<int32_t>(model.ops.size()));
        if (is_new) {
            std::string stem = kind.type;
            std::transform(stem.begin(), stem.end(), stem.begin(), [](char c) {
                return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
            });
            Op op;
            op.id = stem + "_" + std::to_string(++count[stem]);
            op.kind = instance.kind;
            if (instance.details >= 0) {
                const Details& first = model.details.at(instance.details);
                op.data_type = first.data_type;
                op.stack = first.stack;
            }
            model.ops.push_back(std::move(op));
        }
        instance.op = it->second;
        model.ops[it->second].eligible |= instance.eligible;
    }
}

}  // namespace opsight::query::dlprof
