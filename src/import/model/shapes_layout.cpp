// Ops that make, move, select or reshape data.
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "import/model/shapes.h"

namespace opsight::importer::model_import {
namespace {

bool identity(NodeShapes& node) {
    return node.shape(0) && node.set(0, *node.shape(0));
}

bool shape_op(NodeShapes& node) {
    const Shape* x = node.shape(0);
    if (!x) return false;
    const int64_t rank = static_cast<int64_t>(x->size());
    const auto bound = [&](int64_t at) { return std::clamp<int64_t>(at < 0 ? at + rank : at, 0, rank); };
    const int64_t start = bound(node.node().integer("start", 0)),
                  end = bound(node.node().integer("end", rank));
    return node.set(0, {std::max<int64_t>(0, end - start)}, ElementType::kInt64);
}

bool size_op(NodeShapes& node) {
    return node.shape(0) && node.set(0, {}, ElementType::kInt64);
}

bool reshape(NodeShapes& node) {
    const Shape* x = node.shape(0);
    const auto wanted = node.list("shape", 1);
    if (!x || !wanted) return false;
    const bool allow_zero = node.node().integer("allowzero", 0) != 0;
    Shape out = *wanted;
    int64_t known = 1;
    std::optional<size_t> open;
    for (size_t i = 0; i < out.size(); ++i) {
        if (out[i] == 0 && !allow_zero) {
            if (i >= x->size()) return node.misfit("it keeps a size that the input does not have");
            out[i] = (*x)[i];
        }
        if (out[i] == -1) {
            if (open) return node.misfit("two sizes of its new shape are left open");
            open = i;
        } else {
            const auto product = out[i] < 0 ? std::nullopt : element_count({known, out[i]});
            if (!product) return node.misfit("its new shape " + shape_text(out) + " is none");
            known = *product;
        }
    }
    const int64_t elements = element_count(*x).value_or(0);
    if (open) {
        if (known == 0 || elements % known != 0)
            return node.misfit(shape_text(*x) + " cannot be reshaped to " + shape_text(*wanted));
        out[*open] = elements / known;
    } else if (known != elements) {
        return node.misfit(shape_text(*x) + " cannot be reshaped to " + shape_text(*wanted));
    }
    return node.set(0, out);
}

bool flatten(NodeShapes& node) {
    const Shape* x = node.shape(0);
    if (!x) return false;
    const int64_t rank = static_cast<int64_t>(x->size());
    int64_t axis = node.node().integer("axis", 1);
    if (axis < 0) axis += rank;
    if (axis < 0 || axis > rank) return node.misfit("its axis is not one of the input's");
    const auto middle = x->begin() + static_cast<std::ptrdiff_t>(axis);
    const auto rows = element_count(Shape(x->begin(), middle)),
               columns = element_count(Shape(middle, x->end()));
    return rows && columns && node.set(0, {*rows, *columns});
}

bool squeeze(NodeShapes& node) {
    const Shape* x = node.shape(0);
    if (!x) return false;
    const auto axes = node.list("axes", 1);
    if (!axes && node.in(1)) return false;
    std::vector<bool> gone(x->size(), false);
    for (size_t i = 0; i < x->size(); ++i)
        gone[i] = !axes && (*x)[i] == 1;
    for (int64_t axis : axes.value_or(std::vector<int64_t>())) {
        const auto at = axis_of(axis, x->size());
        if (!at || (*x)[*at] != 1) return node.misfit("it squeezes an axis that is not of size 1");
        gone[*at] = true;
    }
    Shape out;
    for (size_t i = 0; i < x->size(); ++i)
        if (!gone[i]) out.push_back((*x)[i]);
    return node.set(0, out);
}

bool unsqueeze(NodeShapes& node) {
    const Shape* x = node.shape(0);
    const auto axes = node.list("axes", 1);
    if (!x || !axes || axes->size() > 64) return false;
    std::vector<bool> added(x->size() + axes->size(), false);
    for (int64_t axis : *axes) {
        const auto at = axis_of(axis, added.size());
        if (!at || added[*at]) return node.misfit("its axes do not fit the input");
        added[*at] = true;
    }
    Shape out;
    size_t next = 0;
    for (bool is_new : added)
        out.push_back(is_new ? 1 : (*x)[next++]);
    return node.set(0, out);
}

bool transpose(NodeShapes& node) {
    const Shape* x = node.shape(0);
    if (!x) return false;
    std::vector<int64_t> order = node.node().integers("perm");
    if (order.empty())
        for (size_t i = x->size(); i > 0; --i)
            order.push_back(static_cast<int64_t>(i) - 1);
    if (order.size() != x->size()) return node.misfit("its perm has not the input's rank");
    Shape out;
    for (int64_t axis : order) {
        const auto at = axis_of(axis, x->size());
        if (!at) return node.misfit("its perm names an axis that the input does not have");
        out.push_back((*x)[*at]);
    }
    return node.set(0, out);
}

bool concat(NodeShapes& node) {
    if (!node.shape(0)) return false;
    Shape out = *node.shape(0);
    const auto axis = axis_of(node.node().integer("axis", 1), out.size());
    if (!axis) return node.misfit("its axis is not one of the inputs'");
    for (size_t i = 1; i < node.inputs(); ++i) {
        const Shape* next = node.shape(i);
        if (!next) return false;
        if (next->size() != out.size()) return node.misfit("its inputs have different ranks");
        for (size_t a = 0; a < out.size(); ++a)
            if (a != *axis && (*next)[a] != out[a])
                return node.misfit("inputs of " + shape_text(out) + " and " + shape_text(*next) +
                                   " cannot be joined");
        out[*axis] += (*next)[*axis];
        if (out[*axis] > kMostElements) return node.misfit("its output would be larger than can be");
    }
    return node.set(0, out);
}

bool split(NodeShapes& node) {
    const Shape* x = node.shape(0);
    if (!x || node.outputs() == 0) return false;
    const auto axis = axis_of(node.node().integer("axis", 0), x->size());
    if (!axis) return node.misfit("its axis is not one of the input's");
    const int64_t size = (*x)[*axis], parts = static_cast<int64_t>(node.outputs());
    std::vector<int64_t> sizes;
    if (const auto given = node.list("split", 1)) sizes = *given;
    if (sizes.empty() && node.in(1)) return false;
    if (sizes.empty()) {
        const int64_t each = (size + parts - 1) / parts;
        for (int64_t i = 0; i < parts; ++i)
            sizes.push_back(std::clamp<int64_t>(size - i * each, 0, each));
    }
    if (sizes.size() != node.outputs()) return node.misfit("it has not as many sizes as outputs");
    for (size_t i = 0; i < sizes.size(); ++i) {
        Shape out = *x;
        out[*axis] = sizes[i];
        if (sizes[i] > size || !node.set(i, out)) return false;
    }
    return true;
}

// Elements that a slice takes from an axis of `size`.
int64_t slice_length(int64_t size, int64_t start, int64_t end, int64_t step) {
    if (start < 0) start += size;
    if (end < 0) end += size;
    if (step > 0) {
        start = std::clamp<int64_t>(start, 0, size);
        end = std::clamp<int64_t>(end, 0, size);
        return end <= start ? 0 : (end - start - 1) / step + 1;
    }
    start = std::clamp<int64_t>(start, -1, size - 1);
    end = std::clamp<int64_t>(end, -1, size - 1);
    return end >= start ? 0 : (start - end - 1) / -step + 1;
}

bool slice(NodeShapes& node) {
    const Shape* x = node.shape(0);
    const auto starts = node.list("starts", 1), ends = node.list("ends", 2);
    if (!x || !starts || !ends || starts->size() != ends->size()) return false;
    std::vector<int64_t> axes, steps;
    if (const auto given = node.list("axes", 3))
        axes = *given;
    else if (node.in(3))
        return false;
    else
        for (size_t i = 0; i < starts->size(); ++i)
            axes.push_back(static_cast<int64_t>(i));
    if (const auto given = node.values(4))
        steps = *given;
    else if (node.in(4))
        return false;
    steps.resize(starts->size(), 1);
    if (axes.size() != starts->size()) return node.misfit("it has not as many axes as starts");
    Shape out = *x;
    for (size_t i = 0; i < axes.size(); ++i) {
        const auto axis = axis_of(axes[i], x->size());
        if (!axis || steps[i] == 0 || steps[i] < -kMostElements)
            return node.misfit("its axes or steps do not fit the input");
        out[*axis] = slice_length((*x)[*axis], (*starts)[i], (*ends)[i], steps[i]);
    }
    return node.set(0, out);
}

bool gather(NodeShapes& node) {
    const Shape *x = node.shape(0), *indices = node.shape(1);
    if (!x || !indices) return false;
    const auto axis = axis_of(node.node().integer("axis", 0), x->size());
    if (!axis) return node.misfit("its axis is not one of the input's");
    const auto at = x->begin() + static_cast<std::ptrdiff_t>(*axis);
    Shape out(x->begin(), at);
    out.insert(out.end(), indices->begin(), indices->end());
    out.insert(out.end(), at + 1, x->end());
    return node.set(0, out);
}

bool gather_elements(NodeShapes& node) {
    return node.shape(1) && node.in(0) && node.set(0, *node.shape(1));
}

bool gather_nd(NodeShapes& node) {
    const Shape *x = node.shape(0), *indices = node.shape(1);
    if (!x || !indices || indices->empty()) return false;
    const int64_t deep = indices->back() + std::clamp<int64_t>(node.node().integer("batch_dims", 0), 0, 64);
    if (deep < 0 || deep > static_cast<int64_t>(x->size()))
        return node.misfit("its indices do not fit the input");
    Shape out(indices->begin(), indices->end() - 1);
    out.insert(out.end(), x->begin() + static_cast<std::ptrdiff_t>(deep), x->end());
    return node.set(0, out);
}

bool expand(NodeShapes& node) {
    const auto wanted = node.values(1);
    if (!node.shape(0) || !wanted) return false;
    const auto out = broadcast(*node.shape(0), *wanted);
    return out ? node.set(0, *out) : node.misfit("its input does not broadcast to the shape asked for");
}

bool tile(NodeShapes& node) {
    const Shape* x = node.shape(0);
    const auto repeats = node.values(1);
    if (!x || !repeats || repeats->size() != x->size()) return false;
    Shape out;
    for (size_t i = 0; i < x->size(); ++i) {
        const auto size = (*repeats)[i] < 0 ? std::nullopt : element_count({(*x)[i], (*repeats)[i]});
        if (!size) return node.misfit("it repeats more than can be");
        out.push_back(*size);
    }
    return node.set(0, out);
}

bool pad(NodeShapes& node) {
    const Shape* x = node.shape(0);
    auto pads = node.list("pads", 1);
    if (!pads && node.node().attributes.contains("paddings")) pads = node.node().integers("paddings");
    if (!x || !pads) return false;
    std::vector<int64_t> axes;
    if (const auto given = node.values(3))
        axes = *given;
    else
        for (size_t i = 0; i < x->size(); ++i)
            axes.push_back(static_cast<int64_t>(i));
    if (pads->size() != 2 * axes.size()) return node.misfit("it has not two pads for each axis");
    Shape out = *x;
    for (size_t i = 0; i < axes.size(); ++i) {
        const auto axis = axis_of(axes[i], x->size());
        const int64_t before = (*pads)[i], after = (*pads)[i + axes.size()];
        if (!axis || std::min(before, after) < -kMostElements || std::max(before, after) > kMostElements ||
            out[*axis] < 0 || out[*axis] > kMostElements)
            return node.misfit("its pads do not fit the input");
        out[*axis] += before + after;
    }
    return node.set(0, out);
}

// Resize and Upsample: sizes, or scales of every axis.
bool resize(NodeShapes& node) {
    const Shape* x = node.shape(0);
    if (!x) return false;
    const bool upsample = node.node().op_type == "Upsample" || node.inputs() == 2;
    std::vector<int64_t> axes = node.node().integers("axes");
    if (axes.empty())
        for (size_t i = 0; i < x->size(); ++i)
            axes.push_back(static_cast<int64_t>(i));
    std::vector<double> scales;
    if (const auto found = node.node().attributes.find("scales"); found != node.node().attributes.end())
        if (const auto* list = std::get_if<std::vector<double>>(&found->second)) scales = *list;
    if (const ModelTensor* given = node.in(upsample ? 1 : 2); given && given->has_value)
        scales = given->value;
    const auto sizes = node.values(3);
    if (!(sizes && sizes->size() == axes.size()) && scales.size() != axes.size()) return false;
    Shape out = *x;
    for (size_t i = 0; i < axes.size(); ++i) {
        const auto axis = axis_of(axes[i], x->size());
        if (!axis) return node.misfit("its axes do not fit the input");
        const double size = sizes && sizes->size() == axes.size()
                                ? static_cast<double>((*sizes)[i])
                                : std::floor(static_cast<double>((*x)[*axis]) * scales[i] + 1e-6);
        if (!(size >= 0 && size <= static_cast<double>(kMostElements)))
            return node.misfit("its sizes are out of bounds");
        out[*axis] = static_cast<int64_t>(size);
    }
    return node.set(0, out);
}

bool depth_to_space(NodeShapes& node) {
    const Shape* x = node.shape(0);
    const int64_t block = node.node().integer("blocksize", 0);
    if (!x || x->size() != 4) return false;
    const bool spread = node.node().op_type == "DepthToSpace";
    if (block < 1 || block > (spread ? (*x)[1] / block : std::min((*x)[2], (*x)[3])))
        return node.misfit("its blocksize does not fit the input");
    if (spread) return node.set(0, {(*x)[0], (*x)[1] / (block * block), (*x)[2] * block, (*x)[3] * block});
    return node.set(0, {(*x)[0], (*x)[1] * block * block, (*x)[2] / block, (*x)[3] / block});
}

ElementType type_or(NodeShapes& node, ElementType fallback) {
    const ModelTensor* out = node.out(0);  // the reader has set the type of an attribute already
    return out && out->type != ElementType::kUnknown ? out->type : fallback;
}

bool cast(NodeShapes& node) {
    return node.shape(0) && node.set(0, *node.shape(0), type_or(node, node.in(0)->type));
}

bool constant_of_shape(NodeShapes& node) {
    const auto sizes = node.values(0);
    if (sizes) return node.set(0, *sizes, type_or(node, ElementType::kFloat32));
    // Before opset 9 (ConstantFill) the shape may be an attribute.
    if (node.node().attributes.contains("shape"))
        return node.set(0, node.node().integers("shape"), type_or(node, ElementType::kFloat32));
    return false;
}

bool random(NodeShapes& node) {
    return node.set(0, node.node().integers("shape"), type_or(node, ElementType::kFloat32));
}

bool range(NodeShapes& node) {
    const ModelTensor *start = node.in(0), *limit = node.in(1), *step = node.in(2);
    for (const ModelTensor* tensor : {start, limit, step})
        if (!tensor || !tensor->has_value || tensor->value.size() != 1) return false;
    if (step->value[0] == 0) return node.misfit("its step is 0");
    const double count = std::ceil((limit->value[0] - start->value[0]) / step->value[0]);
    if (!(count <= static_cast<double>(kMostElements))) return node.misfit("it makes more than can be");
    return node.set(0, {static_cast<int64_t>(std::max(0.0, count))});
}

bool one_hot(NodeShapes& node) {
    const Shape* indices = node.shape(0);
    const auto depth = node.values(1);
    if (!indices || !depth || depth->size() != 1 || !node.in(2)) return false;
    int64_t axis = node.node().integer("axis", -1);
    if (axis < 0) axis += static_cast<int64_t>(indices->size()) + 1;
    if (axis < 0 || axis > static_cast<int64_t>(indices->size())) return node.misfit("its axis does not fit");
    Shape out = *indices;
    out.insert(out.begin() + static_cast<std::ptrdiff_t>(axis), (*depth)[0]);
    return node.set(0, out, node.in(2)->type);
}

bool top_k(NodeShapes& node) {
    const Shape* x = node.shape(0);
    if (!x) return false;
    const auto axis = axis_of(node.node().integer("axis", -1), x->size());
    const auto given = node.values(1);
    const int64_t k = given && !given->empty() ? (*given)[0] : node.node().integer("k", -1);
    if (!axis || k < 0) return false;
    Shape out = *x;
    out[*axis] = k;
    return node.set(0, out) && node.set(1, out, ElementType::kInt64);
}

const std::unordered_map<std::string_view, ShapeRule>& layout_rules() {
    static const std::unordered_map<std::string_view, ShapeRule> table = {
        {"Identity", identity},
        {"Shape", shape_op},
        {"Size", size_op},
        {"Reshape", reshape},
        {"Flatten", flatten},
        {"Squeeze", squeeze},
        {"Unsqueeze", unsqueeze},
        {"Transpose", transpose},
        {"Concat", concat},
        {"Split", split},
        {"Slice", slice},
        {"DynamicSlice", slice},
        {"Gather", gather},
        {"GatherElements", gather_elements},
        {"GatherND", gather_nd},
        {"Expand", expand},
        {"Tile", tile},
        {"Pad", pad},
        {"Resize", resize},
        {"Upsample", resize},
        {"DepthToSpace", depth_to_space},
        {"SpaceToDepth", depth_to_space},
        {"Cast", cast},
        {"ConstantOfShape", constant_of_shape},
        {"ConstantFill", constant_of_shape},
        {"RandomNormal", random},
        {"RandomUniform", random},
        {"RandomNormalLike", cast},
        {"RandomUniformLike", cast},
        {"EyeLike", cast},
        {"Range", range},
        {"OneHot", one_hot},
        {"TopK", top_k},
    };
    return table;
}

}  // namespace

ShapeRule layout_rule(std::string_view op) {
    const auto found = layout_rules().find(op);
    return found == layout_rules().end() ? nullptr : found->second;
}

}  // namespace opsight::importer::model_import
