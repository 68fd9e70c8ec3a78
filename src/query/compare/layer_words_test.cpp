// Engines of which only the names of layers and their times are known.
#include "query/compare/layer_words.h"

#include <gmock/gmock.h>

#include <map>

#include "query/compare/changes.h"
#include "query/compare/test_tree.h"

namespace opsight::query {
namespace {

std::string words(const std::string& name, const std::string& path = "") {
    return layer_words({name, path.empty() ? "/" + name : path, 0, {}, {}});
}

TEST(LayerWords, AreThoseOfTheMainPartWithoutNumbers) {
    for (const char* name : {"Conv_0", "Conv_0 + Relu_1", "fused Conv_9 + Relu_11", "Conv2D__6",
                             "conv1.weight + QuantizeLinear_7 + Conv_9"})
        EXPECT_EQ(words(name), " conv") << name;
    EXPECT_EQ(words("GlobalAveragePool_46"), " globalaveragepool");
    EXPECT_EQ(words("QuantizeLinear_2"), " quantizelinear");
    EXPECT_EQ(words("reshape_after_Gemm_48"), " reshape after gemm");
    EXPECT_EQ(words(""), "");
    EXPECT_EQ(words("123"), "");
}

// Their paths are divided where the names in them have points.
TEST(LayerWords, OfACopyAreTheSentence) {
    const std::string to_conv = " reformatting copynode for input tensor to conv";
    EXPECT_EQ(words("Reformatting CopyNode for Input Tensor 0 to Conv_0 + Relu_1"), to_conv);
    EXPECT_EQ(words("weight + QuantizeLinear_7 + Conv_9",
                    "/Reformatting CopyNode for Input Tensor 1 to conv1/weight + QuantizeLinear_7 + Conv_9"),
              to_conv);
    EXPECT_EQ(
        words("Conv2D__6", "/Reformatting CopyNode for Input Tensor 0 to resnet50/conv1_conv/Conv2D__6"),
        to_conv);
    EXPECT_EQ(words("Reformatting CopyNode for Output Tensor 0 to MaxPool_12"),
              " reformatting copynode for output tensor to maxpool");
    EXPECT_EQ(words("Reformatting CopyNode"), " reformatting copynode");
}

struct Engine {
    TestTree tree{1};
    void layer(const std::string& name, int64_t ns) {
        const bool copy = name.starts_with("Reformatting");
        tree.op(copy ? "trt::reformat" : "trt::layer", tree.layer(name), ns, copy ? "reformat" : "layer",
                "[]", "unknown", "[]");
    }
};

// Each layer of the base with the one that it is in the other, "" where that is none; what is added apart.
std::map<std::string, std::string> pairs(Engine& base, Engine& next) {
    std::map<std::string, std::string> out;
    for (const Change& row : find_changes(base.tree.finish(), next.tree.finish()).layers) {
        if (row.layer == "/") continue;
        std::string other = row.base && row.next ? row.layer : "";
        if (row.kind == ChangeKind::kRenamed) other = row.evidence.substr(row.evidence.find(" -> ") + 4);
        out[(row.base ? "" : "added ") + row.layer] = other;
    }
    return out;
}

using Found = std::map<std::string, std::string>;

TEST(AnEngineByItsNames, PairsWhatDoesTheSame) {
    Engine base, next;
    for (const auto& [name, ns] :
         {std::pair("Conv_0", 111), std::pair("MaxPool_2", 62), std::pair("Conv_3", 53),
          std::pair("GlobalAveragePool_46", 9), std::pair("Gemm_48", 11)})
        base.layer(name, ns);
    for (const auto& [name, ns] :
         {std::pair("QuantizeLinear_2", 61), std::pair("Conv_9", 201), std::pair("MaxPool_12", 95),
          std::pair("QuantizeLinear_15", 27), std::pair("Conv_22", 32),
          std::pair("GlobalAveragePool_246", 11), std::pair("Gemm_257", 13)})
        next.layer(name, ns);
    EXPECT_EQ(pairs(base, next), (Found{{"/Conv_0", "/Conv_9"},
                                        {"/MaxPool_2", "/MaxPool_12"},
                                        {"/Conv_3", "/Conv_22"},
                                        {"/GlobalAveragePool_46", "/GlobalAveragePool_246"},
                                        {"/Gemm_48", "/Gemm_257"},
                                        {"added /QuantizeLinear_2", ""},
                                        {"added /QuantizeLinear_15", ""}}));
}

TEST(AnEngineByItsNames, PairsNothingOfOtherWords) {
    Engine base, next;
    base.layer("Reformatting CopyNode for Input Tensor 0 to Conv_0 + Relu_1", 80);
    base.layer("MatMul_5", 10);
    next.layer("Reformatting CopyNode for Output Tensor 0 to MaxPool_12", 36);
    next.layer("Softmax_7", 10);
    EXPECT_EQ(pairs(base, next),
              (Found{{"/Reformatting CopyNode for Input Tensor 0 to Conv_0 + Relu_1", ""},
                     {"/MatMul_5", ""},
                     {"added /Reformatting CopyNode for Output Tensor 0 to MaxPool_12", ""},
                     {"added /Softmax_7", ""}}));
}

TEST(AnEngineByItsNames, IsItselfWhatElseStandsInIt) {
    Engine base, next;
    for (Engine* each : {&base, &next}) {
        each->layer("Conv_0 + Relu_1", 10);
        if (each == &next) each->layer("Softmax_1", 10);
        each->layer(each == &base ? "Conv_2" : "fused Conv_9 + Relu_11", 20);
    }
    EXPECT_EQ(pairs(base, next), (Found{{"/Conv_0 + Relu_1", "/Conv_0 + Relu_1"},
                                        {"/Conv_2", "/fused Conv_9 + Relu_11"},
                                        {"added /Softmax_1", ""}}));
}

// Where types or shapes tell what a layer does, it may have any name.
TEST(AnEngineByItsNames, IsOneWhoseNamesAreAllThatIsKnown) {
    for (const auto& [op, shapes] : {std::pair("trt::convolution", "[[8]]"), std::pair("aten::conv2d", "[]"),
                                     std::pair("onnx::Conv", "")}) {
        TestTree base, next;
        base.op(op, base.layer("Stem"), 10, "k", shapes), next.op(op, next.layer("Head"), 10, "k", shapes);
        const Changes found = find_changes(base.finish(), next.finish());
        ASSERT_EQ(found.layers.size(), 1u) << op;
        EXPECT_EQ(found.layers.front().kind, ChangeKind::kRenamed) << op;
    }
}

}  // namespace
}  // namespace opsight::query
