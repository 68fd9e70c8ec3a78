#include "import/nvtx/marked_call.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

namespace opsight::importer::nvtx {
namespace {

using Json = nlohmann::json;

// Input, weight and bias come first in all of these; what follows has other places.
constexpr std::string_view kConvolutions[] = {
    "convolution",        "_convolution",       "cudnn_convolution",     "convolution_overrideable",
    "miopen_convolution", "mkldnn_convolution", "thnn_conv2d",           "_slow_conv2d_forward",
    "slow_conv3d",        "_conv_depthwise2d",  "cudnn_convolution_relu"};
constexpr std::string_view kConvolutionCalls[] = {"conv1d", "conv2d", "conv3d"};

bool is_one_of(std::string_view name, const auto& list) {
    return std::find(std::begin(list), std::end(list), name) != std::end(list);
}

// Shapes and types of the tensors, in the order of `places`; a weight is seen from the other side in a
// product.
struct Tensors {
    Json shapes = Json::array(), dtypes = Json::array();

    bool take(const Json& of_shapes, const Json& of_dtypes, size_t place, bool turned = false) {
        if (place >= of_shapes.size() || place >= of_dtypes.size()) return false;
        Json shape = of_shapes[place];
        if (!shape.is_array() || shape.empty()) return false;
        if (turned) std::reverse(shape.begin(), shape.end());
        shapes.push_back(std::move(shape));
        dtypes.push_back(of_dtypes[place]);
        return true;
    }
    Arguments done() const { return {shapes.dump(), dtypes.dump(), {}}; }
};

Arguments convolution(const Json& shapes, const Json& dtypes) {
    Tensors tensors;
    if (!tensors.take(shapes, dtypes, 0) || !tensors.take(shapes, dtypes, 1)) return {};
    tensors.take(shapes, dtypes, 2);
    return tensors.done();
}

// linear(input, weight, bias) is addmm(bias, input, weight^T), or mm without a bias.
Arguments product_of_linear(const Json& shapes, const Json& dtypes, bool adds) {
    const bool flat = shapes.size() >= 2 && shapes[0].is_array() && shapes[0].size() == 2 &&
                      shapes[1].is_array() && shapes[1].size() == 2;
    Tensors tensors;
    if (!flat || (adds && !tensors.take(shapes, dtypes, 2))) return {};
    if (!tensors.take(shapes, dtypes, 0) || !tensors.take(shapes, dtypes, 1, true)) return {};
    return tensors.done();
}

}  // namespace

Arguments arguments_inside(std::string_view function, const Arguments& call, std::string_view op) {
    constexpr std::string_view kSpace = "aten::";
    if (call.shapes.empty() || !op.starts_with(kSpace)) return {};
    op.remove_prefix(kSpace.size());
    if (op == function) return call;
    const bool convolves = is_one_of(function, kConvolutionCalls) && is_one_of(op, kConvolutions);
    const bool multiplies = function == "linear" && (op == "addmm" || op == "mm");
    if (!convolves && !multiplies) return {};
    const Json shapes = Json::parse(call.shapes, nullptr, false),
               dtypes = Json::parse(call.dtypes, nullptr, false);
    if (!shapes.is_array() || !dtypes.is_array()) return {};
    return convolves ? convolution(shapes, dtypes) : product_of_linear(shapes, dtypes, op == "addmm");
}

}  // namespace opsight::importer::nvtx
