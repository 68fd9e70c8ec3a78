#include "query/reports/test_reports.h"
#include "query/reports/viewer_tables.h"

namespace opsight::query {
namespace {

// Kernels whose launch was not recorded have no call to be the time of.
TEST(LayerAverages, OfCallsLieWithinTheirExtremes) {
    analyze::TestProfile t;
    t.op("aten::relu", 0, 50, t.thread());
    t.api("cudaLaunchKernel", 10, 5, t.thread(), 1);
    t.kernel("relu_kernel", 100, 40, t.stream(), 1);
    t.kernel("of_no_launch", 200, 5000, t.stream(), 77);
    const StoredProfile stored(std::move(t));
    Session session = stored.open({.all = true});
    const ResultTable layers = table_of(session, "group_op");
    EXPECT_EQ(cell(layers, "total_gpu_time_ns", "name", "/"), Cell(int64_t{5040}));
    EXPECT_EQ(cell(layers, "avg_gpu_time_ns", "name", "/"), Cell(int64_t{40}));
    EXPECT_EQ(cell(layers, "max_gpu_time_ns", "name", "/"), Cell(int64_t{40}));
}

// Of kernels without ops nothing tells which are forward: neither all nor none.
TEST(LayerDirections, AreNotKnownOfWorkWithoutOps) {
    analyze::TestProfile t;
    t.api("cudaLaunchKernel", 10, 5, t.thread(), 1);
    t.kernel("gemm_kernel", 100, 40, t.stream(), 1);
    const StoredProfile stored(std::move(t));
    Session session = stored.open({.all = true});
    const Result<ResultTable> layers = layer_list(session, {});
    ASSERT_TRUE(layers) << layers.error().message();
    EXPECT_EQ(cell(*layers, "total_gpu_time_ns", "name", "/"), Cell(int64_t{40}));
    for (const char* column :
         {"forward_gpu_time_ns", "backward_gpu_time_ns", "forward_kernels", "backward_kernels"})
        EXPECT_EQ(cell(*layers, column, "name", "/"), Cell{}) << column;
}

}  // namespace
}  // namespace opsight::query
