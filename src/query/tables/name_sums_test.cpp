// Sums by name, whatever layers, shapes and ops stand behind them.
#include <gtest/gtest.h>

#include "query/ask/test_cells.h"
#include "query/session/test_session.h"
#include "query/tables/tables.h"

namespace opsight::query {
namespace {

// Three shapes of one product of 40 ns each, an addition of 60, and a copy outside of ops.
StoredProfile profile_of_products() {
    analyze::TestProfile t;
    t.gpu(0, "Tesla V100-SXM2-16GB", 7, 0);
    int64_t id = 0;
    const auto op = [&](const char* name, const char* shapes, const char* kernel, int64_t dur) {
        OpDetail detail;
        detail.signature = t.builder.signature(
            {t.builder.text(shapes), t.builder.text(""), t.builder.text(""), t.builder.text("")});
        const int64_t at = 1000 * ++id;
        t.op(name, at, 200, t.thread(), detail);
        t.api("cudaLaunchKernel", at + 10, 5, t.thread(), id);
        t.kernel(kernel, at + 100, dur, t.stream(), id);
    };
    op("aten::mm", "[[1, 1]]", "volta_h884gemm", 40);
    op("aten::mm", "[[2, 2]]", "volta_h884gemm", 40);
    op("aten::mm", "[[3, 3]]", "volta_sgemm", 40);
    op("aten::add", "[[1]]", "add<4>", 60);
    t.api("cudaMemcpyAsync", 9000, 7, t.thread(), 77);
    t.kernel("Memcpy", 9100, 30, t.stream(), 77, DeviceKind::kMemcpy);
    return StoredProfile(std::move(t));
}

ResultTable table(Session& session, std::string_view name) {
    auto made = make_table(session, name, {}, {});
    EXPECT_TRUE(made) << made.error().message();
    return made ? std::move(*made) : ResultTable();
}

double sum(const ResultTable& of, std::string_view column) {
    double total = 0;
    for (size_t i = 0; i < of.columns.size(); ++i)
        if (of.columns[i].key == column)
            for (const auto& row : of.rows)
                total += number(row[i]);
    return total;
}

// Pseudo-ops hold what runs outside of ops, and count as none.
TEST(NameSums, KernelsOutsideOfOpsHaveNoOps) {
    for (const bool ops : {true, false}) {
        analyze::TestProfile t;
        if (ops) t.op("aten::mm", 0, 100);
        for (const int64_t launch : {1, 2, 3})
            t.api("cudaLaunchKernel", 40 * launch, 5, t.thread(), launch);
        t.kernel("inside", 200, 10, t.stream(), 1);
        t.kernel("outside", 300, 10, t.stream(), 3);
        t.kernel("outside", 400, 10, t.stream());
        const StoredProfile stored(std::move(t));
        Session session = stored.open();
        const ResultTable kernels = table(session, "kernel_name");
        ASSERT_EQ(kernels.rows.size(), 2u);
        const Cell& inside = cell(kernels, "ops", "kernel_name", "inside");
        const Cell& outside = cell(kernels, "ops", "kernel_name", "outside");
        if (ops) {
            EXPECT_EQ(number(inside), 1);
            EXPECT_EQ(number(outside), 0);
        } else {  // no ops were recorded
            EXPECT_TRUE(is_empty(inside));
            EXPECT_TRUE(is_empty(outside));
        }
    }
}

TEST(NameSums, OpsOfOneNameAreOneRow) {
    const StoredProfile stored = profile_of_products();
    Session session = stored.open();
    const ResultTable ops = table(session, "op_names");
    ASSERT_EQ(ops.rows.size(), 3u);
    EXPECT_EQ(std::get<std::string>(cell(ops, "op_name")), "aten::mm") << "it takes most";
    EXPECT_EQ(number(cell(ops, "ops", "op_name", "aten::mm")), 3);
    EXPECT_EQ(number(cell(ops, "calls", "op_name", "aten::mm")), 3);
    EXPECT_EQ(number(cell(ops, "self_gpu_time_ns", "op_name", "aten::mm")), 120);
    EXPECT_EQ(std::get<std::string>(cell(ops, "using_tc", "op_name", "aten::mm")), "yes");
    EXPECT_EQ(std::get<std::string>(cell(ops, "using_tc", "op_name", "aten::add")), "no");
    EXPECT_EQ(number(cell(ops, "self_gpu_time_ns", "op_name", "unassociated_cudaMemcpyAsync")), 30);
    // The same time as the rows that stand behind it.
    EXPECT_EQ(sum(ops, "self_gpu_time_ns"), sum(table(session, "detailed"), "self_gpu_time_ns"));
}

TEST(NameSums, KernelsOfOneNameAreOneRow) {
    const StoredProfile stored = profile_of_products();
    Session session = stored.open();
    const ResultTable kernels = table(session, "kernel_name");
    ASSERT_EQ(kernels.rows.size(), 3u);
    EXPECT_EQ(number(cell(kernels, "total_gpu_time_ns", "label", "volta_h884gemm")), 80);
    EXPECT_EQ(number(cell(kernels, "ops", "label", "volta_h884gemm")), 2);
}

}  // namespace
}  // namespace opsight::query
