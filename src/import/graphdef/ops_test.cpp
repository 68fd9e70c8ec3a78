// What the ops of TensorFlow become, and their shapes. Expected sizes follow TensorFlow's documentation of
// each op.
#include <gmock/gmock.h>

#include "import/graphdef/test_graphs.h"

namespace opsight::importer {
namespace {

using namespace graphdef_testing;

std::string window(const std::string& strides, const std::string& padding, const std::string& more = "") {
    return attribute("strides", integers(strides)) + attribute("padding", "s: '" + padding + "'") + more;
}

TEST(GraphDefShapes, Convolutions) {
    const std::string image = input("x", "2 224 224 3"), filter = weight("w", "7 7 3 64");
    EXPECT_EQ(y_after(image + filter + node("Conv2D", "y", "x w", window("1 2 2 1", "SAME"))),
              "2x112x112x64");
    EXPECT_EQ(y_after(image + filter + node("Conv2D", "y", "x w", window("1 2 2 1", "VALID"))),
              "2x109x109x64");
    EXPECT_EQ(y_after(image + filter +
                      node("Conv2D", "y", "x w",
                           window("1 2 2 1", "EXPLICIT",
                                  attribute("explicit_paddings", integers("0 0 3 3 3 3 0 0"))))),
              "2x112x112x64");
    EXPECT_EQ(y_after(image + filter +
                      node("Conv2D", "y", "x w",
                           window("1 1 1 1", "VALID", attribute("dilations", integers("1 2 2 1"))))),
              "2x212x212x64");
    EXPECT_EQ(
        y_after(input("x", "2 3 224 224") + filter +
                node("Conv2D", "y", "x w", window("1 1 2 2", "SAME", attribute("data_format", "s: 'NCHW'")))),
        "2x64x112x112");
    EXPECT_EQ(y_after(image + weight("w", "3 3 3 2") +
                      node("DepthwiseConv2dNative", "y", "x w", window("1 1 1 1", "SAME"))),
              "2x224x224x6");
    EXPECT_EQ(y_after(input("dy", "2 7 7 64") + weight("w", "3 3 32 64") + numbers("s", "2 14 14 32") +
                      node("Conv2DBackpropInput", "y", "s w dy", window("1 2 2 1", "SAME"))),
              "2x14x14x32");
    EXPECT_EQ(y_after(image + input("dy", "2 112 112 64") + numbers("s", "7 7 3 64") +
                      node("Conv2DBackpropFilter", "y", "x s dy", window("1 2 2 1", "SAME"))),
              "7x7x3x64");
    EXPECT_EQ(y_after(input("x", "1 8 16 16 4") + weight("w", "3 3 3 4 5") +
                      node("Conv3D", "y", "x w", window("1 1 2 2 1", "SAME"))),
              "1x8x8x8x5");
}

TEST(GraphDefShapes, FusedRecurrentCells) {
    const std::string state = input("c", "3 64"), weights = weight("w", "96 256");
    EXPECT_EQ(y_after(numbers("n", "5", true) + input("x", "5 3 32") + state + weights +
                      node("BlockLSTM", "y", "n x c c w c c c c")),
              "5x3x64");
    EXPECT_EQ(y_after(input("x", "3 32") + state + weights + node("LSTMBlockCell", "y", "x c c w c c c c")),
              "3x64");
    EXPECT_EQ(y_after(input("x", "3 32") + state + weight("ru", "96 128") + weight("v", "96 64") +
                      node("GRUBlockCell", "y", "x c ru v c c")),
              "3x64");
    const std::string deep = input("x", "5 3 32") + input("c", "4 3 64") + weight("w", "100");
    EXPECT_EQ(y_after(deep +
                      node("CudnnRNN", "y", "x c c w",
                           attribute("rnn_mode", "s: 'gru'") + attribute("direction", "s: 'bidirectional'"))),
              "5x3x128");
    EXPECT_EQ(y_after(input("x", "5 32") + node("CudnnRNN", "y", "x x x x")), "unknown");
}

TEST(GraphDefShapes, PoolingAndImages) {
    const std::string image = input("x", "1 112 112 64"), two = numbers("s", "56 28");
    const std::string pool = window("1 2 2 1", "SAME", attribute("ksize", integers("1 3 3 1")));
    EXPECT_EQ(y_after(image + node("MaxPool", "y", "x", pool)), "1x56x56x64");
    EXPECT_EQ(y_after(image + two + node("ResizeBilinear", "y", "x s")), "1x56x28x64");
    EXPECT_EQ(y_after(image + node("SpaceToDepth", "y", "x", attribute("block_size", "i: 2"))),
              "1x56x56x256");
    EXPECT_EQ(y_after(image + numbers("b", "2 2") + node("Reshape", "p", "q n") + numbers("q", "0 0 0 0") +
                      numbers("n", "2 2") + node("SpaceToBatchND", "y", "x b p")),
              "4x56x56x64");
    EXPECT_EQ(y_after(image + numbers("q", "0 0 1 1 2 2 0 0") + numbers("n", "4 2") +
                      node("Reshape", "p", "q n") + node("Pad", "y", "x p")),
              "1x114x116x64");
}

TEST(GraphDefShapes, BlocksAndFiltersThatOverflow) {
    const std::string blocks = numbers("b", "1073741824 1073741824") + numbers("q", "0 0 0 0") +
                               numbers("n", "2 2") + node("Reshape", "p", "q n");
    EXPECT_EQ(y_after(input("x", "1073741824 4 4 1") + blocks + node("SpaceToBatchND", "y", "x b p")),
              "unknown");
    EXPECT_EQ(y_after(input("x", "1 1073741824 4 1") + blocks + node("BatchToSpaceND", "y", "x b p")),
              "unknown");
    EXPECT_EQ(y_after(input("x", "1 1 1 281474976710656") +
                      node("SpaceToDepth", "y", "x", attribute("block_size", "i: 4096"))),
              "unknown");
    EXPECT_THAT(
        y_after(input("x", "1 4 4 3") + input("dy", "1 4 4 3") + numbers("s", "0 1 2147483647 2147483647") +
                numbers("t", "1 1 2147483647 2147483647") + node("Mul", "f", "s t") +
                node("DepthwiseConv2dNativeBackpropFilter", "y", "x f dy", window("1 1 1 1", "SAME"))),
        ::testing::HasSubstr("more than can be"));
}

TEST(GraphDefShapes, ProductsAndReductions) {
    const std::string turned = attribute("transpose_b", "b: true");
    EXPECT_EQ(y_after(input("x", "4 8") + weight("w", "3 8") + node("MatMul", "y", "x w", turned)), "4x3");
    EXPECT_EQ(y_after(input("x", "2 5 8") + input("z", "2 7 8") +
                      node("BatchMatMulV2", "y", "x z", attribute("adj_y", "b: true"))),
              "2x5x7");
    EXPECT_EQ(y_after(input("x", "2 5 8") + numbers("a", "1 2") + node("Mean", "y", "x a")), "2");
    EXPECT_EQ(y_after(input("x", "2 5 8") + numbers("a", "-1") +
                      node("Sum", "y", "x a", attribute("keep_dims", "b: true"))),
              "2x5x1");
    EXPECT_EQ(y_after(input("x", "2 5 8") + numbers("a", "1", true) + node("ArgMax", "y", "x a")), "2x8");
}

TEST(GraphDefShapes, PartsOfTensors) {
    const std::string x = input("x", "4 6 8");
    const auto strided = [&](const std::string& begin, const std::string& end, const std::string& step,
                             const std::string& masks) {
        return y_after(x + numbers("b", begin) + numbers("e", end) + numbers("s", step) +
                       node("StridedSlice", "y", "x b e s", masks));
    };
    EXPECT_EQ(strided("0 1", "2 6", "1 2", ""), "2x3x8");
    EXPECT_EQ(strided("-1", "0", "1", attribute("shrink_axis_mask", "i: 1")), "6x8");
    EXPECT_EQ(strided("0 2", "0 5", "1 1", attribute("ellipsis_mask", "i: 1")), "4x6x3");
    EXPECT_EQ(strided("0 0", "0 0", "1 1",
                      attribute("new_axis_mask", "i: 1") + attribute("begin_mask", "i: 2") +
                          attribute("end_mask", "i: 2")),
              "1x4x6x8");
    EXPECT_EQ(strided("3", "0", "-2", attribute("begin_mask", "i: 1") + attribute("end_mask", "i: 1")),
              "2x6x8");
    EXPECT_EQ(strided("0 0 0 0", "1 1 1 1", "1 1 1 1", ""), "unknown");
    EXPECT_EQ(
        y_after(x + numbers("a", "2", true) + node("Split", "y", "a x", attribute("num_split", "i: 4"))),
        "4x6x2");
    EXPECT_EQ(y_after(x + numbers("b", "1 0 2") + numbers("s", "2 -1 3") + node("Slice", "y", "x b s")),
              "2x6x3");
    EXPECT_EQ(y_after(x + node("Pack", "y", "x x", attribute("axis", "i: 1"))), "4x2x6x8");
    EXPECT_EQ(y_after(x + node("Unpack", "y", "x", attribute("axis", "i: 1"))), "4x8");
    EXPECT_EQ(y_after(x + numbers("a", "0", true) + node("ExpandDims", "y", "x a")), "1x4x6x8");
    EXPECT_EQ(y_after(x + numbers("a", "-1", true) + node("ConcatV2", "y", "x x a")), "4x6x16");
    EXPECT_EQ(y_after(weight("t", "100 32") + numbers("i", "5 6 7") + numbers("a", "0", true) +
                      node("GatherV2", "y", "t i a") + x),
              "3x32");
}

// tf.reshape(x, [tf.shape(x)[0], -1]): the batch is looked up while the network runs.
TEST(GraphDefShapes, SizesThatTheGraphWorksOut) {
    const std::string graph = input("x", "-1 3 4") + node("Shape", "s", "x") + numbers("b", "0") +
                              numbers("e", "1") + numbers("o", "1") + numbers("rest", "-1", true) +
                              node("StridedSlice", "n", "s b e o", attribute("shrink_axis_mask", "i: 1")) +
                              node("Pack", "t", "n rest") + node("Reshape", "y", "x t");
    EXPECT_EQ(y_after(graph), "1x12");
    ModelOptions options;
    options.dims["x[0]"] = 5;
    EXPECT_EQ(y_after(graph, options), "5x12");
    options = {};
    options.shapes["x"] = {7, 2, 2};
    EXPECT_EQ(y_after(graph, options), "7x4");
    options.dims["y[0]"] = 5;
    EXPECT_THAT(y_after(graph, options), ::testing::HasSubstr("no open dimension 'y[0]'"));
}

}  // namespace
}  // namespace opsight::importer
