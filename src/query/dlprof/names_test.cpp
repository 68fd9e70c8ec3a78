#include <gtest/gtest.h>

#include "hardware/op_tables.h"
#include "query/dlprof/geometry.h"
#include "query/dlprof/model.h"

namespace opsight::query::dlprof {
namespace {

using marks::NvtxDomain;

TEST(DlprofNames, RepeatsOfAnOpStandInBrackets) {
    EXPECT_EQ(op_name_of_stack("/Net::forward/relu(3)"), "/Net::forward/relu[3]");
    EXPECT_EQ(op_name_of_stack("/Net::forward(12)/relu(3)"), "/Net::forward[12]/relu[3]");
    EXPECT_EQ(op_name_of_stack("/<module>/<lambda>(2)/cuda"), "/module/lambda[2]/cuda");
    for (const char* same : {"", "relu", "/f/()", "/f/relu(x)", "/f/relu(3)x", "(3", "f(3)g/h"})
        EXPECT_EQ(op_name_of_stack(same), same);
}

TEST(DlprofNames, SizesOfConvolutionsAndLinearLayersHaveLetters) {
    const auto shapes = [](const char* type, const char* json) {
        return lettered(json, input_letters(type));
    };
    EXPECT_EQ(shapes("conv2d", "[[1, 3, 32, 32], [6, 3, 3, 3], [6]]"),
              "<N:1, C:3, H:32, W:32>; <K:6, C:3, R:3, S:3>; <6>");
    EXPECT_EQ(shapes("linear", "[[32, 64], [10, 64], [10]]"), "<N:32, K:64>; <M:10, K:64>; <10>");
    EXPECT_EQ(shapes("linear", "[[4, 32, 64], [10, 64]]"), "<4, 32, 64>; <M:10, K:64>");
    EXPECT_EQ(shapes("add", "[[32, 64], [64]]"), "<32, 64>; <64>");
    // Others have their sizes in another order, or it is not known.
    for (const char* type :
         {"Conv2D", "conv_transpose2d", "conv1d", "Conv2DBackpropInput", "mm", "matmul", "MatMul", "addmm"}) {
        EXPECT_EQ(shapes(type, "[[8, 28, 28, 1], [3, 3]]"), "<8, 28, 28, 1>; <3, 3>") << type;
        EXPECT_EQ(output_letters(type), "") << type;
    }
    EXPECT_EQ(lettered("[[1, 6, 30, 30]]", output_letters("conv2d")), "<N:1, K:6, P:30, Q:30>");
    EXPECT_EQ(lettered("[[1, 1], [0, 0], [1, 1], [1]]", kParameterLetters),
              "<SH:1, SW:1>; <PH:0, PW:0>; <DH:1, DW:1>; <G:1>");
    for (const char* none : {"", "[]", "{}", "[1]", "no JSON", "null"})
        EXPECT_EQ(shapes("conv2d", none), "") << none;
}

TEST(DlprofNames, NodeTypesOfTensorFlowThatTensorCoresTake) {
    for (const char* type : {"Conv2D", "Conv2DBackpropInput", "MatMul", "_FusedMatMul", "BatchMatMulV2",
                             "CudnnRNNV3", "DepthwiseConv2dNativeBackpropFilter"})
        EXPECT_TRUE(hardware::is_tensor_core_node_type(type)) << type;
    for (const char* type : {"", "Relu", "Conv2DTranspose", "MatMulGrad", "BiasAdd"})
        EXPECT_FALSE(hardware::is_tensor_core_node_type(type)) << type;
}

TEST(DlprofMarks, AMarkTellsTheCall) {
    const auto call = read_mark(
        "{'mod': 'torch', 'op': 'linear', 'args': [{'name': '', 'type': 'tensor', 'shape': (2, 3), 'dtype': "
        "'float16'}, {'name': '', 'type': 'tensor', 'shape': (4, 3), 'dtype': 'float16'}]}",
        NvtxDomain::kOther);
    ASSERT_TRUE(call && call->is_op);
    EXPECT_EQ(call->text + " " + call->dtype, "linear float16");
    EXPECT_EQ(call->shapes + " " + call->outputs, "<N:2, K:3>; <M:4, K:3> <N:2, M:4>");
    const auto marker =
        read_mark("{'traceMarker': ['a.py:1', 'b.py:2'], 'funcStack': '/<module>/f'}", NvtxDomain::kOther);
    ASSERT_TRUE(marker && !marker->is_op);
    EXPECT_EQ(marker->stack, "a.py:1\nb.py:2");
    for (const char* other :
         {"", "text", "{}", "{'traceMarker': []}", "{\"model_config\": {\"emit_nvtx\": true}}"})
        EXPECT_FALSE(read_mark(other, NvtxDomain::kOther)) << other;
}

TEST(DlprofMarks, ANodeOfTensorFlowTellsWhatIsTransposed) {
    const std::string text =
        R"({"op":"MatMul","name":"dense/MatMul","args":[{"name":"x","shape":[32,64]},{"name":"w","shape":[10,64]}],)"
        R"("attrs":{"T":"float32","transpose_a":false,"transpose_b":true}})";
    const auto node = read_mark(text, NvtxDomain::kTensorFlow);
    ASSERT_TRUE(node && node->is_op);
    EXPECT_EQ(node->text + " " + node->node + " " + node->dtype, "MatMul dense/MatMul float32");
    EXPECT_EQ(node->shapes, "<M:32, K:64>; <N:10, K:64>");
    EXPECT_EQ(node->outputs, "<M:32, N:10>");
    const auto other = read_mark(
        R"({"op":"MatMul","name":"a","args":[{"shape":[64,32]},{"shape":[64,10]}],"attrs":{"transpose_a":true}})",
        NvtxDomain::kTensorFlow);
    EXPECT_EQ(other->shapes + " " + other->outputs, "<K:64, M:32>; <K:64, N:10> <M:32, N:10>");
    // Its convolutions are NHWC, with filters R, S, C, K.
    const auto convolution = read_mark(
        R"({"op":"Conv2D","name":"c","args":[{"shape":[8,28,28,1]},{"shape":[3,3,1,6]}],"attrs":{"dtype":"half"}})",
        NvtxDomain::kTensorFlow);
    EXPECT_EQ(convolution->shapes + convolution->outputs, "<8, 28, 28, 1>; <3, 3, 1, 6>");
    EXPECT_EQ(convolution->dtype, "half");
    // In another domain the same text is not a node.
    const auto elsewhere = read_mark(text, NvtxDomain::kOther);
    EXPECT_TRUE(!elsewhere || elsewhere->node.empty());
}

Arguments convolution() {
    Arguments a;
    a.tensors = {{1, 3, 32, 32}, {6, 3, 3, 5}};
    return a;
}

TEST(DlprofGeometry, Convolutions) {
    Arguments a = convolution();
    EXPECT_EQ(geometry_of("conv2d", a).parameters, "");  // none is told
    EXPECT_EQ(geometry_of("conv2d", a).outputs, "[[1, 6, 30, 28]]");
    a.stride = {2};
    a.padding = {1, 2};
    a.dilation = {1, 3};
    a.groups = 3;
    EXPECT_EQ(geometry_of("conv2d", a).parameters, "");  // none by its name
    a.named = true;
    EXPECT_EQ(geometry_of("conv2d", a).parameters, "[[2, 2], [1, 2], [1, 3], [3]]");
    EXPECT_EQ(geometry_of("conv2d", a).outputs, "[[1, 6, 16, 12]]");
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
    EXPECT_EQ(output("linear", {{32, 64}, {10, 64}, {10}}), "[[32, 10]]");
    EXPECT_EQ(output("linear", {{4, 32, 64}, {10, 64}}), "[[4, 32, 10]]");
    EXPECT_EQ(output("mm", {{32, 64}, {64, 10}}), "[[32, 10]]");
    EXPECT_EQ(output("addmm", {{10}, {32, 64}, {64, 10}}), "[[32, 10]]");
    EXPECT_EQ(output("bmm", {{2, 32, 64}, {2, 64, 10}}), "[[2, 32, 10]]");
    EXPECT_EQ(output("baddbmm", {{1}, {2, 32, 64}, {2, 64, 10}}), "[[2, 32, 10]]");
    EXPECT_EQ(output("mm", {{32, 64}, {32, 10}}), "");
    EXPECT_EQ(output("linear", {{32, 64}, {10, 32}}), "");
    EXPECT_EQ(output("linear", {{32, 64}}), "");
}

class DlprofOps : public ::testing::Test {
  protected:
    void kind(const char* type) {
        model_.kinds.emplace_back();
        model_.kinds.back().type = type;
    }
    void call(int32_t kind, int64_t begin, int32_t iteration) {
        Instance instance;
        instance.kind = kind;
        instance.begin = begin;
        instance.iteration = iteration;
        model_.instances.push_back(instance);
    }
    std::vector<std::string> ids() {
        make_ops(model_);
        std::vector<std::string> ids;
        for (const Instance& instance : model_.instances)
            ids.push_back(model_.ops[instance.op].id);
        return ids;
    }
    Model model_;
};

TEST_F(DlprofOps, IdsCountByFirstCallOfAType) {
    for (const char* type : {"conv2d", "relu", "conv2d"})
        kind(type);
    call(0, 50, 0);
    call(1, 10, 0);
    call(2, 20, 0);
    EXPECT_EQ(ids(), (std::vector<std::string>{"CONV2D_2", "RELU_1", "CONV2D_1"}));
}

TEST_F(DlprofOps, CallsOfAnIterationAreOpsOfTheirOwn) {
    kind("relu");
    for (const auto& [begin, iteration] : {std::pair(10, 0), {20, 0}, {30, 1}, {40, 1}, {50, 1}})
        call(0, begin, iteration);
    const std::vector<std::string> own = {"RELU_1", "RELU_2", "RELU_1", "RELU_2", "RELU_3"};
    EXPECT_EQ(ids(), own);
    model_.kinds[0].by_name = true;  // a node of TensorFlow
    EXPECT_EQ(ids(), std::vector<std::string>(5, "RELU_1"));
}

TEST_F(DlprofOps, WhatACallTellsIsOfItsOp) {
    kind("relu");
    model_.details = {{"", "", "", "float16", "b.py:2"}, {"", "", "", "float32", "a.py:1"}};
    call(0, 20, 0);
    call(0, 10, 0);
    call(0, 30, 1);
    call(0, 40, 1);
    for (const size_t i : {0, 1, 2})
        model_.instances[i].details = i == 1 ? 1 : 0;
    EXPECT_EQ(ids(), (std::vector<std::string>{"RELU_2", "RELU_1", "RELU_1", "RELU_2"}));
    EXPECT_EQ(model_.ops[0].data_type + " " + model_.ops[0].stack, "float32 a.py:1");
    EXPECT_EQ(model_.ops[1].data_type + " " + model_.ops[1].stack, "float16 b.py:2");
}

TEST(DlprofIterations, ADatabaseHasNumbersOfItsOwn) {
    Iterations it;
    it.list = {{0, 1}, {1, 2}};
    EXPECT_EQ(it.place_of(1), 1);
    EXPECT_EQ(it.place_of(2), std::nullopt);
    EXPECT_EQ(it.place_of(-1), std::nullopt);
    it.numbers = {7, 9};
    EXPECT_EQ(it.place_of(9), 1);
    EXPECT_EQ(it.place_of(8), std::nullopt);
    EXPECT_EQ(it.number(1), 9);
}

}  // namespace
}  // namespace opsight::query::dlprof
