// Tensor Core use as the reports show it (docs/metrics.md, Tensor Cores), each number computed by hand here.
#include "query/reports/test_reports.h"

namespace opsight::query {
namespace {

// On a V100: a product in half precision with a Tensor Core kernel (60 ns) and another (20), a convolution
// without one (50), a product whose kernel does not tell (30), and an addition (40).
analyze::TestProfile tensor_cores() {
    analyze::TestProfile t;
    t.gpu(0, "Tesla V100-SXM2-16GB", 7, 0);
    int64_t id = 0, at = 0;
    const auto op = [&](const char* name, std::initializer_list<std::pair<const char*, int64_t>> kernels) {
        OpDetail detail;
        detail.signature = t.builder.signature({t.builder.text("[[64, 64], [64, 64]]"),
                                                t.builder.text("[\"c10::Half\", \"c10::Half\"]"),
                                                t.builder.text(""), t.builder.text("")});
        t.op(name, at, 200, t.thread(), detail);
        for (const auto& [kernel, dur] : kernels) {
            ++id;
            t.api("cudaLaunchKernel", at + 10 * id, 5, t.thread(), id);
            t.kernel(kernel, at + 100, dur, t.stream(id), id);
        }
        at += 1000;
    };
    op("aten::mm", {{kTcKernel, 60}, {"splitKreduce_kernel<float>", 20}});
    op("aten::conv2d", {{"implicit_convolve_sgemm<float, 1024>", 50}});
    op("aten::bmm", {{"triton_mm", 30}});
    op("aten::add", {{"vectorized_elementwise_kernel<4>", 40}});
    return t;
}

// Of kernels that no op launched nothing tells what they compute: 100 % it was where Tensor Cores had a
// third.
TEST(TensorCores, EfficiencyOfKernelsWithoutOpsIsARange) {
    for (const bool named : {false, true}) {  // a range of the program's is no op of a framework
        analyze::TestProfile t;
        if (named) t.annotation("part", 0, 400, t.thread());
        int64_t at = 0;
        for (const auto& [name, dur] : {std::pair{kTcKernel, 60},
                                        {"vectorized_elementwise_kernel<4>", 120},
                                        {"ncclDevKernel_AllReduce_Sum_f32_RING_LL", 500}}) {
            t.api("cudaLaunchKernel", at, 5, t.thread(), at + 1);
            t.kernel(name, 1000 + 10 * at, dur, t.stream(), at + 1);
            at += 100;
        }
        const StoredProfile stored(std::move(t));
        Session session = stored.open({.all = true});
        EXPECT_TRUE(is_empty(cell(table_of(session, "summary"), "tensor_core_efficiency_pct")));
        EXPECT_NEAR(summary(session, "tensor_core_efficiency_low_pct"), 100 * 60 / 180.0, 1e-9);
        EXPECT_NEAR(summary(session, "tensor_core_efficiency_high_pct"), 100, 1e-9);
    }
}

// ROCm copies by kernels: these could not use matrix cores, whatever called them.
TEST(TensorCores, KernelsThatHoldNoProductByTheirNameDoNotLowerTheRange) {
    analyze::TestProfile t;
    t.gpu(0, "AMD Instinct MI300X", 9, 4);
    int64_t at = 0;
    for (const auto& [name, dur] : {std::pair{"Cijk_Ailk_Bljk_BBS_BH_MT64x64x64_MI16x16x1", 60},
                                    {"__amd_rocclr_copyBuffer", 140},
                                    {"void somebodys(int)", 20}}) {
        t.api("hipLaunchKernel", at, 5, t.thread(), at + 1);
        t.kernel(name, 1000 + 10 * at, dur, t.stream(), at + 1);
        at += 100;
    }
    const StoredProfile stored(std::move(t));
    Session session = stored.open({.all = true});
    EXPECT_NEAR(summary(session, "tensor_core_efficiency_low_pct"), 100 * 60 / 80.0, 1e-9);
    EXPECT_NEAR(summary(session, "tensor_core_efficiency_high_pct"), 100, 1e-9);
    EXPECT_NEAR(summary(session, "tensor_core_kernel_share_pct"), 100 * 60 / 220.0, 1e-9);
}

// The pointwise kernel of a compiled region is in no sum of what could use Tensor Cores.
TEST(TensorCores, PointwiseKernelsOfARegionAreNotAmongThoseThatCould) {
    analyze::TestProfile t;
    t.gpu(0, "Tesla V100-SXM2-16GB", 7, 0);
    t.op("Torch-Compiled Region: 0/0", 0, 300);
    for (const auto& [name, dur] : {std::pair{kTcKernel, 60}, {"triton_poi_fused_add_0", 140}}) {
        t.api("cudaLaunchKernel", dur, 5, t.thread(), dur);
        t.kernel(name, 1000 + 10 * dur, dur, t.stream(), dur);
    }
    const StoredProfile stored(std::move(t));
    Session session = stored.open({.all = true});
    EXPECT_NEAR(summary(session, "tensor_core_efficiency_pct"), 100, 1e-9);
    EXPECT_NEAR(summary(session, "tensor_core_kernel_share_pct"), 30, 1e-9);
    const ResultTable ops = table_of(session, "tensor_core");
    EXPECT_EQ(number(cell(ops, "total_gpu_time_ns", "op_name", "Torch-Compiled Region: 0/0")), 60);
}

TEST(TensorCores, EfficiencyShareAndUtilization) {
    const StoredProfile stored(tensor_cores());
    Session session = stored.open();
    // TC kernels / kernels of eligible ops: 60 / (60 + 20 + 50 + 30), and 30 of these may use them; share: 60
    // / 200.
    EXPECT_TRUE(is_empty(cell(table_of(session, "summary"), "tensor_core_efficiency_pct")));
    EXPECT_NEAR(summary(session, "tensor_core_efficiency_low_pct"), 100 * 60 / 160.0, 1e-9);
    EXPECT_NEAR(summary(session, "tensor_core_efficiency_high_pct"), 100 * 90 / 160.0, 1e-9);
    EXPECT_NEAR(summary(session, "tensor_core_kernel_share_low_pct"), 30, 1e-9);
    EXPECT_NEAR(summary(session, "tensor_core_kernel_share_high_pct"), 45, 1e-9);
    const Report report = std::move(*make_report(session, "summary", {.for_people = true}));
    EXPECT_EQ(std::get<std::string>(cell(report.sections[0].table, "tensor_core_efficiency_text")),
              "37.5 - 56.2%");
    const ResultTable ops = table_of(session, "tensor_core");
    EXPECT_NEAR(number(cell(ops, "tc_utilization_pct", "op_name", "aten::mm")), 75, 1e-9);
    EXPECT_EQ(number(cell(ops, "tc_utilization_pct", "op_name", "aten::conv2d")), 0);
    EXPECT_TRUE(is_empty(cell(ops, "tc_utilization_pct", "op_name", "aten::bmm")))
        << "its kernel may use them";
    EXPECT_EQ(number(cell(ops, "tc_utilization_low_pct", "op_name", "aten::bmm")), 0);
    EXPECT_EQ(number(cell(ops, "tc_utilization_high_pct", "op_name", "aten::bmm")), 100);
    EXPECT_EQ(ops.rows.size(), 3u);  // the addition could not use them
}

// Communication computes next to nothing: it is not a kernel that left Tensor Cores unused.
TEST(TensorCores, CommunicationIsAClassOfItsOwn) {
    analyze::TestProfile t;
    t.gpu(0, "Tesla V100-SXM2-16GB", 7, 0);
    t.kernel("ncclKernel_AllReduce", 100, 200, t.stream(9));
    t.kernel("plain<4>", 300, 50, t.stream(7));
    t.kernel("Memcpy", 400, 30, t.stream(7), -1, DeviceKind::kMemcpy);
    const StoredProfile stored(std::move(t));
    Session session = stored.open();
    const ResultTable kernels = table_of(session, "summary", "all_kernels");
    for (const auto& [name, time] : {std::pair("All device work", 280), std::pair("Communication", 200),
                                     std::pair("Memory", 30), std::pair("All other kernels", 50)})
        EXPECT_EQ(number(cell(kernels, "gpu_time_ns", "name", name)), time) << name;
}

// A device without them, or of which it is not known, has no share of them: 0 % would say that it left them
// idle.
TEST(TensorCores, WithoutThemThereIsNoShare) {
    const auto made = [](const char* gpu, int major) {
        analyze::TestProfile t;
        if (*gpu) t.gpu(0, gpu, major, 0);
        t.op("aten::mm", 0, 20);
        t.api("cudaLaunchKernel", 5, 5, t.thread(), 1);
        t.kernel("some_sgemm<float>", 100, 50, t.stream(), 1);
        return StoredProfile(std::move(t));
    };
    for (const auto& [gpu, major] : {std::pair("MTIA", 0), std::pair("Tesla P100-PCIE-16GB", 6),
                                     std::pair("AMD Radeon RX 6900 XT", 10), std::pair("", 0)}) {
        const StoredProfile stored = made(gpu, major);
        Session session = stored.open();
        const ResultTable head = table_of(session, "summary");
        for (const char* key : {"tensor_core_efficiency_pct", "tensor_core_efficiency_low_pct",
                                "tensor_core_efficiency_high_pct", "tensor_core_kernel_pct",
                                "tensor_core_kernel_share_pct", "tensor_core_kernel_share_low_pct"})
            EXPECT_TRUE(is_empty(cell(head, key))) << gpu << ": " << key;
        // Of kernels of another maker it is not known what they use.
        const char* told =
            std::string_view(gpu) == "MTIA" ? "unknown_kernel_pct" : "non_tensor_core_kernel_pct";
        EXPECT_GT(number(cell(head, told)), 0) << gpu;
    }
    const StoredProfile stored = made("Tesla V100-SXM2-16GB", 7);
    Session session = stored.open();
    EXPECT_EQ(summary(session, "tensor_core_efficiency_pct"), 0);
    EXPECT_EQ(summary(session, "tensor_core_kernel_share_pct"), 0);
}

TEST(TensorCores, UnknownIsNotNo) {
    const StoredProfile stored(tensor_cores());
    Session session = stored.open();
    const auto text = [&](const char* sql) { return std::get<std::string>(value_of(session, sql)); };
    EXPECT_EQ(text("SELECT uses_tc FROM kernels WHERE name = 'triton_mm'"), "unknown");
    EXPECT_EQ(text("SELECT tc_evidence FROM kernels WHERE name = 'triton_mm'"), "none");
    EXPECT_EQ(text("SELECT uses_tc FROM kernels WHERE name LIKE 'implicit%'"), "no");
    EXPECT_EQ(text("SELECT uses_tc FROM kernels WHERE name LIKE 'volta%'"), "yes");
    EXPECT_EQ(text("SELECT tc_evidence FROM kernels WHERE name LIKE 'volta%'"), "name");
    const ResultTable ops = table_of(session, "tensor_core");
    EXPECT_EQ(std::get<std::string>(cell(ops, "uses_tc", "op_name", "aten::bmm")), "unknown");
    const ResultTable all = table_of(session, "summary", "all_ops");
    EXPECT_EQ(number(cell(all, "ops", "name", "Ops using TC")), 1);
    EXPECT_EQ(number(cell(all, "ops", "name", "Ops eligible for TC but not using")), 1);
    EXPECT_EQ(number(cell(all, "ops", "name", "Ops whose kernels do not tell")), 1);
    EXPECT_EQ(number(cell(all, "ops", "name", "All other ops")), 1);
    EXPECT_EQ(number(cell(all, "gpu_time_ns", "name", "All ops")), 80 - 20 + 50 + 30 + 40);  // unions
}

// An eligible op that calls another: the kernel counts for the inner one, and the rows add up to the kernels.
TEST(TensorCores, NestedOpsCountAKernelOnce) {
    analyze::TestProfile t;
    t.gpu(0, "Tesla V100-SXM2-16GB", 7, 0);
    OpDetail half;
    half.signature = t.builder.signature({t.builder.text("[[64, 64], [64, 64]]"),
                                          t.builder.text("[\"c10::Half\", \"c10::Half\"]"),
                                          t.builder.text(""), t.builder.text("")});
    t.op("aten::linear", 0, 300, t.thread(), half);
    t.op("aten::addmm", 50, 200, t.thread(), half);
    t.api("cudaLaunchKernel", 100, 10, t.thread(), 1);
    t.kernel(kTcKernel, 200, 60, t.stream(), 1);
    t.api("cudaLaunchKernel", 260, 10, t.thread(), 2);  // in linear, beside addmm
    t.kernel("splitKreduce_kernel<float>", 300, 20, t.stream(), 2);
    t.op("aten::matmul", 1000, 300, t.thread(), half);  // launches nothing itself: no row
    t.op("aten::mm", 1050, 200, t.thread(), half);
    t.api("cudaLaunchKernel", 1100, 10, t.thread(), 3);
    t.kernel("triton_mm", 1200, 30, t.stream(), 3);
    const StoredProfile stored(std::move(t));
    Session session = stored.open();
    const ResultTable ops = table_of(session, "tensor_core");
    const auto value = [&](const char* key, const char* op) { return number(cell(ops, key, "op_name", op)); };
    EXPECT_EQ(value("total_gpu_time_ns", "aten::addmm"), 60);
    EXPECT_EQ(value("total_gpu_time_ns", "aten::linear"), 20);
    EXPECT_EQ(value("non_tc_gpu_time_ns", "aten::linear"), 20);
    EXPECT_EQ(value("unknown_tc_gpu_time_ns", "aten::mm"), 30);
    EXPECT_EQ(value("non_tc_gpu_time_ns", "aten::mm"), 0);
    EXPECT_EQ(value("kernels", "aten::mm"), 1);
    EXPECT_EQ(ops.rows.size(), 3u);
    auto by_rank = make_report(session, "tensor_core", {.by_rank = true, .by_device = true});
    ASSERT_TRUE(by_rank) << by_rank.error().message();
    EXPECT_EQ(number(cell(by_rank->sections[0].table, "total_gpu_time_ns", "op_name", "aten::addmm")), 60);
}

}  // namespace
}  // namespace opsight::query
