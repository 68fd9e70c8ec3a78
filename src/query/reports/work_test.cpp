// Ceilings of memory levels, and why something is faster than its bound.
#include <gmock/gmock.h>

#include <optional>

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

// 6.2 us are the least.
TEST(Summary, SaysWhereKernelsAreFasterThanTheirBound) {
    for (const int64_t ns : {3000, 9000}) {
        const StoredProfile stored = sum_on("NVIDIA A100-SXM4-80GB", ns);
        Session session = stored.open({.all = true});
        const auto said = Contains(HasSubstr("less time than the least that their work needs"));
        const ResultTable work = table_of(session, "summary", "work");
        if (ns == 3000)
            EXPECT_THAT(work.notes, said);
        else
            EXPECT_THAT(work.notes, Not(said));
    }
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

// A set of memory beside a kernel that nothing is known of: what it reaches says nothing of the op.
TEST(Roofline, AnOpIsNotRatedByASliverOfIt) {
    for (const int64_t kernel_ns : {1'000'000, 10}) {
        analyze::TestProfile t;
        t.gpu(0, "NVIDIA A100-SXM4-80GB", 8, 0);
        t.op("my::backward", 0, 50, t.thread());
        t.api("cudaMemsetAsync", 10, 2, t.thread(), 1);
        DeviceSpan set;
        set.begin = 1000;
        set.dur = 1000;
        set.track = t.stream();
        set.name = t.builder.text("Memset (Device)");
        set.kind = DeviceKind::kMemset;
        set.bytes = 100'000;
        set.correlation = 1;
        t.builder.add_device(set);
        t.api("cudaLaunchKernel", 20, 2, t.thread(), 2);
        t.kernel("dgrad_engine", 3000, kernel_ns, t.stream(), 2);
        const StoredProfile stored(std::move(t));
        Session session = stored.open({.all = true});
        const ResultTable table = table_of(session, "roofline", "roofline");
        ASSERT_EQ(table.rows.size(), 1U);
        for (const char* column : {"bytes_per_s", "bound_ns", "efficiency_pct", "limiter"})
            EXPECT_EQ(cell(table, column, "op_name", "my::backward") == Cell(), kernel_ns > 1000) << column;
        const Cell remarks = cell(table, "remarks", "op_name", "my::backward");
        EXPECT_THAT(
            std::get<std::string>(remarks),
            HasSubstr(kernel_ns > 1000 ? "counted of 0.1% of its time" : "counted of 99.0% of its time"));
    }
}

// Copies from the host are counted and have no bound: that of a set among them is not theirs.
TEST(Roofline, CopiesAreNotRatedByASetAmongThem) {
    for (const int64_t copy_ns : {1'000'000, 5'000}) {
        analyze::TestProfile t;
        t.gpu(0, "NVIDIA A100-SXM4-80GB", 8, 0);
        t.op("my::load", 0, 50, t.thread());
        int64_t id = 0;
        for (const auto kind : {DeviceKind::kMemset, DeviceKind::kMemcpy}) {
            t.api("cudaMemsetAsync", 10 + 5 * id, 2, t.thread(), id + 1);
            ++id;
            DeviceSpan span;
            span.begin = 10'000 * id;
            span.dur = kind == DeviceKind::kMemset ? 1000 : copy_ns;
            span.track = t.stream();
            span.name = t.builder.text(kind == DeviceKind::kMemset ? "Memset (Device)" : "Memcpy HtoD");
            span.kind = kind;
            span.bytes = 100'000;
            span.correlation = id;
            t.builder.add_device(span);
        }
        const StoredProfile stored(std::move(t));
        Session session = stored.open({.all = true});
        const ResultTable table = table_of(session, "roofline", "roofline");
        ASSERT_EQ(table.rows.size(), 1U);
        for (const char* column : {"efficiency_pct", "limiter", "ridge_side"})
            EXPECT_EQ(cell(table, column, "op_name", "my::load") == Cell(), copy_ns > 5'000) << column;
        EXPECT_NE(cell(table, "bytes_per_s", "op_name", "my::load"), Cell());
    }
}

// A set of 4 GB in a microsecond has no rate; one of 100 kB beside it has the rate of both only where it is
// most of them.
TEST(Roofline, RatesAreOfTimesInWhichTheBytesCanMove) {
    for (const int64_t believed_ns : {500, 2000}) {
        analyze::TestProfile t;
        t.gpu(0, "NVIDIA A100-SXM4-80GB", 8, 0);
        t.op("my::clear", 0, 50, t.thread());
        for (const int64_t bytes : {int64_t{100'000}, int64_t{4'000'000'000}}) {
            const int64_t id = bytes;
            t.api("cudaMemsetAsync", bytes == 100'000 ? 10 : 20, 2, t.thread(), id);
            DeviceSpan span;
            span.begin = bytes == 100'000 ? 10'000 : 50'000;
            span.dur = bytes == 100'000 ? believed_ns : 1000;
            span.track = t.stream();
            span.name = t.builder.text("Memset (Device)");
            span.kind = DeviceKind::kMemset;
            span.bytes = bytes;
            span.correlation = id;
            t.builder.add_device(span);
        }
        const StoredProfile stored(std::move(t));
        Session session = stored.open({.all = true});
        const ResultTable table = table_of(session, "roofline", "roofline");
        EXPECT_EQ(cell(table, "bytes_per_s", "op_name", "my::clear"),
                  believed_ns == 2000 ? Cell(100'000 / 2000e-9) : Cell());
    }
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
    EXPECT_EQ(cell(table, "why"), Cell(std::string("how much of the cache it attends to is not told")));
}

TEST(Uncounted, CountsTheCallsOfAProcessor) {
    analyze::TestProfile t;
    t.op("aten::sort", 0, 50, t.thread());
    t.op("aten::sort", 100, 50, t.thread());
    const StoredProfile stored(std::move(t));
    Session session = stored.open({.all = true});
    const ResultTable table = table_of(session, "roofline", "uncounted");
    EXPECT_EQ(cell(table, "spans"), Cell(int64_t{2}));
}

TEST(Uncounted, OpsThatCallOthersOnAProcessorSaySo) {
    analyze::TestProfile t;
    t.op("aten::conv2d", 0, 100, t.thread());
    t.op("aten::somebodys", 10, 80, t.thread());
    const StoredProfile stored(std::move(t));
    Session session = stored.open({.all = true});
    const ResultTable table = table_of(session, "roofline", "uncounted");
    const auto why = [&](const char* type) {
        return std::get<std::string>(cell(table, "why", "op_type", type));
    };
    EXPECT_EQ(why("conv2d"), "its own time, between the ops that it calls");
    EXPECT_EQ(why("somebodys"), "the source tells no shapes of its inputs");
}

std::vector<std::string> headers(const ResultTable& table) {
    std::vector<std::string> all;
    for (const Column& column : table.columns)
        all.push_back(column.header);
    return all;
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

// A launch, and its kernel on the device.
void launch(analyze::TestProfile& t, std::string_view kernel, int64_t at, int64_t device_at, int64_t ns,
            uint32_t thread = 1) {
    t.api("cudaLaunchKernel", at, 2, t.thread(thread), at);
    t.kernel(kernel, device_at, ns, t.stream(), at);
}

OpDetail product(analyze::TestProfile& t) {
    OpDetail detail;
    detail.signature = t.builder.signature({t.builder.text("[[512, 512], [512, 512]]"),
                                            t.builder.text(R"(["float", "float"])"), t.builder.text(""),
                                            t.builder.text("")});
    return detail;
}

// In one layer: a known product for 1 us, a kernel that nobody knows for 9 us, and a collective.
TEST(Work, RowsSayWhereTheirFlopsAreLowerBounds) {
    analyze::TestProfile t;
    t.gpu(0, "NVIDIA A100-SXM4-80GB", 8, 0);
    t.host(HostKind::kModule, "nn.Module: Net_0", 0, 900, t.thread());
    t.op("aten::mm", 100, 50, t.thread(), product(t));
    launch(t, "ampere_sgemm_64x64_nn", 110, 10'000, 1000);
    t.op("somebodys::op", 200, 50, t.thread());
    launch(t, "somebodys_kernel", 210, 20'000, 9000);
    t.op("aten::mm", 300, 50, t.thread(), product(t));
    launch(t, "ncclDevKernel_AllReduce_Sum_f32_RING_LL", 310, 30'000, 1000);
    const StoredProfile stored(std::move(t));
    Session session = stored.open({.all = true});
    const auto expect = [&](std::string_view report, std::string_view table, std::string_view key,
                            const std::string& value, std::optional<bool> at_least) {
        const ResultTable rows = table_of(session, report, table);
        const Cell found = cell(rows, "flops_at_least", key, value);
        EXPECT_EQ(is_empty(cell(rows, "flops", key, value)), !at_least) << table << " " << value;
        EXPECT_EQ(found, at_least ? Cell(*at_least) : Cell()) << table << " " << value;
    };
    expect("group_op", "group_op", "name", "/Net_0", true);
    expect("roofline", "roofline_layers", "layer", "Net_0", true);
    expect("op_type", "op_type", "op_type", "op", {});
    expect("detailed", "detailed", "op_name", "somebodys::op", {});
    expect("roofline", "roofline_kernels", "kernel_name", "ampere_sgemm_64x64_nn", false);
    expect("roofline", "roofline_kernels", "kernel_name", "somebodys_kernel", {});
    const auto layers = make_report(session, "group_op", {.for_people = true});
    ASSERT_TRUE(layers);
    EXPECT_THAT(headers(layers->sections[0].table),
                AllOf(Contains("FLOPs at Least (1)"), Not(Contains("FLOPs (1)"))));
}

// Of 3 us of products one is computed again in the backward pass.
TEST(Work, WhatIsComputedAgainCountsForTheHardwareAlone) {
    analyze::TestProfile t;
    t.gpu(0, "NVIDIA A100-SXM4-80GB", 8, 0);
    OpDetail again = product(t);
    again.sequence = 70;
    t.op("aten::mm", 0, 50, t.thread(), product(t));
    launch(t, "ampere_sgemm_64x64_nn", 10, 1000, 100);
    t.op("ReluBackward0", 100, 100, t.thread(2), {.sequence = 2, .forward_thread = 1});
    t.op("aten::mm", 110, 20, t.thread(2), again);
    launch(t, "ampere_sgemm_64x64_nn", 120, 2000, 100, 2);
    t.op("aten::mm", 150, 20, t.thread(2), product(t));
    launch(t, "ampere_sgemm_64x64_nn", 155, 3000, 100, 2);
    const StoredProfile stored(std::move(t));
    Session session = stored.open({.all = true});
    const ResultTable work = table_of(session, "summary", "work");
    const double one = 2.0 * 512 * 512 * 512;
    EXPECT_EQ(number(cell(work, "product_flops")), 3 * one);
    EXPECT_EQ(number(cell(work, "recomputed_flops")), one);
    const double wall_s = 1e-9 * number(cell(table_of(session, "summary"), "wall_clock_ns"));
    const double possible = wall_s * number(cell(work, "peak_flops_per_s"));
    EXPECT_NEAR(number(cell(work, "hfu_pct")), 100 * 3 * one / possible, 1e-6);
    EXPECT_NEAR(number(cell(work, "mfu_pct")), 100 * 2 * one / possible, 1e-6);
    EXPECT_EQ(cell(work, "mfu_at_least"), Cell(false));
    EXPECT_THAT(work.notes, Contains(HasSubstr("HFU takes those computed again in")));
}

// Half of the kernel time is not counted: shares of the peak are lower bounds, and say by how much of the
// time.
TEST(Work, SharesOfThePeakWithGapsAreLowerBounds) {
    analyze::TestProfile t;
    t.gpu(0, "NVIDIA A100-SXM4-80GB", 8, 0);
    t.op("aten::mm", 0, 50, t.thread(), product(t));
    launch(t, "ampere_sgemm_64x64_nn", 10, 1000, 500);
    launch(t, "somebodys_kernel", 100, 2000, 500);
    const StoredProfile stored(std::move(t));
    Session session = stored.open({.all = true});
    EXPECT_EQ(cell(table_of(session, "summary", "work"), "mfu_at_least"), Cell(true));
    const auto report = make_report(session, "summary", {.for_people = true});
    ASSERT_TRUE(report);
    const auto work = std::find_if(report->sections.begin(), report->sections.end(),
                                   [](const Section& section) { return section.table.name == "work"; });
    ASSERT_NE(work, report->sections.end());
    EXPECT_THAT(std::get<std::string>(cell(work->table, "mfu_text")),
                AllOf(HasSubstr("at least "), HasSubstr("(by 50.0% of the kernel time)")));
}

// Of kernels whose products no formula counts there is no share of a peak, and no note on one.
// The kernel of an iteration before the range runs within its wall clock.
TEST(Work, SharesOfThePeakAreLowerBoundsWhereOtherIterationsWorkMeanwhile) {
    analyze::TestProfile t;
    t.gpu(0, "NVIDIA A100-SXM4-80GB", 8, 0);
    for (int64_t i = 0; i < 3; ++i) {
        t.annotation("ProfilerStep#" + std::to_string(i), 1000 * i, 1000, t.thread());
        t.op("aten::mm", 1000 * i + 10, 50, t.thread(), product(t));
        launch(t, "ampere_sgemm_64x64_nn", 1000 * i + 20, 1000 * i + 800, 600);
    }
    const StoredProfile stored(std::move(t));
    Session session = stored.open({.start = 1, .stop = 2});
    const ResultTable work = table_of(session, "summary", "work");
    EXPECT_EQ(cell(work, "mfu_at_least"), Cell(true));
    Session all = stored.open({.all = true});
    EXPECT_EQ(cell(table_of(all, "summary", "work"), "mfu_at_least"), Cell(false));
}

TEST(Work, WithoutProductsThereIsNoShareOfThePeak) {
    const StoredProfile stored = sum_on("NVIDIA A100-SXM4-80GB", 9000);
    Session session = stored.open({.all = true});
    const ResultTable work = table_of(session, "summary", "work");
    EXPECT_TRUE(is_empty(cell(work, "mfu_pct")));
    EXPECT_TRUE(is_empty(cell(work, "hfu_pct")));
    EXPECT_THAT(work.notes, Not(Contains(HasSubstr("MFU"))));
    // 12 MiB at 2,039 GB/s, in 9 us.
    EXPECT_NEAR(number(cell(work, "efficiency_pct")), 100 * (12 * 1048576 / 2.039e12) / 9e-6, 0.1);
}

// Sets of memory have a bound, of which nothing follows for kernels.
TEST(Work, WithoutKernelsThereIsNoEfficiencyOfKernels) {
    analyze::TestProfile t;
    t.gpu(0, "NVIDIA A100-SXM4-80GB", 8, 0);
    DeviceSpan set;
    set.begin = 2000;
    set.dur = 1000;
    set.track = t.stream();
    set.name = t.builder.text("Memset (Device)");
    set.kind = DeviceKind::kMemset;
    set.bytes = 1 << 20;
    t.builder.add_device(set);
    t.kernel("somebodys_kernel", 4000, 1000, t.stream(), 1);
    const StoredProfile stored(std::move(t));
    Session session = stored.open({.all = true});
    const ResultTable work = table_of(session, "summary", "work");
    EXPECT_GT(number(cell(work, "bounded_pct")), 0);
    EXPECT_TRUE(is_empty(cell(work, "efficiency_pct")));
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
