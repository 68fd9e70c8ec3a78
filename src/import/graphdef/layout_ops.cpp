// Ops that make, move, select or reshape data.
#include <algorithm>
#include <unordered_map>

#include "import/graphdef/op_view.h"

namespace opsight::importer::graphdef {
namespace {

using model_import::axis_of;

bool shape_op(OpView& op) {
    op.node.op_type = "Shape";
    return op.infer();
}

bool size_op(OpView& op) {
    op.node.op_type = "Size";
    return op.infer();
}

bool rank_op(OpView& op) {
    op.node.op_type = "Size";
    const Shape* x = op.shapes.shape(0);
    if (!x || !op.shapes.set(0, {}, ElementType::kInt32)) return false;
    op.set_values({static_cast<double>(x->size())});
    return true;
}

bool shape_n(OpView& op) {
    op.node.op_type = "Shape";
    for (size_t i = 0; i < op.node.outputs.size(); ++i) {
        const Shape* x = op.shapes.shape(i);
        ModelTensor* out = op.shapes.out(i);
        if (!x || !op.shapes.set(i, {static_cast<int64_t>(x->size())}, ElementType::kInt32)) return false;
        if (!out) continue;
        out->value.assign(x->begin(), x->end());
        out->has_value = true;
    }
    return true;
}

bool reshape(OpView& op) {
    op.node.op_type = "Reshape";
    op.node.attributes["allowzero"] = int64_t{1};
    return op.infer();
}

bool expand_dims(OpView& op) {
    op.node.op_type = "Unsqueeze";
    const auto axis = op.value(1);
    if (!axis) return false;
    op.node.attributes["axes"] = std::vector<int64_t>{*axis};
    op.drop_inputs_from(1);
    return op.infer();
}

bool squeeze(OpView& op) {
    op.node.op_type = "Squeeze";
    std::vector<int64_t> axes = op.integers("squeeze_dims");
    if (axes.empty()) axes = op.integers("axis");
    if (!axes.empty()) op.node.attributes["axes"] = axes;
    return op.infer();
}

bool transpose(OpView& op) {
    op.node.op_type = "Transpose";
    const auto order = op.shapes.values(1);
    if (!order) return false;
    op.node.attributes["perm"] = *order;
    op.drop_inputs_from(1);
    return op.infer();
}

bool concat_along(OpView& op, size_t axis_input) {
    op.node.op_type = "Concat";
    const auto axis = op.value(axis_input);
    if (!axis) return false;
    op.node.attributes["axis"] = *axis;
    op.drop_input(axis_input);
    return op.infer();
}
bool concat(OpView& op) {
    return concat_along(op, 0);
}
bool concat_v2(OpView& op) {
    return op.inputs() > 0 && concat_along(op, op.inputs() - 1);
}

bool pack(OpView& op) {
    op.node.op_type = "Concat";
    const Shape* first = op.shapes.shape(0);
    if (!first) return false;
    Shape out = *first;
    const auto axis = axis_of(op.integer("axis", 0), out.size() + 1);
    if (!axis) return op.shapes.misfit("its axis is not one of the output's");
    out.insert(out.begin() + static_cast<std::ptrdiff_t>(*axis), static_cast<int64_t>(op.inputs()));
    if (!op.shapes.set(0, std::move(out))) return false;
    std::vector<double> values;
    for (size_t i = 0; i < op.inputs(); ++i) {
        const ModelTensor* part = op.shapes.in(i);
        if (!part || !part->has_value || !part->shape.empty()) return true;
        values.push_back(part->value.front());
    }
    op.set_values(std::move(values));
    return true;
}

bool unpack(OpView& op) {
    op.node.op_type = "Split";
    const Shape* x = op.shapes.shape(0);
    const auto axis = x ? axis_of(op.integer("axis", 0), x->size()) : std::nullopt;
    if (!axis) return false;
    Shape out = *x;
    out.erase(out.begin() + static_cast<std::ptrdiff_t>(*axis));
    for (size_t i = 0; i < op.node.outputs.size(); ++i)
        if (!op.shapes.set(i, out)) return false;
    return true;
}

// (axis, x) into equal parts; the file's count, since outputs that nobody reads are not listed.
bool split(OpView& op) {
    op.node.op_type = "Split";
    const Shape* x = op.shapes.shape(1);
    const auto axis = op.value(0);
    const int64_t parts = op.integer("num_split", 0);
    const auto at = x && axis ? axis_of(*axis, x->size()) : std::nullopt;
    if (!at || parts < 1) return false;
    Shape out = *x;
    out[*at] /= parts;
    const ElementType type = op.shapes.in(1)->type;
    op.drop_input(0);
    for (size_t i = 0; i < op.node.outputs.size(); ++i)
        if (!op.shapes.set(i, out, type)) return false;
    return true;
}

// (x, sizes, axis); one size may be -1: what is left.
bool split_v(OpView& op) {
    op.node.op_type = "Split";
    const Shape* x = op.shapes.shape(0);
    auto sizes = op.shapes.values(1);
    const auto axis = op.value(2);
    const auto at = x && axis ? axis_of(*axis, x->size()) : std::nullopt;
    if (!at || !sizes) return false;
    int64_t left = (*x)[*at];
    for (int64_t size : *sizes)
        if (size >= 0 && size <= left) left -= size;
    Shape out = *x;
    for (size_t i = 0; i < op.node.outputs.size() && i < sizes->size(); ++i) {
        out[*at] = (*sizes)[i] < 0 ? left : (*sizes)[i];
        if (!op.shapes.set(i, out)) return false;
    }
    op.drop_inputs_from(1);
    return true;
}

// (x, begin, size); a size of -1: to the end.
bool slice(OpView& op) {
    op.node.op_type = "Slice";
    const Shape* x = op.shapes.shape(0);
    const auto begin = op.shapes.values(1), size = op.shapes.values(2);
    if (!x || !size || size->size() != x->size()) return false;
    Shape out = *size;
    for (size_t i = 0; i < out.size(); ++i) {
        if (out[i] != -1) continue;
        if (!begin || begin->size() != out.size()) return false;
        out[i] = (*x)[i] - std::clamp<int64_t>((*begin)[i], 0, (*x)[i]);
    }
    const ModelTensor* from = op.shapes.in(0);
    if (!op.shapes.set(0, std::move(out))) return false;
    if (from->has_value && x->size() == 1 && begin && begin->size() == 1) {
        const int64_t length = op.shapes.out(0) ? op.shapes.out(0)->elements() : 0;
        if ((*begin)[0] >= 0 && (*begin)[0] <= static_cast<int64_t>(from->value.size()) - length) {
            const auto first = from->value.begin() + static_cast<std::ptrdiff_t>((*begin)[0]);
            op.set_values({first, first + static_cast<std::ptrdiff_t>(length)});
        }
    }
    op.drop_inputs_from(1);
    return true;
}

// What a strided slice does to one axis.
struct Taken {
    int64_t start = 0, length = 0, step = 1;
};

std::optional<Taken> taken(int64_t size, int64_t begin, int64_t end, int64_t step, bool from_start,
                           bool to_end) {
    if (step == 0 || step < -kMostElements || step > kMostElements) return std::nullopt;
    const int64_t low = step > 0 ? 0 : -1, high = step > 0 ? size : size - 1;
    const auto bound = [&](int64_t at) { return std::clamp(at < 0 ? at + size : at, low, high); };
    const int64_t start = from_start ? (step > 0 ? 0 : size - 1) : bound(begin);
    const int64_t stop = to_end ? (step > 0 ? size : -1) : bound(end);
    const int64_t distance = step > 0 ? stop - start : start - stop;
    return Taken{start, distance <= 0 ? 0 : (distance - 1) / std::abs(step) + 1, step};
}

struct Masks {
    int64_t begin, end, ellipsis, new_axis, shrink;
    static bool has(int64_t mask, size_t at) { return at < 63 && ((mask >> at) & 1) != 0; }
};

// (x, begin, end, strides) with bit masks for each entry of begin. Of a vector the values follow.
bool strided_slice(OpView& op) {
    op.node.op_type = "Slice";
    const Shape* x = op.shapes.shape(0);
    const auto begin = op.shapes.values(1), end = op.shapes.values(2), step = op.shapes.values(3);
    if (!x || !begin || !end || !step || begin->size() != end->size() || begin->size() != step->size())
        return false;
    const Masks masks{op.integer("begin_mask", 0), op.integer("end_mask", 0), op.integer("ellipsis_mask", 0),
                      op.integer("new_axis_mask", 0), op.integer("shrink_axis_mask", 0)};
    size_t fixed = 0;  // entries that stand for one axis of x
    for (size_t i = 0; i < begin->size(); ++i)
        fixed += !Masks::has(masks.ellipsis, i) && !Masks::has(masks.new_axis, i);
    Shape out;
    size_t axis = 0;
    std::optional<Taken> last;
    for (size_t i = 0; i < begin->size(); ++i) {
        if (Masks::has(masks.ellipsis, i)) {
            for (size_t skip = x->size() - std::min(fixed, x->size()); skip > 0 && axis < x->size(); --skip)
                out.push_back((*x)[axis++]);
        } else if (Masks::has(masks.new_axis, i)) {
            out.push_back(1);
        } else if (axis >= x->size()) {
            return op.shapes.misfit("it slices an axis that the input does not have");
        } else {
            const int64_t size = (*x)[axis++];
            const bool shrink = Masks::has(masks.shrink, i);
            const bool open_end = shrink || Masks::has(masks.end, i);
            last = taken(size, (*begin)[i], (*end)[i], shrink ? 1 : (*step)[i], Masks::has(masks.begin, i),
                         open_end);
            if (!last) return op.shapes.misfit("its step is none");
            if (!shrink) out.push_back(last->length);
        }
    }
    out.insert(out.end(), x->begin() + static_cast<std::ptrdiff_t>(axis), x->end());
    const ModelTensor* from = op.shapes.in(0);
    if (!op.shapes.set(0, std::move(out))) return false;
    std::vector<double> values;
    if (from->has_value && from->shape.size() == 1 && begin->size() == 1 && last)
        for (int64_t i = 0; i < op.shapes.out(0)->elements(); ++i) {
            const int64_t at = last->start + i * last->step;
            if (at < 0 || at >= static_cast<int64_t>(from->value.size())) break;
            values.push_back(from->value[static_cast<size_t>(at)]);
        }
    op.set_values(std::move(values));
    op.drop_inputs_from(1);
    return true;
}

// (table, indices[, axis])
bool gather(OpView& op) {
    op.node.op_type = "Gather";
    if (op.integer("batch_dims", 0) != 0) return false;
    const auto axis = op.inputs() > 2 ? op.value(2) : std::optional<int64_t>(0);
    if (!axis) return false;
    op.node.attributes["axis"] = *axis;
    op.drop_inputs_from(2);
    return op.infer();
}

bool gather_nd(OpView& op) {
    op.node.op_type = "GatherND";
    return op.infer();
}

bool scatter_nd(OpView& op) {
    op.node.op_type = "ScatterND";
    const auto sizes = op.shapes.values(2);
    return sizes && op.shapes.in(1) && op.shapes.set(0, *sizes, op.shapes.in(1)->type);
}

bool tile(OpView& op) {
    op.node.op_type = "Tile";
    return op.infer();
}

bool broadcast_to(OpView& op) {
    op.node.op_type = "Expand";
    return op.infer();
}

bool range(OpView& op) {
    op.node.op_type = "Range";
    return op.infer();
}

// (sizes, value)
bool fill(OpView& op) {
    op.node.op_type = "ConstantOfShape";
    const auto sizes = op.shapes.values(0);
    const ModelTensor* value = op.shapes.in(1);
    if (!sizes || !value || !op.shapes.set(0, *sizes, value->type)) return false;
    const int64_t elements = op.shapes.out(0) ? op.shapes.out(0)->elements() : 0;
    if (value->has_value && value->value.size() == 1 && elements <= model_import::kMostValues)
        op.set_values(std::vector<double>(static_cast<size_t>(elements), value->value.front()));
    return true;
}

bool random(OpView& op) {
    op.node.op_type = "RandomNormal";
    const auto sizes = op.shapes.values(0);
    return sizes && op.shapes.set(0, *sizes, op.type_of("dtype", ElementType::kFloat32));
}

bool like_input(OpView& op) {
    op.node.op_type = "EyeLike";
    return op.shapes.shape(0) && op.shapes.set(0, *op.shapes.shape(0));
}

bool cast(OpView& op) {
    op.node.op_type = "Cast";
    const ModelTensor* x = op.shapes.in(0);
    if (!x || !x->shape_known) return false;
    const ElementType type = op.type_of("type", op.type_of("DstT", x->type));
    if (!op.shapes.set(0, x->shape, type)) return false;
    model_import::fold_values(op.shapes);
    return true;
}

// (x, [[before, after], …])
bool pad(OpView& op) {
    op.node.op_type = "Pad";
    const Shape* x = op.shapes.shape(0);
    const auto pads = op.shapes.values(1);
    if (!x || !pads || pads->size() != 2 * x->size()) return false;
    Shape out = *x;
    for (size_t i = 0; i < out.size(); ++i)
        for (size_t side = 0; side < 2; ++side) {
            const int64_t added = (*pads)[2 * i + side];
            if (added < 0 || added > kMostElements) return op.shapes.misfit("its paddings are none");
            out[i] += added;
        }
    op.drop_inputs_from(1);
    return op.shapes.set(0, std::move(out));
}

// (indices, depth, on, off)
bool one_hot(OpView& op) {
    op.node.op_type = "OneHot";
    const Shape* indices = op.shapes.shape(0);
    const auto depth = op.value(1);
    if (!indices || !depth) return false;
    Shape out = *indices;
    const auto axis = axis_of(op.integer("axis", -1), out.size() + 1);
    if (!axis) return op.shapes.misfit("its axis is not one of the output's");
    out.insert(out.begin() + static_cast<std::ptrdiff_t>(*axis), *depth);
    const ElementType type = op.shapes.in(2) ? op.shapes.in(2)->type : ElementType::kFloat32;
    return op.shapes.set(0, std::move(out), type);
}

// (x, k) -> values, indices
bool top_k(OpView& op) {
    op.node.op_type = "TopK";
    const Shape* x = op.shapes.shape(0);
    const auto k = op.inputs() > 1 ? op.value(1) : std::optional<int64_t>(op.integer("k", 0));
    if (!x || x->empty() || !k) return false;
    Shape out = *x;
    out.back() = *k;
    return op.shapes.set(0, out) && op.shapes.set(1, out, ElementType::kInt32);
}

// Turns an axis round, or selects along it: the input's sizes stay.
bool reverse(OpView& op) {
    op.node.op_type = "ReverseSequence";
    return op.shapes.shape(0) && op.shapes.set(0, *op.shapes.shape(0));
}

const std::unordered_map<std::string_view, OpRule> kLayoutRules = {
    {"Shape", shape_op},
    {"ShapeN", shape_n},
    {"Size", size_op},
    {"Rank", rank_op},
    {"Reshape", reshape},
    {"ExpandDims", expand_dims},
    {"Squeeze", squeeze},
    {"Transpose", transpose},
    {"Concat", concat},
    {"ConcatV2", concat_v2},
    {"Pack", pack},
    {"Unpack", unpack},
    {"Split", split},
    {"SplitV", split_v},
    {"Slice", slice},
    {"StridedSlice", strided_slice},
    {"Gather", gather},
    {"GatherV2", gather},
    {"ResourceGather", gather},
    {"GatherNd", gather_nd},
    {"ScatterNd", scatter_nd},
    {"Tile", tile},
    {"BroadcastTo", broadcast_to},
    {"Range", range},
    {"Fill", fill},
    {"RandomUniform", random},
    {"RandomUniformInt", random},
    {"RandomStandardNormal", random},
    {"TruncatedNormal", random},
    {"StatelessRandomUniformV2", random},
    {"StatelessRandomNormalV2", random},
    {"ZerosLike", like_input},
    {"OnesLike", like_input},
    {"Cast", cast},
    {"Bitcast", cast},
    {"Pad", pad},
    {"PadV2", pad},
    {"MirrorPad", pad},
    {"OneHot", one_hot},
    {"TopK", top_k},
    {"TopKV2", top_k},
    {"ReverseV2", reverse},
    {"ReverseSequence", reverse},
    {"MatrixBandPart", reverse},
};

}  // namespace

OpRule layout_rule(std::string_view op) {
    const auto found = kLayoutRules.find(op);
    return found == kLayoutRules.end() ? nullptr : found->second;
}

}  // namespace opsight::importer::graphdef
