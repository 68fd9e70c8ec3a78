// Which calls are the ops, and what they are named.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "hardware/op_tables.h"
#include "query/dlprof/model.h"

namespace opsight::dlprof {
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

std::string joined_types(const std::string& dtypes) {
    const Json list = Json::parse(dtypes, nullptr, false);
    std::string out;
    if (list.is_array())
        for (const Json& item : list)
            if (item.is_string() && item != "") out += (out.empty() ? "" : ", ") + item.get<std::string>();
    return out;
}

class Finder {
  public:
    explicit Finder(Model& model) : model_(model), r_(model.recording) {}

    void run() {
        if (r_.origin == Origin::kMarked) find_stacks();
        forward_.assign(r_.ops.size(), -1);
        for (int32_t row = 0; row < static_cast<int32_t>(r_.ops.size()); ++row)
            if (is_op(row)) take(row);
        // Backward ops are named by forward ones, which may come later in the order of threads.
        for (const auto& [row, instance] : backward_)
            model_.instances[instance].op = backward_op(row);
    }

  private:
    const Identity& identity(int32_t row) const {
        static const Identity kNone;
        const auto id = static_cast<size_t>(r_.ops.op[row]);
        return id < r_.identities.size() ? r_.identities[id] : kNone;
    }

    // In marked recordings what lies outside of the marks is no op, but for those calls of autograd that have
    // a sequence number (not so the accumulation of gradients).
    bool is_op(int32_t row) const {
        if (r_.origin == Origin::kRecorded) return r_.told_of.contains(r_.ops.id[row]);
        if (r_.ops.parent[row] >= 0) return false;
        if (r_.origin == Origin::kOps || stacks_.contains(r_.ops.id[row])) return true;
        return identity(row).backward && r_.ops.sequence[row] >= 0;
    }

    void take(int32_t row) {
        Instance instance;
        instance.track = r_.ops.track[row];
        instance.iteration = r_.ops.iteration[row];
        instance.begin = r_.ops.begin[row];
        instance.end = r_.ops.end[row];
        if (r_.origin == Origin::kRecorded)
            instance.op = recorded_op(row);
        else if (!stacks_.contains(r_.ops.id[row]) && identity(row).backward)
            backward_.emplace_back(row, model_.instances.size());
        else
            forward_[row] = instance.op = forward_op(row);
        model_.instances.push_back(instance);
    }

    // Ops by what tells them apart.
    int32_t get(const Op& op) {
        const auto [it, is_new] = known_.try_emplace(std::tuple(op.name, op.direction, op.type, op.id),
                                                     static_cast<int32_t>(model_.ops.size()));
        if (is_new) model_.ops.push_back(op);
        return it->second;
    }

    int32_t recorded_op(int32_t row) {
        const int32_t told = r_.told_of.at(r_.ops.id[row]);
        const auto [it, is_new] = recorded_.try_emplace(told, -1);
        if (!is_new) return it->second;
        const auto& [name, payload] = r_.told[told];
        const Json facts = Json::parse(payload, nullptr, false);
        const auto fact = [&](const char* key) {
            return facts.is_object() && facts.contains(key) && facts[key].is_string()
                       ? facts[key].get<std::string>()
                       : std::string();
        };
        Op op;
        op.id = fact("op_id");
        op.name = name;
        op.type = fact("op_type");
        op.direction = fact("direction");
        op.data_type = op.data_types = fact("data_type");
        op.stack = identity(row).stack;
        op.shapes = shapes_of(op.type, identity(row).shapes);
        if (facts.is_object() && facts.contains("tc_support_status"))
            op.eligible = facts["tc_support_status"] == 0;
        return it->second = get(op);
    }

    int32_t forward_op(int32_t row) {
        Op op;
        op.direction = "fprop";
        const Identity& known = identity(row);
        const auto stack = stacks_.find(r_.ops.id[row]);
        const auto told = r_.told_of.find(r_.ops.id[row]);
        if (stack != stacks_.end()) {
            const Mark& mark = r_.marks.at(stack->second.text);
            op.type = mark.text;
            op.data_type = mark.dtype;
            op.data_types = mark.dtypes;
            op.shapes = shapes_of(op.type, mark.shapes);
            op.name = "/" + op.type;
            if (stack->second.marker >= 0) {
                const Mark& marker = r_.marks.at(stack->second.marker);
                if (!marker.text.empty()) op.name = op_name_of_stack(marker.text);
                op.stack = marker.stack;
            }
        } else {
            op.type = known.type;
            op.data_type = first_type(known.dtypes);
            op.data_types = joined_types(known.dtypes);
            op.shapes = shapes_of(op.type, known.shapes);
            op.stack = known.stack;
            op.name = told != r_.told_of.end()
                          ? r_.told[told->second].first
                          : (known.layer.empty() ? "" : "/" + known.layer) + "/" + known.name;
        }
        op.eligible = can_use_tensor_cores(op.type) || known.eligible;
        return get(op);
    }

    // A call of autograd has the name, type, shapes and stack of the forward op, where that is known.
    int32_t backward_op(int32_t row) {
        const int32_t id = r_.ops.forward[row];
        int32_t forward = id < 0 ? -1 : row_of(id);
        while (forward >= 0 && forward_[forward] < 0)
            forward = r_.ops.parent[forward] < 0 ? -1 : row_of(r_.ops.parent[forward]);
        Op op;
        if (forward >= 0) {
            op = model_.ops[forward_[forward]];
        } else {
            const Identity& known = identity(row);
            op.type = known.type;
            op.name = (known.layer.empty() ? "" : "/" + known.layer) + "/" + known.name;
            op.data_type = first_type(known.dtypes);
            op.data_types = joined_types(known.dtypes);
            op.eligible = known.eligible;
        }
        op.direction = "bprop";
        return get(op);
    }

    int32_t row_of(int32_t id) const {
        const auto at = std::lower_bound(r_.ops.id.begin(), r_.ops.id.end(), id);
        return at != r_.ops.id.end() && *at == id ? static_cast<int32_t>(at - r_.ops.id.begin()) : -1;
    }

    bool can_use_tensor_cores(const std::string& type) {
        const bool any = r_.devices.empty() || std::any_of(r_.devices.begin(), r_.devices.end(),
                                                           [](const Device& d) { return d.tensor_cores; });
        return any && (hardware::is_tensor_core_op(type) || hardware::is_tensor_core_node_type(type));
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
    std::vector<int32_t> forward_;                // op of a row that is a forward instance; else -1
    std::vector<std::pair<int32_t, size_t>> backward_;
    absl::flat_hash_map<int32_t, int32_t> recorded_;
    absl::flat_hash_map<std::tuple<std::string, std::string, std::string, std::string>, int32_t> known_;
};

}  // namespace

void find_ops(Model& model) {
    Finder(model).run();
}

std::string op_name_of_stack(std::string_view stack) {
    std::string name(stack);
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

// Convolutions and linear layers have letters for their sizes.
std::string shapes_of(std::string_view type, std::string_view json) {
    const Json list = Json::parse(json, nullptr, false);
    if (!list.is_array()) return {};
    const bool convolution = type.starts_with("conv") || type.starts_with("Conv");
    const bool linear = type == "linear" || type == "matmul" || type == "mm";
    std::string out;
    size_t index = 0;
    for (const Json& shape : list) {
        if (!shape.is_array() || shape.empty()) continue;
        const std::string_view letters = convolution && shape.size() == 4 ? (index == 0 ? "NCHW" : "KCRS")
                                         : linear && shape.size() == 2 && index < 2
                                             ? (index == 0         ? "NK"
                                                : type == "linear" ? "MK"
                                                                   : "KM")
                                             : std::string_view();
        if (!letters.empty() && index > 1) break;
        std::string sizes;
        for (size_t i = 0; i < shape.size(); ++i) {
            sizes += sizes.empty() ? "" : ", ";
            if (!letters.empty()) sizes += std::string(1, letters[i]) + ":";
            sizes += shape[i].dump(-1, ' ', false, Json::error_handler_t::replace);
        }
        out += (out.empty() ? "<" : "; <") + sizes + ">";
        ++index;
    }
    return out;
}

void number_ops(Model& model) {
    std::vector<int64_t> first(model.ops.size(), INT64_MAX);
    for (const Instance& instance : model.instances)
        first[instance.op] = std::min(first[instance.op], instance.begin);
    std::vector<int32_t> order(model.ops.size());
    for (size_t i = 0; i < order.size(); ++i)
        order[i] = static_cast<int32_t>(i);
    std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) { return first[a] < first[b]; });
    std::map<std::string, int64_t> count;
    for (const int32_t index : order) {
        Op& op = model.ops[index];
        if (!op.id.empty()) continue;
        std::string stem = op.type;
        std::transform(stem.begin(), stem.end(), stem.begin(),
                       [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
        op.id = stem + "_" + std::to_string(++count[stem]);
    }
}

}  // namespace opsight::dlprof
