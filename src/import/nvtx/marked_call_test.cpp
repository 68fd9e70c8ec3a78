#include "import/nvtx/marked_call.h"

#include <gtest/gtest.h>

namespace opsight::importer::nvtx {
namespace {

const Arguments kConvolution = {R"([[8, 3, 32, 32], [6, 3, 3, 3], [6], []])",
                                R"(["float32", "float32", "float32", "tuple"])", R"(["", "", "", "1"])"};
const Arguments kLinear = {R"([[8, 64], [10, 64], [10]])", R"(["float16", "float16", "float16"])",
                           R"(["", "", ""])"};

TEST(MarkedCall, TheSameFunctionHasAllArguments) {
    const Arguments a = arguments_inside("conv2d", kConvolution, "aten::conv2d");
    EXPECT_EQ(a.shapes, kConvolution.shapes);
    EXPECT_EQ(a.concrete, kConvolution.concrete);
}

TEST(MarkedCall, AConvolutionPassesItsTensorsOn) {
    for (const char* op : {"aten::convolution", "aten::_convolution", "aten::cudnn_convolution"}) {
        const Arguments a = arguments_inside("conv2d", kConvolution, op);
        EXPECT_EQ(a.shapes, "[[8,3,32,32],[6,3,3,3],[6]]") << op;
        EXPECT_EQ(a.dtypes, R"(["float32","float32","float32"])") << op;
        EXPECT_EQ(a.concrete, "") << op;
    }
    const Arguments bare = {
        R"([[8, 3, 32, 32], [6, 3, 3, 3], []])", R"(["float32", "float32", "NoneType"])", {}};
    EXPECT_EQ(arguments_inside("conv2d", bare, "aten::cudnn_convolution").shapes, "[[8,3,32,32],[6,3,3,3]]");
}

TEST(MarkedCall, ALinearLayerIsAProductWithTheWeightTurned) {
    EXPECT_EQ(arguments_inside("linear", kLinear, "aten::addmm").shapes, "[[10],[8,64],[64,10]]");
    EXPECT_EQ(arguments_inside("linear", kLinear, "aten::mm").shapes, "[[8,64],[64,10]]");
    const Arguments deep = {R"([[4, 8, 64], [10, 64], [10]])", R"(["half", "half", "half"])", {}};
    EXPECT_EQ(arguments_inside("linear", deep, "aten::addmm").shapes, "");  // it is made flat before
}

TEST(MarkedCall, OtherOpsInsideAreNotToldOf) {
    for (const char* op : {"aten::empty", "aten::contiguous", "cudnn_convolution", "aten::", ""})
        EXPECT_EQ(arguments_inside("conv2d", kConvolution, op).shapes, "") << op;
    EXPECT_EQ(arguments_inside("conv2d", {}, "aten::conv2d").shapes, "");
    for (const char* odd : {"[", "{}", "[1, 2]", "[[], []]", "[[1]]"})
        EXPECT_EQ(arguments_inside("conv2d", {odd, R"(["a", "b"])", {}}, "aten::cudnn_convolution").shapes,
                  "")
            << odd;
}

}  // namespace
}  // namespace opsight::importer::nvtx
