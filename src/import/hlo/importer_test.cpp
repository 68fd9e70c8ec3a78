#include <gtest/gtest.h>

#include <algorithm>

#include "import/model/model_import.h"

namespace opsight::importer {
namespace {

constexpr std::string_view kStep =
    R"(HloModule jit_step, is_scheduled=true, entry_computation_layout={(f32[8,16]{1,0})->f32[8,4]{1,0}}

%fused_computation (param_0: f32[8,4], param_1: f32[4]) -> f32[8,4] {
  %param_1 = f32[4]{0} parameter(1)
  %broadcast.1 = f32[8,4]{1,0} broadcast(f32[4]{0} %param_1), dimensions={1}
  %param_0 = f32[8,4]{1,0} parameter(0)
  ROOT %add.1 = f32[8,4]{1,0} add(f32[8,4]{1,0} %param_0, f32[8,4]{1,0} %broadcast.1)
}

%region_0 (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %maximum.9 = f32[] maximum(%a, %b)
}

body {
  p = (s32[], f32[8,4]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  x = f32[8,4]{1,0} get-tuple-element(p), index=1
  t = f32[8,4]{1,0} tanh(x)
  ROOT r = (s32[], f32[8,4]) tuple(i, t)
}

condition {
  p.1 = (s32[], f32[8,4]) parameter(0)
  ROOT c = pred[] constant(true)
}

ENTRY %main.5 (Arg_0.1: f32[8,16], Arg_1.2: f32[16,4], Arg_2.3: f32[4]) -> f32[8] {
  %Arg_0.1 = f32[8,16]{1,0} parameter(0), metadata={op_name="x"}
  %Arg_1.2 = f32[16,4]{1,0} parameter(1)
  %Arg_2.3 = f32[4]{0} parameter(2)
  %dot.4 = f32[8,4]{1,0} dot(f32[8,16]{1,0} %Arg_0.1, f32[16,4]{1,0} %Arg_1.2), lhs_contracting_dims={1}, rhs_contracting_dims={0}, metadata={op_name="jit(step)/dot_general" source_file="a, b.py"}
  %fusion = f32[8,4]{1,0} fusion(f32[8,4]{1,0} %dot.4, f32[4]{0} %Arg_2.3), kind=kLoop, calls=%fused_computation
  %zero = s32[] constant(0)
  %init = (s32[], f32[8,4]) tuple(%zero, %fusion)
  %loop = (s32[], f32[8,4]) while(%init), condition=%condition, body=%body, backend_config={"known_trip_count":{"n":"10"}}
  %out = f32[8,4]{1,0} get-tuple-element(%loop), index=1
  %low = f32[] constant({-inf})
  ROOT %reduce.7 = f32[8]{0} reduce(f32[8,4]{1,0} %out, f32[] %low), dimensions={1}, to_apply=%region_0
}
)";

const ModelNode* node_of(const ModelGraph& graph, std::string_view name) {
    const auto found = std::find_if(graph.nodes.begin(), graph.nodes.end(),
                                    [&](const ModelNode& node) { return node.name == name; });
    return found == graph.nodes.end() ? nullptr : &*found;
}

ModelGraph read(std::string_view text) {
    Result<std::optional<ModelGraph>> graph = import_hlo(text);
    EXPECT_TRUE(graph) << graph.error().message();
    return graph && *graph ? std::move(**graph) : ModelGraph();
}

TEST(Hlo, AModuleInText) {
    const ModelGraph graph = read(kStep);
    EXPECT_EQ(graph.name, "jit_step");
    EXPECT_EQ(graph.inputs.size(), 3u);
    const ModelNode* dot = node_of(graph, "dot.4");
    ASSERT_NE(dot, nullptr);
    EXPECT_EQ(dot->op_type, "Einsum");
    EXPECT_EQ(dot->text("equation", ""), "ab,bd->ad");
    EXPECT_EQ(dot->own_type, "dot");
    const ModelNode* add = node_of(graph, "fusion/add.1");
    ASSERT_NE(add, nullptr) << "fusions are written out";
    EXPECT_EQ(add->op_type, "Add");
    EXPECT_EQ(add->inputs[0], dot->outputs[0]);
    const ModelNode* tanh = node_of(graph, "loop/t");
    ASSERT_NE(tanh, nullptr);
    EXPECT_EQ(tanh->repeat, 10) << "turns of the loop";
    const ModelNode* reduce = node_of(graph, "reduce.7");
    ASSERT_NE(reduce, nullptr);
    EXPECT_EQ(reduce->op_type, "ReduceMax");
    EXPECT_EQ(reduce->inputs[0], tanh->outputs[0]) << "through the loop's tuple";
    EXPECT_EQ(graph.outputs, reduce->outputs);
}

// Every ReLU of JAX has such a 0.
TEST(Hlo, ABroadcastConstantIsNoParameter) {
    const ModelGraph graph = read(R"(HloModule relu
ENTRY main {
  x = f32[128,512]{1,0} parameter(0)
  zero = f32[] constant(0)
  wide = f32[128,512]{1,0} broadcast(zero), dimensions={}
  ROOT y = f32[128,512]{1,0} maximum(x, wide)
}
)");
    const ModelNode *wide = node_of(graph, "wide"), *most = node_of(graph, "y");
    ASSERT_TRUE(wide && most);
    EXPECT_FALSE(wide->folded);
    EXPECT_EQ(wide->shown_type(), "broadcast");
    EXPECT_EQ(most->inputs[1], wide->outputs[0]);
    for (const ModelTensor& tensor : graph.tensors)
        EXPECT_FALSE(tensor.parameter) << tensor.name;
}

TEST(Hlo, ConvolutionsAndCalls) {
    const ModelGraph graph = read(R"(HloModule m
ENTRY main {
  x = f32[2,8,8,3] parameter(0)
  k = f32[3,3,3,16] parameter(1)
  y = f32[2,4,4,16] convolution(x, k), window={size=3x3 stride=2x2 pad=1_1x1_1}, dim_labels=b01f_01io->b01f
  a = bf16[4,8] parameter(2)
  b = bf16[16,8] parameter(3)
  g = (bf16[4,16], s8[64]) custom-call(a, b), custom_call_target="__cublas$gemm", backend_config={"gemm_backend_config":{"dot_dimension_numbers":{"lhs_contracting_dimensions":["1"],"rhs_contracting_dimensions":["1"],"lhs_batch_dimensions":[],"rhs_batch_dimensions":[]}}}
  g0 = bf16[4,16] get-tuple-element(g), index=0
  s = f32[16] custom-call(k), custom_call_target="my_kernel"
  ROOT t = (f32[2,4,4,16], bf16[4,16], f32[16]) tuple(y, g0, s)
}
)");
    const ModelNode *conv = node_of(graph, "y"), *gemm = node_of(graph, "g"), *own = node_of(graph, "s");
    ASSERT_TRUE(conv && gemm && own);
    EXPECT_EQ(conv->op_type, "Conv");
    EXPECT_EQ(conv->integer("output_channels", 0), 16);
    EXPECT_EQ(conv->integers("strides"), (std::vector<int64_t>{2, 2}));
    EXPECT_EQ(gemm->op_type, "Einsum");
    EXPECT_EQ(gemm->text("equation", ""), "ab,cb->ac");
    EXPECT_EQ(own->op_type, "my_kernel") << "no rule: it is said to be uncounted";
    EXPECT_EQ(graph.outputs.size(), 3u);
}

TEST(Hlo, WhatIsWrongIsSaid) {
    const auto problem = [](std::string_view text) {
        const Result<std::optional<ModelGraph>> graph = import_hlo(text);
        return graph ? std::string() : graph.error().message();
    };
    EXPECT_NE(problem(kStep.substr(0, kStep.find("%low"))).find("does not end"), std::string::npos);
    EXPECT_NE(problem(kStep.substr(0, kStep.find("ENTRY"))).find("cut"), std::string::npos);
    EXPECT_NE(problem("HloModule m\nENTRY main {\n  x = f32[2] add(y, y)\n}\n").find("'y', which is not"),
              std::string::npos);
    EXPECT_NE(problem("HloModule m\nENTRY main {\n  x = what parameter(0)\n}\n").find("line 3"),
              std::string::npos);
    EXPECT_NE(
        problem("HloModule m\nENTRY main {\n  x = f32[99999999,99999999,99] parameter(0)\n}\n").find("size"),
        std::string::npos);
    EXPECT_NE(problem("HloModule m\nf {\n  x = f32[2] parameter(0)\n  y = f32[2] call(x), to_apply=f\n}\n"
                      "ENTRY main {\n  x = f32[2] parameter(0)\n  y = f32[2] call(x), to_apply=f\n}\n")
                  .find("deep"),
              std::string::npos);
    EXPECT_NE(problem("HloModule m\nENTRY main {\n  x = f32[2] parameter(0)\n"
                      "  y = f32[2] get-tuple-element(x), index=7\n}\n")
                  .find("tuple"),
              std::string::npos);
    const Result<std::optional<ModelGraph>> none = import_hlo("\x0a\x03gpt\x12\x01x");
    ASSERT_TRUE(none);
    EXPECT_FALSE(*none);
}

}  // namespace
}  // namespace opsight::importer
