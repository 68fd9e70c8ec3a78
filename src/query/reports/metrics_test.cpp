// The numbers of docs/metrics.md that are made when a question is asked, each computed by hand here. What the
// analysis finds (attribution, self times, unions, segments) is tested beside it, in src/analyze.
#include <cmath>

#include "query/reports/layer_tree.h"
#include "query/reports/test_reports.h"

namespace opsight::query {
namespace {

// Steps at 0, 100, 220, 360 and 460, the last 110 long; in each an op from +10 to +60 that launches a kernel.
analyze::TestProfile steps() {
    analyze::TestProfile t;
    const int64_t begins[] = {0, 100, 220, 360, 460, 570};
    for (int i = 0; i < 5; ++i) {
        t.annotation("ProfilerStep#" + std::to_string(i), begins[i], begins[i + 1] - begins[i], t.thread());
        t.op("aten::add", begins[i] + 10, 50);
        t.api("cudaLaunchKernel", begins[i] + 20, 5, t.thread(), i + 1);
        t.kernel("k", begins[i] + 90, 30, t.stream(), i + 1);
    }
    return t;
}

TEST(Range, WallClockAndAverage) {
    const StoredProfile stored(steps());
    Session all = stored.open({.all = true});
    EXPECT_EQ(summary(all, "wall_clock_ns"),
              460 + 120);  // from the first step's mark; the last kernel ends at 580
    EXPECT_EQ(number(cell(table_of(all, "summary", "iterations"), "avg_iteration_time_ns")), 580 / 5);
    Session two = stored.open({.start = 1, .stop = 2});
    EXPECT_EQ(summary(two, "wall_clock_ns"), 220 + 140 - 100);
}

TEST(Range, IterationStatistics) {
    const StoredProfile stored(steps());
    Session session = stored.open({.all = true});
    const ResultTable table = table_of(session, "summary", "iterations");
    const auto value = [&](const char* key) { return number(cell(table, key)); };
    // 100, 120, 140, 100, and 120 to the end of what the last one launched: mean 116, squares of deviations
    // 256 + 16 + 576 + 256 + 16 = 1120, over 5 - 1.
    EXPECT_EQ(value("mean_ns"), 116);
    EXPECT_EQ(value("avg_iteration_time_ns"), 116);
    EXPECT_EQ(value("min_ns"), 100);
    EXPECT_EQ(value("median_ns"), 120);
    EXPECT_EQ(value("max_ns"), 140);
    EXPECT_EQ(value("p95_ns"), 136);  // 0.8 of the way from 120 to 140
    EXPECT_EQ(value("stddev_ns"), std::round(std::sqrt(1120 / 4.0)));
}

TEST(Ops, AverageOverheadIsOfTheCalls) {
    analyze::TestProfile t;
    t.op("aten::add", 0, 100);
    t.api("cudaLaunchKernel", 10, 40, t.thread(), 1);
    t.op("aten::add", 200, 100);
    t.api("cudaLaunchKernel", 210, 20, t.thread(), 2);
    t.kernel("k", 20, 10, t.stream(), 1);
    t.kernel("k", 220, 10, t.stream(), 2);
    const StoredProfile stored(std::move(t));
    Session session = stored.open();
    EXPECT_EQ(of(session, "detailed", "total_cpu_overhead_ns"), 140);
    EXPECT_EQ(of(session, "detailed", "avg_cpu_overhead_ns"), 70);
    EXPECT_EQ(of(session, "op_type", "avg_cpu_overhead_ns"), 70);
}

TEST(Attribution, WorkOutsideOfOpsIsListedByItsCall) {
    analyze::TestProfile t;
    t.op("aten::add", 0, 100);
    t.api("cudaLaunchKernel", 10, 5, t.thread(), 1);
    t.api("cudaMemcpyAsync", 200, 30, t.thread(), 2);
    t.annotation("my range", 300, 100, t.thread());
    t.api("cudaLaunchKernel", 310, 20, t.thread(), 3);
    t.kernel("k", 20, 10, t.stream(), 1);
    t.kernel("Memcpy", 240, 40, t.stream(), 2, DeviceKind::kMemcpy);
    t.kernel("k", 340, 25, t.stream(), 3);
    t.kernel("k", 500, 70, t.stream(), 99);  // no such call
    const StoredProfile stored(std::move(t));
    Session session = stored.open();
    const ResultTable ops = table_of(session, "detailed");
    const auto gpu = [&](const char* name) {
        return number(cell(ops, "total_gpu_time_ns", "op_name", name));
    };
    EXPECT_EQ(gpu("aten::add"), 10);
    EXPECT_EQ(gpu("unassociated_cudaMemcpyAsync"), 40);
    EXPECT_EQ(number(cell(ops, "total_cpu_time_ns", "op_name", "unassociated_cudaMemcpyAsync")), 30);
    EXPECT_EQ(gpu("my range"), 25);
    EXPECT_EQ(gpu("unattributed"), 70);
    EXPECT_EQ(number(value_of(session, "SELECT count(*) FROM kernels WHERE launch_id IS NULL")), 1);
}

// As a served model does: a module launches a graph, with no op around it.
TEST(Attribution, WorkOutsideOfOpsHasTheLayerOfItsLaunch) {
    analyze::TestProfile t;
    t.host(HostKind::kModule, "nn.Module: Net_0", 0, 1000, t.thread());
    t.host(HostKind::kModule, "nn.Module: Graph_0", 100, 400, t.thread());
    t.api("cudaGraphLaunch", 150, 30, t.thread(), 1);
    t.op("aten::add", 600, 100);
    t.api("cudaLaunchKernel", 610, 5, t.thread(), 2);
    t.annotation("sample", 800, 100, t.thread());
    t.api("cudaLaunchKernel", 810, 20, t.thread(), 3);
    t.api("cudaGraphLaunch", 2000, 40, t.thread(), 4);
    for (int64_t k = 0; k < 3; ++k)
        t.kernel("a", 200 + 100 * k, 100, t.stream(), 1);
    t.kernel("b", 620, 10, t.stream(), 2);
    t.kernel("c", 840, 20, t.stream(), 3);
    t.kernel("a", 2100, 7, t.stream(), 4);
    const StoredProfile stored(std::move(t));
    Session session = stored.open();
    const ResultTable groups = table_of(session, "group_op");
    const auto gpu = [&](const char* layer) {
        return number(cell(groups, "total_gpu_time_ns", "name", layer));
    };
    EXPECT_EQ(gpu("/"), 300 + 10 + 20 + 7);
    EXPECT_EQ(gpu("/Net_0"), 300 + 10 + 20);
    EXPECT_EQ(gpu("/Net_0/Graph_0"), 300);
    EXPECT_EQ(number(cell(groups, "self_cpu_time_ns", "name", "/Net_0/Graph_0")), 30);
    const ResultTable ops = table_of(session, "detailed");
    EXPECT_EQ(number(cell(ops, "total_gpu_time_ns", "layer", "Net_0/Graph_0")), 300);
    const ResultTable all = table_of(session, "summary", "all_ops");
    EXPECT_EQ(number(cell(all, "gpu_time_ns", "name", "All ops")), 300 + 10 + 20 + 7);
    EXPECT_EQ(number(cell(all, "gpu_time_ns", "name", "Launched outside of ops")), 300 + 20 + 7);
    const auto tree = layer_tree(session);
    ASSERT_TRUE(tree.has_value());
    EXPECT_EQ(tree->front().gpu_ns, 337);
    EXPECT_EQ(tree->front().all.gpu_ns, 337);
    EXPECT_EQ(tree->front().all.kernels, 6);
    EXPECT_EQ(tree->front().forward.gpu_ns, 10);
    EXPECT_EQ(tree->front().other.gpu_ns, 327) << "graphs and the annotation have no direction";
}

// A graph of two captured ops, replayed twice by calls of 30 ns.
TEST(Attribution, KernelsOfAGraphCountForTheOpsOfItsCapture) {
    analyze::TestProfile t;
    t.gpu(0, "Tesla V100-SXM2-16GB", 7, 0);
    t.op("aten::mm", 0, 100);
    t.op("aten::relu", 200, 100);
    t.builder.add_graph_node({t.thread(), 50, 1});
    t.builder.add_graph_node({t.thread(), 250, 2});
    for (int64_t replay = 1; replay <= 2; ++replay) {
        t.api("cudaGraphLaunch", 1000 * replay, 30, t.thread(), replay);
        for (int64_t node = 1; node <= 2; ++node) {
            t.kernel(node == 1 ? kTcKernel : "plain<4>", 1000 * replay + 100 * node, 40 + node, t.stream(),
                     replay);
            DeviceExtra extra;
            extra.graph_node = node;
            t.builder.extend_device(extra);
        }
    }
    const StoredProfile stored(std::move(t));
    Session session = stored.open();
    const ResultTable kernels = table_of(session, "kernel");
    EXPECT_EQ(number(cell(kernels, "total_gpu_time_ns", "op_name", "aten::mm")), 2 * 41);
    EXPECT_EQ(number(cell(kernels, "total_gpu_time_ns", "op_name", "aten::relu")), 2 * 42);
    double gpu = 0, api = 0;
    for (const auto& row : table_of(session, "detailed").rows) {
        const ResultTable one{"one", "", table_of(session, "detailed").columns, {row}};
        gpu += number(cell(one, "total_gpu_time_ns"));
        api += number(cell(one, "total_api_time_ns"));
    }
    EXPECT_EQ(gpu, 2 * (41 + 42));
    EXPECT_EQ(api, 2 * 30);  // each call once
    // All kernels of eligible ops use Tensor Cores.
    EXPECT_NEAR(summary(session, "tensor_core_efficiency_pct"), 100, 1e-9);
}

// An op of 100 ns with a child of 40; calls of 10 under the child and 20 beside it; kernels that overlap.
TEST(OpTimes, CpuSelfApiOverheadGpuUnionIdle) {
    analyze::TestProfile t;
    for (const int64_t at : {0, 1000}) {
        const int64_t longer = at / 50;  // the second call takes 20 ns more
        t.op("outer", at, 100 + longer);
        t.op("inner", at + 10, 40);
        t.api("cudaLaunchKernel", at + 20, 10, t.thread(), at + 1);
        t.api("cudaMemcpyAsync", at + 60, 20, t.thread(), at + 2);
        t.api("cuMemcpyAsync", at + 65, 5, t.thread());  // inside of the other call
        t.kernel("a", at + 100, 50, t.stream(7), at + 1);
        t.kernel("Memcpy", at + 120, 60, t.stream(8), at + 2, DeviceKind::kMemcpy);
        t.api("cudaLaunchKernel", at + 90, 2, t.thread(), at + 3);
        t.kernel("b", at + 200, 30, t.stream(7), at + 3);
    }
    const StoredProfile stored(std::move(t));
    Session session = stored.open();
    const ResultTable ops = table_of(session, "detailed");
    const auto outer = [&](const char* key) { return number(cell(ops, key, "op_name", "outer")); };
    const auto inner = [&](const char* key) { return number(cell(ops, key, "op_name", "inner")); };
    EXPECT_EQ(outer("calls"), 2);
    EXPECT_EQ(outer("total_cpu_time_ns"), 220);
    EXPECT_EQ(outer("min_cpu_time_ns"), 100);
    EXPECT_EQ(outer("max_cpu_time_ns"), 120);
    EXPECT_EQ(outer("self_cpu_time_ns"), 220 - 80);
    EXPECT_EQ(outer("total_api_time_ns"), 2 * (10 + 20 + 2));
    EXPECT_EQ(outer("total_cpu_overhead_ns"), 220 - 64);
    EXPECT_EQ(outer("avg_cpu_overhead_ns"), (220 - 64) / 2);
    EXPECT_EQ(outer("max_cpu_overhead_ns"), 120 - 32);
    EXPECT_EQ(outer("total_gpu_time_ns"), 2 * (80 + 30));  // 100 to 180 and 200 to 230
    EXPECT_EQ(outer("total_gpu_idle_ns"), 2 * 20);
    EXPECT_EQ(outer("kernel_time_ns"), 2 * (50 + 30));  // a plain sum, copies not counted
    EXPECT_EQ(outer("self_gpu_time_ns"), 2 * (60 + 30));
    EXPECT_EQ(inner("self_cpu_time_ns"), 80);
    EXPECT_EQ(inner("total_gpu_time_ns"), 2 * 50);
    EXPECT_EQ(inner("total_cpu_overhead_ns"), 80 - 20);
}

TEST(OpTimes, KernelSumsExceedTheUnionWhereKernelsOverlap) {
    analyze::TestProfile t;
    t.op("aten::add", 0, 100);
    t.api("cudaLaunchKernel", 10, 5, t.thread(), 1);
    t.api("cudaLaunchKernel", 20, 5, t.thread(), 2);
    t.kernel("a", 100, 100, t.stream(7), 1);
    t.kernel("b", 150, 100, t.stream(8), 2);
    const StoredProfile stored(std::move(t));
    Session session = stored.open();
    EXPECT_EQ(of(session, "detailed", "total_gpu_time_ns"), 150);
    EXPECT_EQ(of(session, "detailed", "kernel_time_ns"), 200);
}

TEST(OpTimes, LaunchDelayIsFromTheEndOfTheCallWherePositive) {
    analyze::TestProfile t;
    t.op("aten::add", 0, 100);
    t.api("cudaLaunchKernel", 10, 5, t.thread(), 1);
    t.api("cudaLaunchKernel", 20, 50, t.thread(), 2);
    t.kernel("late", 40, 5, t.stream(), 1);
    t.kernel("early", 60, 5, t.stream(), 2);  // begins while its call still runs
    const StoredProfile stored(std::move(t));
    Session session = stored.open();
    const ResultTable kernels = table_of(session, "iteration", "kernels");
    EXPECT_EQ(number(cell(kernels, "launch_delay_ns", "kernel_name", "late")), 40 - 15);
    EXPECT_TRUE(is_empty(cell(kernels, "launch_delay_ns", "kernel_name", "early")));
}

// Kernels that no op is known of, and whose names do not tell, may be anything: 23 of 156 ns are no 100 %.
TEST(TensorCores, UnknownTimeOutsideOfOpsOpensTheRange) {
    analyze::TestProfile t;
    t.gpu(0, "Tesla V100-SXM2-16GB", 7, 0);
    t.op("aten::mm", 0, 100);
    t.api("cudaLaunchKernel", 10, 5, t.thread(), 1);
    t.kernel(kTcKernel, 100, 23, t.stream(), 1);
    t.kernel("_paged_attention", 200, 133, t.stream());
    const StoredProfile stored(std::move(t));
    Session session = stored.open();
    EXPECT_NEAR(summary(session, "tensor_core_efficiency_low_pct"), 100 * 23 / 156.0, 1e-9);
    EXPECT_NEAR(summary(session, "tensor_core_efficiency_high_pct"), 100, 1e-9);
    EXPECT_NEAR(summary(session, "unknown_kernel_pct"), 100 * 133 / 333.0, 1e-9);
    EXPECT_NEAR(summary(session, "non_tensor_core_kernel_pct"), 0, 1e-9);
}

TEST(TensorCores, AnIterationOfUnknownKernelsHasNoNumberOfThem) {
    analyze::TestProfile t;
    t.gpu(0, "Tesla V100-SXM2-16GB", 7, 0);
    const std::vector<std::vector<const char*>> kernels = {{"_triton_a"}, {kTcKernel, "_triton_a"}, {}};
    for (int64_t step = 0; step < 3; ++step) {
        t.annotation("ProfilerStep#" + std::to_string(step), 1000 * step, 1000, t.thread());
        t.op("aten::mm", 1000 * step + 10, 100);
        int64_t at = 1000 * step + 20;
        for (const char* kernel : kernels[static_cast<size_t>(step)]) {
            t.api("cudaLaunchKernel", at, 5, t.thread(), at);
            t.kernel(kernel, at + 200, 10, t.stream(), at);
            at += 20;
        }
    }
    const StoredProfile stored(std::move(t));
    Session session = stored.open({.all = true});
    const ResultTable table = table_of(session, "iteration", "iterations");
    EXPECT_TRUE(is_empty(cell(table, "tc_kernels", "iteration", "0"))) << "it may be one";
    EXPECT_TRUE(is_empty(cell(table, "tc_kernel_time_ns", "iteration", "0")));
    EXPECT_EQ(number(cell(table, "tc_kernels", "iteration", "1")), 1);
    EXPECT_EQ(number(cell(table, "tc_kernels", "iteration", "2")), 0);
}

// Of a step of 1000 ns: 300 in Python before the first op, 200 of it a sleep; an op; a range; nothing.
TEST(TimeBudget, SpansTheIterationWithPythonAndIdleNamed) {
    analyze::TestProfile t;
    t.host(HostKind::kPythonFrame, "train.py(3): prepare", 0, 300, t.thread());
    t.host(HostKind::kPythonFrame, "<built-in function sleep>", 50, 200, t.thread());
    t.op("aten::add", 300, 200);
    t.annotation("log", 600, 100, t.thread());
    t.op("aten::add", 990, 10);
    const StoredProfile stored(std::move(t));
    Session session = stored.open();
    EXPECT_EQ(summary(session, "wall_clock_ns"), 1000);
    EXPECT_NEAR(summary(session, "host_pct"), 20, 1e-9);  // 0 to 50, 250 to 300, 600 to 700
    EXPECT_NEAR(summary(session, "cpu_pct"), 21, 1e-9);
    EXPECT_NEAR(summary(session, "idle_pct"), 59, 1e-9);
    EXPECT_TRUE(is_empty(cell(table_of(session, "summary"), "dataloader_pct")));  // none in the whole profile
    EXPECT_TRUE(is_empty(cell(table_of(session, "summary"), "io_pct")));
}

// A step whose host part takes 100 ns and whose work on the device takes 900 lasts until that is done.
TEST(TimeBudget, TheAverageLiesBetweenTheLeastAndTheMost) {
    analyze::TestProfile t;
    for (int64_t i = 0; i < 3; ++i) {
        t.annotation("ProfilerStep#" + std::to_string(i), 200 * i, 100, t.thread());
        t.op("aten::add", 200 * i + 50, 40);
        t.api("cudaLaunchKernel", 200 * i + 60, 5, t.thread(), i + 1);
        t.kernel("k", 100 + 300 * i, 300, t.stream(), i + 1);
    }
    const StoredProfile stored(std::move(t));
    Session all = stored.open({.all = true}), one = stored.open({.start = 1, .stop = 1});
    for (Session* session : {&all, &one}) {
        const ResultTable times = table_of(*session, "summary", "iterations");
        const double average = number(cell(times, "avg_iteration_time_ns"));
        EXPECT_LE(number(cell(times, "min_ns")), average);
        EXPECT_GE(number(cell(times, "max_ns")), average);
    }
    EXPECT_EQ(summary(all, "wall_clock_ns"), 1000);
    EXPECT_EQ(number(cell(table_of(all, "summary", "iterations"), "min_ns")), 200);  // until the next begins
    EXPECT_EQ(number(cell(table_of(all, "summary", "iterations"), "max_ns")), 600);
    EXPECT_EQ(summary(one, "wall_clock_ns"), 500);  // 200 to 700
}

TEST(Devices, CommunicationOverlapAndExposed) {
    analyze::TestProfile t;
    t.op("aten::add", 0, 1000);
    t.kernel("ncclKernel_AllReduce", 100, 200, t.stream(9));
    t.kernel("compute", 250, 100, t.stream(7));                          // 50 of the 200
    t.kernel("compute", 100, 200, t.stream(7, 1));                       // on another device: no overlap
    t.kernel("Memcpy", 100, 100, t.stream(8), -1, DeviceKind::kMemcpy);  // no computing
    const StoredProfile stored(std::move(t));
    Session session = stored.open();
    EXPECT_EQ(summary(session, "communication_ns"), 200);
    EXPECT_NEAR(summary(session, "communication_overlap_pct"), 25, 1e-9);
    EXPECT_EQ(summary(session, "exposed_communication_ns"), 150);
}

TEST(Layers, AGroupCountsItsSubtreeOnce) {
    analyze::TestProfile t;
    t.host(HostKind::kModule, "nn.Module: Net_0", 0, 1000, t.thread());
    t.host(HostKind::kModule, "nn.Module: Linear_0", 100, 400, t.thread());
    t.op("aten::linear", 150, 300);
    t.op("aten::addmm", 200, 200);
    t.op("aten::relu", 600, 100);
    t.api("cudaLaunchKernel", 250, 10, t.thread(), 1);
    t.kernel("k", 300, 80, t.stream(), 1);
    const StoredProfile stored(std::move(t));
    Session session = stored.open();
    const ResultTable layers = table_of(session, "group_op");
    const auto value = [&](const char* key, const char* layer) {
        return number(cell(layers, key, "name", layer));
    };
    EXPECT_EQ(value("calls", "/Net_0/Linear_0"), 1);  // addmm is called from within
    EXPECT_EQ(value("total_cpu_time_ns", "/Net_0/Linear_0"), 300);
    EXPECT_EQ(value("total_gpu_time_ns", "/Net_0/Linear_0"), 80);
    EXPECT_EQ(value("total_cpu_time_ns", "/Net_0"), 400);
    EXPECT_EQ(value("self_cpu_time_ns", "/Net_0"), 400);
    EXPECT_EQ(value("total_gpu_time_ns", "/Net_0"), 80);
}

}  // namespace
}  // namespace opsight::query
