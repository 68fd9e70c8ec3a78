// The first rows of a finding's evidence show what the finding speaks of, and nothing else.
#include "advise/test_rules.h"

namespace opsight::advise {
namespace {

Advice shown(Recorded&& run, const char* rule) {
    Options options;
    options.rows = 10;
    return run.ask(rule, options);
}

// The cells of a column.
std::vector<query::Cell> column(const Finding& finding, const std::string& key) {
    const auto& columns = finding.rows.table.columns;
    for (size_t i = 0; i < columns.size(); ++i) {
        if (columns[i].key != key) continue;
        std::vector<query::Cell> cells;
        for (const auto& row : finding.rows.table.rows)
            cells.push_back(row[i]);
        return cells;
    }
    ADD_FAILURE() << "no column " << key << " of " << finding.query;
    return {};
}

TEST(EvidenceRows, AreAsManyAsWereAskedFor) {
    for (const int others : {3, 20}) {
        Recorded r;
        r.kernel_ns = kMs;
        r.begin();
        r.calls("cudaHostAlloc", 3 * kMs);
        for (int i = 0; i < others; ++i)
            r.calls("cudaCall" + std::to_string(i), kUs);
        const Advice found = shown(std::move(r), "host_bound");
        ASSERT_FALSE(found.findings.empty());
        EXPECT_EQ(found.findings[0].rows.table.rows.size(), others == 3 ? 5u : 10u) << "and the launches";
        EXPECT_EQ(found.findings[0].rows.more, others > 3);
    }
}

TEST(EvidenceRows, OfIdleDevicesAreThoseThatDidNothing) {
    Recorded r;
    r.begin();
    for (const int64_t number : {0, 1})
        r.t.gpu(number, "NVIDIA A100-SXM4-40GB", 8, 0).declared = true;
    const Advice found = shown(std::move(r), "idle_devices");
    ASSERT_EQ(found.findings.size(), 1u);
    EXPECT_EQ(column(found.findings[0], "device"), (std::vector<query::Cell>{int64_t{1}}));
}

// One that only copies works, too.
TEST(EvidenceRows, OfIdleDevicesAreNotThoseThatCopy) {
    Recorded copying;
    for (const int64_t number : {0, 1})
        copying.t.gpu(number, "NVIDIA A100-SXM4-40GB", 8, 0).declared = true;
    for (int64_t i = 0; i < copying.steps; ++i)
        copying.t.annotation("ProfilerStep#" + std::to_string(i), Recorded::at(i), 10 * kMs,
                             copying.t.thread());
    copying.copies(2, 1 << 20, "Memcpy HtoD (Pinned -> Device)");
    const Advice found = shown(std::move(copying), "idle_devices");
    ASSERT_EQ(found.findings.size(), 1u);
    EXPECT_EQ(column(found.findings[0], "device"), (std::vector<query::Cell>{int64_t{1}}));
}

// A product whose sizes all fit is no evidence of those that do not.
TEST(EvidenceRows, OfMisalignedSizesAreThoseProductsAlone) {
    Recorded r;
    r.kernel_ns = 5 * kMs;
    r.begin();
    const char* half = "[\"c10::Half\", \"c10::Half\"]";
    r.op("aten::bmm", 20 * kUs, kMs, "ampere_h16816gemm", r.detail("[[96, 64, 64], [96, 64, 3137]]", half));
    for (int64_t i = 0; i < r.steps; ++i) {
        r.t.op("aten::mm", Recorded::at(i) + 400 * kUs, 20 * kUs, r.t.thread(),
               r.detail("[[64, 768], [768, 2304]]", half));
        r.launched("ampere_h16816gemm", Recorded::at(i) + 401 * kUs, Recorded::at(i) + 8 * kMs, kMs);
    }
    const Advice found = shown(std::move(r), "misaligned_sizes");
    ASSERT_EQ(found.findings.size(), 1u);
    EXPECT_EQ(column(found.findings[0], "op_name"), (std::vector<query::Cell>{std::string("aten::bmm")}));
}

// Each step of 10 ms: an op of 1 ms at 200 us, then nothing until its end.
TEST(EvidenceRows, GapsReachToTheEndOfAStepAndNameTheOpenFunction) {
    for (const bool python : {false, true}) {
        Recorded r;
        r.device = false;
        r.begin();
        r.op("aten::mm", kMs, 0);
        for (int64_t i = 0; python && i < r.steps; ++i) {
            const TrackId own = r.t.thread(), other = r.t.thread(2);
            r.t.host(HostKind::kPythonFrame, "train.py(1): main", Recorded::at(i), 10 * kMs, own);
            r.t.host(HostKind::kPythonFrame, "log.py(3): write", Recorded::at(i) + 2 * kMs, 7 * kMs, own);
            for (int64_t depth = 0; depth < 3; ++depth)
                r.t.host(HostKind::kPythonFrame, "monitor.py(9): run", Recorded::at(i) + depth,
                         10 * kMs - 2 * depth, other);
        }
        const Advice found = shown(std::move(r), "beside_ops");
        const Finding* finding = find(found.findings, "program");
        ASSERT_TRUE(finding);
        EXPECT_EQ(column(*finding, "ms").at(0), query::Cell(8.8)) << "from 1.2 to 10 ms";
        if (python) {
            EXPECT_EQ(column(*finding, "open_function").at(0), query::Cell("log.py(3): write"));
        }
    }
}

// Where the device waits for the host, calls in which the host waits for the device are not why.
TEST(EvidenceRows, CallsThatWaitStandLast) {
    Recorded r;
    r.kernel_ns = kMs;
    r.begin();
    r.calls("cudaHostAlloc", 3 * kMs);
    r.calls("cudaDeviceSynchronize", 5 * kMs);
    const Advice found = shown(std::move(r), "host_bound");
    ASSERT_FALSE(found.findings.empty());
    EXPECT_EQ(column(found.findings[0], "name").at(0), query::Cell("cudaHostAlloc"));
    EXPECT_EQ(column(found.findings[0], "name").back(), query::Cell("cudaDeviceSynchronize"));
}

TEST(EvidenceRows, AReadThatCallsAnotherOpIsOneRead) {
    Recorded r;
    r.begin();
    r.op("aten::item", 900 * kUs, 0);
    for (int64_t i = 0; i < r.steps; ++i)
        r.t.op("aten::_local_scalar_dense", Recorded::at(i) + 300 * kUs, 700 * kUs);
    const Advice found = shown(std::move(r), "scalar_reads");
    ASSERT_EQ(found.findings.size(), 1u);
    EXPECT_TRUE(found.findings[0].evidence.starts_with("1 op such as ")) << found.findings[0].evidence;
}

TEST(EvidenceRows, CallsOfPythonAreThoseOfTheRange) {
    Recorded r;
    r.device = false;
    r.begin();
    r.op("aten::mm", kMs, 0);
    const int64_t end = Recorded::at(r.steps);
    for (int64_t k = 0; k < 30'000; ++k)
        r.t.host(HostKind::kPythonFrame, "train.py(3): step", k * 6 * kUs, 5 * kUs, r.t.thread());
    r.t.host(HostKind::kPythonFrame, "save.py(1): save", end + kMs, kMs, r.t.thread());
    const Advice found = shown(std::move(r), "recording_overhead");
    ASSERT_EQ(found.findings.size(), 1u);
    EXPECT_EQ(column(found.findings[0], "python_calls").at(0), query::Cell(int64_t{30'000}));
    EXPECT_NE(found.findings[0].evidence.find("30000 Python calls"), std::string::npos)
        << found.findings[0].evidence;
}

TEST(EvidenceRows, RecordingTakesNoMoreThanAllOfTheTime) {
    Recorded r;
    r.device = false;
    r.begin();
    for (int64_t k = 0; k < 250'000; ++k)
        r.t.op("aten::mm", 800 * k, 500);
    const Advice found = shown(std::move(r), "recording_overhead");
    ASSERT_EQ(found.findings.size(), 1u);
    EXPECT_EQ(found.findings[0].title, "Recording itself may take most of the time");
}

}  // namespace
}  // namespace opsight::advise
