#include <gtest/gtest.h>

#include "analyze/analyze.h"
#include "analyze/names.h"
#include "analyze/test_profile.h"
#include "model/source_limits.h"

namespace opsight::analyze {
namespace {

const Op& identity(const Profile& p, const Analysis& a, std::string_view name, size_t nth = 0) {
    return a.ops[a.op[p.host.detail[host_row(p, name, nth)]].index()];
}
std::string forward_of(const Profile& p, const Analysis& a, std::string_view name) {
    const HostSpanId forward = a.forward[p.host.detail[host_row(p, name)]];
    return forward.valid() ? std::string(p.strings.view(p.host.name[forward.index()])) : "-";
}
std::string path_of(const Profile& p, const Analysis& a, std::string_view name) {
    const LayerId layer = identity(p, a, name).layer;
    return layer.valid() ? std::string(p.strings.view(a.layers[layer.index()].path)) : "-";
}

TEST(Direction, NamesTell) {
    EXPECT_EQ(classify_name("AddmmBackward0"), NameClass::kBackward);
    EXPECT_EQ(classify_name("NllLossBackward"), NameClass::kBackward);
    EXPECT_EQ(classify_name("autograd::engine::evaluate_function: AddmmBackward0"), NameClass::kBackward);
    EXPECT_EQ(classify_name("torch::autograd::AccumulateGrad"), NameClass::kBackward);
    EXPECT_EQ(classify_name("aten::convolution_backward"), NameClass::kBackward);
    EXPECT_EQ(classify_name("AddBackward0, seq = 5"), NameClass::kBackward);
    EXPECT_EQ(classify_name("CheckpointFunctionBackward"), NameClass::kRecompute);
    EXPECT_EQ(classify_name("Optimizer.step#SGD.step"), NameClass::kOptimizerStep);
    EXPECT_EQ(classify_name("Optimizer.zero_grad#SGD.zero_grad"), NameClass::kOptimizer);
    EXPECT_EQ(classify_name("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"),
              NameClass::kDataLoad);
    EXPECT_EQ(classify_name("ProfilerStep#12"), NameClass::kStepMarker);
    EXPECT_EQ(classify_name("step[DECODE bs=32]"), NameClass::kStepMarker);
    EXPECT_EQ(classify_name("execute_60_context_0(sq0)_generation_60(sq60)"), NameClass::kStepMarker);
    EXPECT_EQ(classify_name("[Executor] _forward_step 7: 0 ctx reqs, 0 ctx tokens, 32 gen reqs"),
              NameClass::kStepMarker);
    EXPECT_EQ(classify_name("execute_new_1_cached_7"), NameClass::kStepMarker);
    EXPECT_EQ(classify_name("aten::conv2d"), NameClass::kPlain);
    EXPECT_EQ(classify_name("## backward ##"), NameClass::kPlain);
    EXPECT_EQ(classify_name("forward_backward"), NameClass::kPlain);
    EXPECT_EQ(classify_name("hipStreamIsCapturing"), NameClass::kPlain);
    EXPECT_EQ(classify_name("hipStreamBeginCapture"), NameClass::kGraphCapture);
}

TEST(Direction, TypesOfOps) {
    EXPECT_EQ(op_type_of("aten::conv2d"), "conv2d");
    EXPECT_EQ(op_type_of("autograd::engine::evaluate_function: AddmmBackward0"), "AddmmBackward0");
    EXPECT_EQ(op_type_of("torch::autograd::AccumulateGrad"), "AccumulateGrad");
    EXPECT_EQ(op_type_of("Optimizer.step#SGD.step"), "Optimizer.step");
    EXPECT_EQ(op_type_of("torch::autograd::CppNode<fbgemm_gpu::PermuteOp>"),
              "CppNode<fbgemm_gpu::PermuteOp>");
    EXPECT_EQ(op_type_of("triton_poi_fused_add_3"), "triton_poi_fused_add");
    EXPECT_EQ(op_type_of("## Call CompiledFxGraph fal4xpia ##"), "Call CompiledFxGraph");
    EXPECT_EQ(op_type_of("c10d::allreduce_"), "allreduce_");
    EXPECT_EQ(op_type_of(""), "");
    EXPECT_EQ(op_type_of("#"), "#");
    EXPECT_EQ(op_type_of("gemm_fusion_dot.12"), "gemm_fusion_dot");
    EXPECT_EQ(op_type_of("custom-call.3.1"), "custom-call");
    for (const char* name : {"lr 0.001", "step 1.25", "my.op.v1.5", "0.5", ".5"})
        EXPECT_EQ(op_type_of(name), name) << "no instruction of XLA";
    EXPECT_EQ(op_type_of("foo::bar.2"), "bar.2");
}

// Forward on thread 1 in modules, backward on thread 2, as PyTorch records it.
TEST(Direction, BackwardOpsFindTheirForwardOpAndLayer) {
    TestProfile t;
    const TrackId main = t.thread(1), engine = t.thread(2);
    t.annotation("ProfilerStep#1", 0, 100000, main);
    t.host(HostKind::kModule, "nn.Module: Net_0", 1000, 20000, main);
    t.host(HostKind::kModule, "nn.Module: Linear_3", 2000, 8000, main);
    t.op("aten::linear", 3000, 6000, main, {.sequence = 10, .forward_thread = 0});
    t.op("aten::addmm", 4000, 3000, main, {.sequence = 10, .forward_thread = 0});
    t.op("aten::mean", 15000, 1000, main, {.sequence = 11, .forward_thread = 0});
    t.op("autograd::engine::evaluate_function: AddmmBackward0", 30000, 9000, engine,
         {.sequence = 10, .forward_thread = 1});
    t.op("AddmmBackward0", 31000, 7000, engine, {.sequence = 10, .forward_thread = 1});
    t.op("aten::mm", 32000, 3000, engine, {.sequence = 999, .forward_thread = 0});
    t.annotation("Optimizer.step#SGD.step", 50000, 9000, main);
    t.op("aten::add_", 51000, 1000, main);
    t.annotation("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 70000, 9000, main);
    t.op("aten::stack", 71000, 1000, main);
    Profile p = t.finish();
    const Analysis a = analyze(p, {});
    EXPECT_EQ(identity(p, a, "aten::linear").direction, Direction::kForward);
    EXPECT_EQ(identity(p, a, "AddmmBackward0").direction, Direction::kBackward);
    EXPECT_EQ(identity(p, a, "aten::mm").direction, Direction::kBackward) << "inside a backward range";
    EXPECT_EQ(identity(p, a, "aten::add_").direction, Direction::kOptimizer);
    EXPECT_EQ(identity(p, a, "aten::stack").direction, Direction::kDataLoad);
    EXPECT_EQ(forward_of(p, a, "AddmmBackward0"), "aten::addmm") << "the last to begin with that number";
    EXPECT_EQ(forward_of(p, a, "aten::mm"), "aten::addmm") << "taken over";
    EXPECT_EQ(forward_of(p, a, "aten::linear"), "-");
    EXPECT_EQ(path_of(p, a, "aten::addmm"), "Net_0/Linear_3");
    EXPECT_EQ(path_of(p, a, "aten::mean"), "Net_0");
    EXPECT_EQ(path_of(p, a, "AddmmBackward0"), "Net_0/Linear_3");
    EXPECT_EQ(path_of(p, a, "aten::mm"), "Net_0/Linear_3");
    EXPECT_EQ(path_of(p, a, "aten::add_"), "-");
    ASSERT_EQ(a.layers.size(), 2u);
    EXPECT_EQ(a.layers[1].parent, LayerId(size_t{0}));
    EXPECT_EQ(a.layers[1].depth, 1);
}

TEST(Direction, BackwardThreadTakesItsStrayOps) {
    TestProfile t;
    const TrackId engine = t.thread(2);
    for (int64_t i = 0; i < 20; ++i)
        t.op("autograd::engine::evaluate_function: MulBackward0", 10000 * i, 5000, engine);
    t.op("torch.distributed.ddp.reducer::copy_bucket_to_grad", 300000, 1000, engine);
    t.op("aten::mul", 0, 1000, t.thread(1));
    Profile p = t.finish();
    const Analysis a = analyze(p, {});
    EXPECT_EQ(identity(p, a, "torch.distributed.ddp.reducer::copy_bucket_to_grad").direction,
              Direction::kBackward);
    EXPECT_EQ(identity(p, a, "aten::mul").direction, Direction::kForward);
}

// An executor's thread runs ops of both directions.
TEST(Direction, ScopesOfTensorFlow) {
    TestProfile t;
    t.op("gradients/dense/MatMul_grad/MatMul", 0, 100);
    t.op("gradient_tape/model/dense/MatMul", 200, 100);
    t.op("model/dense/MatMul", 400, 100);
    Profile p = t.finish();
    const Analysis a = analyze(p, {});
    EXPECT_EQ(identity(p, a, "gradients/dense/MatMul_grad/MatMul").direction, Direction::kBackward);
    EXPECT_EQ(identity(p, a, "gradient_tape/model/dense/MatMul").direction, Direction::kBackward);
    EXPECT_EQ(identity(p, a, "model/dense/MatMul").direction, Direction::kForward);
}

// Timelines of TensorFlow name an op by its type; its node tells the scope.
TEST(Direction, ScopesOfNodes) {
    TestProfile t;
    const auto node = [&t](const char* name) {
        OpDetail detail;
        detail.module_path = t.builder.text(name);
        return detail;
    };
    t.op("Conv2DBackpropFilter", 0, 100, t.thread(),
         node("OPTIMIZE/gradients/CONV1/Conv2D_grad/Conv2DBackpropFilter"));
    t.op("Conv2D", 200, 100, t.thread(), node("CONV1/Conv2D"));
    Profile p = t.finish();
    const Analysis a = analyze(p, {});
    EXPECT_EQ(identity(p, a, "Conv2DBackpropFilter").direction, Direction::kBackward);
    EXPECT_EQ(path_of(p, a, "Conv2DBackpropFilter"),
              "OPTIMIZE/gradients/CONV1/Conv2D_grad/Conv2DBackpropFilter");
    EXPECT_EQ(identity(p, a, "Conv2D").direction, Direction::kForward);
}

// Updates, by their type or the scope of the optimizer; moving averages are assigned to in the forward pass.
TEST(Direction, UpdatesOfTensorFlowAreTheOptimizers) {
    TestProfile t;
    int64_t at = 0;
    const auto op = [&](const char* type, const char* node) {
        OpDetail detail;
        detail.module_path = t.builder.text(node);
        t.op(type, at += 200, 100, t.thread(), detail);
    };
    const char* updates[][2] = {{"ApplyAdam", "OPTIMIZE/Adam/update_FC1/Variable/ApplyAdam"},
                                {"ResourceApplyMomentum", "train/update_dense/kernel"},
                                {"SparseApplyFtrl_2", ""},
                                {"AssignSub", "GradientDescent/update_embedding/AssignSub"},
                                {"Mul", "train/Adam_1/mul"},
                                {"VariableV2", "dense/kernel/Adam_1"}};
    const char* others[][2] = {{"AssignSub", "bn/AssignMovingAvg"},
                               {"MatMul", "AdamNet/dense/MatMul"},
                               {"ApplyRotary", "model/ApplyRotary"},
                               {"Adam", ""}};
    for (const auto& [type, node] : updates)
        op(type, node);
    for (const auto& [type, node] : others)
        op(type, node);
    op("MatMulGrad", "Adam/gradients/dense/MatMul_grad");
    t.annotation("epoch/SGD/warm", at += 200, 300, t.thread());
    t.op("Relu", at + 100, 100);
    Profile p = t.finish();
    const Analysis a = analyze(p, {});
    for (const auto& [type, node] : updates)
        EXPECT_EQ(identity(p, a, type).direction, Direction::kOptimizer) << type;
    EXPECT_EQ(identity(p, a, "AssignSub", 1).direction, Direction::kForward) << "a moving average";
    for (const char* type : {"MatMul", "ApplyRotary", "Adam", "Relu"})
        EXPECT_EQ(identity(p, a, type).direction, Direction::kForward) << type;
    EXPECT_EQ(identity(p, a, "MatMulGrad").direction, Direction::kBackward);
}

TEST(Direction, ReordersBetweenBackwardPrimitivesAreBackward) {
    TestProfile t;
    set_parts_of_ops(t.builder.info());
    const char* names[] = {"onednn::convolution", "onednn::reorder", "onednn::convolution_backward",
                           "onednn::reorder",     "onednn::reorder", "onednn::convolution_backward",
                           "onednn::reorder"};
    for (int64_t i = 0; i < 7; ++i)
        t.op(names[i], 100 * i, 90);
    Profile p = t.finish();
    const Analysis a = analyze(p, {});
    std::vector<Direction> found;
    for (size_t nth = 0; nth < 4; ++nth)
        found.push_back(identity(p, a, "onednn::reorder", nth).direction);
    EXPECT_EQ(found, (std::vector<Direction>{Direction::kForward, Direction::kBackward, Direction::kBackward,
                                             Direction::kForward}));
}

TEST(Direction, RecomputationIsForwardWork) {
    TestProfile t;
    t.op("CheckpointFunctionBackward", 0, 90000);
    t.op("aten::linear", 10000, 10000);
    t.op("MmBackward0", 30000, 10000);
    t.op("aten::mm", 31000, 1000);
    Profile p = t.finish();
    const Analysis a = analyze(p, {});
    EXPECT_EQ(identity(p, a, "CheckpointFunctionBackward").direction, Direction::kBackward);
    EXPECT_EQ(identity(p, a, "aten::linear").direction, Direction::kForward);
    EXPECT_EQ(identity(p, a, "aten::mm").direction, Direction::kBackward);
}

// A checkpoint that is not reentrant runs its segment again in the first node that needs a tensor of it. The
// network is Net_0 with Block_0 (Linear_0, relu), which is checkpointed.
class SavedAgain : public ::testing::Test {
  protected:
    void forward() {
        t.host(HostKind::kModule, "nn.Module: Net_0", 0, 20000, main);
        t.host(HostKind::kModule, "nn.Module: Block_0", 1000, 9000, main);
        t.host(HostKind::kModule, "nn.Module: Linear_0", 2000, 3000, main);
        t.op("aten::linear", 2100, 2000, main, {.sequence = 1, .forward_thread = 0});
        t.op("aten::relu", 6000, 1000, main, {.sequence = 2, .forward_thread = 0});
    }
    // `number`: whether the ops of the recomputation have their numbers.
    void node(int64_t number) {
        t.op("autograd::engine::evaluate_function: ReluBackward0", 30000, 20000, engine,
             {.sequence = 2, .forward_thread = 1});
        t.op("ReluBackward0", 31000, 18000, engine, {.sequence = 2, .forward_thread = 1});
        t.op("aten::linear", 33000, 3000, engine, {.sequence = number, .forward_thread = 0});
        t.op("aten::addmm", 33500, 2000, engine, {.sequence = number, .forward_thread = 0});
        t.op("aten::arange", 36500, 100, engine);
        t.op("aten::relu", 37000, 1000, engine, {.sequence = number < 0 ? -1 : number + 1});
        t.op("aten::threshold_backward", 40000, 3000, engine);
        t.op("aten::mul", 44000, 1000, engine);
    }
    void expect_again(std::string_view layer) {
        EXPECT_EQ(identity(p, a, "aten::linear", 1).direction, Direction::kForward);
        EXPECT_EQ(identity(p, a, "aten::addmm").direction, Direction::kForward);
        EXPECT_EQ(identity(p, a, "aten::relu", 1).direction, Direction::kForward);
        EXPECT_EQ(identity(p, a, "aten::threshold_backward").direction, Direction::kBackward);
        EXPECT_EQ(identity(p, a, "aten::mul").direction, Direction::kBackward);
        EXPECT_EQ(identity(p, a, "ReluBackward0").direction, Direction::kBackward);
        const LayerId found = identity(p, a, "aten::addmm").layer;
        EXPECT_EQ(found.valid() ? p.strings.view(a.layers[found.index()].path) : "-", layer);
        EXPECT_EQ(path_of(p, a, "aten::threshold_backward"), "Net_0/Block_0");
    }
    void finish() {
        p = t.finish();
        a = analyze(p, {});
    }
    TestProfile t;
    const TrackId engine = t.thread(2), main = t.thread(3);  // the engine's rows come first
    Profile p;
    Analysis a;
};

TEST_F(SavedAgain, ByTheOpenModules) {
    forward();
    node(-1);
    t.host(HostKind::kModule, "nn.Module: Block_0", 32000, 7000, engine);
    t.host(HostKind::kModule, "nn.Module: Linear_0", 32500, 4000, engine);
    finish();
    expect_again("Net_0/Block_0/Linear_0");
    EXPECT_EQ(identity(p, a, "aten::arange").direction, Direction::kForward);
    EXPECT_EQ(a.layers.size(), 3u) << "no second tree of what is computed again";
}

TEST_F(SavedAgain, BySequenceNumbers) {
    forward();
    node(70);
    finish();
    expect_again("-");
    EXPECT_EQ(identity(p, a, "aten::arange").direction, Direction::kForward);
}

TEST_F(SavedAgain, ByFramesOfTheCheckpoint) {
    forward();
    node(-1);
    t.host(HostKind::kPythonFrame, "torch/utils/checkpoint.py(1115): unpack_hook", 32000, 7000, engine);
    finish();
    expect_again("-");
}

// Where gradients are differentiated themselves, all that a node runs has a number.
TEST_F(SavedAgain, NotWhereGradientsAreDifferentiated) {
    forward();
    t.op("ReluBackward0", 31000, 18000, engine, {.sequence = 2, .forward_thread = 1});
    t.op("aten::empty", 32000, 3000, engine);
    t.op("aten::mm", 37000, 1000, engine, {.sequence = 71, .forward_thread = 0});
    t.op("aten::threshold_backward", 40000, 3000, engine, {.sequence = 72, .forward_thread = 0});
    finish();
    EXPECT_EQ(identity(p, a, "aten::mm").direction, Direction::kBackward);
    EXPECT_EQ(identity(p, a, "aten::threshold_backward").direction, Direction::kBackward);
}

TEST_F(SavedAgain, NotByOpsWithoutANumberAmongThem) {
    forward();
    t.op("ReluBackward0", 31000, 18000, engine, {.sequence = 2, .forward_thread = 1});
    t.op("aten::t", 32000, 1000, engine, {.sequence = 70, .forward_thread = 0});
    t.op("aten::result_type", 34000, 1000, engine);
    t.op("aten::mm", 37000, 1000, engine, {.sequence = 71, .forward_thread = 0});
    t.op("aten::zeros", 39000, 1000, engine);
    finish();
    for (const std::string_view name : {"aten::t", "aten::result_type", "aten::mm", "aten::zeros"})
        EXPECT_EQ(identity(p, a, name).direction, Direction::kBackward) << name;
}

// A compiler's graph of the backward pass is called as a module.
TEST_F(SavedAgain, NotInTheGraphOfACompiler) {
    forward();
    t.op("CompiledFunctionBackward", 30000, 20000, engine, {.sequence = 2, .forward_thread = 1});
    t.host(HostKind::kModule, "nn.Module: GraphModule_0", 32000, 7000, engine);
    t.op("aten::mm", 33000, 1000, engine);
    finish();
    EXPECT_EQ(identity(p, a, "aten::mm").direction, Direction::kBackward);
}

// Old engines number the node and not the call around it; a gradient has no forward op at all.
TEST(Direction, RowsOfALayerAreWhole) {
    TestProfile t;
    const TrackId thread = t.thread(), engine = t.thread(3);
    t.host(HostKind::kModule, "nn.Module: Linear_0", 0, 9000, thread);
    t.op("aten::addmm", 1000, 5000, thread, {.sequence = 7, .forward_thread = 0});
    t.op("autograd::engine::evaluate_function: AddmmBackward0", 20000, 5000, engine);
    t.op("AddmmBackward0", 20500, 3000, engine, {.sequence = 7, .forward_thread = 1});
    t.op("aten::add", 24000, 500, engine);
    t.op("autograd::engine::evaluate_function: torch::autograd::AccumulateGrad", 26000, 5000, engine);
    t.op("torch::autograd::AccumulateGrad", 26500, 4000, engine);
    t.op("aten::add_", 27000, 500, engine);
    t.op("nccl:all_reduce", 28000, 500, engine);
    Profile p = t.finish();
    const Analysis a = analyze(p, {});
    EXPECT_EQ(forward_of(p, a, "autograd::engine::evaluate_function: AddmmBackward0"), "aten::addmm");
    EXPECT_EQ(forward_of(p, a, "aten::add"), "aten::addmm");
    for (std::string_view name :
         {"autograd::engine::evaluate_function: AddmmBackward0", "AddmmBackward0", "aten::add",
          "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad",
          "torch::autograd::AccumulateGrad", "aten::add_"})
        EXPECT_EQ(path_of(p, a, name), "Linear_0") << name;
    EXPECT_EQ(path_of(p, a, "nccl:all_reduce"), "-") << "a bucket is of no layer";
}

// Two forward threads use the same sequence numbers: only the flow tells them apart.
TEST(Direction, FlowsDecideBetweenForwardThreads) {
    TestProfile t;
    const TrackId one = t.thread(1), two = t.thread(2), engine = t.thread(3);
    t.op("aten::exp", 0, 5000, one, {.sequence = 7, .forward_thread = 0});
    t.op("aten::log", 1000, 5000, two, {.sequence = 7, .forward_thread = 0});
    t.op("LogBackward0", 20000, 5000, engine, {.sequence = 7, .forward_thread = 2000});
    t.builder.add_flow({1, 1000, two, FlowKind::kForwardBackward, true});
    t.builder.add_flow({1, 20000, engine, FlowKind::kForwardBackward, false});
    Profile p = t.finish();
    const Analysis a = analyze(p, {});
    EXPECT_EQ(forward_of(p, a, "LogBackward0"), "aten::log");
}

// An asynchronous range crosses the module call and the backward op that it began in.
TEST(Direction, CrossingRangesHideNothing) {
    TestProfile t;
    const TrackId thread = t.thread();
    t.host(HostKind::kModule, "nn.Module: Net_0", 0, 50000, thread);
    t.annotation("nccl:all_reduce", 10000, 500000, thread);
    t.op("aten::relu", 20000, 5000);
    t.op("autograd::engine::evaluate_function: ReluBackward0", 100000, 50000, thread);
    t.annotation("nccl:all_gather", 110000, 500000, thread);
    t.op("aten::threshold", 120000, 5000);
    Profile p = t.finish();
    const Analysis a = analyze(p, {});
    EXPECT_EQ(path_of(p, a, "aten::relu"), "Net_0");
    EXPECT_EQ(identity(p, a, "aten::threshold").direction, Direction::kBackward);
}

// A range of the user's is no forward pass, whatever it is called.
TEST(Direction, WorkOfAUsersRangeHasNone) {
    TestProfile t;
    t.annotation("forward", 0, 50000, t.thread());
    t.api("cudaLaunchKernel", 1000, 500, t.thread(), 1);
    t.kernel("saxpy", 2000, 1000, t.stream(), 1);
    Profile p = t.finish();
    const Analysis a = analyze(p, {});
    ASSERT_EQ(a.ops.size(), 1u);
    EXPECT_EQ(p.strings.view(a.ops[0].name), "forward");
    EXPECT_EQ(a.ops[0].direction, Direction::kOther);
}

TEST(Layers, PathsStandForThemselves) {
    TestProfile t;
    const TrackId thread = t.thread();
    t.host(HostKind::kModule, "layer1", 0, 50000, thread);
    t.host(HostKind::kModule, "layer1.0.conv1", 5000, 20000, thread);
    t.op("aten::conv2d", 6000, 5000);
    t.op("told", 60000, 5000, thread, {.module_path = t.builder.text("net/head")});
    Profile p = t.finish();
    const Analysis a = analyze(p, {});
    EXPECT_EQ(path_of(p, a, "aten::conv2d"), "layer1/0/conv1");
    EXPECT_EQ(path_of(p, a, "told"), "net/head");
    for (size_t i = 0; i < a.layers.size(); ++i) {
        EXPECT_TRUE(!a.layers[i].parent.valid() || a.layers[i].parent.index() < i);
    }
}

TEST(Ops, IdentityIsNameLayerDirectionShapesAndDtypes) {
    TestProfile t;
    const auto with_shapes = [&](std::string_view shapes) {
        OpDetail detail;
        Signature s;
        s.shapes = t.builder.text(shapes);
        s.dtypes = t.builder.text("[\"float\"]");
        s.concrete = s.strides = StringId(size_t{0});
        detail.signature = t.builder.signature(s);
        return detail;
    };
    const TrackId thread = t.thread();
    t.gpu(0, "NVIDIA A100", 8, 0);
    t.op("aten::mm", 0, 1000, thread, with_shapes("[[2, 3]]"));
    t.op("aten::mm", 2000, 1000, thread, with_shapes("[[4, 3]]"));
    t.op("aten::mm", 4000, 1000, thread, with_shapes("[[2, 3]]"));
    t.op("aten::relu", 6000, 1000, thread);
    Profile p = t.finish();
    const Analysis a = analyze(p, {});
    ASSERT_EQ(a.ops.size(), 3u);
    EXPECT_EQ(a.op[0], a.op[2]);
    EXPECT_NE(a.op[0], a.op[1]);
    EXPECT_EQ(p.strings.view(a.ops[0].type), "mm");
    EXPECT_EQ(p.strings.view(a.ops[0].shapes), "[[2, 3]]");
    EXPECT_TRUE(a.ops[0].tc_eligible);
    EXPECT_FALSE(a.ops[2].tc_eligible);
}

bool eligible(int major, int minor, std::string_view dtypes, std::string_view kernel = "relu_kernel",
              std::string_view name = "aten::mm") {
    TestProfile t;
    if (major > 0) t.gpu(0, "NVIDIA", major, minor);
    OpDetail detail;
    Signature s;
    s.dtypes = t.builder.text(dtypes);
    s.shapes = s.concrete = s.strides = StringId(size_t{0});
    detail.signature = t.builder.signature(s);
    t.op(name, 0, 10000, t.thread(), detail);
    t.api("cudaLaunchKernel", 100, 100, t.thread(), 1);
    if (major > 0) t.kernel(kernel, 5000, 900, t.stream(), 1);
    Profile p = t.finish();
    const Analysis a = analyze(p, {});
    return identity(p, a, name).tc_eligible;
}

TEST(Ops, EligibleOnADeviceThatTakesTheDtype) {
    EXPECT_TRUE(eligible(8, 0, "[\"float\", \"float\"]"));
    EXPECT_TRUE(eligible(7, 0, "[\"\", \"Scalar\", \"c10::Half\"]"));
    EXPECT_TRUE(eligible(7, 0, "")) << "a dtype that is not told";
    EXPECT_FALSE(eligible(6, 0, "[\"float\"]")) << "no Tensor Cores";
    EXPECT_FALSE(eligible(0, 0, "[\"float\"]")) << "no device";
    EXPECT_FALSE(eligible(8, 0, "[\"long int\", \"long int\"]"));
    EXPECT_FALSE(eligible(7, 0, "[\"double\"]"));
    EXPECT_TRUE(eligible(8, 0, "[\"double\"]"));
    EXPECT_FALSE(eligible(8, 0, "[\"float\"]", "relu_kernel", "my::fused"));
    EXPECT_TRUE(eligible(8, 0, "[\"float\"]", "ampere_fp16_s16816gemm_fp16_128x64_tn", "my::fused"))
        << "seen to run such kernels";
    EXPECT_TRUE(eligible(8, 0, "", "relu_kernel", "Conv2DBackpropInput")) << "a node of TensorFlow";
    EXPECT_TRUE(eligible(8, 0, "", "relu_kernel", "torch.nn.functional.conv2d"));
    EXPECT_FALSE(eligible(8, 0, "", "relu_kernel", "AssignAdd"));
}

// LBFGS and whoever else takes a closure.
TEST(Direction, ModelsThatAnOptimizerRunsAreForward) {
    TestProfile t;
    const TrackId main = t.thread();
    t.annotation("Optimizer.step#LBFGS.step", 0, 10000, main);
    t.host(HostKind::kModule, "nn.Module: Net_0", 1000, 3000, main);
    t.op("aten::addmm", 1500, 1000, main);
    t.op("aten::dot", 5000, 1000, main);
    Profile p = t.finish();
    const Analysis a = analyze(p, {});
    EXPECT_EQ(identity(p, a, "aten::addmm").direction, Direction::kForward);
    EXPECT_EQ(identity(p, a, "aten::dot").direction, Direction::kOptimizer);
}

}  // namespace
}  // namespace opsight::analyze
