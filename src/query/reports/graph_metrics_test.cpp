// Numbers of the summary where device graphs were recorded without their kernels.
#include "query/reports/test_reports.h"

namespace opsight::query {
namespace {

double number_of(Session& session, std::string_view column) {
    return number(cell(table_of(session, "summary"), column));
}

// A graph that was recorded as a whole may hold anything; alone it tells nothing of Tensor Cores.
TEST(TensorCores, GraphsRecordedAsAWholeAreUnknownWork) {
    const auto made = [](bool with_kernel) {
        analyze::TestProfile t;
        t.gpu(0, "Tesla V100-SXM2-16GB", 7, 0);
        t.kernel("graph", 0, 300, t.stream(7), -1, DeviceKind::kGraph);
        if (with_kernel) t.kernel("volta_h884gemm_64x128_ldg8_nn", 300, 100, t.stream(7));
        return StoredProfile(std::move(t));
    };
    const StoredProfile both = made(true), alone = made(false);
    Session session = both.open();
    EXPECT_NEAR(number_of(session, "tensor_core_efficiency_low_pct"), 25, 1e-9);
    EXPECT_NEAR(number_of(session, "tensor_core_efficiency_high_pct"), 100, 1e-9);
    const ResultTable kernels = table_of(session, "summary", "all_kernels");
    for (const auto& [name, time] : {std::pair("All device work", 400), std::pair("Kernels using TC", 100),
                                     std::pair("Graphs recorded as a whole", 300)})
        EXPECT_EQ(number(cell(kernels, "gpu_time_ns", "name", name)), time) << name;
    Session graphs = alone.open();
    const auto report = summary_report(graphs, {});
    ASSERT_TRUE(report);
    EXPECT_TRUE(std::any_of(report->notes.begin(), report->notes.end(), [](const std::string& note) {
        return note.find("utilization is at most what is shown") != note.npos &&
               note.find("nsys") == note.npos;
    }));
    EXPECT_EQ(
        number(cell(table_of(graphs, "summary", "all_kernels"), "gpu_time_ns", "name", "All device work")),
        300);
    EXPECT_TRUE(is_empty(cell(table_of(graphs, "summary"), "tensor_core_efficiency_high_pct")));
}

// In tables of ops, of their types and of iterations, inside of ops and outside.
TEST(OpReports, GraphsRecordedAsAWholeAreWork) {
    analyze::TestProfile t;
    t.gpu(0, "Tesla V100-SXM2-16GB", 7, 0);
    t.annotation("ProfilerStep#1", 0, 1000, t.thread());
    t.annotation("ProfilerStep#2", 1000, 1000, t.thread());
    t.op("aten::replay", 0, 200);
    t.api("cudaGraphLaunch", 50, 10, t.thread(), 1);
    t.api("cudaGraphLaunch", 300, 10, t.thread(), 2);
    t.api("cudaLaunchKernel", 1100, 10, t.thread(), 3);
    t.kernel("CUDA Graph 1", 100, 300, t.stream(7), 1, DeviceKind::kGraph);
    t.kernel("CUDA Graph 1", 400, 300, t.stream(7), 2, DeviceKind::kGraph);
    t.kernel("plain<4>", 1200, 100, t.stream(7), 3);
    const StoredProfile stored(std::move(t));
    Session session = stored.open(RangeOptions{.all = true});
    const ResultTable ops = table_of(session, "detailed");
    for (const char* name : {"aten::replay", "unassociated_cudaGraphLaunch"}) {
        EXPECT_EQ(number(cell(ops, "total_gpu_time_ns", "op_name", name)), 300) << name;
        EXPECT_EQ(std::get<std::string>(cell(ops, "using_tc", "op_name", name)), "unknown") << name;
        EXPECT_TRUE(is_empty(cell(ops, "kernels", "op_name", name))) << name;
    }
    EXPECT_EQ(number(cell(table_of(session, "op_type"), "total_gpu_time_ns", "op_type", "unassociated")), 400)
        << "with the kernel";
    const ResultTable classes = table_of(session, "summary", "all_ops");
    EXPECT_EQ(number(cell(classes, "gpu_time_ns", "name", "Ops whose kernels do not tell")), 300);
    EXPECT_EQ(number(cell(classes, "gpu_time_ns", "name", "Launched outside of ops")), 400);
    EXPECT_EQ(number(cell(classes, "gpu_time_ns", "name", "All ops")), 700);
    const ResultTable iterations = table_of(session, "iteration");
    for (const char* key : {"kernels", "kernel_time_ns", "tc_kernels", "tc_kernel_time_ns"}) {
        EXPECT_TRUE(is_empty(cell(iterations, key, "iteration", "0"))) << key;
        EXPECT_FALSE(is_empty(cell(iterations, key, "iteration", "1"))) << key;
    }
}

}  // namespace
}  // namespace opsight::query
