#include <gtest/gtest.h>

#include "hardware/op_tables.h"
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
