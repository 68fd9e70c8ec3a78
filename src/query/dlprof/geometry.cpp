#include "query/dlprof/geometry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

namespace opsight::query::dlprof {
namespace {

// Sizes beyond this are not of this world, and their products would not fit.
constexpr int64_t kMost = int64_t{1} << 40;

bool fits(const Shape& shape, size_t dimensions) {
    if (shape.size() != dimensions) return false;
    for (const int64_t size : shape)
        if (size < 0 || size > kMost) return false;
    return true;
}

std::string json(const Shape& shape) {
    return fmt::format("[[{}]]", fmt::join(shape, ", "));
}

// One number stands for both dimensions.
bool both(const std::optional<std::vector<int64_t>>& told, int64_t otherwise, int64_t least,
          std::array<int64_t, 2>& values) {
    values = {otherwise, otherwise};
    if (told) {
        if (told->empty() || told->size() > 2) return false;
        values = {told->front(), told->back()};
    }
    for (const int64_t value : values)
        if (value < least || value > kMost) return false;
    return true;
}

Geometry convolution(const Arguments& a) {
    std::array<int64_t, 2> stride, padding, dilation;
    const bool known = a.complete && a.tensors.size() >= 2 && fits(a.tensors[0], 4) &&
                       fits(a.tensors[1], 4) && both(a.stride, 1, 1, stride) &&
                       both(a.padding, 0, 0, padding) && both(a.dilation, 1, 1, dilation);
    if (!known) return {};
    Geometry g;
    if (a.named)
        g.parameters = fmt::format("[[{}], [{}], [{}], [{}]]", fmt::join(stride, ", "),
                                   fmt::join(padding, ", "), fmt::join(dilation, ", "), a.groups.value_or(1));
    Shape out = {a.tensors[0][0], a.tensors[1][0], 0, 0};
    for (size_t i = 0; i < 2; ++i) {
        const int64_t filter = a.tensors[1][2 + i];
        if (filter < 1 || filter > kMost / dilation[i]) return g;
        const int64_t room = a.tensors[0][2 + i] + 2 * padding[i] - dilation[i] * (filter - 1) - 1;
        if (room < 0) return g;
        out[2 + i] = room / stride[i] + 1;
    }
    g.outputs = json(out);
    return g;
}

std::string linear_output(const std::vector<Shape>& tensors) {
    if (tensors.size() < 2 || tensors[0].empty() || !fits(tensors[1], 2)) return {};
    Shape out = tensors[0];
    if (out.back() != tensors[1][1]) return {};
    out.back() = tensors[1][0];
    return json(out);
}

// The last two tensors multiply: a third before them is added.
std::string product_output(const std::vector<Shape>& tensors, size_t dimensions, bool adds) {
    const size_t first = adds ? 1 : 0;
    if (tensors.size() < first + 2) return {};
    const Shape &a = tensors[first], &b = tensors[first + 1];
    if (!fits(a, dimensions) || !fits(b, dimensions) || a.back() != b[dimensions - 2]) return {};
    Shape out = a;
    out.back() = b.back();
    return json(out);
}

}  // namespace

Geometry geometry_of(std::string_view type, const Arguments& arguments) {
    if (type == "conv2d" || type == "Conv2d") return convolution(arguments);
    const std::vector<Shape>& tensors = arguments.tensors;
    if (type == "linear" || type == "Linear") return {{}, linear_output(tensors)};
    if (type == "mm" || type == "matmul" || type == "MatMul") return {{}, product_output(tensors, 2, false)};
    if (type == "addmm") return {{}, product_output(tensors, 2, true)};
    if (type == "bmm") return {{}, product_output(tensors, 3, false)};
    if (type == "baddbmm") return {{}, product_output(tensors, 3, true)};
    return {};
}

}  // namespace opsight::query::dlprof
