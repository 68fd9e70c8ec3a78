// References between nodes, what a graph is for, and the order in which its nodes run.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <unordered_set>

#include "import/graphdef/builder.h"

namespace opsight::importer::graphdef {
namespace {

// Places of outputs that functions refer to by name; ops with one kind of output need no entry.
size_t output_base(const std::string& type, std::string_view output) {
    static const std::unordered_map<std::string_view, size_t> seconds = {{"output_true", 1},
                                                                         {"value_index", 1},
                                                                         {"indices", 1},
                                                                         {"backprop", 1},
                                                                         {"batch_mean", 1},
                                                                         {"flow", 1},
                                                                         {"idx", 1},
                                                                         {"argmax", 1},
                                                                         {"batch_variance", 2},
                                                                         {"reserve_space_1", 3},
                                                                         {"r1", 1},
                                                                         {"output_h", 1},
                                                                         {"output_c", 2},
                                                                         {"reserve_space_2", 4},
                                                                         {"reserve_space_3", 5},
                                                                         {"cs", 1}};
    if (output == "flow" && type != "TensorArrayV3") return 0;
    if (output == "indices" && !type.starts_with("TopK")) return 0;
    const auto found = seconds.find(output);
    return found == seconds.end() ? 0 : found->second;
}

size_t number(std::string_view text) {
    size_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() && value < kMostNodes ? value : 0;
}

// What starts, saves or watches variables, and what only orders: not the work of a run.
bool keeps_books(const std::string& type) {
    static const std::unordered_set<std::string_view> types = {"NoOp",
                                                               "Assign",
                                                               "AssignVariableOp",
                                                               "Save",
                                                               "SaveV2",
                                                               "SaveSlices",
                                                               "Restore",
                                                               "RestoreV2",
                                                               "ShardedFilename",
                                                               "MergeV2Checkpoints",
                                                               "Assert",
                                                               "Print",
                                                               "PrintV2",
                                                               "IsVariableInitialized",
                                                               "VarIsInitializedOp",
                                                               "InitializeTable",
                                                               "InitializeTableV2",
                                                               "LookupTableImportV2",
                                                               "QueueEnqueueV2",
                                                               "QueueEnqueueManyV2",
                                                               "QueueCloseV2",
                                                               "MakeIterator",
                                                               "Const",
                                                               "VarHandleOp",
                                                               "VariableV2",
                                                               "Variable"};
    return types.contains(type) || type.ends_with("Summary") || type.ends_with("SummaryV2");
}

bool makes_inputs(const std::string& type) {
    return type == "Placeholder" || type == "PlaceholderWithDefault" || type == "PlaceholderV2" ||
           type == "IteratorGetNext" || type.starts_with("QueueDequeue");
}

}  // namespace

TensorRef Builder::reference(const std::string& text, const Scope& scope) const {
    TensorRef ref;
    ref.control = text.starts_with('^');
    const std::string_view rest = std::string_view(text).substr(ref.control ? 1 : 0);
    const size_t colon = rest.find(':');
    ref.node = rest.substr(0, colon);
    if (colon == std::string_view::npos || ref.control) return ref;
    const size_t second = rest.rfind(':');
    ref.output = number(rest.substr(second + 1));
    if (second == colon) return ref;
    const auto node = scope.nodes.find(ref.node);
    if (node != scope.nodes.end())
        ref.output += output_base(node->second->op(), rest.substr(colon + 1, second - colon - 1));
    return ref;
}

Status Builder::open_scope(const Nodes& nodes, Scope& scope) const {
    for (const file::NodeDef& node : nodes)
        if (!scope.nodes.emplace(node.name(), &node).second)
            return fail(fmt::format("two nodes have the name '{}'", node.name()));
    for (const file::NodeDef& node : nodes)
        for (const std::string& input : node.input()) {
            const TensorRef ref = reference(input, scope);
            size_t& count = scope.outputs[ref.node];
            count = std::max(count, ref.output + 1);
        }
    return {};
}

// Nodes that no other node reads, and that depend on an input where the graph has any.
Result<std::vector<TensorRef>> Builder::ends(const Nodes& nodes, const Scope& scope) const {
    std::unordered_set<std::string> read;
    for (const file::NodeDef& node : nodes)
        for (const std::string& input : node.input())
            if (const TensorRef ref = reference(input, scope); !ref.control && !keeps_books(node.op()))
                read.insert(ref.node);
    std::vector<TensorRef> found;
    for (const file::NodeDef& node : nodes)
        if (!read.contains(node.name()) && !keeps_books(node.op()) && !makes_inputs(node.op()))
            found.push_back({node.name(), 0, false});
    OPSIGHT_ASSIGN(const std::vector<const file::NodeDef*> order, run_order(found, scope));
    std::unordered_set<std::string> fed;
    for (const file::NodeDef* node : order) {
        bool is_fed = makes_inputs(node->op());
        for (const std::string& input : node->input())
            is_fed = is_fed || fed.contains(reference(input, scope).node);
        if (const file::NodeDef* closing = closing_of(*node, scope)) is_fed |= fed.contains(closing->name());
        if (is_fed) fed.insert(node->name());
    }
    if (!fed.empty()) std::erase_if(found, [&](const TensorRef& ref) { return !fed.contains(ref.node); });
    return found;
}

std::vector<TensorRef> Builder::wanted() const {
    std::vector<TensorRef> refs;
    if (!source_.signature) return refs;
    std::map<std::string, std::string> sorted;  // a map of protobuf has no order
    for (const file::TensorEntry& output : source_.signature->outputs())
        sorted[output.key()] = output.value().name();
    for (const auto& [key, name] : sorted)
        refs.push_back(reference(name, {}));
    return refs;
}

namespace {

// NextIteration hands a loop's state to its next turn: Merge takes it, and after Switch, Exit ends the loop.
bool closes_loop(const file::NodeDef& node) {
    return node.op().ends_with("NextIteration");
}

}  // namespace

// What closes the loop that this node ends; null where it ends none.
const file::NodeDef* Builder::closing_of(const file::NodeDef& node, const Scope& scope) const {
    if (node.op() != "Exit" && node.op() != "RefExit") return nullptr;
    const file::NodeDef* at = &node;
    for (int input : {0, 0, 1}) {
        if (input >= at->input_size()) return nullptr;
        const auto found = scope.nodes.find(reference(at->input(input), scope).node);
        if (found == scope.nodes.end()) return nullptr;
        at = found->second;
    }
    return closes_loop(*at) ? at : nullptr;
}

// Nodes whose outputs this one reads, and what closes the loop that it ends. What closes a loop that it
// begins goes to `late`.
Result<Builder::NodeList> Builder::nodes_before(const file::NodeDef& node, const Scope& scope,
                                                NodeList& late) const {
    NodeList list;
    for (const std::string& input : node.input()) {
        const TensorRef ref = reference(input, scope);
        const auto found = scope.nodes.find(ref.node);
        if (ref.control || (found == scope.nodes.end() && scope.made.contains(ref.node))) continue;
        if (found == scope.nodes.end())
            return fail(
                fmt::format("node '{}' ({}) takes '{}', which no node makes", node.name(), node.op(), input));
        (closes_loop(*found->second) ? late : list).push_back(found->second);
    }
    if (const file::NodeDef* closing = closing_of(node, scope)) list.push_back(closing);
    return list;
}

// Depth first, without recursion: graphs are deep. What closes a loop comes before the loop's end instead of
// its beginning.
Result<Builder::NodeList> Builder::run_order(const std::vector<TensorRef>& outputs,
                                             const Scope& scope) const {
    NodeList order, late;
    std::unordered_map<const file::NodeDef*, int> state;  // 1: begun, 2: done
    struct Step {
        const file::NodeDef* node;
        NodeList before;
        size_t next = 0;
    };
    std::vector<Step> stack;
    const auto begin = [&](const file::NodeDef* node) -> Status {
        OPSIGHT_ASSIGN(NodeList before, nodes_before(*node, scope, late));
        state[node] = 1;
        stack.push_back({node, std::move(before), 0});
        return {};
    };
    const auto visit = [&](const file::NodeDef* first) -> Status {
        if (state[first] == 2) return {};
        OPSIGHT_TRY(begin(first));
        while (!stack.empty()) {
            Step& step = stack.back();
            if (step.next == step.before.size()) {
                state[step.node] = 2;
                order.push_back(step.node);
                stack.pop_back();
                continue;
            }
            const file::NodeDef* next = step.before[step.next++];
            if (state[next] == 1)
                return fail(
                    fmt::format("node '{}' ({}) depends on its own output", next->name(), next->op()));
            if (state[next] == 0) OPSIGHT_TRY(begin(next));
        }
        return {};
    };
    for (const TensorRef& ref : outputs) {
        const auto found = scope.nodes.find(ref.node);
        if (found == scope.nodes.end() && scope.made.contains(ref.node)) continue;
        if (found == scope.nodes.end()) return fail(fmt::format("no node makes the output '{}'", ref.node));
        late.push_back(found->second);
        while (!late.empty()) {
            const file::NodeDef* node = late.back();
            late.pop_back();
            OPSIGHT_TRY(visit(node));
        }
    }
    return order;
}

}  // namespace opsight::importer::graphdef
