#include "analyze/model_types.h"

#include <map>

#include "base/text.h"

namespace opsight::analyze {
namespace {

using Types = std::vector<std::string_view>;

struct Row {
    std::vector<std::string_view> ops;
    Types nodes;
};

const std::vector<Row>& rows() {
    static const std::vector<Row> all = {
        {{"conv1d", "conv2d", "conv3d", "convolution", "cudnnconvolution", "cudnnconvolutiontranspose",
          "miopenconvolution", "mkldnnconvolution", "convtranspose1d", "convtranspose2d", "convtranspose3d"},
         {"conv", "convtranspose", "convinteger", "qlinearconv"}},
        {{"linear", "matrixmultiply", "addmm", "mm", "matmul", "bmm", "baddbmm", "batchmatmul"},
         {"gemm", "matmul", "matmulinteger", "einsum"}},
        {{"batchnorm", "nativebatchnorm"}, {"batchnormalization"}},
        {{"layernorm", "nativelayernorm"}, {"layernormalization"}},
        {{"groupnorm"}, {"groupnormalization"}},
        {{"instancenorm"}, {"instancenormalization"}},
        {{"clampmin"}, {"relu", "max", "clip"}},
        {{"relu6", "hardtanh", "clamp"}, {"clip"}},
        {{"silu"}, {"swish", "sigmoid"}},
        {{"gelu"}, {"gelu", "erf"}},
        {{"maxpool1d", "maxpooling", "maxpool2d", "maxpool3d", "maxpool2dwithindices", "adaptivemaxpool2d"},
         {"maxpool", "globalmaxpool", "reducemax"}},
        {{"avgpool1d", "averagepooling", "avgpool2d", "avgpool3d", "adaptiveavgpool1d", "adaptiveavgpool2d",
          "adaptiveavgpool3d", "mean"},
         {"globalaveragepool", "averagepool", "reducemean"}},
        {{"sum"}, {"reducesum"}},
        {{"cat"}, {"concat"}},
        {{"embedding", "indexselect"}, {"gather"}},
        {{"flatten", "reshape", "view", "squeeze", "unsqueeze"},
         {"reshape", "flatten", "squeeze", "unsqueeze"}},
        {{"permute"}, {"transpose"}},
        {{"constantpadnd"}, {"pad"}},
        {{"upsamplenearest2d", "upsamplebilinear2d", "interpolate"}, {"resize", "upsample"}},
        {{"scaleddotproductattention"}, {"attention", "multiheadattention"}},
        {{"biasadd"}, {"add"}},
        {{"add", "addn"}, {"sum"}},
    };
    return all;
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
    static const std::map<std::string_view, const Types*> known = [] {
        std::map<std::string_view, const Types*> by_op;
        for (const Row& row : rows())
            for (const std::string_view op : row.ops)
                by_op.emplace(op, &row.nodes);
        return by_op;
    }();
    static const Types none;
    const auto found = known.find(type);
    return found == known.end() ? none : *found->second;
}

}  // namespace opsight::analyze
