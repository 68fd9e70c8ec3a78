// What of a row is on the critical path.
#include "model/source_limits.h"
#include "query/reports/test_reports.h"

namespace opsight::query {
namespace {

// A step whose thread launches a kernel and waits for it, and another stream's kernel beside, which nothing
// waits for.
TEST(CriticalPathColumn, SaysWhatOfEachRowIsOnThePath) {
    analyze::TestProfile t;
    t.annotation("ProfilerStep#0", 0, 1'000'000, t.thread());
    t.op("aten::mm", 100'000, 100'000);
    t.api("cudaLaunchKernel", 150'000, 10'000, t.thread(), 1);
    t.kernel("sgemm_128", 170'000, 600'000, t.stream(), 1);
    t.op("aten::relu", 210'000, 40'000);
    t.api("cudaLaunchKernel", 220'000, 10'000, t.thread(), 2);
    t.kernel("relu_kernel", 240'000, 100'000, t.stream(8), 2);
    t.api("cudaStreamSynchronize", 300'000, 480'000, t.thread(), 3);
    const StoredProfile stored(std::move(t));
    Session session = stored.open({.all = true});
    const auto made = make_report(session, "kernel", {.critical_path = true});
    ASSERT_TRUE(made) << made.error().message();
    const ResultTable& kernels = made->sections[0].table;
    EXPECT_EQ(number(cell(kernels, "critical_path_ns", "op_name", "aten::mm")), 600'000);
    EXPECT_EQ(number(cell(kernels, "critical_path_ns", "op_name", "aten::relu")), 0);
    const auto ops = make_report(session, "detailed", {.critical_path = true});
    ASSERT_TRUE(ops) << ops.error().message();
    EXPECT_EQ(number(cell(ops->sections[0].table, "critical_path_ns", "op_name", "aten::mm")), 650'000);
    EXPECT_EQ(number(cell(ops->sections[0].table, "critical_path_ns", "op_name", "aten::relu")), 0);
    EXPECT_FALSE(make_report(session, "kernel", {.by_device = true, .critical_path = true}));
}

// Work whose launch nobody saw waits for nothing that is known: no path is not a path of no length.
TEST(CriticalPathColumn, IsEmptyWithoutAPath) {
    analyze::TestProfile t;
    t.op("aten::mm", 0, 100);
    t.kernel("sgemm_128", 100, 600, t.stream());
    set_durations_only(t.builder.info());
    const StoredProfile stored(std::move(t));
    Session session = stored.open({.all = true});
    for (const char* name : {"kernel", "kernel_name", "detailed", "group_op"}) {
        const auto made = make_report(session, name, {.critical_path = true});
        ASSERT_TRUE(made) << name << ": " << made.error().message();
        const ResultTable& table = made->sections[0].table;
        ASSERT_FALSE(table.rows.empty()) << name;
        EXPECT_TRUE(is_empty(cell(table, "critical_path_ns"))) << name;
    }
}

}  // namespace
}  // namespace opsight::query
