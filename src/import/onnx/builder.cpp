#include "import/onnx/builder.h"

#include <fmt/format.h>

#include <algorithm>

#include "import/model/shapes.h"
#include "import/text/clean_text.h"

namespace opsight::importer::onnx {
namespace {

std::string function_key(const std::string& domain, const std::string& name, const std::string& overload) {
    return domain + "\n" + name + "\n" + overload;
}

Attribute attribute_value(const file::Attribute& from) {
    constexpr int kFloat = 1, kInt = 2, kString = 3, kFloats = 6, kInts = 7;
    const bool typed = from.has_type() && from.type() != 0;
    if (typed ? from.type() == kInts : from.ints_size() > 0)
        return std::vector<int64_t>(from.ints().begin(), from.ints().end());
    if (typed ? from.type() == kFloats : from.floats_size() > 0)
        return std::vector<double>(from.floats().begin(), from.floats().end());
    if (typed ? from.type() == kFloat : from.has_f()) return static_cast<double>(from.f());
    if (typed ? from.type() == kString : from.has_s()) return from.s();
    if (typed ? from.type() == kInt : from.has_i()) return from.i();
    return std::string();
}

}  // namespace

TensorId Scope::find(const std::string& name) const {
    for (const Scope* scope = this; scope; scope = scope->outer)
        if (const auto found = scope->names.find(name); found != scope->names.end()) return found->second;
    return kNoTensor;
}

Builder::Builder(const file::Model& model, std::string folder, const ModelOptions& options)
    : model_(model), folder_(std::move(folder)), options_(options), given_(options) {}

TensorId Builder::add_tensor(ModelTensor tensor) {
    graph_.tensors.push_back(std::move(tensor));
    return static_cast<TensorId>(graph_.tensors.size() - 1);
}

Result<ModelGraph> Builder::build() {
    const file::Graph& main = model_.graph();
    graph_.name = main.name();
    graph_.producer = fmt::format("{} {}", model_.producer_name(), model_.producer_version());
    clean_text(graph_.name);
    clean_text(graph_.producer);
    int64_t opset = 0;
    for (const file::OperatorSet& set : model_.opset_import())
        if (set.domain().empty() || set.domain() == "ai.onnx") opset = set.version();
    graph_.format = fmt::format("ONNX, opset {}", opset);
    if (opset > model_import::kNewestOpset)
        graph_.notes.push_back(
            fmt::format("opset {} is newer than {}, the newest that is known: ops that it changed may "
                        "be counted by their older form",
                        opset, model_import::kNewestOpset));
    for (const file::Function& function : model_.functions())
        functions_[function_key(function.domain(), function.name(), function.overload())] = &function;
    learn_value_infos(main);
    Scope scope;
    OPSIGHT_TRY(add_initializers(main, scope));
    OPSIGHT_TRY(add_inputs(main, scope));
    OPSIGHT_TRY(add_nodes(main.node(), scope));
    for (const file::ValueInfo& output : main.output()) {
        const TensorId id = scope.find(output.name());
        if (id == kNoTensor) return fail(fmt::format("no node makes the graph's output '{}'", output.name()));
        graph_.outputs.push_back(id);
    }
    OPSIGHT_TRY(given_.check());
    OPSIGHT_TRY(model_import::check_dims(options_.dims, bound_));
    std::string open;
    for (const auto& [name, size] : bound_)
        open += fmt::format("{}{} = {}", open.empty() ? "" : ", ", name, size);
    if (!open.empty()) graph_.notes.push_back("open dimensions: " + open + " (--dim NAME=SIZE sets them)");
    problems_.add_notes(graph_.notes);
    for (std::string& note : graph_.notes)
        clean_text(note);
    mark_graph(graph_);
    return std::move(graph_);
}

void Builder::learn_value_infos(const file::Graph& graph) {
    for (const auto* list : {&graph.value_info(), &graph.output()})
        for (const file::ValueInfo& info : *list)
            infos_[info.name()] = &info;
}

int64_t Builder::bind(const file::TensorShape::Dimension& dim, const std::string& input, size_t axis) {
    if (dim.has_dim_value() && dim.dim_value() > 0) return dim.dim_value();
    const std::string name = dim.dim_param().empty() ? fmt::format("{}[{}]", input, axis) : dim.dim_param();
    const auto given = options_.dims.find(name);
    const int64_t size = given == options_.dims.end() ? 1 : given->second;
    bound_[name] = size;
    return size;
}

Result<ModelTensor> Builder::input_tensor(const file::ValueInfo& info) {
    ModelTensor tensor;
    tensor.name = info.name();
    const file::Type::TensorType& type = info.type().tensor_type();
    tensor.type = element_type(type.elem_type());
    tensor.shape_known = info.type().has_tensor_type() && type.has_shape();
    if (!options_.shapes.contains(info.name()))
        for (const auto& dim : type.shape().dim())
            tensor.shape.push_back(bind(dim, info.name(), tensor.shape.size()));
    given_.apply(tensor);
    if (tensor.shape.size() > 64 || !element_count(tensor.shape))
        return fail(fmt::format("input '{}' has the sizes {}, which cannot be", tensor.name,
                                shape_text(tensor.shape)));
    return tensor;
}

Status Builder::add_initializers(const file::Graph& graph, Scope& scope) {
    for (const file::Tensor& initializer : graph.initializer()) {
        OPSIGHT_ASSIGN(ModelTensor tensor, read_tensor(initializer, folder_));
        scope.names[initializer.name()] = add_tensor(std::move(tensor));
    }
    for (const file::SparseTensor& sparse : graph.sparse_initializer()) {
        OPSIGHT_ASSIGN(ModelTensor tensor, read_tensor(sparse.values(), folder_));
        tensor.shape.assign(sparse.dims().begin(), sparse.dims().end());
        if (!element_count(tensor.shape)) return fail("a sparse weight has sizes that cannot be");
        tensor.has_value = false;
        scope.names[sparse.values().name()] = add_tensor(std::move(tensor));
    }
    return {};
}

Status Builder::add_inputs(const file::Graph& graph, Scope& scope) {
    bool batch_seen = false;
    for (const file::ValueInfo& info : graph.input()) {
        if (scope.names.contains(info.name())) continue;  // old files list weights as inputs too
        OPSIGHT_ASSIGN(ModelTensor tensor, input_tensor(info));
        if (!tensor.shape_known)
            graph_.notes.push_back(fmt::format("input '{}' has no shape; --shape '{}=1x3x224x224' gives one",
                                               info.name(), info.name()));
        if (!batch_seen && !tensor.shape.empty()) {
            graph_.own_batch = std::max<int64_t>(1, tensor.shape[0]);
            batch_seen = true;
        }
        const TensorId id = add_tensor(std::move(tensor));
        scope.names[info.name()] = id;
        graph_.inputs.push_back(id);
    }
    return {};
}

Status Builder::add_nodes(const google::protobuf::RepeatedPtrField<file::Node>& nodes, Scope& scope) {
    OPSIGHT_ASSIGN(const std::vector<int> order, run_order(nodes));
    for (int index : order)
        OPSIGHT_TRY(add_node(nodes[index], scope));
    return {};
}

Status Builder::add_node(const file::Node& node, Scope& scope) {
    if (++written_out_ > kMostNodes)
        return fail(
            fmt::format("the model has more than {} nodes once its functions are written out", kMostNodes));
    const bool standard = node.domain().empty() || node.domain() == "ai.onnx";
    const auto function = functions_.find(function_key(node.domain(), node.op_type(), node.overload()));
    if (function != functions_.end()) return call_function(node, *function->second, scope);
    if (standard && node.op_type() == "Constant") return add_constant(node, scope);
    if (standard && node.op_type() == "If") return add_if(node, scope);
    if (standard && node.op_type() == "Loop") return add_loop(node, scope);
    if (standard && node.op_type() == "Scan") return add_scan(node, scope);
    return add_plain(node, scope);
}

const file::Attribute* Builder::attribute(const file::Node& node, std::string_view name,
                                          const Scope& scope) const {
    for (const file::Attribute& attribute : node.attribute()) {
        if (attribute.name() != name) continue;
        if (attribute.ref_attr_name().empty()) return &attribute;
        for (const Scope* at = &scope; at; at = at->outer) {
            if (!at->in_function) continue;
            const auto found = at->attributes.find(attribute.ref_attr_name());
            return found == at->attributes.end() ? nullptr : found->second;
        }
    }
    return nullptr;
}

Status Builder::read_attributes(const file::Node& node, const Scope& scope, ModelNode& to) {
    for (const file::Attribute& own : node.attribute()) {
        const file::Attribute* value = attribute(node, own.name(), scope);
        if (!value || value->has_g() || value->graphs_size() > 0) continue;
        if (!value->has_t()) {
            to.attributes[own.name()] = attribute_value(*value);
            continue;
        }
        OPSIGHT_ASSIGN(const ModelTensor tensor, read_tensor(value->t(), folder_));
        if (tensor.has_value && tensor.value.size() == 1) to.attributes["fill"] = tensor.value[0];
        to.attributes["fill_type"] = static_cast<int64_t>(value->t().data_type());
    }
    return {};
}

Result<std::vector<TensorId>> Builder::input_ids(const file::Node& node, const Scope& scope) const {
    std::vector<TensorId> ids;
    for (const std::string& name : node.input()) {
        const TensorId id = name.empty() ? kNoTensor : scope.find(name);
        if (id == kNoTensor && !name.empty())
            return fail(fmt::format("{} takes '{}', which is not an input, a weight or a node's output",
                                    node_label(node), name));
        ids.push_back(id);
    }
    return ids;
}

Status Builder::add_constant(const file::Node& node, Scope& scope) {
    ModelTensor tensor;
    tensor.shape_known = tensor.constant = true;
    const auto set_list = [&](ElementType type, const auto& list, bool scalar) {
        tensor.type = type;
        tensor.value.assign(list.begin(), list.end());
        if (!scalar) tensor.shape = {static_cast<int64_t>(list.size())};
        tensor.has_value = tensor.value.size() <= static_cast<size_t>(model_import::kMostValues);
    };
    if (const auto* value = attribute(node, "value", scope)) {
        OPSIGHT_ASSIGN(tensor, read_tensor(value->t(), folder_));
    } else if (const auto* ints = attribute(node, "value_ints", scope)) {
        set_list(ElementType::kInt64, ints->ints(), false);
    } else if (const auto* floats = attribute(node, "value_floats", scope)) {
        set_list(ElementType::kFloat32, floats->floats(), false);
    } else if (const auto* integer = attribute(node, "value_int", scope)) {
        set_list(ElementType::kInt64, std::vector<int64_t>{integer->i()}, true);
    } else if (const auto* real = attribute(node, "value_float", scope)) {
        set_list(ElementType::kFloat32, std::vector<float>{real->f()}, true);
    } else {
        tensor.type = ElementType::kString;
    }
    tensor.name = node.output_size() > 0 ? node.output(0) : std::string();
    return set_outputs(node, {add_tensor(std::move(tensor))}, scope);
}

Status Builder::set_outputs(const file::Node& node, const std::vector<TensorId>& ids, Scope& scope) {
    for (int i = 0; i < node.output_size() && static_cast<size_t>(i) < ids.size(); ++i)
        if (!node.output(i).empty()) scope.names[node.output(i)] = ids[static_cast<size_t>(i)];
    return {};
}

Status Builder::add_plain(const file::Node& from, Scope& scope) {
    ModelNode node;
    node.name = scope.prefix + (from.name().empty() && from.output_size() > 0 ? from.output(0) : from.name());
    node.op_type = from.op_type();
    clean_text(node.name);
    clean_text(node.op_type);
    node.domain = from.domain() == "ai.onnx" ? std::string() : from.domain();
    node.repeat = scope.repeat;
    OPSIGHT_ASSIGN(node.inputs, input_ids(from, scope));
    OPSIGHT_TRY(read_attributes(from, scope, node));
    const int64_t type = node.integer("to", node.integer("dtype", node.integer("fill_type", 0)));
    for (const std::string& name : from.output()) {
        ModelTensor tensor;
        tensor.name = scope.prefix + name;
        tensor.type = element_type(static_cast<int32_t>(std::clamp<int64_t>(type, 0, 1000)));
        node.outputs.push_back(name.empty() ? kNoTensor : add_tensor(std::move(tensor)));
    }
    OPSIGHT_TRY(set_outputs(from, node.outputs, scope));
    OPSIGHT_TRY(note_shapes(node));
    graph_.nodes.push_back(std::move(node));
    return {};
}

// Infers shapes; where that fails takes those that the file has written down.
Status Builder::note_shapes(ModelNode& node) {
    model_import::NodeShapes shapes(graph_, node);
    const bool known_domain = node.domain.empty() || node.domain == "com.microsoft";
    const bool inferred = known_domain && model_import::infer_shapes(shapes);
    for (TensorId id : node.outputs)
        if (id != kNoTensor) given_.apply(graph_.tensors[static_cast<size_t>(id)]);
    if (inferred) return {};
    if (shapes.too_large)
        return fail(fmt::format("node '{}' ({}): {}", node.name, node.op_type, shapes.problem));
    if (!shapes.problem.empty()) problems_.misfit(node.name, node.op_type, shapes.problem);
    // What comes after an op of unknown outputs is unknown as well: only the first of them is named.
    const bool follows = std::any_of(node.inputs.begin(), node.inputs.end(), [&](TensorId id) {
        return id != kNoTensor && !graph_.tensors[static_cast<size_t>(id)].shape_known;
    });
    bool known = true;
    for (TensorId id : node.outputs) {
        if (id == kNoTensor) continue;
        ModelTensor& tensor = graph_.tensors[static_cast<size_t>(id)];
        const auto info = infos_.find(tensor.name);
        if (!tensor.shape_known && info != infos_.end()) {
            OPSIGHT_ASSIGN(ModelTensor written, input_tensor(*info->second));
            tensor.shape = std::move(written.shape);
            tensor.shape_known = written.shape_known;
            tensor.type = written.type;
        }
        known &= tensor.shape_known;
    }
    if (!known && !follows) problems_.unknown(known_domain ? node.op_type : node.domain + "." + node.op_type);
    return {};
}

Status Builder::call_function(const file::Node& node, const file::Function& function, Scope& scope) {
    if (scope.depth >= kDeepest)
        return fail(
            fmt::format("{}: functions call each other more than {} deep", node_label(node), kDeepest));
    Scope inner;
    inner.prefix = scope.prefix + (node.name().empty() ? function.name() : node.name()) + "/";
    inner.repeat = scope.repeat;
    inner.depth = scope.depth + 1;
    inner.in_function = true;
    OPSIGHT_ASSIGN(const std::vector<TensorId> ids, input_ids(node, scope));
    for (int i = 0; i < function.input_size(); ++i) {
        // An optional input that this call leaves out: a tensor that nothing is known of.
        const TensorId given = static_cast<size_t>(i) < ids.size() ? ids[static_cast<size_t>(i)] : kNoTensor;
        inner.names[function.input(i)] = given == kNoTensor ? add_tensor({}) : given;
    }
    for (const file::Attribute& fallback : function.attribute_proto())
        inner.attributes[fallback.name()] = &fallback;
    for (const file::Attribute& own : node.attribute())
        if (const file::Attribute* value = attribute(node, own.name(), scope))
            inner.attributes[own.name()] = value;
    OPSIGHT_TRY(add_nodes(function.node(), inner));
    std::vector<TensorId> outputs;
    for (const std::string& name : function.output()) {
        outputs.push_back(inner.find(name));
        if (outputs.back() == kNoTensor)
            return fail(fmt::format("function '{}' does not make its output '{}'", function.name(), name));
    }
    return set_outputs(node, outputs, scope);
}

}  // namespace opsight::importer::onnx
