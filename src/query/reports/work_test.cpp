// Ceilings of memory levels, and why something is faster than its bound.
#include <gmock/gmock.h>

#include "query/reports/test_reports.h"

namespace opsight::query {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

// A sum of two vectors of 4 MiB, twelve MiB in all, in so many nanoseconds: 6.2 us are its bound on an A100
// with 80 GB, 1.7 us what its L2 needs.
StoredProfile sum_on(std::string_view device, int64_t ns) {
    analyze::TestProfile t;
    t.gpu(0, device, 8, 0);
    OpDetail detail;
    detail.signature = t.builder.signature({t.builder.text("[[1048576], [1048576], []]"),
                                            t.builder.text(R"(["float", "float", "Scalar"])"),
                                            t.builder.text(R"(["", "", "1"])"), t.builder.text("")});
    t.op("aten::add", 0, 50, t.thread(), detail);
    t.api("cudaLaunchKernel", 20, 2, t.thread(), 1);
    t.kernel("elementwise_kernel", 1000, ns, t.stream(), 1);
    return StoredProfile(std::move(t));
}

std::string remark(std::string_view device, int64_t ns) {
    const StoredProfile stored = sum_on(device, ns);
    Session session = stored.open({.all = true});
    const Cell found = cell(table_of(session, "roofline", "roofline"), "remarks");
    const std::string* text = std::get_if<std::string>(&found);
    return text ? *text : std::string();
}

TEST(Ceilings, HaveARowForEachLevelOfTheMemory) {
    const StoredProfile stored = sum_on("NVIDIA A100-SXM4-80GB", 9000);
    Session session = stored.open({.all = true});
    const ResultTable table = table_of(session, "roofline", "roofline_ceilings");
    const auto value = [&](const char* column, const char* unit) {
        return number(cell(table, column, "unit", unit));
    };
    EXPECT_NEAR(value("bytes_per_s", "memory L2"), 5120 * 1410e6, 1);
    EXPECT_NEAR(value("bytes_per_s", "memory L1/shared"), 108 * 128 * 1410e6, 1);
    EXPECT_NEAR(value("bytes_per_s", "matrix fp16"), 2039e9, 1) << "rows of units keep the memory's";
    // Where its slope meets the highest peak, INT4's.
    EXPECT_NEAR(value("ridge", "memory L2"), 1248e12 / (5120 * 1410e6), 1e-6);
    EXPECT_EQ(cell(table, "flops_per_s", "unit", "memory L2"), Cell());
    EXPECT_EQ(cell(table, "note", "unit", "memory L2"), Cell());
    EXPECT_THAT(std::get<std::string>(cell(table, "sources", "unit", "memory L2")), HasSubstr("A100"));
}

TEST(Ceilings, SayWhatIsAnEstimateAndWhatIsNotKnown) {
    const StoredProfile hopper = sum_on("NVIDIA H100 80GB HBM3", 9000);
    Session h100 = hopper.open({.all = true});
    const ResultTable known = table_of(h100, "roofline", "roofline_ceilings");
    EXPECT_THAT(std::get<std::string>(cell(known, "note", "unit", "memory L2")), HasSubstr("estimate: "));
    const StoredProfile turing = sum_on("Tesla T4", 90000);
    Session t4 = turing.open({.all = true});
    const ResultTable unknown = table_of(t4, "roofline", "roofline_ceilings");
    EXPECT_EQ(cell(unknown, "bytes_per_s", "unit", "memory L2"), Cell());
    EXPECT_THAT(std::get<std::string>(cell(unknown, "note", "unit", "memory L2")), HasSubstr("no source"));
    EXPECT_NEAR(number(cell(unknown, "bytes_per_s", "unit", "memory shared")), 40 * 128 * 1590e6, 1);
}

TEST(Roofline, OpsOfOneShapeAreOneRowAndTellTheirSideOfTheRidge) {
    analyze::TestProfile t;
    t.gpu(0, "NVIDIA A100-SXM4-80GB", 8, 0);
    const auto run = [&t](std::string_view name, std::string_view shapes, int64_t at) {
        OpDetail detail;
        detail.signature =
            t.builder.signature({t.builder.text(shapes), t.builder.text(R"(["c10::Half", "c10::Half"])"),
                                 t.builder.text(""), t.builder.text("")});
        t.op(name, at, 50, t.thread(), detail);
        t.api("cudaLaunchKernel", at + 20, 2, t.thread(), at);
        t.kernel("kernel", 10'000 * at, 900'000, t.stream(), at);
    };
    t.host(HostKind::kModule, "nn.Module: Linear_0", 90, 100, t.thread());  // in another layer than the next
    run("aten::mm", "[[4096, 4096], [4096, 4096]]", 100);
    run("aten::mm", "[[4096, 4096], [4096, 4096]]", 300);
    run("aten::mm", "[[1, 4096], [4096, 4096]]", 500);
    const StoredProfile stored(std::move(t));
    Session session = stored.open({.all = true});
    const ResultTable table = table_of(session, "roofline", "roofline_shapes");
    ASSERT_EQ(table.rows.size(), 2U);
    const auto text = [&](const char* column, const std::string& spans) {
        const Cell found = cell(table, column, "spans", spans);
        return std::get<std::string>(found);
    };
    EXPECT_EQ(text("ridge_side", "2"), "math");
    EXPECT_EQ(text("ridge_side", "1"), "memory");
    EXPECT_EQ(text("limiter", "1"), "below its bound") << "far from its bound, on whichever side";
}

TEST(Summary, LeavesOutWorkWhereNoneIsKnown) {
    analyze::TestProfile t;
    t.op("outer", 0, 100, t.thread());
    const StoredProfile none(std::move(t));
    const StoredProfile some = sum_on("NVIDIA A100-SXM4-80GB", 9000);
    const auto tells_work = [](const StoredProfile& stored, bool for_people) {
        Session session = stored.open({.all = true});
        const auto report = make_report(session, "summary", {.for_people = for_people});
        if (!report) ADD_FAILURE() << report.error().message();
        return std::any_of(report->sections.begin(), report->sections.end(),
                           [](const auto& section) { return section.table.name == "work"; });
    };
    EXPECT_FALSE(tells_work(none, true));
    EXPECT_TRUE(tells_work(none, false));
    EXPECT_TRUE(tells_work(some, true));
}

TEST(Uncounted, SaysWhatIsNotToldOfAttentionOverACache) {
    analyze::TestProfile t;
    OpDetail detail;
    detail.signature = t.builder.signature({t.builder.text("[[32, 64, 64], [32, 8, 64], [32, 8, 64]]"),
                                            t.builder.text(R"(["float", "float", "float"])"),
                                            StringId(size_t{0}), StringId(size_t{0})});
    t.op("vllm::unified_attention_with_output", 0, 50, t.thread(), detail);
    t.api("hipLaunchKernel", 10, 5, t.thread(), 1);
    t.kernel("kernel_unified_attention_2d", 100, 40, t.stream(), 1);
    const StoredProfile stored(std::move(t));
    Session session = stored.open({.all = true});
    const ResultTable table = table_of(session, "roofline", "uncounted");
    EXPECT_EQ(cell(table, "why"), Cell(std::string("how much of the cache each sequence has is not told")));
}

// A copy has no FLOPs: of kernels that are not counted nothing follows from it.
TEST(Summary, FlopsAreNotKnownWhereOnlyCopiesAreCounted) {
    analyze::TestProfile t;
    t.gpu(0, "NVIDIA A100-SXM4-80GB", 8, 0);
    t.kernel("somebodys_kernel", 0, 1000, t.stream(), 1);
    DeviceSpan copy;
    copy.begin = 2000;
    copy.dur = 100;
    copy.track = t.stream();
    copy.name = t.builder.text("Memcpy HtoD");
    copy.kind = DeviceKind::kMemcpy;
    copy.bytes = 4096;
    t.builder.add_device(copy);
    const StoredProfile stored(std::move(t));
    Session session = stored.open({.all = true});
    const ResultTable work = table_of(session, "summary", "work");
    for (const char* flops : {"flops", "product_flops", "recomputed_flops"})
        EXPECT_TRUE(is_empty(cell(work, flops))) << flops;
    EXPECT_EQ(std::get<double>(cell(work, "kernel_counted_pct")), 0);
}

// A known product for 1 us, and 9 us of a kernel that nobody knows.
TEST(Summary, FlopsWithGapsAreLowerBounds) {
    analyze::TestProfile t;
    t.gpu(0, "NVIDIA A100-SXM4-80GB", 8, 0);
    OpDetail detail;
    detail.signature =
        t.builder.signature({t.builder.text("[[64, 64], [64, 64]]"), t.builder.text("[\"float\", \"float\"]"),
                             t.builder.text(""), t.builder.text("")});
    t.op("aten::mm", 0, 1000, t.thread(), detail);
    t.api("cudaLaunchKernel", 100, 50, t.thread(), 1);
    t.kernel("ampere_sgemm_64x64_nn", 2000, 1000, t.stream(), 1);
    t.kernel("somebodys_kernel", 4000, 9000, t.stream(), 2);
    const StoredProfile stored(std::move(t));
    Session session = stored.open({.all = true});
    const auto headers = [](const ResultTable& table) {
        std::vector<std::string> all;
        for (const Column& column : table.columns)
            all.push_back(column.header);
        return all;
    };
    const auto report = make_report(session, "summary", {.for_people = true});
    ASSERT_TRUE(report);
    const auto work = std::find_if(report->sections.begin(), report->sections.end(),
                                   [](const Section& section) { return section.table.name == "work"; });
    ASSERT_NE(work, report->sections.end());
    EXPECT_THAT(headers(work->table),
                AllOf(Contains("FLOPs at Least (1)"), Contains("FLOPs of Products at Least (1)"),
                      Not(Contains("FLOPs (1)")), Not(Contains("FLOPs Are at Least"))));
    EXPECT_EQ(number(cell(work->table, "flops")), 2 * 64 * 64 * 64);
    const ResultTable programs = table_of(session, "summary", "work");
    EXPECT_TRUE(is_empty(cell(programs, "recomputed_flops"))) << "at least 0 says nothing";
    EXPECT_EQ(std::get<bool>(cell(programs, "flops_at_least")), true);
}

TEST(Remarks, TakeTheLastCacheAsAReasonOnlyWhereItIsFastEnough) {
    EXPECT_EQ(remark("NVIDIA A100-SXM4-80GB", 9000), "");
    EXPECT_THAT(remark("NVIDIA A100-SXM4-80GB", 3000), HasSubstr("fits the last cache (L2, 7.2 TB/s)"));
    EXPECT_THAT(remark("NVIDIA A100-SXM4-80GB", 1000), HasSubstr("faster than even the last cache (L2, 7.2"));
    // Of L40S no figure is known: that the data fits is all that can be said.
    EXPECT_THAT(remark("NVIDIA L40S", 1000), HasSubstr("fits the last cache, and"));
}

}  // namespace
}  // namespace opsight::query
