// Reports on what only some sources record.
#include "query/reports/source_reports.h"

#include <gmock/gmock.h>

#include "model/source_limits.h"
#include "query/reports/info.h"
#include "query/reports/test_reports.h"

namespace opsight::query {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class SourceReports : public ::testing::Test {
  protected:
    void copy(CopyKind kind, MemoryKind from, MemoryKind to, int64_t begin, int64_t dur, int64_t bytes,
              int64_t cause = -1) {
        Transfer transfer;
        transfer.copy = kind;
        transfer.from = from;
        transfer.to = to;
        transfer.migration_cause = cause;
        DeviceSpan span;
        span.begin = begin;
        span.dur = dur;
        span.track = made.stream();
        span.kind = DeviceKind::kMemcpy;
        span.bytes = bytes;
        span.transfer = made.builder.transfer(transfer);
        made.device(span, "copy");
    }
    void call(HostKind kind, const char* name, int64_t begin, int64_t dur, const char* library = "") {
        const HostSpan span{begin, dur, made.thread(), made.builder.text(name), kind, 0};
        made.builder.add_host(span, *library ? made.builder.text(library).value : StringId::kNone);
    }
    Session open(const RangeOptions& range = {}) {
        if (!stored) stored.emplace(std::move(made));
        return stored->open(range);
    }
    analyze::TestProfile made;
    std::optional<StoredProfile> stored;
};

TEST_F(SourceReports, CopiesByKindOfMemoryWithTheirRate) {
    copy(CopyKind::kHostToDevice, MemoryKind::kPageable, MemoryKind::kDevice, 0, 100, 1000);
    copy(CopyKind::kHostToDevice, MemoryKind::kPageable, MemoryKind::kDevice, 200, 300, 1000);
    copy(CopyKind::kHostToDevice, MemoryKind::kPinned, MemoryKind::kDevice, 600, 10, 1000);
    copy(CopyKind::kHostToDevice, MemoryKind::kPinned, MemoryKind::kDevice, 700, 10, -1);
    Session session = open();
    const ResultTable table = table_of(session, "copies");
    ASSERT_EQ(table.rows.size(), 2U);
    EXPECT_EQ(number(cell(table, "bytes_per_s", "from_memory", "Pageable")), 2000 / 400e-9);
    EXPECT_EQ(number(cell(table, "count", "from_memory", "Pinned")), 2);
    EXPECT_EQ(number(cell(table, "bytes", "from_memory", "Pinned")), 1000) << "as far as told";
    EXPECT_EQ(number(cell(table, "bytes_per_s", "from_memory", "Pinned")), 1000 / 10e-9);
    const auto rates = session.query("SELECT bytes_per_s FROM memcpys ORDER BY begin_ns");
    ASSERT_TRUE(rates);
    EXPECT_EQ(rates->rows.at(2).at(0), Cell(1000 / 10e-9));
    EXPECT_EQ(rates->rows.at(3).at(0), Cell()) << "its size is not told";
}

// As in an export whose sets of 4 GB take 1.1 us.
TEST_F(SourceReports, RatesLeaveOutTimesInWhichTheBytesCannotMove) {
    made.gpu(0, "NVIDIA A100-SXM4-80GB", 8, 0);
    copy(CopyKind::kDeviceToDevice, MemoryKind::kDevice, MemoryKind::kDevice, 0, 1000, 1'000'000);
    copy(CopyKind::kDeviceToDevice, MemoryKind::kDevice, MemoryKind::kDevice, 2000, 1000, 4'000'000'000);
    copy(CopyKind::kDeviceToDevice, MemoryKind::kDevice, MemoryKind::kPinned, 4000, 1000, 4'000'000'000);
    Session session = open();
    const ResultTable table = table_of(session, "copies");
    ASSERT_EQ(table.rows.size(), 2U);
    EXPECT_EQ(number(cell(table, "bytes", "to_memory", "Device")), 4'001'000'000) << "as told";
    EXPECT_EQ(number(cell(table, "bytes_per_s", "to_memory", "Device")), 1'000'000 / 1000e-9);
    EXPECT_EQ(cell(table, "remarks", "to_memory", "Device"),
              Cell(std::string("1 of 2 faster than any cache: left out of bytes/s")));
    EXPECT_EQ(cell(table, "bytes_per_s", "to_memory", "Pinned"), Cell());
    const auto report = copy_report(session, {});
    ASSERT_TRUE(report);
    EXPECT_THAT(report->notes, Contains(HasSubstr("faster than any cache")));
    EXPECT_EQ(cell(table, "remarks", "to_memory", "Pinned"),
              Cell(std::string("1 of 1 faster than any cache: left out of bytes/s")));
}

// Counters of kernels, or samples: moments in the order of the source.
TEST_F(SourceReports, WhatHasNoTimesHasNoDuration) {
    made.host(HostKind::kOther, "moment", 3, 0, made.thread());
    made.host(HostKind::kOther, "moment", 7, 0, made.thread());
    set_durations_only(made.builder.info());
    set_moments_only(made.builder.info());
    Session session = open();
    EXPECT_THAT(session.range().notes, Contains(HasSubstr("the source has no times")));
    EXPECT_THAT(session.range().notes, Not(Contains(HasSubstr("how long work took"))));
    const auto info = profile_info(session);
    ASSERT_TRUE(info);
    EXPECT_EQ(info->begin_ns, info->end_ns);
}

TEST_F(SourceReports, ApiCallsAlsoWhereOpsAre) {
    made.op("aten::mm", 0, 100);
    made.api("cudaMalloc", 10, 20, made.thread());
    made.builder.add_api({40, 30, made.thread(), made.builder.text("cudaMalloc"), HostKind::kRuntimeApi, 0},
                         -1, 2);
    made.api("cudaFree", 80, 5, made.thread());
    Session session = open();
    const ResultTable table = table_of(session, "api");
    EXPECT_EQ(number(cell(table, "total_time_ns", "function", "cudaMalloc")), 50);
    EXPECT_EQ(number(cell(table, "failed", "function", "cudaMalloc")), 1);
    EXPECT_TRUE(is_empty(cell(table, "failed", "function", "cudaFree"))) << "not told";
}

TEST_F(SourceReports, CallsOfTheSystemLibrariesAndMessagesInTheChosenRange) {
    for (int i = 0; i < 3; ++i) {
        made.annotation("ProfilerStep#" + std::to_string(i), 100 * i, 100, made.thread());
        call(HostKind::kOsRuntime, "read", 100 * i + 10, 10 + i);
    }
    call(HostKind::kLibrary, "cudnnConvolutionForward", 130, 7, "cuDNN");
    call(HostKind::kMessagePassing, "MPI_Send", 150, 20, "MPI");
    Message message;
    message.rank = 3;
    message.bytes = 4096;
    made.builder.extend_message(message);
    Session session = open();
    EXPECT_EQ(number(cell(table_of(session, "os_runtime"), "calls", "function", "read")), 3);
    EXPECT_EQ(cell(table_of(session, "libraries"), "library"), Cell(std::string("cuDNN")));
    EXPECT_EQ(number(cell(table_of(session, "messages"), "own_rank", "function", "MPI_Send")), 3);
    EXPECT_EQ(number(cell(table_of(session, "messages"), "bytes", "function", "MPI_Send")), 4096);
    EXPECT_EQ(number(cell(profile_info(session)->counts, "messages")), 1);
    Session second = open({.start = 1, .stop = 1});
    EXPECT_EQ(number(cell(table_of(second, "os_runtime"), "total_time_ns", "function", "read")), 11);
    Session first = open({.start = 0, .stop = 0});
    EXPECT_TRUE(table_of(first, "messages").rows.empty());
}

TEST_F(SourceReports, UnifiedMemoryFilesCountersAndSamples) {
    copy(CopyKind::kUnifiedHostToDevice, MemoryKind::kManaged, MemoryKind::kManaged, 0, 100, 4096, 2);
    const RankId rank = made.builder.begin_rank(Rank{.number = 1});
    PageFault fault;
    fault.track = made.builder.other_track(rank, "5", "page faults");
    fault.device = made.builder.device(rank, 0);
    fault.count = 8;
    fault.access = made.builder.text("Write");
    made.builder.add_page_fault(fault);
    call(HostKind::kFileIo, "read /data/a", 10, 50);
    Message size;
    size.bytes = 500;
    made.builder.extend_message(size);
    const TrackId gpu = made.builder.other_track(rank, "GPU 0", "metrics");
    made.builder.track(gpu).device = made.builder.device(rank, 0);
    for (const int value : {10, 30})
        made.builder.add_counter(value, gpu, made.builder.text("SM Active"), value);
    for (const char* stack : {"f\ng\nmain", "f\nmain", "g\nmain", "g\ng\nmain"})
        made.builder.add_sample(20, made.thread(), 1, made.builder.text(stack));
    Session session = open();
    EXPECT_EQ(cell(table_of(session, "unified_memory"), "cause"), Cell(std::string("Page fault")));
    EXPECT_EQ(number(cell(table_of(session, "unified_memory", "page_faults"), "faults", "side", "GPU")), 8);
    EXPECT_EQ(number(cell(table_of(session, "file_access"), "bytes_per_s", "access", "read /data/a")), 1e10);
    EXPECT_EQ(number(cell(table_of(session, "counters"), "avg", "subject", "GPU 0")), 20);
    EXPECT_EQ(number(cell(table_of(session, "counters"), "device", "counter", "SM Active")), 0);
    const ResultTable samples = table_of(session, "cpu_samples");
    EXPECT_EQ(number(cell(samples, "self_samples", "function", "g")), 2);
    EXPECT_EQ(number(cell(samples, "samples", "function", "g")), 3);
    EXPECT_EQ(number(cell(samples, "share_pct", "function", "main")), 100);
}

TEST_F(SourceReports, ThreadsOnCpusHaveTheirShareOfTheTime) {
    const auto stretch = [this](int64_t tid, const char* cpu, int64_t begin, int64_t dur) {
        const TrackId track =
            made.builder.other_track(RankId(size_t{0}), "5", "CPU of thread " + std::to_string(tid));
        made.builder.add_host({begin, dur, track, made.builder.text(cpu), HostKind::kOther, 0},
                              made.builder.text("cpu_scheduling").value);
    };
    made.op("aten::mm", 0, 400);
    stretch(7, "CPU 1", 0, 100);
    stretch(7, "CPU 2", 150, 150);
    stretch(8, "CPU 1", 200, 200);
    Session session = open();
    const ResultTable table = table_of(session, "scheduling");
    EXPECT_EQ(number(cell(table, "on_cpu_ns", "thread", "7")), 250);
    EXPECT_EQ(number(cell(table, "on_cpu_pct", "thread", "7")), 62.5);
    EXPECT_EQ(number(cell(table, "cpus", "thread", "7")), 2);
    EXPECT_EQ(number(cell(table, "stretches", "thread", "8")), 1);
    EXPECT_EQ(number(cell(table, "on_cpu_pct", "thread", "8")), 50);
}

// A stretch that two iterations share, of which one is not chosen, is one, and counts with what lies in the
// range.
TEST_F(SourceReports, StretchesOnACpuAreNotCutByIterations) {
    const TrackId track = made.builder.other_track(RankId(size_t{0}), "5", "CPU of thread 7");
    for (int64_t i = 0; i < 4; ++i) {
        made.annotation("ProfilerStep#" + std::to_string(i), 100 * i, 100, made.thread());
        made.op("aten::mm", 100 * i, 50);
    }
    for (const auto& [begin, dur] : {std::pair<int64_t, int64_t>(50, 200), {300, 60}})
        made.builder.add_host({begin, dur, track, made.builder.text("CPU 1"), HostKind::kOther, 0},
                              made.builder.text("cpu_scheduling").value);
    stored.emplace(std::move(made));
    Session session = stored->open({.start = 1, .stop = 3});
    const ResultTable table = table_of(session, "scheduling");
    EXPECT_EQ(number(cell(table, "stretches", "thread", "7")), 2);
    EXPECT_EQ(number(cell(table, "on_cpu_ns", "thread", "7")), 150 + 60);
    EXPECT_EQ(number(cell(table, "max_ns", "thread", "7")), 150);
    EXPECT_EQ(number(cell(table, "on_cpu_pct", "thread", "7")), 70);
}

TEST_F(SourceReports, SayWhatWasNotRecorded) {
    made.op("aten::mm", 0, 100);
    Session session = open();
    for (const char* name : {"api", "copies", "unified_memory", "os_runtime", "file_access", "libraries",
                             "messages", "counters", "cpu_samples", "scheduling"}) {
        const auto report = make_report(session, name, {});
        ASSERT_TRUE(report.has_value()) << name << ": " << report.error().message();
        EXPECT_TRUE(report->sections[0].table.rows.empty()) << name;
        EXPECT_THAT(report->notes, Contains(HasSubstr("were recorded"))) << name;
        EXPECT_FALSE(is_recorded(session, name).value()) << name;
    }
    EXPECT_TRUE(is_recorded(session, "detailed").value());
}

TEST_F(SourceReports, MpiAsRangesIsNotSaidToBeMissing) {
    made.op("aten::mm", 0, 100);
    NvtxAttributes attributes;
    attributes.domain_name = made.builder.text("MPI");
    made.annotation("MPI_Send", 10, 20, made.thread());
    made.builder.extend_nvtx({.attributes = made.builder.nvtx_attributes(attributes)});
    Session session = open();
    const auto report = make_report(session, "messages", {});
    ASSERT_TRUE(report.has_value());
    EXPECT_THAT(report->notes, Contains(HasSubstr("as 1 NVTX ranges of the domain MPI")));
    EXPECT_FALSE(is_recorded(session, "messages").value());
}

// A summary of nvprof.
TEST_F(SourceReports, SumsOfCallsAreNotSaidToBeMissing) {
    made.kernel("k", 0, 50, made.stream());
    const TrackId track = made.builder.other_track(RankId(size_t{0}), "cudaMalloc", "API calls");
    made.builder.add_counter(0, track, made.builder.text("calls"), 2);
    made.builder.other_track(RankId(size_t{0}), "cudaFree", "API calls");
    Session session = open();
    const auto report = make_report(session, "api", {});
    ASSERT_TRUE(report.has_value());
    EXPECT_THAT(report->notes, Contains(HasSubstr("the calls of 2 functions and no single call")));
    EXPECT_THAT(report->notes, Not(Contains(HasSubstr("were recorded"))));
}

TEST_F(SourceReports, MpiOnTheHostIsNoCommunicationOfDevices) {
    made.kernel("k", 0, 50, made.stream());
    NvtxAttributes attributes;
    attributes.domain_name = made.builder.text("MPI");
    made.annotation("MPI_Send", 10, 20, made.thread());
    made.builder.extend_nvtx({.attributes = made.builder.nvtx_attributes(attributes)});
    Session session = open();
    const auto report = make_report(session, "summary", {});
    ASSERT_TRUE(report.has_value());
    EXPECT_THAT(report->notes, Contains(HasSubstr("1 call of MPI or UCX on the host")));
}

}  // namespace
}  // namespace opsight::query
