#include "import/graphdef/op_view.h"

#include "import/graphdef/tensor_values.h"

namespace opsight::importer::graphdef {

const file::AttrValue* attribute_of(const file::NodeDef& node, std::string_view name) {
    for (const file::AttrEntry& entry : node.attr())
        if (entry.key() == name) return &entry.value();
    return nullptr;
}

int64_t OpView::integer(std::string_view name, int64_t fallback) const {
    const file::AttrValue* value = attribute_of(def_, name);
    return value && value->has_i() ? value->i() : fallback;
}

bool OpView::flag(std::string_view name, bool fallback) const {
    const file::AttrValue* value = attribute_of(def_, name);
    return value && value->has_b() ? value->b() : fallback;
}

std::string OpView::text(std::string_view name, std::string_view fallback) const {
    const file::AttrValue* value = attribute_of(def_, name);
    return value && value->has_s() ? value->s() : std::string(fallback);
}

std::vector<int64_t> OpView::integers(std::string_view name) const {
    const file::AttrValue* value = attribute_of(def_, name);
    if (!value) return {};
    return {value->list().i().begin(), value->list().i().end()};
}

std::vector<std::string> OpView::texts(std::string_view name) const {
    const file::AttrValue* value = attribute_of(def_, name);
    if (!value) return {};
    return {value->list().s().begin(), value->list().s().end()};
}

ElementType OpView::type_of(std::string_view name, ElementType fallback) const {
    const file::AttrValue* value = attribute_of(def_, name);
    return value && value->has_type() ? element_type(value->type()) : fallback;
}

std::optional<int64_t> OpView::value(size_t input) const {
    const auto values = shapes.values(input);
    if (!values || values->size() != 1) return std::nullopt;
    return values->front();
}

void OpView::drop_input(size_t index) {
    if (index < node.inputs.size())
        node.inputs.erase(node.inputs.begin() + static_cast<std::ptrdiff_t>(index));
}

void OpView::set_values(std::vector<double> values) {
    ModelTensor* out = shapes.out(0);
    if (!out || !out->shape_known || static_cast<int64_t>(values.size()) != out->elements()) return;
    out->value = std::move(values);
    out->has_value = true;
}

}  // namespace opsight::importer::graphdef
