#include "analyze/model_match.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opsight::analyze {
namespace {

using ::testing::ElementsAre;

class Network {
  public:
    TensorId tensor(const std::string& name, Shape shape, bool constant = false) {
        ModelTensor made;
        made.name = name;
        made.shape = std::move(shape);
        made.shape_known = true;
        made.constant = constant;
        made.batched = !constant;
        graph.tensors.push_back(made);
        return static_cast<TensorId>(graph.tensors.size()) - 1;
    }
    TensorId node(const std::string& name, const std::string& type, std::vector<TensorId> inputs, Shape out) {
        ModelNode made;
        made.name = name;
        made.op_type = type;
        made.inputs = std::move(inputs);
        made.outputs = {tensor(name + "_out", std::move(out))};
        graph.nodes.push_back(made);
        return graph.nodes.back().outputs[0];
    }
    TensorId conv(const std::string& name, TensorId input, int64_t from, int64_t to) {
        return node(name, "Conv", {input, tensor(name + ".weight", {to, from, 3, 3}, true)}, {1, to, 8, 8});
    }
    ModelGraph graph;
};

// Two blocks of one shape, as torch.onnx names them.
Network two_blocks() {
    Network net;
    TensorId x = net.tensor("x", {1, 3, 8, 8});
    x = net.conv("/stem/Conv", x, 3, 16);
    x = net.node("/stem/Relu", "Relu", {x}, {1, 16, 8, 8});
    x = net.conv("/layer1/layer1.0/conv1/Conv", x, 16, 16);
    x = net.conv("/layer1/layer1.1/conv1/Conv", x, 16, 16);
    net.node("/layer1/layer1.1/Add", "Add", {x, x}, {1, 16, 8, 8});
    return net;
}

RunOp op(const std::string& type, const std::string& shapes, const std::string& layer = {}, int32_t id = -1) {
    return {"aten::" + type, type, layer, id, shapes};
}

std::vector<int32_t> nodes_of(const std::vector<NodeMatch>& matches) {
    std::vector<int32_t> nodes;
    for (const NodeMatch& match : matches)
        nodes.push_back(match.node);
    return nodes;
}

const char* const kStem = "[[4, 3, 8, 8], [16, 3, 3, 3], [], []]";
const char* const kBlock = "[[4, 16, 8, 8], [16, 16, 3, 3], [], []]";
const char* const kMap = "[[4, 16, 8, 8]]";

TEST(ModulePath, DropsWhatRepeatsThePartBefore) {
    EXPECT_EQ(module_path("/layer1/layer1.0/downsample/downsample.1"), "layer1/0/downsample/1");
    EXPECT_EQ(module_path("layer1.0.conv1"), "layer1/0/conv1");
    EXPECT_EQ(module_path("model/dense"), "model/dense");
    EXPECT_EQ(module_path(""), "");
}

TEST(ModelGroups, FollowTheNamesOfNodes) {
    const Network net = two_blocks();
    const ModelGroups groups = group_nodes(net.graph);
    ASSERT_EQ(groups.groups.size(), 3U);
    EXPECT_EQ(groups.groups[0].name, "stem");
    EXPECT_EQ(groups.groups[1].path, "layer1");
    EXPECT_EQ(groups.groups[2].path, "layer1/1");
    EXPECT_EQ(groups.groups[2].parent, 1);
    EXPECT_THAT(groups.group, ElementsAre(0, 0, 1, 2, 2));
    EXPECT_EQ(groups.label[2], "0/conv1/Conv");  // a module with one node alone is not a group
}

TEST(ModelGroups, FollowTheNamesOfWeightsWhereNodesHaveNone) {
    Network net;
    TensorId x = net.tensor("x", {1, 3, 8, 8});
    x = net.node("Conv_0", "Conv", {x, net.tensor("a.0.conv1.weight", {16, 3, 3, 3}, true)}, {1, 16, 8, 8});
    x = net.node("Relu_1", "Relu", {x}, {1, 16, 8, 8});
    net.node("Conv_2", "Conv", {x, net.tensor("a.0.conv2.weight", {16, 16, 3, 3}, true)}, {1, 16, 8, 8});
    EXPECT_THAT(group_nodes(net.graph).path, ElementsAre("a/0/conv1", "a/0", "a/0/conv2"));
}

TEST(ModelGroups, LeaveOutWhatConstantsDecide) {
    Network net = two_blocks();
    net.graph.nodes[4].folded = true;
    EXPECT_EQ(group_nodes(net.graph).groups.size(), 2U);
}

TEST(ModelGroups, NoneHoldsMoreThanCanBeLookedAt) {
    Network net;
    TensorId x = net.tensor("x", {1, 16});
    for (int i = 0; i < 10'000; ++i)
        x = net.node("Relu_" + std::to_string(i), "Relu", {x}, {1, 16});
    const ModelGroups groups = group_nodes(net.graph);
    std::vector<size_t> children(groups.groups.size() + 1);  // the last: of the network
    const auto above = [&](int32_t parent) {
        return parent < 0 ? groups.groups.size() : static_cast<size_t>(parent);
    };
    for (const ModelGroup& group : groups.groups)
        ++children[above(group.parent)];
    for (const int32_t group : groups.group)
        ++children[above(group)];
    EXPECT_LE(*std::max_element(children.begin(), children.end()), ModelGroups::kWidest);
}

TEST(ModelMatch, ByOrderWherePathsAreNotKnown) {
    const Network net = two_blocks();
    const ModelGroups groups = group_nodes(net.graph);
    // A batch norm that the file has folded away, and an addition of other sizes.
    const std::vector<RunOp> ops = {op("conv2d", kStem),  op("batch_norm", kMap), op("relu_", kMap),
                                    op("conv2d", kBlock), op("add", "[[], []]"),  op("add_", kMap)};
    const ModelMatcher matcher(net.graph, groups, ops);
    EXPECT_FALSE(matcher.takes_part(1));
    const auto found = matcher.match({0, 2, 3, 4, 3, 5});
    EXPECT_THAT(nodes_of(found), ElementsAre(0, 1, 2, -1, 3, 4));
    EXPECT_EQ(found[0].how, MatchHow::kOrder);
    EXPECT_EQ(matcher.batch_of(0, 0), 4);
}

TEST(ModelMatch, ByTheNamesOfLayersWhateverTheFrameworkPutsBefore) {
    const Network net = two_blocks();
    const ModelGroups groups = group_nodes(net.graph);
    const std::vector<RunOp> ops = {op("conv2d", kStem, "ResNet/stem", 1),
                                    op("conv2d", kBlock, "ResNet/layer1/1/conv1", 2)};
    const ModelMatcher matcher(net.graph, groups, ops);
    EXPECT_EQ(matcher.layer_of("stem"), 1);
    EXPECT_EQ(matcher.layer_of("layer1/1/conv1"), 2);
    const auto found = matcher.match({0, 1});
    EXPECT_THAT(nodes_of(found), ElementsAre(0, 3));  // by order alone it would be node 2
    EXPECT_EQ(found[1].how, MatchHow::kName);
}

TEST(ModelMatch, WeightsOfOtherSizesAreNoMatch) {
    const Network net = two_blocks();
    const ModelGroups groups = group_nodes(net.graph);
    const std::vector<RunOp> ops = {op("conv2d", "[[4, 3, 8, 8], [32, 3, 3, 3]]")};
    EXPECT_THAT(nodes_of(ModelMatcher(net.graph, groups, ops).match({0})), ElementsAre(-1));
}

TEST(ModelMatch, SeveralRunsInOnePassAreToldApart) {
    const Network net = two_blocks();
    const ModelGroups groups = group_nodes(net.graph);
    const std::vector<RunOp> ops = {op("conv2d", kStem), op("relu", kMap), op("conv2d", kBlock)};
    const ModelMatcher matcher(net.graph, groups, ops);
    EXPECT_THAT(nodes_of(matcher.match({0, 1, 2, 2, 0, 1, 2, 2})), ElementsAre(0, 1, 2, 3, 0, 1, 2, 3));
}

TEST(ModelMatch, ByTheWholeNameOfANode) {
    Network net;
    const TensorId x = net.tensor("x", {1, 8});
    net.node("model/dense/MatMul", "MatMul", {x, net.tensor("kernel", {8, 8}, true)}, {1, 8});
    const ModelGroups groups = group_nodes(net.graph);
    const std::vector<RunOp> ops = {{"model/dense/MatMul", "MatMul", "", -1, ""},
                                    {"MatMul", "MatMul", "other", 3, ""}};
    const ModelMatcher matcher(net.graph, groups, ops);
    EXPECT_TRUE(matcher.is_named(0));
    EXPECT_FALSE(matcher.is_named(1));
    EXPECT_EQ(matcher.match({0})[0].how, MatchHow::kName);
}

// ONNX Runtime runs branches in an order of its own, and names a convolution after what it took into it.
TEST(ModelMatch, NodesThatARuntimeFusedAreFoundByTheirResults) {
    Network net;
    const TensorId x = net.tensor("x", {1, 16, 8, 8});
    const TensorId left = net.node("7", "Relu", {net.conv("6", x, 16, 16)}, {1, 16, 8, 8});
    const TensorId normal = net.node("", "BatchNormalization", {net.conv("8", x, 16, 16)}, {1, 16, 8, 8});
    const TensorId right = net.node("10", "Relu", {normal}, {1, 16, 8, 8});
    net.node("12", "Add", {left, net.conv("11", right, 16, 16)}, {1, 16, 8, 8});
    const auto conv = [](const std::string& layer, int32_t id) {
        return RunOp{"Conv", "Conv", layer, id, "[[1, 16, 8, 8], [16, 16, 3, 3], [16]]"};
    };
    const std::vector<RunOp> ops = {conv("10_nchwc", 0), conv("11_nchwc", 1), conv("7_nchwc", 2),
                                    conv("12_nchwc", 3)};
    const ModelGroups groups = group_nodes(net.graph);
    const ModelMatcher matcher(net.graph, groups, ops);
    const std::vector<NodeMatch> found = matcher.match({0, 1, 2});
    EXPECT_THAT(nodes_of(found), ElementsAre(2, 5, 0));
    for (const NodeMatch& each : found)
        EXPECT_EQ(each.how, MatchHow::kName);
    EXPECT_FALSE(matcher.is_named(3)) << "a sum of two convolutions";
    // By the name of a tensor, where nodes have none.
    net.graph.nodes[0].name.clear();
    net.graph.nodes[1].name.clear();
    const std::vector<RunOp> by_tensor = {conv("7_out", 0)};
    EXPECT_THAT(nodes_of(ModelMatcher(net.graph, groups, by_tensor).match({0})), ElementsAre(0));
}

// A network that ran at the sizes of its file has no op of others.
TEST(ModelMatch, SizesThatAnOpByNameConfirmsMustAgree) {
    Network net;
    const TensorId x = net.conv("6", net.tensor("x", {1, 16, 8, 8}), 16, 16);
    net.node("7", "Reshape", {net.node("", "Relu", {x}, {1, 16, 8, 8})}, {1, 16, 64});
    const ModelGroups groups = group_nodes(net.graph);
    const auto nodes = [&](const char* conv, const char* reshape) {
        const std::vector<RunOp> ops = {{"Conv", "Conv", conv, 0, "[[4, 16, 8, 8], [16, 16, 3, 3]]"},
                                        {"Reshape", "Reshape", "Reshape_1", 1, reshape}};
        return nodes_of(ModelMatcher(net.graph, groups, ops).match({0, 1}));
    };
    EXPECT_THAT(nodes("6", "[[4, 16, 8, 8], [3]]"), ElementsAre(0, 2));
    EXPECT_THAT(nodes("6", "[[4, 12, 8, 8], [3]]"), ElementsAre(0, -1));
    EXPECT_THAT(nodes("somewhere", "[[4, 12, 8, 8], [3]]"), ElementsAre(0, 2)) << "it may have run at others";
}

}  // namespace
}  // namespace opsight::analyze
