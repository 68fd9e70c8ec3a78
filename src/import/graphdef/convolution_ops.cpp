// Ops with windows: convolutions and their gradients, pooling; and images made larger or smaller.
#include <algorithm>
#include <unordered_map>

#include "import/graphdef/op_view.h"

namespace opsight::importer::graphdef {
namespace {

// Where batch, channels and the axes between lie in tensors of an op.
struct Layout {
    size_t batch = 0, channels = 0, first_spatial = 1, spatial = 0;

    static std::optional<Layout> of(const OpView& op, size_t rank) {
        if (rank < 3) return std::nullopt;
        Layout layout;
        layout.spatial = rank - 2;
        const bool channels_first = op.text("data_format", "NHWC").starts_with("NC");
        layout.channels = channels_first ? 1 : rank - 1;
        layout.first_spatial = channels_first ? 2 : 1;
        return layout;
    }
};

int64_t at_or(const std::vector<int64_t>& list, size_t index, int64_t fallback) {
    return index < list.size() ? list[index] : fallback;
}

struct Windows {
    std::vector<int64_t> kernel;  // of the spatial axes
    std::vector<int64_t> strides, dilations, pads;
    std::string padding;
};

std::optional<int64_t> windows_along(const Windows& windows, const Layout& layout, size_t axis,
                                     int64_t size) {
    const size_t place = layout.first_spatial + axis;
    const int64_t stride = at_or(windows.strides, place, 1), dilation = at_or(windows.dilations, place, 1);
    const int64_t kernel = windows.kernel[axis];
    if (stride < 1 || dilation < 1 || kernel < 1 || kernel > kMostElements / dilation) return std::nullopt;
    if (windows.padding == "SAME") return (size - 1) / stride + (size > 0 ? 1 : 0);
    if (windows.padding == "EXPLICIT") {
        const int64_t before = at_or(windows.pads, 2 * place, 0),
                      after = at_or(windows.pads, 2 * place + 1, 0);
        if (std::min(before, after) < 0 || std::max(before, after) > kMostElements) return std::nullopt;
        size += before + after;
    }
    const int64_t reach = dilation * (kernel - 1) + 1;
    return size < reach ? 0 : (size - reach) / stride + 1;
}

Windows windows_of(const OpView& op, std::vector<int64_t> kernel) {
    return {std::move(kernel), op.integers("strides"), op.integers("dilations"),
            op.integers("explicit_paddings"), op.text("padding", "VALID")};
}

bool set_windows(OpView& op, const Shape& x, const Layout& layout, const Windows& windows, int64_t channels) {
    Shape out = x;
    out[layout.channels] = channels;
    for (size_t axis = 0; axis < layout.spatial; ++axis) {
        const auto size = windows_along(windows, layout, axis, x[layout.first_spatial + axis]);
        if (!size) return op.shapes.misfit("its strides, dilations or paddings are none");
        out[layout.first_spatial + axis] = *size;
    }
    return op.shapes.set(0, std::move(out));
}

// Weights are stored as [windows…, channels in, channels out]; of a depthwise convolution as [windows…,
// channels, outputs of each].
bool depthwise(const OpView& op) {
    return op.type().starts_with("Depthwise");
}
int64_t channels_out(const OpView& op, const Shape& filter) {
    const int64_t last = filter.back();
    return depthwise(op) ? element_count({filter[filter.size() - 2], last}).value_or(-1) : last;
}

bool set_convolution(OpView& op) {
    op.node.op_type = "Conv";
    const Shape *x = op.shapes.shape(0), *filter = op.shapes.shape(1);
    if (!x || !filter) return false;
    const auto layout = Layout::of(op, x->size());
    if (!layout || filter->size() != x->size()) return op.shapes.misfit("its filter does not fit its input");
    op.node.attributes["output_channels"] = channels_out(op, *filter);
    const std::vector<int64_t> kernel(filter->begin(), filter->end() - 2);
    return set_windows(op, *x, *layout, windows_of(op, kernel), channels_out(op, *filter));
}

bool convolution(OpView& op) {
    op.drop_inputs_from(2);
    return set_convolution(op);
}

// A bias is the third input; what else is fused in costs next to nothing.
bool fused_convolution(OpView& op) {
    const std::vector<std::string> fused = op.texts("fused_ops");
    op.drop_inputs_from(!fused.empty() && fused.front() == "BiasAdd" ? 3 : 2);
    return set_convolution(op);
}

// (sizes, filter, dy) -> dx: also how models write a transposed convolution.
bool input_gradient(OpView& op) {
    op.node.op_type = "ConvTranspose";
    const Shape *filter = op.shapes.shape(1), *dy = op.shapes.shape(2);
    auto sizes = op.shapes.values(0);
    if (!filter || !dy || filter->size() < 3 || dy->size() != filter->size()) return false;
    const auto layout = Layout::of(op, dy->size());
    if (!sizes || !layout) return false;
    Shape out = *sizes;
    if (out.size() + 2 == dy->size()) {  // the spatial sizes alone
        out = *dy;
        out[layout->channels] = (*filter)[filter->size() - 2];
        std::copy(sizes->begin(), sizes->end(),
                  out.begin() + static_cast<std::ptrdiff_t>(layout->first_spatial));
    }
    if (out.size() != dy->size()) return op.shapes.misfit("its sizes do not fit its gradient");
    op.node.attributes["input_channels"] = channels_out(op, *filter);
    const ElementType type = op.shapes.in(2)->type;
    op.drop_input(0);
    std::swap(op.node.inputs[0], op.node.inputs[1]);
    return op.shapes.set(0, std::move(out), type);
}

// (x, sizes, dy) -> dw
bool filter_gradient(OpView& op) {
    op.node.op_type = "ConvFilterGradient";
    const auto sizes = op.shapes.values(1);
    if (!sizes || sizes->size() < 3) return false;
    op.node.attributes["output_channels"] = channels_out(op, *sizes);
    op.drop_input(1);
    return op.shapes.set(0, *sizes);
}

bool pool(OpView& op) {
    op.node.op_type = op.type().starts_with("Max") ? "MaxPool" : "AveragePool";
    const Shape* x = op.shapes.shape(0);
    std::vector<int64_t> sizes = op.integers("ksize");
    if (sizes.empty() && op.shapes.values(1)) sizes = *op.shapes.values(1);
    const auto layout = x ? Layout::of(op, x->size()) : std::nullopt;
    if (!layout || sizes.size() != x->size()) return false;
    Windows windows = windows_of(op, {});
    if (windows.strides.empty() && op.shapes.values(2)) windows.strides = *op.shapes.values(2);
    for (size_t axis = 0; axis < layout->spatial; ++axis)
        windows.kernel.push_back(sizes[layout->first_spatial + axis]);
    op.node.attributes["kernel_shape"] = windows.kernel;
    op.drop_inputs_from(1);
    return set_windows(op, *x, *layout, windows, (*x)[layout->channels]);
}

// (images, [height, width])
bool resize(OpView& op, const char* mode) {
    op.node.op_type = "Resize";
    op.node.attributes["mode"] = mode;
    const Shape* x = op.shapes.shape(0);
    const auto sizes = op.shapes.values(1);
    if (!x || x->size() != 4 || !sizes || sizes->size() != 2) return false;
    op.drop_inputs_from(1);
    const bool same_type = op.type() == "ResizeNearestNeighbor";
    return op.shapes.set(0, {(*x)[0], (*sizes)[0], (*sizes)[1], (*x)[3]},
                         same_type ? op.shapes.in(0)->type : ElementType::kFloat32);
}
bool resize_nearest(OpView& op) {
    return resize(op, "nearest");
}
bool resize_linear(OpView& op) {
    return resize(op, "linear");
}
bool resize_cubic(OpView& op) {
    return resize(op, "cubic");
}

bool depth_and_space(OpView& op) {
    op.node.op_type = op.type();
    const Shape* x = op.shapes.shape(0);
    const int64_t block = op.integer("block_size", 0);
    const auto layout = x ? Layout::of(op, x->size()) : std::nullopt;
    if (!layout || x->size() != 4 || block < 1 || block > 4096) return false;
    Shape out = *x;
    const bool to_space = op.type() == "DepthToSpace";
    for (size_t axis = 0; axis < 2; ++axis)
        if (!to_space && block > out[layout->first_spatial + axis])
            return op.shapes.misfit("its blocks are larger than its input");
    int64_t& channels = out[layout->channels];
    channels = to_space ? channels / (block * block) : channels * block * block;
    for (size_t axis = 0; axis < 2; ++axis) {
        int64_t& size = out[layout->first_spatial + axis];
        size = to_space ? size * block : size / block;
    }
    return op.shapes.set(0, std::move(out));
}

// Blocks of space into the batch (x, blocks, paddings), and back (x, blocks, crops).
bool space_and_batch(OpView& op) {
    op.node.op_type = "SpaceToDepth";
    const Shape* x = op.shapes.shape(0);
    const auto blocks = op.shapes.values(1), margins = op.shapes.values(2);
    if (!x || !blocks || !margins || margins->size() != 2 * blocks->size() || x->size() <= blocks->size())
        return false;
    Shape out = *x;
    const bool to_batch = op.type() == "SpaceToBatchND";
    for (size_t i = 0; i < blocks->size(); ++i) {
        const int64_t block = (*blocks)[i], before = (*margins)[2 * i], after = (*margins)[2 * i + 1];
        if (block < 1 || std::min(before, after) < 0 || std::max(before, after) > kMostElements) return false;
        const auto larger = element_count({out[to_batch ? 0 : i + 1], block});
        if (!larger) return op.shapes.misfit("its output would be larger than can be");
        const int64_t margin = before + after;
        out[0] = to_batch ? *larger : out[0] / block;
        out[i + 1] = to_batch ? (out[i + 1] + margin) / block : *larger - margin;
        if (out[i + 1] < 0) return op.shapes.misfit("its margins do not fit its input");
    }
    op.drop_inputs_from(1);
    return op.shapes.set(0, std::move(out));
}

const std::unordered_map<std::string_view, OpRule> kConvolutionRules = {
    {"Conv2D", convolution},
    {"Conv3D", convolution},
    {"DepthwiseConv2dNative", convolution},
    {"_FusedConv2D", fused_convolution},
    {"_FusedDepthwiseConv2dNative", fused_convolution},
    {"Conv2DBackpropInput", input_gradient},
    {"Conv3DBackpropInputV2", input_gradient},
    {"DepthwiseConv2dNativeBackpropInput", input_gradient},
    {"Conv2DBackpropFilter", filter_gradient},
    {"Conv3DBackpropFilterV2", filter_gradient},
    {"DepthwiseConv2dNativeBackpropFilter", filter_gradient},
    {"MaxPool", pool},
    {"MaxPoolV2", pool},
    {"MaxPool3D", pool},
    {"AvgPool", pool},
    {"AvgPool3D", pool},
    {"ResizeBilinear", resize_linear},
    {"ResizeBicubic", resize_cubic},
    {"ResizeNearestNeighbor", resize_nearest},
    {"DepthToSpace", depth_and_space},
    {"SpaceToDepth", depth_and_space},
    {"SpaceToBatchND", space_and_batch},
    {"BatchToSpaceND", space_and_batch},
};

}  // namespace

OpRule convolution_rule(std::string_view op) {
    const auto found = kConvolutionRules.find(op);
    return found == kConvolutionRules.end() ? nullptr : found->second;
}

}  // namespace opsight::importer::graphdef
