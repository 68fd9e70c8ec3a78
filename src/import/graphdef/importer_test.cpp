// Graphs as a whole: what is read, written out and refused.
#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <sys/stat.h>

#include <fstream>
#include <random>

#include "base/test_files.h"
#include "import/graphdef/graphdef.pb.h"
#include "import/graphdef/test_graphs.h"

namespace opsight::importer {
namespace {

using namespace graphdef_testing;
using opsight::testing::TempFolder;
using ::testing::Contains;
using ::testing::HasSubstr;

const ModelNode* node_named(const ModelGraph& graph, const std::string& name) {
    for (const ModelNode& node : graph.nodes)
        if (node.name == name) return &node;
    return nullptr;
}

std::string message_of(const std::string& text) {
    const auto graph = read(text);
    return graph ? "taken" : graph.error().message();
}

TEST(GraphDefReader, WhatTrainsOrStartsVariablesIsLeftAway) {
    const auto graph = read(input("x", "2 4") + weight("w", "4 3") + node("Identity", "w/read", "w") +
                            node("MatMul", "y", "x w/read") + numbers("d", "4 3") +
                            node("TruncatedNormal", "init", "d") + node("Assign", "w/Assign", "w init") +
                            node("HistogramSummary", "watch", "y") + node("NoOp", "all", "^w/Assign"));
    ASSERT_TRUE(graph) << graph.error().message();
    ASSERT_EQ(graph->nodes.size(), 1U);
    EXPECT_EQ(graph->nodes[0].shown_type(), "MatMul");
    EXPECT_TRUE(graph->tensor(graph->nodes[0].inputs[1])->parameter);
    EXPECT_TRUE(graph->tensor(graph->nodes[0].outputs[0])->batched);
    EXPECT_EQ(graph->own_batch, 2);
}

TEST(GraphDefReader, SignaturesChooseWhatRuns) {
    const std::string graph =
        "graph_def { " + input("x", "2 4") + node("Relu", "a", "x") + node("Exp", "b", "x") + "} ";
    const std::string meta =
        "meta_info_def { tags: 'serve' tensorflow_version: '2.9.1' } " + graph +
        "signature_def { key: 'serving_default' value { outputs { key: 'o' value { name: "
        "'a:0' } } } } signature_def { key: '__saved_model_init_op' value { outputs { key: "
        "'o' value { name: 'init' } } } }";
    for (const std::string& text : {meta, "saved_model_schema_version: 1 meta_graphs { " + meta + " }"}) {
        const auto read_graph = read(text);
        ASSERT_TRUE(read_graph) << read_graph.error().message();
        ASSERT_EQ(read_graph->nodes.size(), 1U);
        EXPECT_EQ(read_graph->nodes[0].name, "a");
        EXPECT_EQ(read_graph->producer, "TensorFlow 2.9.1");
    }
}

TEST(GraphDefReader, BinaryAndTextSayTheSame) {
    const std::string text = input("x", "2 4") + node("Relu", "y", "x");
    tf_file::GraphDef graph;
    ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &graph));
    tf_file::SavedModel saved;
    saved.set_saved_model_schema_version(1);
    *saved.add_meta_graphs()->mutable_graph_def() = graph;
    for (const std::string& bytes : {text, graph.SerializeAsString(),
                                     saved.meta_graphs(0).SerializeAsString(), saved.SerializeAsString()})
        EXPECT_EQ(y_after(bytes), "2x4");
    // A comment, and a field that this version does not know.
    EXPECT_EQ(
        y_after("# made by hand\n" + text + "versions { producer: 21 bad_consumers: 3 } debug { x: 1 }"),
        "2x4");
}

TEST(GraphDefReader, SavedModelsAreFolders) {
    const TempFolder folder;
    std::ofstream(folder.path() + "/saved_model.pbtxt")
        << "saved_model_schema_version: 1 meta_graphs { graph_def { " << input("x", "2 4")
        << node("Relu", "y", "x") << "} }";
    const auto graph = import_model(folder.path(), {});
    ASSERT_TRUE(graph) << graph.error().message();
    EXPECT_EQ(graph->format, "TensorFlow SavedModel");
    const TempFolder empty;
    for (const bool pipe : {false, true}) {
        if (pipe) {
            ASSERT_EQ(::mkfifo((empty.path() + "/saved_model.pb").c_str(), 0600), 0);
        }
        const auto missing = import_model(empty.path(), {});
        ASSERT_FALSE(missing);
        EXPECT_THAT(missing.error().message(), HasSubstr("saved_model.pb"));
    }
}

std::string function(const std::string& name, const std::string& arguments, const std::string& outputs,
                     const std::string& nodes, const std::string& returned) {
    std::string text = "function { signature { name: '" + name + "' ";
    std::stringstream in(arguments), out(outputs);
    for (std::string word; in >> word;)
        text += "input_arg { name: '" + word + "' } ";
    for (std::string word; out >> word;)
        text += "output_arg { name: '" + word + "' } ";
    return text + "} " + nodes + returned + "} ";
}

std::string returns(const std::string& output, const std::string& ref) {
    return "ret { key: '" + output + "' value: '" + ref + "' } ";
}

std::string calls(const std::string& attribute_name, const std::string& name) {
    return attribute(attribute_name, "func { name: '" + name + "' }");
}

TEST(GraphDefReader, CallsAreWrittenOut) {
    const std::string library = "library { " +
                                function("twice", "a b", "o",
                                         node("MatMul", "m", "a b", "", "node_def") +
                                             node("TopKV2", "t", "m:product:0 k:output:0", "", "node_def") +
                                             numbers("k", "2", true, "node_def"),
                                         returns("o", "t:indices:0")) +
                                "} ";
    const auto graph = read(input("x", "5 4") + weight("w", "4 3") +
                            node("StatefulPartitionedCall", "layer", "x w", calls("f", "twice")) +
                            node("Neg", "y", "layer:0") + library);
    ASSERT_TRUE(graph) << graph.error().message();
    EXPECT_NE(node_named(*graph, "layer/m"), nullptr);
    EXPECT_EQ(shape_of(*graph, "y"), "5x2");
    EXPECT_EQ(graph->tensors.back().type, ElementType::kInt32);  // the indices, not the values
}

TEST(GraphDefReader, BranchesTakenAndGuessed) {
    const std::string library =
        "library { " +
        function("yes", "a", "o", node("Relu", "r", "a", "", "node_def"), returns("o", "r:0")) +
        function("no", "a", "o",
                 node("Exp", "e", "a", "", "node_def") + node("Neg", "n", "e:0", "", "node_def"),
                 returns("o", "n:0")) +
        "} ";
    const std::string branches = calls("then_branch", "yes") + calls("else_branch", "no");
    const auto guessed = read(input("x", "3") + input("c", "") + node("If", "if", "c x", branches) + library);
    ASSERT_TRUE(guessed) << guessed.error().message();
    EXPECT_NE(node_named(*guessed, "if/e"), nullptr);
    EXPECT_THAT(guessed->notes, Contains(HasSubstr("condition is not known")));
    const auto taken =
        read(input("x", "3") + numbers("c", "1", true) + node("If", "if", "c x", branches) + library);
    ASSERT_TRUE(taken) << taken.error().message();
    EXPECT_NE(node_named(*taken, "if/r"), nullptr);
}

// while (i < 10): i = i + 1, x = tanh(x · w)
TEST(GraphDefReader, LoopsOfFunctionsRunTheirTurns) {
    const std::string library =
        "library { " +
        function("cond", "i n x w", "o", node("Less", "l", "i n", "", "node_def"), returns("o", "l:z:0")) +
        function(
            "body", "i n x w", "oi on ox ow",
            numbers("one", "1", true, "node_def") + node("AddV2", "next", "i one:output:0", "", "node_def") +
                node("MatMul", "m", "x w", "", "node_def") + node("Tanh", "t", "m:product:0", "", "node_def"),
            returns("oi", "next:z:0") + returns("on", "n") + returns("ox", "t:y:0") + returns("ow", "w")) +
        "} ";
    const auto graph =
        read(numbers("i", "2", true) + numbers("n", "10", true) + input("x", "3 4") + weight("w", "4 4") +
             node("While", "loop", "i n x w", calls("cond", "cond") + calls("body", "body")) +
             node("Neg", "y", "loop:2") + library);
    ASSERT_TRUE(graph) << graph.error().message();
    ASSERT_NE(node_named(*graph, "loop/m"), nullptr);
    EXPECT_EQ(node_named(*graph, "loop/m")->repeat, 8);
    EXPECT_FALSE(node_named(*graph, "loop/m")->folded);
    EXPECT_TRUE(graph->tensor(node_named(*graph, "loop/m")->inputs[1])->parameter);
    EXPECT_EQ(node_named(*graph, "y")->repeat, 1);
    EXPECT_EQ(shape_of(*graph, "y"), "3x4");
}

// The same loop in the ops of TensorFlow 1, its results collected in an array.
std::string old_loop(const std::string& limit) {
    const std::string frame = attribute("frame_name", "s: 'steps'");
    return numbers("start", "0", true) + limit + numbers("one", "1", true) + input("x", "3 4") +
           weight("w", "4 4") + node("TensorArrayV3", "array", "limit") + node("Enter", "i", "start", frame) +
           node("Enter", "n", "limit", frame) + node("Enter", "s", "x", frame) +
           node("Enter", "we", "w", frame) + node("Enter", "h", "array", frame) +
           node("Enter", "f", "array:1", frame) + node("Merge", "im", "i in") + node("Merge", "sm", "s sn") +
           node("Merge", "fm", "f fn") + node("Less", "less", "im n") + node("LoopCond", "go", "less") +
           node("Switch", "is", "im go") + node("Switch", "ss", "sm go") + node("Switch", "fs", "fm go") +
           node("Add", "inc", "is:1 one") + node("MatMul", "m", "ss:1 we") +
           node("TensorArrayWriteV3", "put", "h is:1 m fs:1") + node("NextIteration", "in", "inc") +
           node("NextIteration", "sn", "m") + node("NextIteration", "fn", "put") + node("Exit", "fe", "fs") +
           numbers("rz", "0", true) + node("Range", "all", "rz limit one") +
           node("TensorArrayGatherV3", "got", "array all fe") + node("Neg", "y", "got");
}

TEST(GraphDefReader, LoopsOfTensorFlow1RunTheirTurns) {
    const auto graph = read(old_loop(numbers("limit", "7", true)));
    ASSERT_TRUE(graph) << graph.error().message();
    EXPECT_EQ(node_named(*graph, "m")->repeat, 7);
    EXPECT_EQ(node_named(*graph, "y")->repeat, 1);
    EXPECT_EQ(shape_of(*graph, "y"), "7x3x4");
    EXPECT_TRUE(graph->tensor(node_named(*graph, "y")->outputs[0])->batched);
    const auto open = read(old_loop(input("limit", "")));
    ASSERT_TRUE(open) << open.error().message();
    EXPECT_EQ(node_named(*open, "m")->repeat, 1);
    EXPECT_THAT(open->notes, Contains(HasSubstr("how often it runs is not known")));
}

TEST(GraphDefReader, UnknownShapesAreToldOnce) {
    const std::string text =
        node("Placeholder", "x", "", attribute("dtype", "type: DT_FLOAT")) + node("Relu", "y", "x");
    const auto graph = read(text);
    ASSERT_TRUE(graph);
    EXPECT_THAT(graph->notes, Contains(HasSubstr("--shape 'x=")));
    ModelOptions options;
    options.shapes["x"] = {2, 3};
    EXPECT_EQ(y_after(text, options), "2x3");
    options.shapes["z"] = {1};
    EXPECT_EQ(y_after(text, options),
              "the model has no tensor 'z' (names are those of its inputs and of the outputs of its nodes)");
    options.shapes = {{"m", {4, 5}}};
    EXPECT_EQ(y_after(input("x", "2 3") + node("MyOp", "m", "x") + node("Relu", "y", "m"), options), "4x5");
    const auto odd = read(input("x", "2 3") + node("MyOp", "m", "x") + node("Relu", "y", "m"));
    ASSERT_TRUE(odd);
    EXPECT_THAT(odd->notes, Contains(HasSubstr("1 x MyOp")));
}

TEST(GraphDefHostile, ErrorsNameTheNode) {
    EXPECT_THAT(message_of(input("x", "2") + node("Relu", "y", "nobody")),
                HasSubstr("'y' (Relu) takes 'nobody'"));
    EXPECT_THAT(
        message_of(input("x", "2") + node("Add", "a", "x b") + node("Neg", "b", "a") + node("Exp", "y", "b")),
        HasSubstr("depends on its own output"));
    EXPECT_THAT(message_of(input("x", "2") + node("Relu", "y", "x") + node("Relu", "y", "x")),
                HasSubstr("two nodes have the name 'y'"));
    EXPECT_THAT(message_of(input("x", "4000000000 4000000000") + node("Relu", "y", "x")),
                HasSubstr("cannot be"));
    EXPECT_THAT(message_of(input("x", "1000000 1000000") + numbers("m", "1000000 1000000") +
                           node("Tile", "y", "x m")),
                HasSubstr("more than can be"));
    EXPECT_THAT(message_of(input("x", "2") + node("Relu", "r", "x") + node("Neg", "y", "r:20000")),
                HasSubstr("'r' would have 20001 outputs"));
    EXPECT_THAT(message_of("node { name: 'x' op: 'Relu' oops"), HasSubstr("line 1"));
    const std::string endless =
        "library { " +
        function("f", "a", "o", node("PartitionedCall", "again", "a", calls("f", "f"), "node_def"),
                 returns("o", "again:output:0")) +
        "} ";
    EXPECT_THAT(message_of(input("x", "2") + node("PartitionedCall", "y", "x", calls("f", "f")) + endless),
                HasSubstr("more than 32 deep"));
    EXPECT_FALSE(read("{\"traceEvents\": []}"));
}

// Any byte changed, and the file cut anywhere: an answer or an error, never a size out of bounds.
TEST(GraphDefHostile, ChangedBytes) {
    tf_file::GraphDef message;
    ASSERT_TRUE(
        google::protobuf::TextFormat::ParseFromString(old_loop(numbers("limit", "7", true)), &message));
    const std::string seed = message.SerializeAsString();
    std::mt19937 random(1);
    int taken = 0;
    for (size_t round = 0; round < 4 * seed.size(); ++round) {
        std::string bytes = seed;
        bytes[round % seed.size()] = static_cast<char>(random());
        if (round >= 2 * seed.size()) bytes[random() % bytes.size()] = static_cast<char>(random());
        if (round >= 3 * seed.size()) bytes.resize(random() % bytes.size());
        const auto graph = import_graphdef(bytes, {});
        if (!graph || !*graph) continue;
        ++taken;
        for (const ModelTensor& tensor : (*graph)->tensors)
            ASSERT_TRUE(!tensor.shape_known || element_count(tensor.shape));
    }
    EXPECT_GT(taken, 0);
}

}  // namespace
}  // namespace opsight::importer
