// Work of devices that was launched and is not in the recording, or not in the range.
#include <gmock/gmock.h>

#include "query/reports/test_reports.h"

namespace opsight::query {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(LostWork, DevicesWhoseWorkWasNotRecordedAreNotIdle) {
    analyze::TestProfile t;
    t.gpu(0, "a GPU", 8, 0).declared = true;
    for (int i = 0; i < 8; ++i)
        t.api("cudaLaunchKernel", 100 * i, 10, t.thread(), i);
    const StoredProfile stored(std::move(t));
    Session session = stored.open();
    for (const char* of_devices :
         {"gpu_utilization_pct", "tensor_core_kernel_pct", "unknown_kernel_pct", "non_tensor_core_kernel_pct",
          "communication_pct", "memory_pct", "communication_ns", "exposed_communication_ns"})
        EXPECT_TRUE(is_empty(cell(table_of(session, "summary"), of_devices))) << of_devices;
    EXPECT_TRUE(is_empty(cell(table_of(session, "summary", "devices"), "idle"))) << "nor known to be unused";
    const auto report = make_report(session, "summary", {.for_people = true});
    ASSERT_TRUE(report.has_value());
    EXPECT_THAT(report->notes, Contains(HasSubstr("what it did is not known")));
    EXPECT_THAT(report->notes, Not(Contains(HasSubstr("those of the CPU"))));
    EXPECT_EQ(number(cell(table_of(session, "summary", "diagnostics"), "count", "key", "lost_device_work")),
              8);
}

// Copies are there, kernels were launched, and not one is recorded: they took time that nobody knows.
TEST(LostWork, KernelsThatWereLostAreNotZero) {
    analyze::TestProfile t;
    for (int i = 0; i < 8; ++i)
        t.api("cudaLaunchKernel", 1000 * i, 10, t.thread(), i);
    for (int i = 0; i < 2; ++i) {
        t.api("cudaMemcpyAsync", 9000 * i + 100, 10, t.thread(), 100 + i);
        DeviceSpan copy;
        copy.begin = 9000 * i + 200;
        copy.dur = 100;
        copy.track = t.stream();
        copy.kind = DeviceKind::kMemcpy;
        copy.correlation = 100 + i;
        t.device(copy, "Memcpy HtoD (Pinned -> Device)");
    }
    const StoredProfile stored(std::move(t));
    Session session = stored.open();
    const ResultTable kernels = table_of(session, "summary", "all_kernels");
    EXPECT_TRUE(is_empty(cell(kernels, "gpu_time_ns", "name", "All other kernels")));
    EXPECT_TRUE(is_empty(cell(kernels, "gpu_time_ns", "name", "All device work")));
    EXPECT_EQ(number(cell(kernels, "gpu_time_ns", "name", "Memory")), 200);
    const ResultTable streams = table_of(session, "summary", "streams");
    EXPECT_TRUE(is_empty(cell(streams, "host_wait_ns")));
    EXPECT_TRUE(is_empty(cell(streams, "busy_pct")));
}

// A source of kernels alone tells of no copies: "0" would say that there were none. Its calls would tell
// that.
TEST(LostWork, CopiesThatWereNotRecordedAreNotNone) {
    for (const bool calls : {false, true}) {
        analyze::TestProfile t;
        if (calls) t.api("cudaLaunchKernel", 10, 5, t.thread(), 1);
        t.kernel("k", 30, 10, t.stream(), 1);
        const StoredProfile stored(std::move(t));
        Session session = stored.open();
        const ResultTable kernels = table_of(session, "summary", "all_kernels");
        EXPECT_EQ(number(cell(kernels, "gpu_time_ns", "name", "All device work")), 10);
        const Cell memory = cell(kernels, "gpu_time_ns", "name", "Memory");
        EXPECT_EQ(is_empty(memory), !calls);
        if (calls) {
            EXPECT_EQ(number(memory), 0);
        }
    }
}

// Nor is a file of an older version what has no device work in its range.
TEST(LostWork, WithoutDeviceWorkInTheRangeStreamsSaySo) {
    analyze::TestProfile t;
    for (int i = 0; i < 4; ++i) {
        t.annotation("ProfilerStep#" + std::to_string(i), 100 * i, 100, t.thread());
        t.op("aten::mm", 100 * i + 10, 50);
    }
    t.api("cudaLaunchKernel", 20, 5, t.thread(), 1);
    t.kernel("k", 30, 10, t.stream(), 1);
    const StoredProfile stored(std::move(t));
    Session session = stored.open({.start = 2, .stop = 2});
    EXPECT_THAT(table_of(session, "summary", "streams").notes, Contains("no device work is in the range"));
}

TEST(LostWork, ClocksThatDisagreeAreSaid) {
    for (const int64_t early : {0, 1}) {
        analyze::TestProfile t;
        for (int64_t i = 0; i < 9; ++i) {
            t.api("cudaLaunchKernel", 100'000 * (i + 1), 5'000, t.thread(), i + 1);
            t.kernel("k", 100'000 * (i + 1) + (early == 1 ? -50'000 : 10'000), 5'000, t.stream(), i + 1);
        }
        const StoredProfile stored(std::move(t));
        Session session = stored.open();
        const auto report = make_report(session, "summary", {});
        ASSERT_TRUE(report.has_value());
        EXPECT_EQ(std::any_of(report->notes.begin(), report->notes.end(),
                              [](const std::string& note) {
                                  return note.find("9 of 9 pieces of device work begin before") !=
                                             note.npos &&
                                         note.find("50.0 µs") != note.npos;
                              }),
                  early == 1);
    }
}

TEST(LostWork, DevicesThatNoListHasAreNotCounted) {
    for (const bool listed : {false, true}) {
        analyze::TestProfile t;
        t.gpu(0, "a GPU", 8, 0).declared = listed;
        t.api("cudaLaunchKernel", 10, 5, t.thread(), 1);
        t.kernel("k", 20, 10, t.stream(), 1);
        const StoredProfile stored(std::move(t));
        Session session = stored.open();
        const Cell unused = cell(table_of(session, "summary", "system"), "gpu_unused_count");
        EXPECT_EQ(is_empty(unused), !listed);
    }
}

}  // namespace
}  // namespace opsight::query
