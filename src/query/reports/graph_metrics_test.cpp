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

}  // namespace
}  // namespace opsight::query
