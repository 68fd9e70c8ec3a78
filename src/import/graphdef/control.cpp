// Calls, branches and loops, of TensorFlow 1 (Enter, Merge, Switch, NextIteration, Exit) and 2 (If, While).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "import/graphdef/builder.h"
#include "import/text/clean_text.h"

namespace opsight::importer::graphdef {
namespace {

constexpr int kDeepest = 32;  // functions inside each other
constexpr double kMostTurns = 1e9;

std::string function_of(const file::NodeDef& node, std::string_view attribute) {
    const file::AttrValue* value = attribute_of(node, attribute);
    return value ? value->func().name() : std::string();
}

// What a function hands out under that name; the name itself where nothing is said.
const std::string& returned(const file::FunctionDef& function, const std::string& output) {
    for (const file::ReturnEntry& entry : function.ret())
        if (entry.key() == output) return entry.value();
    return output;
}

}  // namespace

const file::FunctionDef* Builder::function(const std::string& name) const {
    const auto found = functions_.find(name);
    return found == functions_.end() ? nullptr : found->second;
}

Result<Builder::Ids> Builder::call(const file::NodeDef& node, const std::string& name, const Ids& inputs,
                                   const Scope& scope, int frame) {
    const file::FunctionDef* body = function(name);
    if (!body) return add_plain(node, inputs, scope);
    if (scope.depth >= kDeepest)
        return fail(
            fmt::format("node '{}': functions call each other more than {} deep", node.name(), kDeepest));
    Scope inner;
    inner.in_function = true;
    inner.depth = scope.depth + 1;
    inner.frame = frame;
    // Calls that TensorFlow named itself only make names long.
    inner.prefix = scope.prefix;
    if (!node.name().starts_with(node.op())) inner.prefix += node.name() + "/";
    for (int i = 0; i < body->signature().input_arg_size(); ++i) {
        const size_t at = static_cast<size_t>(i);
        inner.made[body->signature().input_arg(i).name()] = {at < inputs.size() ? inputs[at] : kNoTensor};
    }
    OPSIGHT_TRY(open_scope(body->node_def(), inner));
    std::vector<TensorRef> outputs;
    for (const file::ArgDef& output : body->signature().output_arg()) {
        outputs.push_back(reference(returned(*body, output.name()), inner));
        size_t& count = inner.outputs[outputs.back().node];
        count = std::max(count, outputs.back().output + 1);
    }
    return add_nodes(outputs, inner);
}

// The branch that the condition takes; where it is not known, the one with more nodes.
Result<Builder::Ids> Builder::add_if(const file::NodeDef& node, const Ids& inputs, const Scope& scope) {
    const std::string then = function_of(node, "then_branch"), otherwise = function_of(node, "else_branch");
    const ModelTensor* condition = tensor(inputs, 0);
    const auto size = [&](const std::string& name) {
        const file::FunctionDef* body = function(name);
        return body ? body->node_def_size() : 0;
    };
    bool take_then = size(then) >= size(otherwise);
    if (condition && condition->has_value && condition->value.size() == 1)
        take_then = condition->value.front() != 0;
    else
        ++open_branches_;
    const Ids rest(inputs.empty() ? inputs.end() : inputs.begin() + 1, inputs.end());
    return call(node, take_then ? then : otherwise, rest, scope, scope.frame);
}

TensorId Builder::loop_state(TensorId first, const std::string& name, const Scope& scope) {
    const ModelTensor* from = graph_.tensor(first);
    if (!from || lists_.contains(first)) return first;
    // Resources and weights are the same in every turn.
    if (from->constant && from->type == ElementType::kUnknown) return first;
    ModelNode node;
    node.name = name;
    node.op_type = "LoopState";
    node.own_type = "Merge";
    node.domain = "tensorflow";
    node.inputs = {first};
    clean_text(node.name);
    ModelTensor state = *from;
    state.name = node.name;
    state.constant = state.has_value = false;
    state.value.clear();
    node.outputs = {add_tensor(std::move(state))};
    first_of_[node.outputs[0]] = first;
    const TensorId id = node.outputs[0];
    graph_.nodes.push_back(std::move(node));
    node_frames_.push_back(scope.frame);
    return id;
}

Result<Builder::Ids> Builder::add_while(const file::NodeDef& node, const Ids& inputs, const Scope& scope) {
    frames_.push_back({scope.frame, 1, false, scope.prefix + node.name()});
    const int frame = static_cast<int>(frames_.size() - 1);
    // What the body hands on as it came stays what it is: weights and sizes.
    const file::FunctionDef* body = function(function_of(node, "body"));
    if (!body) return add_plain(node, inputs, scope);
    Ids states = inputs;
    for (size_t i = 0; i < states.size(); ++i) {
        const int at = static_cast<int>(i);
        if (at >= body->signature().output_arg_size() || at >= body->signature().input_arg_size()) break;
        const std::string& result = body->signature().output_arg(at).name();
        const bool same = returned(*body, result) == body->signature().input_arg(at).name();
        if (!same)
            states[i] = loop_state(inputs[i], fmt::format("{}{}:{}", scope.prefix, node.name(), i), scope);
    }
    OPSIGHT_TRY(call(node, function_of(node, "cond"), states, scope, frame));
    OPSIGHT_ASSIGN(Ids results, call(node, function_of(node, "body"), states, scope, frame));
    for (size_t i = 0; i < results.size() && i < states.size(); ++i) {
        const ModelTensor* result = graph_.tensor(results[i]);
        if (!result || (!result->shape_known && !lists_.contains(results[i]))) results[i] = states[i];
    }
    return results;
}

void Builder::note_frame(const file::NodeDef& node, Scope& scope) {
    int frame = scope.frame;
    for (const std::string& input : node.input()) {
        const TensorRef ref = reference(input, scope);
        const auto found = scope.frame_of.find(ref.node);
        if (!ref.control && found != scope.frame_of.end()) frame = std::max(frame, found->second);
    }
    if (node.op() == "Enter" || node.op() == "RefEnter") frame = enter_frame(node, scope);
    if ((node.op() == "Exit" || node.op() == "RefExit") && frame != scope.frame)
        frame = frames_[static_cast<size_t>(frame)].parent;
    scope.frame_of[node.name()] = frame;
}

int Builder::enter_frame(const file::NodeDef& node, Scope& scope) {
    const file::AttrValue* name = attribute_of(node, "frame_name");
    const std::string key = name ? name->s() : std::string();
    const auto [at, added] = scope.frame_names.try_emplace(key, static_cast<int>(frames_.size()));
    if (!added) return at->second;
    int parent = scope.frame;
    for (const std::string& input : node.input())
        if (const auto found = scope.frame_of.find(reference(input, scope).node);
            found != scope.frame_of.end())
            parent = std::max(parent, found->second);
    frames_.push_back({parent, 1, false, scope.prefix + key});
    return at->second;
}

std::optional<double> Builder::turns(TensorId counter, TensorId limit) const {
    const auto value = [&](TensorId id) -> std::optional<double> {
        const auto first = first_of_.find(id);
        const ModelTensor* from = graph_.tensor(first == first_of_.end() ? id : first->second);
        if (!from || !from->has_value || from->value.size() != 1) return std::nullopt;
        return from->value.front();
    };
    if (!first_of_.contains(counter)) return std::nullopt;
    const auto start = value(counter), end = value(limit);
    if (!start || !end || !(*end >= *start) || !(*end - *start < kMostTurns)) return std::nullopt;
    return std::ceil(*end - *start);
}

// "counter < limit", the counter going up by one in each turn, as while_loop and Keras write it. Of several
// comparisons the smallest counts: the loop ends with the first that fails.
void Builder::count_turns(const file::NodeDef& comparison, const Ids& inputs, int frame_index) {
    if (frame_index <= 0 || inputs.size() != 2) return;
    const bool less = comparison.op().starts_with("Less");
    auto found = less ? turns(inputs[0], inputs[1]) : turns(inputs[1], inputs[0]);
    if (!found) return;
    if (comparison.op().ends_with("Equal")) *found += 1;
    Frame& frame = frames_[static_cast<size_t>(frame_index)];
    if (!frame.known || *found < frame.turns) frame.turns = *found;
    frame.known = true;
}

int64_t Builder::repeats(int frame) const {
    double all = 1;
    for (; frame > 0; frame = frames_[static_cast<size_t>(frame)].parent)
        all = std::min(all * frames_[static_cast<size_t>(frame)].turns, static_cast<double>(kMostElements));
    return static_cast<int64_t>(all);
}

}  // namespace opsight::importer::graphdef
