// Lists of tensors, which loops read their steps from and put their results in. Only the shape of an item and
// the length are followed; a tensor put into a list is not copied.
#include <fmt/format.h>

#include <algorithm>

#include "import/graphdef/builder.h"
#include "import/graphdef/tensor_values.h"
#include "import/text/clean_text.h"

namespace opsight::importer::graphdef {
namespace {

std::optional<int64_t> only_value(const ModelTensor* tensor) {
    if (!tensor || !tensor->has_value || tensor->value.size() != 1) return std::nullopt;
    return static_cast<int64_t>(std::clamp(tensor->value.front(), -1e15, 1e15));
}

// A shape given as a value; nothing where a size in it is open.
std::optional<Shape> shape_value(const ModelTensor* tensor) {
    if (!tensor || !tensor->has_value || !tensor->shape_known || tensor->shape.size() != 1)
        return std::nullopt;
    Shape shape;
    for (double size : tensor->value) {
        if (!(size >= 0 && size <= static_cast<double>(kMostElements))) return std::nullopt;
        shape.push_back(static_cast<int64_t>(size));
    }
    return element_count(shape) ? std::optional(shape) : std::nullopt;
}

bool is_array(const std::string& type) {
    return type.starts_with("TensorArray");
}

}  // namespace

Builder::ListOp Builder::list_op(const std::string& type) {
    static const std::unordered_map<std::string_view, ListOp> ops = {
        {"TensorArrayV3", &Builder::make_list},
        {"TensorListReserve", &Builder::make_list},
        {"EmptyTensorList", &Builder::make_list},
        {"TensorArrayScatterV3", &Builder::list_of_parts},
        {"TensorListFromTensor", &Builder::list_of_parts},
        {"TensorArrayWriteV3", &Builder::put_item},
        {"TensorListSetItem", &Builder::put_item},
        {"TensorListPushBack", &Builder::put_item},
        {"TensorArrayReadV3", &Builder::take_item},
        {"TensorListGetItem", &Builder::take_item},
        {"TensorArrayGatherV3", &Builder::join_items},
        {"TensorListStack", &Builder::join_items},
        {"TensorArraySizeV3", &Builder::list_size},
        {"TensorListLength", &Builder::list_size},
    };
    const auto found = ops.find(type);
    return found == ops.end() ? nullptr : found->second;
}

// TensorArrayV3 (size) -> handle, flow; TensorListReserve and EmptyTensorList (item shape, length).
Result<Builder::Ids> Builder::make_list(const file::NodeDef& node, const Ids& inputs, const Scope& scope) {
    const TensorId handle = tensor_of(scope.prefix + node.name(), Shape{}, ElementType::kUnknown);
    TensorList& list = lists_[handle];
    const bool array = is_array(node.op());
    if (node.op() != "EmptyTensorList") list.length = only_value(tensor(inputs, array ? 0 : 1));
    if (!array) list.item = shape_value(tensor(inputs, 0));
    for (const char* name : {"dtype", "element_dtype"})
        if (const file::AttrValue* type = attribute_of(node, name)) list.type = element_type(type->type());
    return array ? Ids{handle, handle} : Ids{handle};
}

// TensorArrayScatterV3 (handle, places, tensor, flow); TensorListFromTensor (tensor, item shape).
Result<Builder::Ids> Builder::list_of_parts(const file::NodeDef& node, const Ids& inputs,
                                            const Scope& scope) {
    const bool array = is_array(node.op());
    const TensorId handle = array && !inputs.empty()
                                ? inputs[0]
                                : tensor_of(scope.prefix + node.name(), Shape{}, ElementType::kUnknown);
    const ModelTensor* whole = tensor(inputs, array ? 2 : 0);
    TensorList& list = lists_[handle];
    if (!whole || !whole->shape_known || whole->shape.empty()) return Ids{handle};
    list.item = Shape(whole->shape.begin() + 1, whole->shape.end());
    list.length = whole->shape.front();
    list.type = whole->type;
    list.source = inputs[array ? 2 : 0];
    return Ids{handle};
}

// (handle, place, item, flow); TensorListPushBack (handle, item).
Result<Builder::Ids> Builder::put_item(const file::NodeDef& node, const Ids& inputs, const Scope&) {
    if (inputs.empty()) return Ids{};
    TensorList& list = lists_[inputs[0]];
    const ModelTensor* item = tensor(inputs, node.op() == "TensorListPushBack" ? 1 : 2);
    if (item && item->shape_known) {
        list.item = item->shape;
        list.type = item->type;
        list.source = inputs[node.op() == "TensorListPushBack" ? 1 : 2];
    }
    return Ids{inputs[0]};
}

Builder::Ids Builder::add_taken(const file::NodeDef& node, std::string_view op_type, const TensorList& list,
                                std::optional<Shape> shape, const Scope& scope) {
    if (shape && !element_count(*shape)) shape.reset();
    if (!shape) problems_.unknown(node.op());
    ModelNode made;
    made.name = scope.prefix + node.name();
    clean_text(made.name);
    made.op_type = op_type;
    made.own_type = node.op();
    made.domain = "tensorflow";
    if (list.source != kNoTensor) made.inputs = {list.source};
    made.outputs = {tensor_of(made.name, std::move(shape), list.type)};
    const Ids ids = made.outputs;
    graph_.nodes.push_back(std::move(made));
    const auto frame = scope.frame_of.find(node.name());
    node_frames_.push_back(frame == scope.frame_of.end() ? scope.frame : frame->second);
    return ids;
}

// (handle, place, flow or item shape)
Result<Builder::Ids> Builder::take_item(const file::NodeDef& node, const Ids& inputs, const Scope& scope) {
    const TensorList list = inputs.empty() ? TensorList() : lists_[inputs[0]];
    std::optional<Shape> shape = list.item;
    if (!shape && !is_array(node.op())) shape = shape_value(tensor(inputs, 2));
    return add_taken(node, "LoopState", list, std::move(shape), scope);
}

// TensorArrayGatherV3 (handle, places, flow); TensorListStack (handle, item shape).
Result<Builder::Ids> Builder::join_items(const file::NodeDef& node, const Ids& inputs, const Scope& scope) {
    const TensorList list = inputs.empty() ? TensorList() : lists_[inputs[0]];
    std::optional<int64_t> length = list.length;
    if (const ModelTensor* places = tensor(inputs, 1); is_array(node.op()) && places && places->shape_known)
        length = places->elements();
    std::optional<Shape> shape = list.item;
    if (!shape && !is_array(node.op())) shape = shape_value(tensor(inputs, 1));
    if (!length || *length < 0) shape.reset();
    if (shape) shape->insert(shape->begin(), *length);
    return add_taken(node, "Concat", list, std::move(shape), scope);
}

Result<Builder::Ids> Builder::list_size(const file::NodeDef& node, const Ids& inputs, const Scope& scope) {
    const TensorId id = tensor_of(scope.prefix + node.name(), Shape{}, ElementType::kInt32);
    const auto list = inputs.empty() ? lists_.end() : lists_.find(inputs[0]);
    if (list != lists_.end() && list->second.length) {
        ModelTensor& size = graph_.tensors[static_cast<size_t>(id)];
        size.value = {static_cast<double>(*list->second.length)};
        size.has_value = true;
    }
    return Ids{id};
}

}  // namespace opsight::importer::graphdef
