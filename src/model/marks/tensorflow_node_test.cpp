#include "model/marks/tensorflow_node.h"

#include <gtest/gtest.h>

namespace opsight::marks {
namespace {

TEST(TensorFlowNodes, TellTheirInputs) {
    const auto node = parse_tensorflow_node(
        R"({"op":"MatMul","name":"model/dense/MatMul","args":[{"name":"x","shape":[32,64]},{"name":"w"},)"
        R"({"shape":[null,64]}],"attrs":{"T":"float32","dtype":"half","transpose_b":true,"transpose_a":1}})");
    ASSERT_TRUE(node);
    EXPECT_EQ(node->op + " " + node->name + " " + node->dtype, "MatMul model/dense/MatMul float32");
    EXPECT_EQ(node->shapes, (std::vector<std::vector<int64_t>>{{32, 64}, {-1, 64}}));
    EXPECT_EQ(node->shapes_json, "[[32,64],[null,64]]");
    EXPECT_TRUE(node->transpose_b);
    EXPECT_FALSE(node->transpose_a);
}

TEST(TensorFlowNodes, WithoutInputsHaveTheTypeThatTheyMake) {
    const auto node = parse_tensorflow_node(R"({"op":"VariableV2","name":"w","attrs":{"dtype":"half"}})");
    ASSERT_TRUE(node);
    EXPECT_EQ(node->dtype + node->shapes_json, "half");
}

TEST(TensorFlowNodes, AreNoOtherTexts) {
    for (const char* other : {"", "MatMul: a/b", "{}", R"({"op":"MatMul"})", R"({"op":1,"name":"a"})", "[]",
                              "{'op': 'relu', 'name': 'a'}", R"({"op":"MatMul","name":""})"})
        EXPECT_FALSE(parse_tensorflow_node(other)) << other;
}

}  // namespace
}  // namespace opsight::marks
