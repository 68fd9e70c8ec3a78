#include <gtest/gtest.h>

#include "analyze/names.h"
#include "hardware/op_tables.h"
#include "query/dlprof/geometry.h"
#include "query/dlprof/model.h"

namespace opsight::dlprof {
namespace {

TEST(DlprofNames, RepeatsOfAnOpStandInBrackets) {
    EXPECT_EQ(op_name_of_stack("/Net::forward/relu(3)"), "/Net::forward/relu[3]");
    EXPECT_EQ(op_name_of_stack("/Net::forward(12)/relu(3)"), "/Net::forward[12]/relu[3]");
    EXPECT_EQ(op_name_of_stack("/<lambda>(2)/relu"), "/<lambda>[2]/relu");
    for (const char* same : {"", "relu", "/f/()", "/f/relu(x)", "/f/relu(3)x", "(3", "f(3)g/h"})
        EXPECT_EQ(op_name_of_stack(same), same);
}

TEST(DlprofNames, SizesOfConvolutionsAndLinearLayersHaveLetters) {
    EXPECT_EQ(shapes_of("conv2d", "[[1, 3, 32, 32], [6, 3, 3, 3], [6]]"),
              "<N:1, C:3, H:32, W:32>; <K:6, C:3, R:3, S:3>; <6>");
    EXPECT_EQ(shapes_of("MatMul", "[[32, 64], [64, 10]]"), "<M:32, K:64>; <K:64, N:10>");
    EXPECT_EQ(shapes_of("linear", "[[32, 64], [10, 64], [10]]"), "<N:32, K:64>; <M:10, K:64>; <10>");
    EXPECT_EQ(shapes_of("add", "[[32, 64], [], [64]]"), "<32, 64>; <64>");
    for (const char* none : {"", "[]", "{}", "[1]", "no JSON"})
        EXPECT_EQ(shapes_of("conv2d", none), "") << none;
}

TEST(DlprofNames, NodeTypesOfTensorFlowThatTensorCoresTake) {
    for (const char* type : {"Conv2D", "Conv2DBackpropInput", "MatMul", "_FusedMatMul", "BatchMatMulV2",
                             "CudnnRNNV3", "DepthwiseConv2dNativeBackpropFilter"})
        EXPECT_TRUE(hardware::is_tensor_core_node_type(type)) << type;
    for (const char* type : {"", "Relu", "Conv2DTranspose", "MatMulGrad", "BiasAdd"})
        EXPECT_FALSE(hardware::is_tensor_core_node_type(type)) << type;
}

TEST(DlprofNames, ScopesOfTensorFlowTellWhatDifferentiationMade) {
    for (const char* name :
         {"gradients/model/MatMul_grad/MatMul", "opt/gradients_2/Relu", "gradient_tape/a/b", "/gradients/x"})
        EXPECT_TRUE(in_gradient_scope(name)) << name;
    for (const char* name :
         {"", "gradients", "model/gradients", "model/my_gradients/Relu", "gradientsx/Relu"})
        EXPECT_FALSE(in_gradient_scope(name)) << name;
}

Arguments convolution() {
    Arguments a;
    a.tensors = {{1, 3, 32, 32}, {6, 3, 3, 5}};
    return a;
}

TEST(DlprofGeometry, Convolutions) {
    Arguments a = convolution();
    EXPECT_EQ(geometry_of("conv2d", a).parameters, "<ph:0, pw:0, U:1, V:1, dh:1, dw:1, g:1>");
    EXPECT_EQ(geometry_of("conv2d", a).outputs, "<N:1, K:6, P:30, Q:28>");
    a.stride = {2};
    a.padding = {1, 2};
    a.dilation = {1, 3};
    a.groups = 3;
    EXPECT_EQ(geometry_of("conv2d", a).parameters, "<ph:1, pw:2, U:2, V:2, dh:1, dw:3, g:3>");
    EXPECT_EQ(geometry_of("conv2d", a).outputs, "<N:1, K:6, P:16, Q:12>");
    EXPECT_EQ(geometry_of("relu", a).parameters, "");
}

TEST(DlprofGeometry, ArgumentsThatDoNotFitTellNothing) {
    std::vector<Arguments> wrong(8, convolution());
    wrong[0].tensors.pop_back();
    wrong[1].tensors[0] = {1, 3};
    wrong[2].stride = {0};
    wrong[3].padding = {-1};
    wrong[4].dilation = std::vector<int64_t>{};
    wrong[5].complete = false;  // padding='same'
    wrong[6].tensors[1][2] = INT64_MAX;
    wrong[7].tensors[1][2] = 33;  // greater than the picture
    wrong[7].tensors[1][3] = 0;
    for (const Arguments& a : wrong)
        EXPECT_EQ(geometry_of("conv2d", a).outputs, "") << &a - wrong.data();
    EXPECT_EQ(geometry_of("conv2d", wrong[2]).parameters, "");
}

TEST(DlprofGeometry, Products) {
    const auto output = [](const char* type, std::vector<Shape> tensors) {
        Arguments a;
        a.tensors = std::move(tensors);
        return geometry_of(type, a).outputs;
    };
    EXPECT_EQ(output("linear", {{32, 64}, {10, 64}, {10}}), "<N:32, M:10>");
    EXPECT_EQ(output("linear", {{4, 32, 64}, {10, 64}}), "<4, 32, 10>");
    EXPECT_EQ(output("mm", {{32, 64}, {64, 10}}), "<M:32, N:10>");
    EXPECT_EQ(output("addmm", {{10}, {32, 64}, {64, 10}}), "<M:32, N:10>");
    EXPECT_EQ(output("bmm", {{2, 32, 64}, {2, 64, 10}}), "<2, 32, 10>");
    EXPECT_EQ(output("baddbmm", {{1}, {2, 32, 64}, {2, 64, 10}}), "<2, 32, 10>");
    EXPECT_EQ(output("mm", {{32, 64}, {32, 10}}), "");
    EXPECT_EQ(output("linear", {{32, 64}, {10, 32}}), "");
    EXPECT_EQ(output("linear", {{32, 64}}), "");
}

TEST(DlprofNames, IdsCountByFirstCall) {
    Model model;
    for (const char* type : {"conv2d", "relu", "conv2d"}) {
        Op op;
        op.type = type;
        model.ops.push_back(op);
    }
    model.ops[1].id = "told";
    const auto call = [&](int32_t op, int64_t begin) {
        Instance instance;
        instance.op = op;
        instance.begin = begin;
        model.instances.push_back(instance);
    };
    call(0, 50);
    call(1, 10);
    call(2, 20);
    number_ops(model);
    EXPECT_EQ(model.ops[0].id, "CONV2D_2");
    EXPECT_EQ(model.ops[1].id, "told");
    EXPECT_EQ(model.ops[2].id, "CONV2D_1");
}

}  // namespace
}  // namespace opsight::dlprof
