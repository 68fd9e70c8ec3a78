#include "import/hlo/builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "import/hlo/shapes.h"
#include "import/model/model_import.h"
#include "import/text/clean_text.h"

namespace opsight::importer::hlo {
namespace {

using hlo_file::Instruction;

constexpr int kDeepest = 100;  // computations that call each other
constexpr int32_t kTuple = 13;
constexpr size_t kMostSteps = 32 * kMostNodes;  // instructions, and parts of the tuples that they hand on

tl::unexpected<Error> damaged(std::string what) {
    return fail(std::move(what), {}, {}, "dump the module again with --xla_dump_to");
}

// {"known_trip_count":{"n":"10"}}
int64_t trip_count(const std::string& config) {
    const size_t at = config.find("known_trip_count");
    const size_t first = at == config.npos ? at : config.find_first_of("0123456789", at);
    int64_t count = -1;
    if (first != config.npos) std::from_chars(config.data() + first, config.data() + config.size(), count);
    return count;
}

std::string cleaned(std::string text) {
    clean_text(text);
    return text;
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

// What only hands its operand on.
bool passes_on(std::string_view opcode) {
    return is_one_of(opcode, {"optimization-barrier", "domain", "add-dependency", "async-update",
                              "async-done", "copy-done", "all-reduce-done", "all-gather-done",
                              "collective-permute-done", "send-done", "recv-done"});
}

}  // namespace

Result<ModelGraph> Builder::build() {
    for (const hlo_file::Computation& each : module_.computations()) {
        computations_[each.id()] = &each;
        for (const Instruction& instruction : each.instructions())
            instructions_[instruction.id()] = &instruction;
    }
    int64_t entry = module_.entry_id();
    if (!computations_.contains(entry))
        for (const hlo_file::Computation& each : module_.computations())
            if (each.name() == module_.entry_name()) entry = each.id();
    graph_.name = cleaned(module_.name());
    graph_.format = "XLA HLO";
    Scope scope;
    OPSIGHT_ASSIGN(graph_.outputs, add_computation(entry, scope));
    mark_graph(graph_);
    // A module is compiled for its sizes; which of its parameters are weights it does not tell.
    for (ModelTensor& tensor : graph_.tensors)
        tensor.batched = false;
    graph_.notes.emplace_back(
        "An HLO module does not tell weights from data: all its parameters count as inputs.");
    note_counts();
    return std::move(graph_);
}

void Builder::note_counts() {
    for (const auto& [what, count] : notes_)
        graph_.notes.push_back(fmt::format("{}: {}.", what, count));
}

Result<Value> Builder::add_computation(int64_t id, Scope& scope) {
    const auto found = computations_.find(id);
    if (found == computations_.end()) return damaged(fmt::format("there is no computation of number {}", id));
    if (scope.depth > kDeepest)
        return damaged(fmt::format("computations call each other more than {} deep", kDeepest));
    const hlo_file::Computation& computation = *found->second;
    if (computation.instructions().empty())
        return damaged(fmt::format("the computation '{}' is empty", computation.name()));
    for (const Instruction& each : computation.instructions())
        OPSIGHT_TRY(add_instruction(each, scope));
    const auto root = scope.values.find(computation.root_id());
    const int64_t last = computation.instructions(computation.instructions_size() - 1).id();
    return root != scope.values.end() ? root->second : scope.values[last];
}

Status Builder::add_instruction(const Instruction& from, Scope& scope) {
    OPSIGHT_ASSIGN(Value value, value_of(from, scope));
    steps_ += 1 + value.size() + static_cast<size_t>(std::max<int64_t>(0, from.tuple_index()));
    if (graph_.nodes.size() > kMostNodes || steps_ > kMostSteps)
        return damaged(fmt::format("written out, the module has more than {} ops, or tuples of as many parts",
                                   kMostNodes));
    scope.values[from.id()] = std::move(value);
    return {};
}

Result<Value> Builder::value_of(const Instruction& from, Scope& scope) {
    std::vector<Value> operands;
    for (const int64_t id : from.operand_ids()) {
        const auto known = scope.values.find(id);
        if (known == scope.values.end())
            return damaged(fmt::format("'{}' reads what does not stand before it", from.name()));
        operands.push_back(known->second);
    }
    const std::string& op = from.opcode();
    if (op == "parameter") {
        const auto number = static_cast<size_t>(from.parameter_number());
        if (scope.arguments && number < scope.arguments->size()) return (*scope.arguments)[number];
        OPSIGHT_ASSIGN(Value value, tensors_of(from.shape(), scope.prefix + from.name()));
        graph_.inputs.insert(graph_.inputs.end(), value.begin(), value.end());
        return value;
    }
    if (op == "constant") {
        OPSIGHT_ASSIGN(Value value, tensors_of(from.shape(), scope.prefix + from.name()));
        for (const TensorId id : value)
            graph_.tensors[static_cast<size_t>(id)].constant = true;
        return value;
    }
    if (op == "tuple" || op == "get-tuple-element") return element(from, operands);
    if (op == "while") return loop(from, std::move(operands), scope);
    if (op == "conditional") return branch(from, std::move(operands), scope);
    if (is_one_of(op, {"fusion", "call", "async-start"}) && from.called_computation_ids_size() > 0)
        return call(from, from.called_computation_ids(0), std::move(operands), scope, 1);
    if (passes_on(op) && !operands.empty()) {
        // What was begun hands on its result, which may stand in a tuple with what it came from.
        const size_t count = leaves(from.shape());
        if (operands[0].size() == count) return operands[0];
        if (operands[0].size() > count)
            return Value(operands[0].begin(), operands[0].begin() + static_cast<std::ptrdiff_t>(count));
    }
    return plain(from, operands, scope);
}

Result<Value> Builder::element(const Instruction& from, const std::vector<Value>& operands) {
    Value value;
    if (from.opcode() == "tuple") {
        for (const Value& each : operands)
            value.insert(value.end(), each.begin(), each.end());
        if (value.size() > kMostNodes) return damaged(fmt::format("'{}' is too large a tuple", from.name()));
        return value;
    }
    if (operands.size() != 1) return damaged(fmt::format("'{}' takes from no tuple", from.name()));
    // The places of a tuple's tensors follow from its shape, which is that of what it reads.
    const size_t count = leaves(from.shape());
    const auto known = instructions_.find(from.operand_ids(0));
    const Instruction* source = known == instructions_.end() ? nullptr : known->second;
    size_t first = 0;
    const int64_t index = from.tuple_index();
    if (!source || index < 0 || index >= source->shape().tuple_shapes_size())
        return damaged(fmt::format("'{}' takes what its tuple does not have", from.name()));
    for (int64_t i = 0; i < index; ++i)
        first += leaves(source->shape().tuple_shapes(static_cast<int>(i)));
    if (first + count > operands[0].size())
        return damaged(fmt::format("'{}' takes what its tuple does not have", from.name()));
    const auto begin = operands[0].begin() + static_cast<std::ptrdiff_t>(first);
    return Value(begin, begin + static_cast<std::ptrdiff_t>(count));
}

Result<Value> Builder::call(const Instruction& from, int64_t computation, std::vector<Value> arguments,
                            Scope& scope, int64_t repeat) {
    Scope inner;
    inner.prefix = scope.prefix + from.name() + "/";
    inner.depth = scope.depth + 1;
    if (__builtin_mul_overflow(scope.repeat, repeat, &inner.repeat) || inner.repeat > kMostElements)
        return damaged(fmt::format("'{}' repeats too often", from.name()));
    inner.arguments = &arguments;
    return add_computation(computation, inner);
}

// The body comes first, then the condition, which costs next to nothing.
Result<Value> Builder::loop(const Instruction& from, std::vector<Value> operands, Scope& scope) {
    if (from.called_computation_ids_size() < 1) return damaged(fmt::format("'{}' has no body", from.name()));
    const int64_t told = trip_count(from.backend_config());
    if (told < 0) ++notes_["Loops of unknown length, of which one turn is counted"];
    return call(from, from.called_computation_ids(0), std::move(operands), scope, std::max<int64_t>(told, 1));
}

// The first operand chooses; each branch has one operand of its own. The longest branch counts.
Result<Value> Builder::branch(const Instruction& from, std::vector<Value> operands, Scope& scope) {
    int chosen = -1, longest = -1;
    for (int i = 0; i < from.called_computation_ids_size(); ++i) {
        const auto found = computations_.find(from.called_computation_ids(i));
        if (found == computations_.end() || found->second->instructions_size() <= longest) continue;
        longest = found->second->instructions_size();
        chosen = i;
    }
    if (chosen < 0 || operands.size() <= static_cast<size_t>(chosen) + 1)
        return damaged(fmt::format("'{}' has no branches", from.name()));
    ++notes_["Branches, of which the one with the most ops is counted"];
    return call(from, from.called_computation_ids(chosen), {operands[static_cast<size_t>(chosen) + 1]}, scope,
                1);
}

size_t Builder::leaves(const hlo_file::Shape& shape, int depth) const {
    if (shape.element_type() != kTuple || depth > kDeepest) return 1;
    size_t count = 0;
    for (const hlo_file::Shape& each : shape.tuple_shapes())
        count += leaves(each, depth + 1);
    return count;
}

Result<Value> Builder::tensors_of(const hlo_file::Shape& shape, const std::string& name, int depth) {
    Value value;
    if (shape.element_type() == kTuple) {
        if (depth > kDeepest) return damaged("tuples hold each other too deep");
        for (const hlo_file::Shape& each : shape.tuple_shapes()) {
            OPSIGHT_ASSIGN(const Value inner, tensors_of(each, name, depth + 1));
            value.insert(value.end(), inner.begin(), inner.end());
        }
        return value;
    }
    ModelTensor tensor;
    tensor.name = cleaned(name);
    tensor.type = element_type(shape.element_type());
    tensor.shape.assign(shape.dimensions().begin(), shape.dimensions().end());
    tensor.shape_known = true;
    if (!element_count(tensor.shape))
        return damaged(fmt::format("'{}' has a size that no machine has", name));
    value.push_back(static_cast<TensorId>(graph_.tensors.size()));
    graph_.tensors.push_back(std::move(tensor));
    return value;
}

Result<Value> Builder::plain(const Instruction& from, const std::vector<Value>& operands,
                             const Scope& scope) {
    OPSIGHT_ASSIGN(Value value, tensors_of(from.shape(), scope.prefix + from.name()));
    if (is_one_of(from.opcode(), {"after-all", "partition-id", "replica-id"})) return value;
    ModelNode node;
    node.name = cleaned(scope.prefix + from.name());
    node.repeat = scope.repeat;
    for (const Value& each : operands)
        node.inputs.insert(node.inputs.end(), each.begin(), each.end());
    node.outputs = value;
    std::string reduced_by;
    if (from.called_computation_ids_size() > 0)
        if (const auto found = computations_.find(from.called_computation_ids(0));
            found != computations_.end())
            for (const Instruction& each : found->second->instructions())
                if (each.id() == found->second->root_id()) reduced_by = each.opcode();
    describe_op(from, reduced_by, graph_, node);
    node.op_type = cleaned(node.op_type);
    node.own_type = cleaned(node.own_type);
    graph_.nodes.push_back(std::move(node));
    return value;
}

}  // namespace opsight::importer::hlo
