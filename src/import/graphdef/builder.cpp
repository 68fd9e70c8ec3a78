#include "import/graphdef/builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "import/graphdef/tensor_values.h"
#include "import/text/clean_text.h"

namespace opsight::importer::graphdef {

bool hands_on(const std::string& type) {
    static const std::unordered_set<std::string_view> types = {"Identity",         "IdentityN",
                                                               "Snapshot",         "StopGradient",
                                                               "PreventGradient",  "PlaceholderWithDefault",
                                                               "ReadVariableOp",   "Enter",
                                                               "RefEnter",         "Exit",
                                                               "RefExit",          "Switch",
                                                               "RefSwitch",        "Merge",
                                                               "RefMerge",         "NextIteration",
                                                               "RefNextIteration", "LoopCond",
                                                               "CheckNumerics",    "EnsureShape",
                                                               "RefIdentity",      "StatelessIdentity",
                                                               "DeepCopy",         "_Retval",
                                                               "XlaSharding"};
    return types.contains(type);
}

namespace {

constexpr size_t kMostOutputs = 10'000;  // of one node

bool is_variable(const std::string& type) {
    return type == "VarHandleOp" || type == "VariableV2" || type == "Variable" ||
           type == "AutoReloadVariable";
}

bool is_input(const std::string& type) {
    return type == "Placeholder" || type == "PlaceholderV2" || type == "IteratorGetNext" ||
           type.starts_with("QueueDequeue");
}

// Ops that only a training step has.
bool trains(const std::string& type) {
    return type.starts_with("Apply") || type.starts_with("ResourceApply") || type == "SymbolicGradient" ||
           type.find("Backprop") != std::string::npos || type.ends_with("Grad");
}

}  // namespace

Builder::Builder(const Source& source, const ModelOptions& options)
    : source_(source), options_(options), given_(options) {
    frames_.push_back({});
}

TensorId Builder::add_tensor(ModelTensor tensor) {
    graph_.tensors.push_back(std::move(tensor));
    return static_cast<TensorId>(graph_.tensors.size() - 1);
}

TensorId Builder::tensor_of(std::string name, std::optional<Shape> shape, ElementType type) {
    ModelTensor tensor;
    tensor.name = std::move(name);
    tensor.type = type;
    tensor.shape_known = shape.has_value();
    if (shape) tensor.shape = std::move(*shape);
    return add_tensor(std::move(tensor));
}

const ModelTensor* Builder::tensor(const Ids& ids, size_t index) const {
    return index < ids.size() ? graph_.tensor(ids[index]) : nullptr;
}

Result<ModelGraph> Builder::build() {
    graph_.format = source_.format;
    graph_.producer = source_.producer;
    clean_text(graph_.producer);
    for (const file::FunctionDef& function : source_.graph->library().function())
        functions_[function.signature().name()] = &function;
    Scope scope;
    OPSIGHT_TRY(open_scope(source_.graph->node(), scope));
    std::vector<TensorRef> outputs = wanted();
    if (outputs.empty()) {
        OPSIGHT_ASSIGN(outputs, ends(source_.graph->node(), scope));
    }
    if (outputs.empty()) return fail("the graph computes nothing: it has no node whose result is an output");
    for (const TensorRef& ref : outputs)
        scope.outputs[ref.node] = std::max(scope.outputs[ref.node], ref.output + 1);
    OPSIGHT_ASSIGN(const Ids ids, add_nodes(outputs, scope));
    for (TensorId id : ids)
        if (id != kNoTensor) graph_.outputs.push_back(id);
    for (size_t i = 0; i < graph_.nodes.size(); ++i)
        graph_.nodes[i].repeat = repeats(node_frames_[i]);
    OPSIGHT_TRY(given_.check());
    OPSIGHT_TRY(model_import::check_dims(options_.dims, bound_));
    add_notes();
    mark_graph(graph_);
    return std::move(graph_);
}

void Builder::add_notes() {
    if (!source_.signature_name.empty())
        graph_.notes.push_back(fmt::format("what the signature '{}' asks for", source_.signature_name));
    std::string open;
    for (const auto& [name, size] : bound_)
        open += fmt::format("{}{} = {}", open.empty() ? "" : ", ", name, size);
    if (!open.empty()) graph_.notes.push_back("open dimensions: " + open + " (--dim NAME=SIZE sets them)");
    for (size_t i = 1; i < frames_.size(); ++i)
        graph_.notes.push_back(
            frames_[i].known ? fmt::format("loop '{}': {:.0f} turns", frames_[i].name, frames_[i].turns)
                             : fmt::format("loop '{}': how often it runs is not known; one turn is counted",
                                           frames_[i].name));
    if (open_branches_ > 0)
        graph_.notes.push_back(fmt::format(
            "{} branches whose condition is not known: the larger one is counted", open_branches_));
    if (own_backward_ > 0)
        graph_.notes.push_back(
            fmt::format("{} ops of its own backward pass and optimizer are counted as they "
                        "stand: leave --train away",
                        own_backward_));
    problems_.add_notes(graph_.notes);
    for (std::string& note : graph_.notes)
        clean_text(note);
}

Builder::Ids Builder::input_ids(const file::NodeDef& node, const Scope& scope) const {
    Ids ids;
    for (const std::string& input : node.input()) {
        const TensorRef ref = reference(input, scope);
        if (ref.control) continue;
        const auto made = scope.made.find(ref.node);
        const bool known = made != scope.made.end() && ref.output < made->second.size();
        ids.push_back(known ? made->second[ref.output] : kNoTensor);
    }
    return ids;
}

Result<Builder::Ids> Builder::add_nodes(const std::vector<TensorRef>& outputs, Scope& scope) {
    OPSIGHT_ASSIGN(const std::vector<const file::NodeDef*> order, run_order(outputs, scope));
    for (const file::NodeDef* node : order) {
        if (++written_out_ > kMostNodes)
            return fail(fmt::format("the model has more than {} nodes once its functions are written out",
                                    kMostNodes));
        note_frame(*node, scope);
        OPSIGHT_ASSIGN(Ids ids, add_node(*node, input_ids(*node, scope), scope));
        scope.made[node->name()] = std::move(ids);
    }
    Ids ids;
    for (const TensorRef& ref : outputs) {
        const auto made = scope.made.find(ref.node);
        const bool known = made != scope.made.end() && ref.output < made->second.size();
        ids.push_back(known ? made->second[ref.output] : kNoTensor);
    }
    return ids;
}

Result<Builder::Ids> Builder::add_node(const file::NodeDef& node, const Ids& inputs, Scope& scope) {
    const std::string& type = node.op();
    if (type == "Const") return add_constant(node, scope);
    if (is_variable(type)) return add_variable(node, scope);
    if (is_input(type)) return add_input(node, scope);
    if ((type == "Merge" || type == "RefMerge") && inputs.size() == 2 && inputs[1] == kNoTensor)
        return Ids{loop_state(inputs[0], scope.prefix + node.name(), scope)};
    if (type == "Merge" || type == "RefMerge")
        return Ids{inputs.empty() ? kNoTensor : inputs[inputs[0] == kNoTensor && inputs.size() > 1 ? 1 : 0]};
    if (type.ends_with("Switch")) return Ids(2, inputs.empty() ? kNoTensor : inputs[0]);
    if (hands_on(type)) return inputs;
    if (const ListOp op = list_op(type)) return (this->*op)(node, inputs, scope);
    if (type.ends_with("PartitionedCall")) {
        const file::AttrValue* called = attribute_of(node, "f");
        return call(node, called ? called->func().name() : std::string(), inputs, scope, scope.frame);
    }
    if (type == "If" || type == "StatelessIf") return add_if(node, inputs, scope);
    if (type == "While" || type == "StatelessWhile") return add_while(node, inputs, scope);
    if (functions_.contains(type)) return call(node, type, inputs, scope, scope.frame);
    if (type.starts_with("Less") || type.starts_with("Greater"))
        count_turns(node, inputs, scope.frame_of[node.name()]);
    return add_plain(node, inputs, scope);
}

Result<Builder::Ids> Builder::add_constant(const file::NodeDef& node, const Scope& scope) {
    const file::AttrValue* value = attribute_of(node, "value");
    if (!value) return fail(fmt::format("the constant '{}' has no value", node.name()));
    OPSIGHT_ASSIGN(ModelTensor tensor, read_tensor(value->tensor(), scope.prefix + node.name()));
    clean_text(tensor.name);
    return Ids{add_tensor(std::move(tensor))};
}

// Weights: they stay the same from run to run.
Result<Builder::Ids> Builder::add_variable(const file::NodeDef& node, const Scope& scope) {
    ModelTensor tensor;
    tensor.name = scope.prefix + node.name();
    clean_text(tensor.name);
    tensor.constant = true;
    const file::AttrValue *type = attribute_of(node, "dtype"), *shape = attribute_of(node, "shape");
    if (type) tensor.type = element_type(type->type());
    if (shape && !shape->shape().unknown_rank()) {
        for (const auto& dim : shape->shape().dim())
            tensor.shape.push_back(dim.size());
        // A variable whose sizes only the run knows.
        tensor.shape_known =
            std::all_of(tensor.shape.begin(), tensor.shape.end(), [](int64_t n) { return n >= 0; });
        if (tensor.shape.size() > 64 || (tensor.shape_known && !element_count(tensor.shape)))
            return fail(fmt::format("variable '{}' has the sizes {}, which cannot be", node.name(),
                                    shape_text(tensor.shape)));
    }
    return Ids{add_tensor(std::move(tensor))};
}

Result<Shape> Builder::bind(const file::TensorShapeProto& from, const std::string& name) {
    Shape shape;
    for (const auto& dim : from.dim()) {
        int64_t size = dim.size();
        if (size < 0) {
            const std::string open = fmt::format("{}[{}]", name, shape.size());
            const auto given = options_.dims.find(open);
            size = given == options_.dims.end() ? 1 : given->second;
            bound_[open] = size;
        }
        shape.push_back(size);
    }
    if (shape.size() > 64 || !element_count(shape))
        return fail(fmt::format("input '{}' has the sizes {}, which cannot be", name, shape_text(shape)));
    return shape;
}

// The shape that the file gives to output `at` of an input; null where it gives none.
const file::TensorShapeProto* Builder::input_shape(const file::NodeDef& node, int at) const {
    const file::TensorShapeProto* found = nullptr;
    if (const file::AttrValue* shape = attribute_of(node, "shape")) found = &shape->shape();
    if (const file::AttrValue* shapes = attribute_of(node, "output_shapes");
        shapes && at < shapes->list().shape_size())
        found = &shapes->list().shape(at);
    if (!source_.signature || (found && !found->unknown_rank())) return found;
    for (const file::TensorEntry& entry : source_.signature->inputs())
        if (entry.value().name() == fmt::format("{}:{}", node.name(), at) && entry.value().has_tensor_shape())
            return &entry.value().tensor_shape();
    return found;
}

Result<ModelTensor> Builder::input_tensor(const file::NodeDef& node, int at) {
    ModelTensor tensor;
    tensor.name = at == 0 ? node.name() : fmt::format("{}:{}", node.name(), at);
    if (const file::AttrValue* type = attribute_of(node, "dtype")) tensor.type = element_type(type->type());
    if (const file::AttrValue* types = attribute_of(node, "output_types");
        types && at < types->list().type_size())
        tensor.type = element_type(types->list().type(at));
    const file::TensorShapeProto* shape = input_shape(node, at);
    if (shape && !shape->unknown_rank() && !options_.shapes.contains(tensor.name)) {
        OPSIGHT_ASSIGN(tensor.shape, bind(*shape, tensor.name));
        tensor.shape_known = true;
    }
    given_.apply(tensor);
    if (!tensor.shape_known) {
        graph_.notes.push_back(fmt::format("input '{}' has no shape; --shape '{}=1x224x224x3' gives one",
                                           tensor.name, tensor.name));
    }
    clean_text(tensor.name);
    return tensor;
}

Result<Builder::Ids> Builder::add_input(const file::NodeDef& node, const Scope& scope) {
    const auto asked = scope.outputs.find(node.name());
    const size_t count =
        std::clamp<size_t>(asked == scope.outputs.end() ? 1 : asked->second, 1, kMostOutputs);
    Ids ids;
    for (size_t i = 0; i < count; ++i) {
        OPSIGHT_ASSIGN(ModelTensor tensor, input_tensor(node, static_cast<int>(i)));
        if (graph_.inputs.empty() && !tensor.shape.empty())
            graph_.own_batch = std::max<int64_t>(1, tensor.shape[0]);
        ids.push_back(add_tensor(std::move(tensor)));
        graph_.inputs.push_back(ids.back());
    }
    return ids;
}

Status Builder::note_problems(const OpView& op) {
    if (op.shapes.too_large)
        return fail(fmt::format("node '{}' ({}): {}", op.node.name, op.type(), op.shapes.problem));
    if (!op.shapes.problem.empty()) problems_.misfit(op.node.name, op.type(), op.shapes.problem);
    // What comes after an op of unknown outputs is unknown as well: only the first of them is named.
    const bool follows = std::any_of(op.node.inputs.begin(), op.node.inputs.end(), [&](TensorId id) {
        const ModelTensor* input = graph_.tensor(id);
        return !input || !input->shape_known;
    });
    const bool known = std::all_of(op.node.outputs.begin(), op.node.outputs.end(),
                                   [&](TensorId id) { return graph_.tensor(id)->shape_known; });
    if (!known && !follows) problems_.unknown(op.type());
    return {};
}

Result<Builder::Ids> Builder::add_plain(const file::NodeDef& from, const Ids& inputs, const Scope& scope) {
    ModelNode node;
    node.name = scope.prefix + from.name();
    node.op_type = node.own_type = from.op();
    node.domain = "tensorflow";
    node.inputs = inputs;
    clean_text(node.name);
    clean_text(node.own_type);
    const auto asked = scope.outputs.find(from.name());
    const size_t outputs = asked == scope.outputs.end() ? 1 : asked->second;
    if (outputs > kMostOutputs)
        return fail(fmt::format("node '{}' would have {} outputs", from.name(), outputs));
    const file::AttrValue* type = attribute_of(from, "T");
    for (size_t i = 0; i < std::max<size_t>(1, outputs); ++i)
        node.outputs.push_back(tensor_of(i == 0 ? node.name : fmt::format("{}:{}", node.name, i),
                                         std::nullopt,
                                         type ? element_type(type->type()) : ElementType::kFloat32));
    OpRule rule = plain_rule(from.op());
    if (!rule) rule = layout_rule(from.op());
    if (!rule) rule = convolution_rule(from.op());
    if (!rule) rule = recurrent_rule(from.op());
    OpView op(graph_, from, node);
    const bool inferred = rule && rule(op);
    for (TensorId id : op.node.outputs)
        if (id != kNoTensor) given_.apply(graph_.tensors[static_cast<size_t>(id)]);
    if (!inferred) OPSIGHT_TRY(note_problems(op));
    if (trains(from.op())) ++own_backward_;
    const Ids ids = node.outputs;
    graph_.nodes.push_back(std::move(node));
    const auto frame = scope.frame_of.find(from.name());
    node_frames_.push_back(frame == scope.frame_of.end() ? scope.frame : frame->second);
    return ids;
}

}  // namespace opsight::importer::graphdef
