#include "analyze/model_types.h"

#include <map>

#include "analyze/text.h"

namespace opsight {
namespace {

using Types = std::vector<std::string_view>;

const std::map<std::string_view, Types>& table() {
    static const Types conv = {"conv", "convtranspose", "convinteger", "qlinearconv"};
    static const Types product = {"gemm", "matmul", "matmulinteger", "einsum"};
    static const Types mean = {"globalaveragepool", "averagepool", "reducemean"};
    static const Types maximum = {"maxpool", "globalmaxpool", "reducemax"};
    static const Types normal = {"batchnormalization"}, resize = {"resize", "upsample"};
    static const Types shape = {"reshape", "flatten", "squeeze", "unsqueeze"}, gather = {"gather"};
    static const Types attention = {"attention", "multiheadattention"};
    static const std::map<std::string_view, Types> known = {
        {"conv1d", conv},
        {"conv2d", conv},
        {"conv3d", conv},
        {"convolution", conv},
        {"cudnnconvolution", conv},
        {"cudnnconvolutiontranspose", conv},
        {"miopenconvolution", conv},
        {"mkldnnconvolution", conv},
        {"convtranspose1d", conv},
        {"convtranspose2d", conv},
        {"convtranspose3d", conv},
        {"linear", product},
        {"addmm", product},
        {"mm", product},
        {"matmul", product},
        {"bmm", product},
        {"baddbmm", product},
        {"batchmatmul", product},
        {"batchnorm", normal},
        {"nativebatchnorm", normal},
        {"layernorm", {"layernormalization"}},
        {"nativelayernorm", {"layernormalization"}},
        {"groupnorm", {"groupnormalization"}},
        {"instancenorm", {"instancenormalization"}},
        {"clampmin", {"relu", "max", "clip"}},
        {"relu6", {"clip"}},
        {"hardtanh", {"clip"}},
        {"clamp", {"clip"}},
        {"silu", {"swish", "sigmoid"}},
        {"gelu", {"gelu", "erf"}},
        {"maxpool1d", maximum},
        {"maxpool2d", maximum},
        {"maxpool3d", maximum},
        {"maxpool2dwithindices", maximum},
        {"adaptivemaxpool2d", maximum},
        {"avgpool1d", mean},
        {"avgpool2d", mean},
        {"avgpool3d", mean},
        {"adaptiveavgpool1d", mean},
        {"adaptiveavgpool2d", mean},
        {"adaptiveavgpool3d", mean},
        {"mean", mean},
        {"sum", {"reducesum"}},
        {"cat", {"concat"}},
        {"embedding", gather},
        {"indexselect", gather},
        {"flatten", shape},
        {"reshape", shape},
        {"view", shape},
        {"squeeze", shape},
        {"unsqueeze", shape},
        {"permute", {"transpose"}},
        {"constantpadnd", {"pad"}},
        {"upsamplenearest2d", resize},
        {"upsamplebilinear2d", resize},
        {"interpolate", resize},
        {"scaleddotproductattention", attention},
        {"biasadd", {"add"}},
    };
    return known;
}

}  // namespace

std::string plain_type(std::string_view type) {
    const size_t domain = type.rfind("::");
    if (domain != type.npos) type.remove_prefix(domain + 2);
    std::string out;
    for (const char c : type)
        if (c != '_') out += text::lower(c);
    return out;
}

const Types& node_types_of(std::string_view type) {
    static const Types none;
    const auto found = table().find(type);
    return found == table().end() ? none : found->second;
}

}  // namespace opsight
