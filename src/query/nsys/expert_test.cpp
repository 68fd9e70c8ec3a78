#include "query/nsys/expert.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyze/analyze.h"
#include "analyze/test_profile.h"
#include "base/test_files.h"
#include "db/writer.h"

namespace opsight::query::nsys {
namespace {

using ::testing::ElementsAre;

constexpr int64_t kMs = 1'000'000;

class ExpertTest : public ::testing::Test {
  protected:
    void copy(const char* api, const char* name, int64_t begin, int64_t dur, int64_t bytes,
              DeviceKind kind = DeviceKind::kMemcpy) {
        made.api(api, begin, 1, made.thread(), ++correlation_);
        DeviceSpan span;
        span.begin = begin + 5;
        span.dur = dur;
        span.track = made.stream();
        span.kind = kind;
        span.correlation = correlation_;
        span.bytes = bytes;
        made.device(span, name);
    }
    // The rows of a rule.
    std::vector<std::vector<Cell>> rows(const char* request) {
        if (path_.empty()) {
            Profile profile = made.finish();
            const analyze::Analysis analysis = analyze::analyze(profile, {});
            path_ = folder.path() + "/a.opsight";
            EXPECT_TRUE(db::write_profile(path_, profile, analysis, {}));
        }
        auto source = Source::open(path_, {});
        EXPECT_TRUE(source) << source.error().message();
        const auto rule = parse_rule(request, {});
        EXPECT_TRUE(rule) << request;
        auto table = rule->rule->make(*source, rule->thresholds);
        EXPECT_TRUE(table) << table.error().message();
        for (const auto& row : table->rows)
            EXPECT_EQ(row.size(), table->columns.size());
        return table->rows;
    }
    // One column of it.
    std::vector<Cell> column(const char* request, size_t index) {
        std::vector<Cell> cells;
        for (const auto& row : rows(request))
            cells.push_back(row.at(index));
        return cells;
    }
    analyze::TestProfile made;
    ::opsight::testing::TempFolder folder;

  private:
    int64_t correlation_ = 0;
    std::string path_;
};

TEST_F(ExpertTest, CopiesThatBlock) {
    copy("cudaMemcpyAsync", "Memcpy HtoD (Pageable -> Device)", 0, 10, 100);
    copy("cudaMemcpyAsync", "Memcpy HtoD (Pinned -> Device)", 100, 20, 100);
    copy("cudaMemcpyAsync", "Memcpy DtoH (Device -> Pageable)", 200, 30, 100);
    copy("cudaMemcpy", "Memcpy HtoD (Pinned -> Device)", 300, 40, 65536);
    copy("cudaMemcpy", "Memcpy HtoD (Pinned -> Device)", 400, 50, 65537);
    copy("cudaMemcpy", "Memcpy DtoH (Device -> Pageable)", 500, 60, 4);
    EXPECT_THAT(column("cuda_memcpy_async", 0), ElementsAre(int64_t{30}, int64_t{10}));
    EXPECT_THAT(column("cuda_memcpy_async:rows=1", 0), ElementsAre(int64_t{30}));
    EXPECT_THAT(column("cuda_memcpy_sync", 0), ElementsAre(int64_t{60}, int64_t{50}));
    EXPECT_THAT(column("cuda_memcpy_sync:small=100", 0), ElementsAre(int64_t{60}, int64_t{50}, int64_t{40}));
    const auto row = rows("cuda_memcpy_sync")[0];
    EXPECT_EQ(row[2], Cell(std::string("Device")));
    EXPECT_EQ(row[3], Cell(std::string("Pageable")));
    EXPECT_EQ(row[10], Cell(std::string("cudaMemcpy")));
}

TEST_F(ExpertTest, SetsThatBlock) {
    copy("cudaMemset", "Memset (Device)", 0, 10, 8, DeviceKind::kMemset);
    copy("cudaMemset", "Memset (Managed)", 100, 20, 8, DeviceKind::kMemset);
    copy("cudaMemsetAsync", "Memset (Pinned)", 200, 30, 8, DeviceKind::kMemset);
    EXPECT_THAT(column("cuda_memset_sync", 0), ElementsAre(int64_t{20}));
    EXPECT_THAT(column("cuda_memset_sync", 2), ElementsAre(std::string("Managed")));
}

TEST_F(ExpertTest, CallsThatWait) {
    made.api("cudaDeviceSynchronize", 0, 5, made.thread());
    made.api("cudaEventSynchronize", 10, 50, made.thread());
    made.api("cudaStreamSynchronize", 100, 9, made.thread());
    EXPECT_THAT(column("cuda_api_sync", 0), ElementsAre(int64_t{9}, int64_t{5}));
}

TEST_F(ExpertTest, GapsLeaveTheProfilersOverheadOut) {
    made.thread();
    made.kernel("k", 0, 10 * kMs, made.stream());
    made.kernel("k", 5 * kMs, 2 * kMs, made.stream(8));
    made.kernel("k", 610 * kMs, 10 * kMs, made.stream());   // 600 ms after
    made.kernel("k", 1400 * kMs, 10 * kMs, made.stream());  // 780 ms after, of which 300 are overhead
    made.host(HostKind::kOverhead, "flush", 700 * kMs, 300 * kMs, made.thread());
    made.kernel("k", 1400 * kMs, kMs, made.stream(7, 1));  // another device, with no gap of its own
    EXPECT_THAT(column("gpu_gaps", 1), ElementsAre(600 * kMs));
    EXPECT_THAT(column("gpu_gaps:gap=50", 1), ElementsAre(600 * kMs, 400 * kMs, 80 * kMs));
    EXPECT_THAT(column("gpu_gaps:gap=50", 2), ElementsAre(10 * kMs, 1000 * kMs, 620 * kMs));
}

TEST_F(ExpertTest, WorkIsOfTheProcessThatARealThreadNames) {
    made.thread(0, 0);  // as PyTorch writes lines without a process
    made.thread(1, 100);
    made.kernel("k", 0, kMs, made.stream());
    made.kernel("k", 900 * kMs, kMs, made.stream());
    EXPECT_THAT(column("gpu_gaps", 3), ElementsAre(int64_t{100}));
}

TEST_F(ExpertTest, LowUseIsMergedFromChunks) {
    made.thread();
    made.kernel("k", 0, 100, made.stream());   // chunk 0: 100 %
    made.kernel("k", 190, 60, made.stream());  // chunk 1: 10 %, chunk 2: 50 %
    made.kernel("k", 300, 90, made.stream());  // chunk 3: 90 + 90 %
    made.kernel("k", 300, 90, made.stream(8));
    made.kernel("k", 499, 1, made.stream());  // chunk 4: 1 %
    EXPECT_THAT(
        rows("gpu_time_util:chunks=5"),
        ElementsAre(
            ElementsAre(int64_t{1}, 1.0, int64_t{100}, int64_t{400}, int64_t{100}, int64_t{0}, int64_t{1}),
            ElementsAre(int64_t{2}, 10.0, int64_t{100}, int64_t{100}, int64_t{100}, int64_t{0}, int64_t{1})));
    EXPECT_THAT(column("gpu_time_util:chunks=5:threshold=51", 1), ElementsAre(1.0, 30.0));
}

// Two steps, and two more a second later; between them nothing was recorded.
TEST_F(ExpertTest, PausesOfTheRecordingAreNoIdleTime) {
    for (const int64_t i : {0, 1, 20, 21}) {
        made.annotation("ProfilerStep#" + std::to_string(i), 100 * kMs * i, 100 * kMs, made.thread());
        made.kernel("k", 100 * kMs * i + 20 * kMs, 60 * kMs, made.stream());
    }
    EXPECT_THAT(column("gpu_gaps", 1), ElementsAre());
    // What was recorded of the device's idle time is told on both sides of the pause.
    EXPECT_THAT(column("gpu_gaps:gap=10", 1), ElementsAre(40 * kMs, 40 * kMs, 20 * kMs, 20 * kMs));
    EXPECT_THAT(column("gpu_gaps:gap=10", 2), ElementsAre(80 * kMs, 2080 * kMs, 180 * kMs, 2000 * kMs));
    EXPECT_THAT(column("gpu_time_util:chunks=1", 1), ElementsAre());
    // Chunks of 60 ms from 20 ms on: the second and third are one stretch, the fourth begins after the pause.
    EXPECT_THAT(
        rows("gpu_time_util:chunks=6:threshold=99"),
        ElementsAre(
            ElementsAre(int64_t{1}, 50.0, 120 * kMs, 80 * kMs, int64_t{100}, int64_t{0}, int64_t{1}),
            ElementsAre(int64_t{2}, 50.0, 120 * kMs, 2000 * kMs, int64_t{100}, int64_t{0}, int64_t{1})));
}

// A chunk of both sides of a pause is not of one use: what is busy before it is not little used.
TEST_F(ExpertTest, UseIsJudgedOnEachSideOfAPause) {
    for (const int64_t i : {0, 1, 20, 21}) {
        made.annotation("ProfilerStep#" + std::to_string(i), 100 * kMs * i, 100 * kMs, made.thread());
        made.kernel("k", 100 * kMs * i, (i < 2 ? 100 : 5) * kMs, made.stream());
    }
    EXPECT_THAT(column("gpu_time_util:chunks=1", 3), ElementsAre(2000 * kMs));
}

TEST(ExpertRules, AreParsedWithTheirThresholds) {
    EXPECT_EQ(parse_rule("gpu_gaps:gap=7", {})->thresholds.gap_ms, 7);
    for (const char* wrong : {"gpu_gaps:chunks=3", "gpu_gaps:gap=", "gpu_gaps:gap=x",
                              "gpu_time_util:chunks=1001", "gpu_gaps:rows=0", "dx12_mem_ops"})
        EXPECT_FALSE(parse_rule(wrong, {})) << wrong;
    EXPECT_EQ(rules().entries().size(), 6U);
}

TEST_F(ExpertTest, AGraphRecordedAsAWholeIsNoGap) {
    copy("cudaMemcpyAsync", "Memcpy HtoD (Pinned -> Device)", 0, kMs, 100);
    made.kernel("CUDA Graph 1", kMs, 999 * kMs, made.stream(), 50, DeviceKind::kGraph);
    copy("cudaMemcpyAsync", "Memcpy HtoD (Pinned -> Device)", 1000 * kMs, kMs, 100);
    EXPECT_TRUE(rows("gpu_gaps").empty());
    EXPECT_TRUE(rows("gpu_time_util").empty());
}

}  // namespace
}  // namespace opsight::query::nsys
