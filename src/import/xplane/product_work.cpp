#include "import/xplane/product_work.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "cost/op_work.h"
#include "import/hlo/builder.h"
#include "import/hlo/shapes.h"

namespace opsight::importer::xplane {
namespace {

constexpr int32_t kTupleShape = 13;

// The shape of a value, or of the first of a tuple's: a call's result stands before its workspace.
const hlo_file::Shape* first_shape(const hlo_file::Shape& shape) {
    if (shape.element_type() != kTupleShape) return &shape;
    return shape.tuple_shapes_size() > 0 && shape.tuple_shapes(0).element_type() != kTupleShape
               ? &shape.tuple_shapes(0)
               : nullptr;
}

bool add_tensor(const hlo_file::Shape* shape, ModelGraph& graph, std::vector<TensorId>& to) {
    if (!shape) return false;
    ModelTensor tensor;
    tensor.type = hlo::element_type(shape->element_type());
    tensor.shape.assign(shape->dimensions().begin(), shape->dimensions().end());
    tensor.shape_known = true;
    if (tensor.type == ElementType::kUnknown || !element_count(tensor.shape)) return false;
    to.push_back(static_cast<TensorId>(graph.tensors.size()));
    graph.tensors.push_back(std::move(tensor));
    return true;
}

// All tensors once: each was added for what is read or written.
double bytes_of(const ModelGraph& graph) {
    double bytes = 0;
    for (const ModelTensor& tensor : graph.tensors)
        bytes += static_cast<double>(tensor.bytes());
    return bytes;
}

bool add_operands(const hlo_file::Instruction& from, const Instructions& all, ModelGraph& graph,
                  std::vector<TensorId>& to) {
    return std::all_of(from.operand_ids().begin(), from.operand_ids().end(), [&](int64_t id) {
        const auto known = all.find(id);
        return known != all.end() && add_tensor(first_shape(known->second->shape()), graph, to);
    });
}

int64_t whole(double value) {
    constexpr double kMost = 9e18;
    return value < kMost ? static_cast<int64_t>(value) : -1;
}

bool takes_parts(std::string_view opcode) {
    constexpr std::string_view parts[] = {"slice", "dynamic-slice", "dynamic-update-slice", "gather",
                                          "scatter"};
    return std::find(std::begin(parts), std::end(parts), opcode) != std::end(parts);
}

}  // namespace

ProductWork product_work(const hlo_file::Instruction& from, const Instructions& all) {
    ModelGraph graph;
    ModelNode node;
    if (!add_operands(from, all, graph, node.inputs) ||
        !add_tensor(first_shape(from.shape()), graph, node.outputs))
        return {};
    hlo::describe_op(from, {}, graph, node);
    const cost::OpWork work = cost::op_work(graph, node);
    if (work.kind != cost::WorkKind::kMatrix) return {};
    return {whole(work.flops), whole(bytes_of(graph))};
}

ProductWork fusion_work(const hlo_file::Instruction& fusion, const hlo_file::Computation& computation,
                        const Instructions& all) {
    ProductWork work;
    double flops = 0;
    bool parts = false;
    for (const hlo_file::Instruction& each : computation.instructions()) {
        parts |= takes_parts(each.opcode());
        if (const int64_t own = product_work(each, all).flops; own > 0) flops += static_cast<double>(own);
    }
    ModelGraph graph;
    std::vector<TensorId> moved;
    if (flops <= 0 || parts || fusion.shape().element_type() == kTupleShape ||
        !add_operands(fusion, all, graph, moved) || !add_tensor(&fusion.shape(), graph, moved))
        return work;
    return {whole(flops), whole(bytes_of(graph))};
}

}  // namespace opsight::importer::xplane
