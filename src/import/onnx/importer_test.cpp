#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "base/test_files.h"
#include "import/model/model_import.h"
#include "import/onnx/onnx.pb.h"

namespace opsight::importer {
namespace {

using ::testing::HasSubstr;
using testing::TempFolder;

std::string encoded(const std::string& text) {
    onnx_file::Model model;
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &model)) << text;
    return model.SerializeAsString();
}

// A model of one graph, in protobuf's text form.
std::string model_bytes(const std::string& graph, const std::string& rest = "") {
    return encoded("ir_version: 8 opset_import { version: 17 } " + rest + " graph { name: 'g' " + graph +
                   " }");
}

std::string input(const std::string& name, const std::vector<std::string>& dims) {
    std::string text = "input { name: '" + name + "' type { tensor_type { elem_type: 1 shape { ";
    for (const std::string& dim : dims)
        text += std::isdigit(static_cast<unsigned char>(dim[0])) || dim[0] == '-'
                    ? "dim { dim_value: " + dim + " } "
                    : "dim { dim_param: '" + dim + "' } ";
    return text + "} } } } ";
}

std::string node(const std::string& op, const std::string& in, const std::string& out,
                 const std::string& more = "") {
    std::string text = "node { op_type: '" + op + "' ";
    std::stringstream ins(in), outs(out);
    for (std::string name; ins >> name;)
        text += "input: '" + (name == "-" ? std::string() : name) + "' ";
    for (std::string name; outs >> name;)
        text += "output: '" + name + "' ";
    return text + more + " } ";
}

std::string ints(const std::string& name, const std::string& values) {
    std::string text = "attribute { name: '" + name + "' type: 7 ";
    std::stringstream list(values);
    for (std::string value; list >> value;)
        text += "ints: " + value + " ";
    return text + "} ";
}

std::string weight(const std::string& name, const std::string& dims) {
    std::string text = "initializer { name: '" + name + "' data_type: 1 ";
    std::stringstream list(dims);
    for (std::string value; list >> value;)
        text += "dims: " + value + " ";
    return text + "} ";
}

std::string numbers(const std::string& name, const std::string& values) {
    std::string text = "initializer { name: '" + name + "' data_type: 7 ", data;
    std::stringstream list(values);
    int count = 0;
    for (std::string value; list >> value; ++count)
        data += "int64_data: " + value + " ";
    return text + "dims: " + std::to_string(count) + " " + data + "} ";
}

Result<ModelGraph> read(const std::string& graph, const ModelOptions& options = {},
                        const std::string& rest = "") {
    return import_onnx(model_bytes(graph, rest), "", options);
}

std::string shape_of(const ModelGraph& graph, const std::string& name) {
    for (const ModelTensor& tensor : graph.tensors)
        if (tensor.name == name || tensor.name.ends_with("/" + name))
            return tensor.shape_known ? shape_text(tensor.shape) : "unknown";
    return "missing";
}

// The shape of "y" after these nodes, or the message.
std::string y_after(const std::string& graph, const ModelOptions& options = {}) {
    const auto result = read(graph + "output { name: 'y' }", options);
    return result ? shape_of(*result, "y") : result.error().message();
}

TEST(OnnxShapes, ConvolutionsAndPools) {
    const std::string image = input("x", {"1", "3", "224", "224"});
    EXPECT_EQ(y_after(image + weight("w", "64 3 11 11") +
                      node("Conv", "x w", "y", ints("strides", "4 4") + ints("pads", "2 2 2 2"))),
              "1x64x55x55");
    EXPECT_EQ(y_after(image + weight("w", "8 3 3 3") + node("Conv", "x w", "y", ints("dilations", "2 2"))),
              "1x8x220x220");
    EXPECT_EQ(
        y_after(image + weight("w", "8 3 3 3") +
                node("Conv", "x w", "y",
                     "attribute { name: 'auto_pad' type: 3 s: 'SAME_UPPER' }" + ints("strides", "2 2"))),
        "1x8x112x112");
    EXPECT_EQ(
        y_after(image + weight("w", "3 8 2 2") + node("ConvTranspose", "x w", "y", ints("strides", "2 2"))),
        "1x8x448x448");
    EXPECT_EQ(
        y_after(image + node("MaxPool", "x", "y", ints("kernel_shape", "3 3") + ints("strides", "2 2"))),
        "1x3x111x111");
    EXPECT_EQ(y_after(image + node("MaxPool", "x", "y",
                                   ints("kernel_shape", "3 3") + ints("strides", "2 2") +
                                       "attribute { name: 'ceil_mode' type: 2 i: 1 }")),
              "1x3x112x112");
    EXPECT_EQ(y_after(image + node("GlobalAveragePool", "x", "y")), "1x3x1x1");
}

TEST(OnnxShapes, AttributesAndInputsSayTheSame) {
    const std::string x = input("x", {"2", "1", "6"});
    EXPECT_EQ(y_after(x + node("Squeeze", "x", "y", ints("axes", "1"))), "2x6");
    EXPECT_EQ(y_after(x + numbers("a", "1") + node("Squeeze", "x a", "y")), "2x6");
    EXPECT_EQ(y_after(x + node("ReduceMean", "x", "y", ints("axes", "2"))), "2x1x1");
    EXPECT_EQ(y_after(x + numbers("a", "-1") + node("ReduceMean", "x a", "y")), "2x1x1");
    EXPECT_EQ(
        y_after(x + node("Slice", "x", "y",
                         ints("starts", "1") + ints("ends", "9223372036854775807") + ints("axes", "2"))),
        "2x1x5");
    EXPECT_EQ(y_after(x + numbers("s", "-1") + numbers("e", "-9223372036854775808") + numbers("a", "2") +
                      numbers("t", "-2") + node("Slice", "x s e a t", "y")),
              "2x1x3");
    EXPECT_EQ(y_after(x + numbers("n", "0 -1 3") + node("Reshape", "x n", "y")), "2x2x3");
    EXPECT_EQ(y_after(x + node("Transpose", "x", "y", ints("perm", "2 0 1"))), "6x2x1");
}

// What torch.onnx writes for x.view(x.size(0), -1): the batch is looked up while the network runs.
TEST(OnnxShapes, SizesThatTheGraphWorksOut) {
    const std::string graph = input("x", {"n", "3", "4"}) + numbers("zero", "0") + numbers("rest", "-1") +
                              node("Shape", "x", "s") + node("Gather", "s zero", "b") +
                              node("Concat", "b rest", "t", "attribute { name: 'axis' type: 2 i: 0 }") +
                              node("Reshape", "x t", "y");
    EXPECT_EQ(y_after(graph), "1x12");
    ModelOptions options;
    options.dims["n"] = 5;
    EXPECT_EQ(y_after(graph, options), "5x12");
    options = {};
    options.shapes["x"] = {7, 2, 2};
    EXPECT_EQ(y_after(graph, options), "7x4");
}

TEST(OnnxReader, OpenDimensionsAreNamed) {
    const auto graph = read(input("x", {"batch", "3"}) + node("Relu", "x", "y") + "output { name: 'y' }");
    ASSERT_TRUE(graph);
    ASSERT_EQ(graph->notes.size(), 1U);
    EXPECT_THAT(graph->notes[0], HasSubstr("batch = 1"));
}

TEST(OnnxReader, AMistypedDimensionIsAnError) {
    ModelOptions options;
    options.dims["bach"] = 5;
    EXPECT_EQ(y_after(input("x", {"batch", "3"}) + node("Relu", "x", "y"), options),
              "the model has no open dimension 'bach' (it has 'batch')");
    EXPECT_THAT(y_after(input("x", {"2", "3"}) + node("Relu", "x", "y"), options),
                HasSubstr("all its sizes are fixed"));
}

TEST(OnnxReader, AnOpsetThatIsNotKnownYetIsNoted) {
    const auto graph =
        import_onnx(encoded("ir_version: 8 opset_import { version: 99 } graph { name: 'g' " +
                            input("x", {"2", "3"}) + node("Relu", "x", "y") + "output { name: 'y' } }"),
                    "", {});
    ASSERT_TRUE(graph);
    EXPECT_THAT(graph->notes, ::testing::Contains(HasSubstr("opset 99")));
}

TEST(OnnxReader, NodesInAnyOrder) {
    const auto graph = read(node("Relu", "a", "y") + node("Neg", "x", "a") + input("x", {"2", "3"}) +
                            "output { name: 'y' }");
    ASSERT_TRUE(graph) << graph.error().message();
    EXPECT_EQ(graph->nodes[0].op_type, "Neg");
    EXPECT_EQ(shape_of(*graph, "y"), "2x3");
}

TEST(OnnxReader, WeightsThatAreInputsTooAreNoInputs) {
    const auto graph = read(input("x", {"1", "4"}) + input("w", {"4", "2"}) + weight("w", "4 2") +
                            node("MatMul", "x w", "y") + "output { name: 'y' }");
    ASSERT_TRUE(graph);
    EXPECT_EQ(graph->inputs.size(), 1U);
    EXPECT_TRUE(graph->tensor(graph->nodes[0].inputs[1])->parameter);
}

TEST(OnnxReader, FunctionsAreWrittenOutWithTheirAttributes) {
    const std::string function =
        "functions { name: 'Twice' domain: 'my' input: 'a' output: 'c' attribute: 'perm' "
        "node { op_type: 'Transpose' input: 'a' output: 'b' attribute { name: 'perm' type: 7 ref_attr_name: "
        "'perm' } } "
        "node { op_type: 'Relu' input: 'b' output: 'c' } } ";
    const auto graph =
        read(input("x", {"2", "3", "4"}) +
                 node("Twice", "x", "y", "domain: 'my' name: 'call' " + ints("perm", "1 0 2")) +
                 "output { name: 'y' }",
             {}, function);
    ASSERT_TRUE(graph) << graph.error().message();
    ASSERT_EQ(graph->nodes.size(), 2U);
    EXPECT_THAT(graph->nodes[0].name, HasSubstr("call/"));
    EXPECT_EQ(shape_of(*graph, "c"), "3x2x4");
}

std::string branch(const std::string& which, const std::string& op, int times) {
    std::string text = "attribute { name: '" + which + "' type: 5 g { name: '" + which + "' ";
    for (int i = 0; i < times; ++i)
        text += node(op, i ? which + std::to_string(i - 1) : "x", which + std::to_string(i));
    return text + "output { name: '" + which + std::to_string(times - 1) + "' } } } ";
}

TEST(OnnxReader, BranchesTakenAndGuessed) {
    const std::string branches = branch("then_branch", "Relu", 1) + branch("else_branch", "Exp", 2);
    const auto guessed =
        read(input("x", {"4"}) + input("c", {}) + node("If", "c", "y", branches) + "output { name: 'y' }");
    ASSERT_TRUE(guessed) << guessed.error().message();
    EXPECT_EQ(guessed->nodes.size(), 2U);
    EXPECT_THAT(guessed->notes.at(0), HasSubstr("the else branch"));
    const auto known = read(input("x", {"4"}) + "initializer { name: 'c' data_type: 9 int32_data: 1 } " +
                            node("If", "c", "y", branches) + "output { name: 'y' }");
    ASSERT_TRUE(known) << known.error().message();
    ASSERT_EQ(known->nodes.size(), 1U);
    EXPECT_EQ(known->nodes[0].op_type, "Relu");
    EXPECT_TRUE(known->notes.empty());
}

TEST(OnnxReader, LoopsCountTheirRuns) {
    const std::string body =
        "attribute { name: 'body' type: 5 g { name: 'b' input { name: 'i' } input { name: 'k' } "
        "input { name: 'h' } " +
        node("Relu", "h", "g") + node("Identity", "k", "go") +
        "output { name: 'go' } output { name: 'g' } output { name: 'h' } } } ";
    const auto graph = read(input("x", {"2", "3"}) + "initializer { name: 'm' data_type: 7 int64_data: 5 } " +
                            node("Loop", "m - x", "last y", body) + "output { name: 'y' }");
    ASSERT_TRUE(graph) << graph.error().message();
    EXPECT_EQ(graph->nodes[0].repeat, 5);
    EXPECT_EQ(shape_text(graph->tensor(graph->outputs[0])->shape), "5x2x3");
}

TEST(OnnxReader, AnUnknownDomainIsNamedAndItsNeighboursCounted) {
    const auto graph = read(input("x", {"2", "3"}) + node("Relu", "x", "a") +
                            node("Magic", "a", "b", "domain: 'their.own'") + node("Relu", "b", "y") +
                            "output { name: 'y' }");
    ASSERT_TRUE(graph) << graph.error().message();
    EXPECT_THAT(graph->notes.at(0), HasSubstr("1 x their.own.Magic"));
    EXPECT_EQ(shape_of(*graph, "a"), "2x3");
}

TEST(OnnxReader, ShapesOfAnyTensorAndValuesOfInputsCanBeGiven) {
    const std::string text = input("x", {"2", "3"}) + node("Magic", "x", "a", "domain: 'their.own'") +
                             node("Relu", "a", "y") + "output { name: 'y' }";
    ModelOptions options;
    options.shapes["a"] = {4, 5};
    const auto graph = read(text, options);
    ASSERT_TRUE(graph) << graph.error().message();
    EXPECT_EQ(shape_of(*graph, "y"), "4x5");
    EXPECT_TRUE(graph->notes.empty()) << graph->notes.at(0);

    const std::string sized =
        input("x", {"2", "3"}) +
        "input { name: 's' type { tensor_type { elem_type: 7 shape { dim { dim_value: 2 } } } } } " +
        node("Reshape", "x s", "y") + "output { name: 'y' }";
    options.shapes.clear();
    options.values["s"] = {3, 2};
    const auto turned = read(sized, options);
    ASSERT_TRUE(turned) << turned.error().message();
    EXPECT_EQ(shape_of(*turned, "y"), "3x2");
    options.values["s"] = {1, 2, 3};
    const auto misfit = read(sized, options);
    ASSERT_FALSE(misfit);
    EXPECT_THAT(misfit.error().message(), HasSubstr("'s' has 2 elements (2), but 3 values were given"));
    options.values = {{"no", {1}}};
    const auto unknown = read(sized, options);
    ASSERT_FALSE(unknown);
    EXPECT_THAT(unknown.error().message(), HasSubstr("the model has no tensor 'no'"));
}

// The first pass of a language model has nothing in its cache.
TEST(OnnxReader, AnOpenDimensionMayBeEmpty) {
    ModelOptions options;
    options.dims["past"] = 0;
    const auto graph = read(input("cache", {"1", "past", "64"}) + input("x", {"1", "8", "64"}) +
                                node("Concat", "cache x", "y", "attribute { name: 'axis' type: 2 i: 1 }") +
                                "output { name: 'y' }",
                            options);
    ASSERT_TRUE(graph) << graph.error().message();
    EXPECT_EQ(shape_of(*graph, "y"), "1x8x64");
}

std::string refusal(const std::string& graph, const std::string& rest = "") {
    const auto result = read(graph, {}, rest);
    return result ? "taken" : result.error().message();
}

TEST(OnnxHostile, CyclesMissingInputsAndDoubleOutputs) {
    EXPECT_THAT(refusal(node("Relu", "b", "a") + node("Relu", "a", "b")), HasSubstr("cycle"));
    EXPECT_THAT(refusal(node("Relu", "nothing", "y")), HasSubstr("takes 'nothing'"));
    EXPECT_THAT(refusal(input("x", {"1"}) + node("Relu", "x", "y") + node("Exp", "x", "y")),
                HasSubstr("two nodes make 'y'"));
    EXPECT_THAT(refusal(input("x", {"1"}) + "output { name: 'z' }"), HasSubstr("no node makes"));
}

TEST(OnnxHostile, HugeAndNegativeSizes) {
    EXPECT_THAT(refusal(input("x", {"4294967296", "4294967296"})), HasSubstr("cannot be"));
    EXPECT_THAT(refusal(weight("w", "9223372036854775807 2") + input("x", {"1"})), HasSubstr("cannot be"));
    EXPECT_THAT(refusal(weight("w", "-5 2") + input("x", {"1"})), HasSubstr("cannot be"));
    EXPECT_THAT(refusal(input("x", {"1"}) + numbers("n", "281474976710656 281474976710656") +
                        node("Expand", "x n", "y")),
                HasSubstr("more than can be"));
    EXPECT_EQ(y_after(input("x", {"-3", "4"}) + node("Relu", "x", "y")), "1x4") << "an open dimension";
}

TEST(OnnxHostile, AttributesThatOverflow) {
    const std::string huge = "9223372036854775807";
    const auto whole = [](const std::string& name, const std::string& value) {
        return "attribute { name: '" + name + "' type: 2 i: " + value + " } ";
    };
    const std::string ort = "domain: 'com.microsoft' ";
    EXPECT_EQ(y_after(input("q", {"1", "8", "64"}) +
                      node("GroupQueryAttention", "q - - - -", "y",
                           ort + whole("num_heads", "4") + whole("kv_num_heads", "2"))),
              "1x8x32");
    for (const std::string groups : {huge.c_str(), "65", "0"})
        EXPECT_EQ(y_after(input("q", {"1", "8", "64"}) +
                          node("GroupQueryAttention", "q - - - -", "y",
                               ort + whole("num_heads", "2") + whole("kv_num_heads", groups))),
                  "unknown")
            << groups;
    EXPECT_EQ(y_after(input("x", {"1", "281474976710656", "1", "1"}) +
                      node("DepthToSpace", "x", "y", whole("blocksize", "4294967296"))),
              "unknown");
    EXPECT_EQ(y_after(input("x", {"1", "1", "4"}) + weight("w", "1 1 3") +
                      node("ConvTranspose", "x w", "y", ints("output_padding", huge))),
              "unknown");
    EXPECT_EQ(y_after(input("x", {"4"}) +
                      node("Pad", "x", "y", ints("pads", "-9223372036854775808 9223372036854775807"))),
              "unknown");
    EXPECT_THAT(refusal(input("x", {"0", huge})), HasSubstr("cannot be")) << "empty, but sums of it overflow";
}

TEST(OnnxHostile, OpsThatDoNotFitAreCountedNotBelieved) {
    const auto graph = read(input("x", {"2", "3"}) + weight("w", "4 5") + node("MatMul", "x w", "y") +
                            "output { name: 'y' }");
    ASSERT_TRUE(graph);
    EXPECT_EQ(shape_of(*graph, "y"), "unknown");
    EXPECT_THAT(graph->notes.back(), HasSubstr("matrices of 2x3 and 4x5 cannot be multiplied"));
}

TEST(OnnxHostile, FunctionsThatCallThemselves) {
    const std::string self =
        "functions { name: 'F' domain: 'my' input: 'a' output: 'b' "
        "node { op_type: 'F' domain: 'my' input: 'a' output: 'b' } } ";
    EXPECT_THAT(refusal(input("x", {"1"}) + node("F", "x", "y", "domain: 'my'"), self), HasSubstr("deep"));
}

// 2^31 calls of a function that does nothing, from a file of a few kilobytes.
TEST(OnnxHostile, FunctionsThatCallTheNextOneTwice) {
    std::string functions;
    for (int i = 0; i < 31; ++i) {
        const std::string own = "F" + std::to_string(i), next = "F" + std::to_string(i + 1);
        const std::string call = "node { op_type: '" + next + "' domain: 'my' } ";
        functions += "functions { name: '" + own + "' domain: 'my' " + call + call + "} ";
    }
    functions += "functions { name: 'F31' domain: 'my' } ";
    EXPECT_THAT(refusal(input("x", {"1"}) + node("F0", "", "", "domain: 'my'"), functions),
                HasSubstr("more than 1000000 nodes"));
}

TEST(OnnxHostile, WeightsOutsideOfTheFolderAreNotRead) {
    const TempFolder folder;
    std::filesystem::create_directory(folder.path() + "/model");
    std::ofstream(folder.path() + "/secret", std::ios::binary).write("\2\0\0\0\0\0\0\0", 8);
    std::ofstream(folder.path() + "/model/sizes", std::ios::binary).write("\2\0\0\0\0\0\0\0", 8);
    const auto y = [&](const std::string& location) {
        const std::string bytes =
            model_bytes(input("x", {"1"}) +
                        "initializer { name: 'n' data_type: 7 dims: 1 data_location: 1 external_data { key: "
                        "'location' value: '" +
                        location + "' } } " + node("Expand", "x n", "y") + "output { name: 'y' }");
        const auto graph = import_onnx(bytes, folder.path() + "/model", {});
        return graph ? shape_of(*graph, "y") : graph.error().message();
    };
    EXPECT_EQ(y("sizes"), "2");
    EXPECT_EQ(y("../secret"), "unknown");
    EXPECT_EQ(y(folder.path() + "/secret"), "unknown");
    EXPECT_EQ(y("missing"), "unknown");
}

TEST(OnnxHostile, OtherFiles) {
    const auto message = [](const std::string& bytes) {
        const auto graph = import_onnx(bytes, "", {});
        return graph ? "taken" : graph.error().message();
    };
    EXPECT_THAT(message("{\"traceEvents\": []}"), HasSubstr("no ONNX model"));
    EXPECT_THAT(message(""), HasSubstr("holds no graph"));
    const auto missing = import_model("no/such/model.onnx", {});
    ASSERT_FALSE(missing);
    EXPECT_THAT(missing.error().message(), HasSubstr("no/such/model.onnx"));
}

// Every byte changed once, and many changed at once: an answer or an error, never a size out of bounds.
TEST(OnnxHostile, ChangedBytes) {
    std::ifstream file(std::string(OPSIGHT_SOURCE_DIR) + "/tests/fuzz/models/model.onnx", std::ios::binary);
    const std::string seed((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    ASSERT_GT(seed.size(), 100U);
    std::mt19937 random(1);
    int taken = 0;
    for (size_t round = 0; round < 4 * seed.size(); ++round) {
        std::string bytes = seed;
        bytes[round % seed.size()] = static_cast<char>(random());
        if (round >= 2 * seed.size()) bytes[random() % bytes.size()] = static_cast<char>(random());
        if (round >= 3 * seed.size()) bytes.resize(random() % bytes.size());
        const auto graph = import_onnx(bytes, "", {});
        if (!graph) continue;
        ++taken;
        for (const ModelTensor& tensor : graph->tensors)
            ASSERT_TRUE(!tensor.shape_known || element_count(tensor.shape));
    }
    EXPECT_GT(taken, 0);
}

}  // namespace
}  // namespace opsight::importer
