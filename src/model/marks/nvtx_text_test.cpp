#include "model/marks/nvtx_text.h"

#include <gtest/gtest.h>

#include "model/marks/python_literal.h"

namespace opsight::marks {
namespace {

NvtxMeaning read(std::string_view text, NvtxDomain domain = NvtxDomain::kOther) {
    return read_nvtx_text(text, domain);
}

TEST(NvtxText, RangesOfEmitNvtx) {
    const NvtxMeaning op =
        read("aten::conv2d, seq = 5, op_id = 17, sizes = [[1, 3, 8, 8], [4, 3, 3, 3], []]");
    EXPECT_EQ(op.kind, HostKind::kOp);
    EXPECT_EQ(op.name, "aten::conv2d");
    EXPECT_EQ(op.sequence, 5);
    EXPECT_EQ(op.id, 17);
    EXPECT_EQ(op.shapes, "[[1, 3, 8, 8], [4, 3, 3, 3], []]");

    EXPECT_EQ(read("aten::view, op_id = 314290").id, 314290);
    EXPECT_EQ(read("aten::view").kind, HostKind::kOp);
    EXPECT_EQ(read("conv2d, seq = 1").kind, HostKind::kOp);  // before ops had name spaces
    const NvtxMeaning stashed = read("AddmmBackward0, stashed seq = 3, seq = 9");
    EXPECT_EQ(stashed.kind, HostKind::kOp);
    EXPECT_EQ(stashed.sequence, 3);
    EXPECT_EQ(read("autograd::engine::evaluate_function: MulBackward0, op_id = 2").kind, HostKind::kOp);
    const NvtxMeaning inputs =
        read("aten::add, op_id = 3, sizes = [[2], [2]], input_op_ids = [(1,0), (2,0)]");
    EXPECT_EQ(inputs.shapes, "[[2], [2]]");
    EXPECT_EQ(inputs.id, 3);
    EXPECT_EQ(read("aten::add, seq = x").sequence, -1);
    EXPECT_EQ(read("aten::mm, op_id = 3, sizes = [[2, 3], [").shapes, "") << "a text that was cut off";
}

TEST(NvtxText, RecordFunctionsOfUsersAreNoOps) {
    const NvtxMeaning user = read("My Step 4, seq = 0");
    EXPECT_EQ(user.kind, HostKind::kAnnotation);
    EXPECT_EQ(user.name, "My Step 4");
    EXPECT_EQ(read("enumerate(DataLoader)#_Iter.__next__, seq = 0").kind, HostKind::kDataLoad);
    EXPECT_EQ(read("ProfilerStep#3").kind, HostKind::kAnnotation);
    EXPECT_EQ(read("GpuLower::Lower::validate").kind, HostKind::kAnnotation);
    EXPECT_EQ(read("").kind, HostKind::kAnnotation);
}

TEST(NvtxText, DictsOfPyProf) {
    const NvtxMeaning op = read(
        "{'mod': 'torch', 'op': 'randn', 'args': [{'name': '', 'type': 'tensor', 'shape': (32, 400), "
        "'dtype': "
        "'float16'}, {'name': 'dim', 'type': 'int', 'value': 3}]}");
    EXPECT_EQ(op.kind, HostKind::kOp);
    EXPECT_EQ(op.name, "torch.randn");
    EXPECT_EQ(op.shapes, "[[32, 400], []]");
    EXPECT_EQ(op.dtypes, R"(["float16", "int"])");
    EXPECT_EQ(op.concrete, R"(["", "3"])");

    const NvtxMeaning lists = read(
        "{'op': 'conv2d', 'args': [{'type': 'tuple', 'value': (2, 1)}, {'type': 'list', 'value': ['a']}]}");
    EXPECT_EQ(lists.concrete, R"(["[2, 1]", ""])");

    const NvtxMeaning marker = read(
        "{'traceMarker': ['a.py:42', 'b.py:7'], 'funcStack': "
        "'/<module>/Net::_call_impl/Net::forward/Linear::_call_impl/Linear::forward/linear(3)'}");
    EXPECT_EQ(marker.kind, HostKind::kModule);
    EXPECT_EQ(marker.name, "Net/Linear");
    EXPECT_EQ(marker.stack, "a.py:42\nb.py:7");
    EXPECT_EQ(read("{'funcStack': '/<module>/main'}").kind, HostKind::kAnnotation);
    EXPECT_EQ(read("{not a dict").name, "{not a dict");
    EXPECT_EQ(read("{'a': 1}").kind, HostKind::kAnnotation);
}

TEST(NvtxText, NodesOfTensorFlowWithDetails) {
    const NvtxMeaning node = read_nvtx_text(
        R"({"op":"MatMul","name":"model/dense/MatMul","args":[{"name":"x","shape":[32,64]},{"name":"w","shape":[64,10]},)"
        R"(null],"attrs":{"T":"float32","transpose_a":false}})",
        NvtxDomain::kTensorFlow);
    EXPECT_EQ(node.kind, HostKind::kOp);
    EXPECT_EQ(node.name, "MatMul");
    EXPECT_EQ(node.module_path, "model/dense");
    EXPECT_EQ(node.shapes, "[[32,64],[64,10]]");
    EXPECT_EQ(node.dtypes, R"(["float32","float32"])");
    for (const char* odd : {"{", "{}", R"({"op":1,"name":"a"})"})
        EXPECT_EQ(read_nvtx_text(odd, NvtxDomain::kTensorFlow).kind, HostKind::kAnnotation) << odd;
}

TEST(NvtxText, CallsOfOneClassKeepTheirNumbers) {
    EXPECT_EQ(
        modules_of_stack("/<module>/Net::_call_impl/Net::forward/Conv2d::_call_impl/Conv2d::forward/conv2d"),
        "Net/Conv2d");
    const char* second = "Net/Conv2d(2)";
    EXPECT_EQ(modules_of_stack(
                  "/<module>/Net::_call_impl/Net::forward/Conv2d::_call_impl(2)/Conv2d::forward/conv2d"),
              second);
    EXPECT_EQ(
        modules_of_stack("/module/Net::_call_impl/Net::forward/Conv2d::_call_impl[2]/Conv2d::forward/conv2d"),
        second);
    EXPECT_EQ(modules_of_stack("/Net::forward/Conv2d::forward(2)/conv2d"), second);
    EXPECT_EQ(modules_of_stack("/Net::forward/helper(3)/Conv2d::forward/conv2d(4)"), "Net/Conv2d");
    EXPECT_EQ(modules_of_stack("/Net::forward(x)/()/(2)/A::forward"), "Net/A");
}

TEST(NvtxText, LayersByPath) {
    EXPECT_EQ(read("layer: block1/conv").name, "block1/conv");
    EXPECT_EQ(read("layer:x").kind, HostKind::kModule);
    EXPECT_EQ(read("/model/layers/0/attention").name, "model/layers/0/attention");
    EXPECT_EQ(read("/usr").kind, HostKind::kAnnotation);
    EXPECT_EQ(read("nn.Module: Linear").kind, HostKind::kModule);
}

TEST(NvtxText, HooksOfModules) {
    const NvtxMeaning linear = read(
        "{'Module': 'top.model.layers.0.mlp.gate_up_proj', 'TrainableParams': {'weight': [28672, 4096]}, "
        "'Inputs': [[8, 4096]]}");
    EXPECT_EQ(linear.kind, HostKind::kModule);
    EXPECT_EQ(linear.name, "top.model.layers.0.mlp.gate_up_proj");
    EXPECT_EQ(read("{'Module': 'top'}").kind, HostKind::kModule);
    EXPECT_EQ(read("{'Module': 'top.model', 'Inputs': [[8, 40").name, "top.model") << "cut off";
    const NvtxMeaning compiled = read(
        "{'Module': 'Torch Compiled Module (input):LlamaModel', 'input_ids': [[8]], 'positions': [[8]]}");
    EXPECT_EQ(compiled.kind, HostKind::kModule);
    EXPECT_EQ(compiled.name, "LlamaModel");
    for (const char* outputs :
         {"{'Module': 'top.act', 'Outputs': [[8, 4096]]}",
          "{'Module': 'top.act', 'TrainableParams': {'weight': [4096]}, 'Outputs': [[8, 4096]]}"}) {
        EXPECT_EQ(read(outputs).kind, HostKind::kAnnotation) << "what it gave, after the call";
        EXPECT_EQ(read(outputs).name, "outputs of top.act");
    }
    EXPECT_EQ(read("{'Module': 'Outputs', 'Inputs': [[1]]}").kind, HostKind::kModule);
    for (const char* other : {"{'Module': ", "{'Module': ''}", "{'Modules': 'a'}"})
        EXPECT_EQ(read(other).kind, HostKind::kAnnotation) << other;
}

TEST(NvtxText, Domains) {
    EXPECT_EQ(nvtx_domain("TensorRT"), NvtxDomain::kTensorRt);
    const NvtxMeaning layer = read("/block/conv/Conv + /block/relu/Relu", NvtxDomain::kTensorRt);
    EXPECT_EQ(layer.kind, HostKind::kOp);
    EXPECT_EQ(layer.name, "/block/conv/Conv + /block/relu/Relu");
    EXPECT_EQ(layer.module_path, "block/conv");
    const auto folder = [](const char* text) { return read(text, NvtxDomain::kTensorRt).module_path; };
    EXPECT_EQ(folder("PWN(PWN(/block/act/Sigmoid), /block/act/Mul)"), "block/act");
    EXPECT_EQ(folder("/i/b1/Conv + /i/b1/Relu || /i/b2/Conv"), "i")
        << "the time of both is none of theirs alone";
    EXPECT_EQ(folder("Reformatting CopyNode for Input Tensor 0 to /block/conv/Conv + /block/relu/Relu"),
              "block/conv");
    EXPECT_EQ(folder("{ForeignNode[/enc/l.0/Add.../enc/l.3/MatMul]}"), "enc");
    EXPECT_EQ(folder("Conv_0 + Relu_1"), "");
    EXPECT_EQ(read("ExecutionContext::enqueue", NvtxDomain::kTensorRt).kind, HostKind::kAnnotation);
    const NvtxMeaning tf = read("MatMul: model/dense/MatMul", nvtx_domain("tensorflow-core"));
    EXPECT_EQ(tf.name, "MatMul");
    EXPECT_EQ(tf.module_path, "model/dense");
    EXPECT_EQ(read("ncclAllReduce", nvtx_domain("NCCL")).kind, HostKind::kOp);
}

TEST(PythonLiteral, Values) {
    const auto value =
        parse_python_literal(R"({'a': [1, -2.5, None, True], "b": ('x\'y', "\n"), 'c': {}, 'd': (),})");
    ASSERT_TRUE(value.has_value());
    EXPECT_EQ(value->json(), R"({"a": [1, -2.5, null, true], "b": ["x'y", " "], "c": {}, "d": []})");
    EXPECT_EQ(value->find("nothing"), nullptr);
    EXPECT_EQ(value->text_of("a"), "");
}

TEST(PythonLiteral, WhatIsNone) {
    for (const char* text : {"", "{", "{'a'", "{'a': }", "[1, 2", "(1,, 2)", "'open", "{'a': 1} more",
                             "os.system('x')", "__import__", "[1 2]", "{1: f(2)}"})
        EXPECT_FALSE(parse_python_literal(text).has_value()) << text;
    EXPECT_FALSE(parse_python_literal(std::string(100000, '[')).has_value());
}

}  // namespace
}  // namespace opsight::marks
