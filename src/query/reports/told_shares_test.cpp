// Shares of the wall clock are told where the recording can tell them: what was not recorded is not 0.
#include "query/reports/test_reports.h"

namespace opsight::query {
namespace {

// A kernel of half the wall clock, and a call of this name beside it (none where it is empty).
StoredProfile kernel_beside(const char* call, bool copy) {
    analyze::TestProfile t;
    t.op("aten::mm", 0, 100);
    if (*call) t.api(call, 10, 5, t.thread(), 1);
    t.kernel("k", 100, 100, t.stream(), 1);
    if (copy) t.kernel("Memcpy HtoD", 210, 40, t.stream(), 2, DeviceKind::kMemcpy);
    return StoredProfile(std::move(t));
}

TEST(ToldShares, CopiesThatWereNotRecordedAreNotNone) {
    const auto share = [](const char* call, bool copy) {
        const StoredProfile stored = kernel_beside(call, copy);
        Session session = stored.open({.whole = true});
        return cell(table_of(session, "summary"), "memory_pct");
    };
    EXPECT_TRUE(is_empty(share("", false))) << "no calls tell that there was none";
    EXPECT_TRUE(is_empty(share("hipMemcpyAsync", false))) << "one was asked for, and is not there";
    EXPECT_EQ(number(share("cudaLaunchKernel", false)), 0) << "the calls were recorded, and none copies";
    EXPECT_NEAR(number(share("", true)), 100.0 * 40 / 250, 1e-9);
}

TEST(ToldShares, CommunicationOfTheHostIsToldWithoutADevice) {
    for (const bool gloo : {true, false}) {
        analyze::TestProfile t;
        t.annotation("step", 0, 1000, t.thread());
        t.op("aten::mm", 0, 300);
        t.annotation(gloo ? "gloo:all_reduce" : "log", 200, 400, t.thread(2));
        const StoredProfile stored(std::move(t));
        Session session = stored.open({.whole = true});
        const ResultTable table = table_of(session, "summary");
        const Cell share = cell(table, "communication_pct");
        if (gloo) {
            EXPECT_NEAR(number(share), 30, 1e-9) << "300 to 600: what no op hides";
        } else {
            EXPECT_TRUE(is_empty(share));
        }
        for (const Column& column : table.columns) {
            if (column.key != "communication_pct") continue;
            EXPECT_EQ(column.device_only, !gloo);
        }
        EXPECT_NEAR(number(cell(table, "host_pct")), gloo ? 40 : 70, 1e-9);
    }
}

TEST(ToldShares, OfAProgramOfWhichOnlyCallsWereRecordedTheRestIsNotKnown) {
    for (const bool range : {true, false}) {
        analyze::TestProfile t;
        if (range) t.annotation("step", 0, 1000, t.thread());
        t.api("cudaLaunchKernel", 10, 5, t.thread(), 1);
        t.kernel("k", 100, 900, t.stream(), 1);
        const StoredProfile stored(std::move(t));
        Session session = stored.open({.whole = true});
        EXPECT_EQ(is_empty(cell(table_of(session, "summary"), "host_pct")), !range);
    }
}

TEST(ToldShares, APeakIsNamedOnlyWhereOneIsTaken) {
    for (const auto& [device, major, named] :
         {std::tuple("NVIDIA A100-SXM4-40GB", 8, true), std::tuple("some accelerator", 0, false)}) {
        analyze::TestProfile t;
        t.gpu(0, device, major, 0);
        OpDetail detail;
        detail.signature = t.builder.signature({t.builder.text("[[64, 64], [64, 64]]"),
                                                t.builder.text(R"(["float", "float"])"), t.builder.text(""),
                                                t.builder.text("")});
        t.op("aten::mm", 0, 50, t.thread(), detail);
        t.api("cudaLaunchKernel", 10, 5, t.thread(), 1);
        t.kernel("k", 100, 100, t.stream(), 1);
        const StoredProfile stored(std::move(t));
        Session session = stored.open({.whole = true});
        const ResultTable work = table_of(session, "summary", "work");
        EXPECT_EQ(is_empty(cell(work, "peak_precision")), !named) << device;
        EXPECT_EQ(is_empty(cell(work, "peak_flops_per_s")), !named) << device;
    }
}

}  // namespace
}  // namespace opsight::query
