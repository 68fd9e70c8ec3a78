// Launches of graphs in traces that tell no nodes: whose ops their kernels are.
#include "analyze/graph_captures.h"

#include <gtest/gtest.h>

#include "analyze/analyze.h"
#include "analyze/test_profile.h"

namespace opsight::analyze {
namespace {

class Program {
  public:
    Program() : thread(t.thread()), stream(t.stream()) {}

    void call(std::string_view name, int64_t begin, std::string_view kernel = {}, int64_t id = -1) {
        const StringId text = kernel.empty() ? StringId() : t.builder.text(kernel);
        t.builder.add_api({begin, 2, thread, t.builder.text(name), HostKind::kRuntimeApi, 0}, id, -1, text);
    }
    // An op in a module, a launch outside of all ops in another, and a copy: 100 ns.
    void capture(int64_t at, std::string_view op = "aten::mm", std::string_view kernel = "gemm") {
        call("hipStreamBeginCapture", at);
        t.host(HostKind::kModule, "nn.Module: Linear_0", at + 8, 40, thread);
        t.op(op, at + 10, 30, thread);
        call("hipModuleLaunchKernel", at + 20, kernel);
        t.host(HostKind::kModule, "nn.Module: Act_0", at + 55, 10, thread);
        call("hipLaunchKernel", at + 60, "relu");
        call("hipMemcpyAsync", at + 70);
        call("hipStreamEndCapture", at + 80);
    }
    void replay(int64_t at, std::vector<std::string_view> kernels) {
        ++correlation;
        call("hipGraphLaunch", at, {}, correlation);
        for (const std::string_view kernel : kernels)
            t.kernel(kernel, at += 10, 5, stream, correlation,
                     kernel == "copy" ? DeviceKind::kMemcpy : DeviceKind::kKernel);
    }
    void run(const CapturedGraphs* other = nullptr) {
        p = t.finish();
        AnalysisOptions options;
        options.captures = other;
        a = analyze(p, options);
    }
    std::string op_of(size_t span) const { return std::string(p.strings.view(op(span).name)); }
    std::string layer_of(size_t span) const {
        const LayerId layer = op(span).layer;
        return layer.valid() ? std::string(p.strings.view(a.layers[layer.index()].path)) : "none";
    }
    const Op& op(size_t span) const { return a.ops[a.device_op[span].index()]; }
    int64_t count(Diag diag) const { return p.diagnostics.count(diag); }

    TestProfile t;
    TrackId thread, stream;
    int64_t correlation = 0;
    Profile p;
    Analysis a;
};

TEST(GraphCaptures, KernelsOfALaunchCountForTheOpsOfTheCapture) {
    Program run;
    run.capture(0);
    run.replay(1000, {"gemm", "relu", "copy"});
    run.replay(2000, {"gemm", "relu", "copy"});
    run.run();
    for (const size_t first : {size_t{0}, size_t{3}}) {
        EXPECT_EQ(run.op_of(first), "aten::mm");
        EXPECT_EQ(run.layer_of(first), "Linear_0");
        EXPECT_EQ(run.op_of(first + 1), "unassociated_hipLaunchKernel");
        EXPECT_EQ(run.layer_of(first + 1), "Act_0");
        EXPECT_EQ(run.op_of(first + 2), "unassociated_hipMemcpyAsync");
    }
    EXPECT_EQ(run.count(Diag::kJoinedReplay), 2);
    EXPECT_EQ(run.count(Diag::kUnknownReplay), 0);
    EXPECT_EQ(run.count(Diag::kLostDeviceWork), 0);
}

TEST(GraphCaptures, OtherKernelsOrAnotherOrderAreAnotherGraph) {
    Program run;
    run.capture(0);
    run.replay(1000, {"relu", "gemm", "copy"});
    run.replay(2000, {"gemm", "relu"});
    run.replay(3000, {"gemm", "relu", "copy", "relu"});
    run.run();
    for (size_t span = 0; span < run.p.device.size(); ++span)
        EXPECT_EQ(run.op_of(span), "unassociated_hipGraphLaunch");
    EXPECT_EQ(run.count(Diag::kJoinedReplay), 0);
    EXPECT_EQ(run.count(Diag::kUnknownReplay), 3);
}

TEST(GraphCaptures, ALaunchBeforeTheEndOfTheCaptureIsOfAnother) {
    Program run;
    run.replay(10, {"gemm", "relu", "copy"});
    run.capture(1000);
    run.run();
    EXPECT_EQ(run.op_of(0), "unassociated_hipGraphLaunch");
    EXPECT_EQ(run.count(Diag::kUnknownReplay), 1);
}

TEST(GraphCaptures, SeveralCapturesMustSayTheSame) {
    Program run;
    run.capture(0);
    run.capture(100);
    run.replay(500, {"gemm", "relu", "copy"});
    run.capture(1000, "aten::addmm");
    run.replay(2000, {"gemm", "relu", "copy"});
    run.run();
    EXPECT_EQ(run.op_of(0), "aten::mm");
    EXPECT_EQ(run.op_of(3), "unassociated_hipGraphLaunch");
    EXPECT_EQ(run.count(Diag::kJoinedReplay), 1);
    EXPECT_EQ(run.count(Diag::kAmbiguousReplay), 1);
}

TEST(GraphCaptures, TheLastKernelOfALongGraphMayBeMissing) {
    std::vector<std::string_view> names = {"a", "b", "c", "d", "e", "f", "g", "h"};
    Program run;
    run.call("hipStreamBeginCapture", 0);
    run.t.op("aten::all", 5, 100, run.thread);
    for (size_t i = 0; i < names.size(); ++i)
        run.call("hipLaunchKernel", 10 + 10 * static_cast<int64_t>(i), names[i]);
    run.call("hipStreamEndCapture", 200);
    names.pop_back();
    run.replay(1000, names);
    names.pop_back();
    run.replay(2000, names);
    run.run();
    EXPECT_EQ(run.op_of(6), "aten::all");
    EXPECT_EQ(run.op_of(7), "unassociated_hipGraphLaunch");
}

// What was recorded without its last kernel may be a graph of its own as well.
TEST(GraphCaptures, ALongerCaptureThatFitsMustSayTheSame) {
    for (const bool same : {true, false}) {
        std::vector<std::string_view> names = {"a", "b", "c", "d", "e", "f", "g", "h"};
        Program run;
        for (const int64_t at : {0, 1000}) {
            run.call("hipStreamBeginCapture", at);
            run.t.op(at == 0 || same ? "aten::first" : "aten::second", at + 5, 100, run.thread);
            for (size_t i = 0; i < names.size(); ++i)
                run.call("hipLaunchKernel", at + 10 + 10 * static_cast<int64_t>(i), names[i]);
            run.call("hipStreamEndCapture", at + 200);
            names.push_back("i");
        }
        names.resize(8);
        run.replay(5000, names);
        run.run();
        EXPECT_EQ(run.op_of(0), same ? "aten::first" : "unassociated_hipGraphLaunch");
        EXPECT_EQ(run.count(Diag::kAmbiguousReplay), same ? 0 : 1);
    }
}

TEST(GraphCaptures, TheDirectionIsPartOfWhatCapturesSay) {
    Program run;
    run.capture(0);
    run.t.op("autograd::engine::evaluate_function: MmBackward0", 205, 60, run.thread);
    run.capture(200);
    run.replay(500, {"gemm", "relu", "copy"});
    run.run();
    EXPECT_EQ(run.op_of(0), "unassociated_hipGraphLaunch");
    EXPECT_EQ(run.count(Diag::kAmbiguousReplay), 1);
}

TEST(GraphCaptures, OnlyOpsThatWorkRanFromAreTakenOver) {
    Program capturing;
    capturing.capture(0);
    capturing.capture(1000, "aten::never", "other");
    capturing.run();
    CapturedGraphs graphs;
    add_captured_graphs(capturing.p, capturing.a, graphs);
    Program run;
    run.replay(1000, {"gemm", "relu", "copy"});
    run.run(&graphs);
    EXPECT_EQ(run.op_of(0), "aten::mm");
    for (const Op& op : run.a.ops)
        EXPECT_NE(run.p.strings.view(op.name), "aten::never");
}

// A graph recorded as a whole, launched outside of all ops.
TEST(GraphCaptures, AWholeGraphWithoutAnOpIsTold) {
    Program run;
    run.call("cudaGraphLaunch", 0, {}, 1);
    run.t.kernel("CUDA graph", 10, 100, run.stream, 1, DeviceKind::kGraph);
    run.run();
    EXPECT_EQ(run.count(Diag::kNoOpAtLaunch), 1);
}

TEST(GraphCaptures, KernelsWithoutNamesTellNothing) {
    Program run;
    run.call("cudaStreamBeginCapture", 0);
    run.t.op("aten::mm", 10, 30, run.thread);
    run.call("cudaLaunchKernel", 20);
    run.call("cudaStreamEndCapture", 80);
    run.replay(1000, {"gemm"});
    run.run();
    EXPECT_EQ(run.op_of(0), "unassociated_hipGraphLaunch");
    ASSERT_EQ(run.count(Diag::kUnknownReplay), 1);
    EXPECT_NE(run.p.diagnostics.first(Diag::kUnknownReplay)[0].text.find("does not tell the names"),
              std::string::npos);
    CapturedGraphs graphs;
    add_captured_graphs(run.p, run.a, graphs);
    EXPECT_TRUE(graphs.graphs.empty());
    EXPECT_EQ(graphs.untold, 1u);
}

TEST(GraphCaptures, WhatRanDuringACaptureIsNoPartOfIt) {
    Program run;
    run.capture(0);
    run.call("hipLaunchKernel", 75, "other", 77);
    run.t.kernel("other", 78, 5, run.stream, 77);
    run.replay(1000, {"gemm", "relu", "copy"});
    run.run();
    EXPECT_EQ(run.op_of(1), "aten::mm");
}

TEST(GraphCaptures, TheCaptureMayBeInAnotherTrace) {
    Program first;
    first.t.host(HostKind::kModule, "nn.Module: Net_0", 0, 200, first.thread);
    first.capture(20);
    first.run();
    CapturedGraphs graphs;
    add_captured_graphs(first.p, first.a, graphs);
    ASSERT_EQ(graphs.graphs.size(), 1u);

    Program run;
    run.t.host(HostKind::kModule, "nn.Module: Net_0", 900, 200, run.thread);
    run.replay(1000, {"gemm", "relu", "copy"});
    run.replay(2000, {"relu"});
    run.run(&graphs);
    EXPECT_EQ(run.op_of(0), "aten::mm");
    EXPECT_EQ(run.p.strings.view(run.op(0).type), "mm");
    EXPECT_TRUE(run.op(0).tc_eligible);
    EXPECT_EQ(run.layer_of(0), "Net_0/Linear_0");
    EXPECT_EQ(run.layer_of(1), "Net_0/Act_0");
    EXPECT_EQ(run.op_of(3), "unassociated_hipGraphLaunch");
    EXPECT_EQ(run.a.layers.size(), 3u);  // Net_0 is the one that is there
    EXPECT_EQ(run.count(Diag::kJoinedReplay), 1);
    EXPECT_EQ(run.count(Diag::kUnknownReplay), 1);

    first = Program();
    first.capture(20, "aten::addmm");
    first.run();
    add_captured_graphs(first.p, first.a, graphs);
    Program two;
    two.replay(1000, {"gemm", "relu", "copy"});
    two.run(&graphs);
    EXPECT_EQ(two.op_of(0), "unassociated_hipGraphLaunch");
    EXPECT_EQ(two.count(Diag::kAmbiguousReplay), 1);
}

}  // namespace
}  // namespace opsight::analyze
