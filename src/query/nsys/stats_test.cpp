#include "query/nsys/stats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyze/analyze.h"
#include "analyze/test_profile.h"
#include "base/test_files.h"
#include "db/writer.h"

namespace opsight::query::nsys {
namespace {

using ::testing::ElementsAre;
using Row = std::vector<Cell>;

std::string text(const char* value) {
    return value;
}

class StatsTest : public ::testing::Test {
  protected:
    void range(const char* name, const char* domain, NvtxType type, int64_t begin, int64_t end,
               int64_t end_thread = 1) {
        ProfileBuilder& b = made.builder;
        made.annotation(name, begin, end - begin, made.thread());
        NvtxRange nvtx;
        nvtx.track = made.thread();
        if (end_thread != 1) nvtx.end_track = made.thread(end_thread);
        nvtx.text = b.text(name);
        NvtxAttributes attributes;
        attributes.type = type;
        attributes.domain_name = b.text(domain);
        nvtx.attributes = b.nvtx_attributes(attributes);
        b.extend_nvtx(nvtx);
    }
    void work(const char* name, int64_t api_begin, int64_t api_end, int64_t begin, int64_t end,
              DeviceKind kind = DeviceKind::kKernel, int64_t bytes = -1) {
        made.api(kind == DeviceKind::kKernel ? "cudaLaunchKernel" : "cudaMemcpyAsync", api_begin,
                 api_end - api_begin, made.thread(), ++correlation_);
        DeviceSpan span;
        span.begin = begin;
        span.dur = end - begin;
        span.track = made.stream();
        span.kind = kind;
        span.correlation = correlation_;
        span.bytes = bytes;
        made.device(span, name);
    }
    Source source(const Filter& filter = {}) {
        const Profile profile = made.finish();
        const analyze::Analysis analysis = analyze::analyze(const_cast<Profile&>(profile), {});
        const std::string path = folder.path() + "/a.opsight";
        const Status written = db::write_profile(path, profile, analysis, {});
        EXPECT_TRUE(written) << written.error().message();
        auto opened = Source::open(path, filter);
        EXPECT_TRUE(opened) << opened.error().message();
        return std::move(*opened);
    }
    static ResultTable make(Source& source, std::string_view request) {
        const auto parsed = parse_request(request);
        EXPECT_TRUE(parsed);
        auto table = parsed->report->make(source, parsed->arguments);
        EXPECT_TRUE(table) << table.error().message();
        for (const Row& row : table->rows)
            EXPECT_EQ(row.size(), table->columns.size()) << request;
        return table ? std::move(*table) : ResultTable{};
    }
    // A holds B; S begins in A and ends after it; X ends on another thread. The second launch crosses the end
    // of B.
    void fill() {
        range("A", "", NvtxType::kPushPop, 0, 100);
        range("B", "D", NvtxType::kPushPop, 10, 60);
        range("S", "", NvtxType::kStartEnd, 20, 200);
        range("X", "", NvtxType::kStartEnd, 0, 500, 2);
        work("k1(int)", 12, 15, 30, 50);
        work("k2(int)", 58, 64, 70, 110);
        work("Memcpy HtoD (Pageable -> Device)", 70, 72, 300, 310, DeviceKind::kMemcpy, 4000000);
        work("k1(int)", 150, 152, 400, 405);
    }
    analyze::TestProfile made;
    ::opsight::testing::TempFolder folder;

  private:
    int64_t correlation_ = 0;
};

TEST_F(StatsTest, SummariesHaveTheNumbersOfNsys) {
    fill();
    Source s = source();
    EXPECT_THAT(make(s, "cuda_gpu_kern_sum").rows,
                ElementsAre(Row{100.0 * 40 / 65, int64_t{40}, int64_t{1}, 40.0, 40.0, int64_t{40},
                                int64_t{40}, 0.0, text("k2(int)")},
                            Row{100.0 * 25 / 65, int64_t{25}, int64_t{2}, 12.5, 12.5, int64_t{5}, int64_t{20},
                                std::sqrt(112.5), text("k1(int)")}));
    EXPECT_EQ(make(s, "gpukernsum:base").rows[0].back(), Cell(text("k2")));
    EXPECT_THAT(make(s, "cuda_gpu_mem_size_sum").rows,
                ElementsAre(Row{int64_t{4000000}, int64_t{1}, 4e6, 4e6, int64_t{4000000}, int64_t{4000000},
                                0.0, text("[CUDA memcpy Host-to-Device]")}));
    EXPECT_THAT(make(s, "nvtx_sum").rows[0],
                ElementsAre(100.0 * 500 / 830, int64_t{500}, int64_t{1}, 500.0, 500.0, int64_t{500},
                            int64_t{500}, 0.0, text("StartEnd"), text(":X")));
    EXPECT_EQ(make(s, "nvtx_pushpop_sum").rows.size(), 2U);
    EXPECT_EQ(make(s, "nvtx_startend_sum").rows.size(), 2U);
    const ResultTable gpu = make(s, "cuda_gpu_trace");
    ASSERT_EQ(gpu.rows.size(), 4U);
    EXPECT_EQ(gpu.rows[2][14], Cell(text("Pageable")));
    EXPECT_EQ(gpu.rows[2][15], Cell(text("Device")));
    EXPECT_EQ(gpu.rows[2][13], Cell(4000000 * 1e9 / 10));
}

TEST_F(StatsTest, KernelExecutionHasQueueTimeOnlyWhereItWaited) {
    made.api("cudaLaunchKernel", 0, 10, made.thread(), 1);
    made.kernel("k", 5, 20, made.stream(), 1);  // begins before the call returns
    made.api("cudaLaunchKernel", 100, 10, made.thread(), 2);
    made.kernel("k", 130, 20, made.stream(), 2);
    Source s = source();
    const ResultTable sums = make(s, "cuda_kern_exec_sum");
    ASSERT_EQ(sums.rows.size(), 1U);
    EXPECT_EQ(sums.rows[0][3], Cell(int64_t{2}));
    EXPECT_EQ(sums.rows[0][4], Cell(int64_t{1}));
    EXPECT_EQ(sums.rows[0][5], Cell(37.5));   // (25 + 50) / 2
    EXPECT_EQ(sums.rows[0][15], Cell(20.0));  // 110 to 130
    const ResultTable trace = make(s, "cuda_kern_exec_trace");
    EXPECT_EQ(trace.rows[0][2], Cell());
    EXPECT_EQ(trace.rows[1][3], Cell(int64_t{20}));
}

TEST_F(StatsTest, LaunchesWithTheLongestMeanStandFirst) {
    for (int i = 0; i < 5; ++i) {
        made.api("cudaLaunchKernel", 1000 * i, 10, made.thread(), i);
        made.kernel("often", 1000 * i + 20, 100, made.stream(), i);
    }
    made.api("cudaLaunchKernel", 9000, 10, made.thread(), 9);
    made.kernel("long", 9020, 300, made.stream(), 9);
    Source s = source();
    const ResultTable sums = make(s, "cuda_kern_exec_sum");
    ASSERT_EQ(sums.rows.size(), 2U);
    EXPECT_EQ(sums.rows[0].back(), Cell(std::string("long")));
}

TEST_F(StatsTest, ProjectsRangesOntoTheDevice) {
    fill();
    Source s = source();
    EXPECT_THAT(make(s, "nvtx_gpu_proj_sum").rows,
                ElementsAre(Row{text(":S"), text("StartEnd"), int64_t{335}, int64_t{180}, int64_t{1}, 335.0,
                                335.0, int64_t{335}, int64_t{335}, 0.0, int64_t{3}, 3.0, 0.0, 0.0},
                            Row{text(":A"), text("PushPop"), int64_t{280}, int64_t{100}, int64_t{1}, 280.0,
                                280.0, int64_t{280}, int64_t{280}, 0.0, int64_t{3}, 3.0, 0.0, 1.0},
                            Row{text("D:B"), text("PushPop"), int64_t{20}, int64_t{50}, int64_t{1}, 20.0,
                                20.0, int64_t{20}, int64_t{20}, 0.0, int64_t{1}, 1.0, 1.0, 0.0}));
    const ResultTable trace = make(s, "nvtx_gpu_proj_trace");
    EXPECT_EQ(trace.rows.size(), 3U);
    const ResultTable kernels = make(s, "nvtx_kern_sum");
    std::vector<std::string> rows;
    for (const Row& row : kernels.rows)
        rows.push_back(std::get<std::string>(row[0]) + " " + std::get<std::string>(row[12]) + " " +
                       std::to_string(std::get<int64_t>(row[6])));
    EXPECT_THAT(rows, ElementsAre(":A k2(int) 40", ":S k2(int) 40", ":A k1(int) 20", "D:B k1(int) 20",
                                  ":S k1(int) 5"));
}

TEST_F(StatsTest, CountsAKernelInEveryRangeOfOneName) {
    range("A", "", NvtxType::kPushPop, 0, 100);
    range("A", "", NvtxType::kPushPop, 10, 90);
    work("k", 20, 21, 30, 40);
    Source s = source();
    const ResultTable kernels = make(s, "nvtx_kern_sum");
    ASSERT_EQ(kernels.rows.size(), 1U);
    EXPECT_EQ(kernels.rows[0][4], Cell(int64_t{2}));
    EXPECT_EQ(kernels.rows[0][5], Cell(int64_t{2}));
    EXPECT_EQ(kernels.rows[0][6], Cell(int64_t{20}));
}

TEST_F(StatsTest, TracesTheStackOfRanges) {
    fill();
    Source s = source();
    const ResultTable trace = make(s, "nvtx_pushpop_trace");
    ASSERT_EQ(trace.rows.size(), 2U);
    const Row& outer = trace.rows[0];
    const Row& inner = trace.rows[1];
    EXPECT_EQ(outer[3], Cell(int64_t{50}));
    EXPECT_EQ(outer[4], Cell(int64_t{50}));
    EXPECT_EQ(inner[11], outer[10]);
    EXPECT_EQ(inner[13], Cell(text("--D:B")));
    EXPECT_EQ(inner[12], Cell(":" + std::to_string(std::get<int64_t>(outer[10])) + ":" +
                              std::to_string(std::get<int64_t>(inner[10]))));
}

TEST_F(StatsTest, NamesKernelsByTheInnermostRange) {
    fill();
    Source s = source();
    std::vector<Cell> names;
    for (const Row& row : make(s, "cuda_gpu_trace:nvtx-name:base").rows)
        names.push_back(row.back());
    EXPECT_THAT(names, ElementsAre(text("D:B/k1"), text(":S/k2"), text("[CUDA memcpy Host-to-Device]"),
                                   text(":S/k1")));
}

TEST_F(StatsTest, FiltersByTimeAndByRange) {
    fill();
    Filter filter;
    filter.begin = 60;
    filter.end = 120;
    Source s = source(filter);
    EXPECT_EQ(make(s, "cuda_gpu_kern_sum").rows.size(), 1U);
    EXPECT_EQ(make(s, "cuda_api_sum").rows[0][2], Cell(int64_t{1}));
    Filter by_range;
    by_range.nvtx = "B@D";
    auto other = Source::open(s.path(), by_range);
    ASSERT_TRUE(other);
    EXPECT_THAT(make(*other, "cuda_gpu_kern_sum").rows, ::testing::SizeIs(1));
    by_range.nvtx = "B";
    EXPECT_FALSE(Source::open(s.path(), by_range));
}

TEST_F(StatsTest, SaysWhatIsMissing) {
    made.annotation("step", 0, 10, made.thread());
    Source s = source();
    const auto missing = [&s](const char* name) { return *missing_data(s, *parse_request(name)->report); };
    EXPECT_EQ(missing("cuda_gpu_kern_sum"), "CUDA kernel data");
    EXPECT_EQ(missing("cuda_gpu_trace"), "CUDA trace data");
    EXPECT_EQ(missing("cuda_gpu_mem_time_sum"), "GPU memory data");
    EXPECT_EQ(missing("nvtx_kern_sum"), "CUDA kernel data");
    EXPECT_EQ(missing("osrt_sum"), "OS Runtime trace data");
    EXPECT_EQ(missing("syscall_sum"), "syscall data");
    EXPECT_EQ(missing("um_sum"), "CUDA Unified Memory CPU page faults data");
    EXPECT_EQ(missing("nvtx_sum"), "");
}

TEST(StatsRequest, KnowsOldNamesAndRefusesWhatAReportDoesNotTake) {
    EXPECT_EQ(parse_request("nvtxkernsum:base")->text, "nvtx_kern_sum:base");
    EXPECT_EQ(parse_request("um_sum:rows=3")->arguments.rows, 3);
    EXPECT_FALSE(parse_request("cuda_api_sum:base"));
    EXPECT_FALSE(parse_request("um_sum:rows=0"));
    EXPECT_FALSE(parse_request("cuda_gpu_kern"));
    for (const std::string_view name : default_reports())
        EXPECT_TRUE(parse_request(name)) << name;
}

}  // namespace
}  // namespace opsight::query::nsys
