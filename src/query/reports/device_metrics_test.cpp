// The numbers of devices and of what the machine is, each computed by hand here (docs/metrics.md).
#include <algorithm>
#include <array>
#include <cmath>

#include "query/reports/layer_tree.h"
#include "query/reports/test_reports.h"

namespace opsight::query {
namespace {

TEST(System, VersionsUnderTheirNamesInEachSource) {
    const auto versions = [](std::vector<std::pair<std::string, std::string>> facts) {
        analyze::TestProfile t;
        t.op("aten::add", 0, 1000);
        for (auto& fact : facts)
            t.builder.info().properties.push_back(std::move(fact));
        const StoredProfile stored(std::move(t));
        Session session = stored.open();
        const ResultTable table = table_of(session, "summary", "system");
        return std::array{cell(table, "gpu_driver_version"), cell(table, "cuda_version"),
                          cell(table, "cuda_driver_version")};
    };
    using Text = std::string;
    EXPECT_EQ(versions({{"driver_version", "535.129.03"}, {"cuda_driver_version", "12080"}}),
              (std::array{Cell(Text("535.129.03")), Cell(), Cell(Text("12.8"))}));
    EXPECT_EQ(versions({{"cuda_driver_version", "12040"}, {"cuda_runtime_version", "12010"}}),
              (std::array{Cell(), Cell(Text("12.1")), Cell(Text("12.4"))}));
    EXPECT_EQ(versions({{"driver_version", "460.73"}, {"cuda_version", "11.4"}}),
              (std::array{Cell(Text("460.73")), Cell(Text("11.4")), Cell()}));
}

// Two devices that worked, and two more that the header names: others may have used them.
TEST(Devices, UtilizationIsOfTheDevicesThatWorked) {
    analyze::TestProfile t;
    for (int64_t device = 0; device < 4; ++device)
        t.gpu(device, "Tesla V100-SXM2-16GB", 7, 0).declared = true;
    t.op("aten::add", 0, 1000);
    t.kernel("a", 100, 200, t.stream(7));
    t.kernel("b", 200, 200, t.stream(8));  // 100 to 400 together
    t.kernel("Memset", 350, 150, t.stream(7), -1, DeviceKind::kMemset);
    t.kernel("c", 0, 500, t.stream(7, 1));
    const StoredProfile stored(std::move(t));
    Session session = stored.open();
    const ResultTable devices = table_of(session, "summary", "devices");
    ASSERT_EQ(devices.rows.size(), 4u);
    EXPECT_NEAR(number(cell(devices, "gpu_utilization_pct", "device", "0")), 40, 1e-9);
    EXPECT_NEAR(number(cell(devices, "kernel_utilization_pct", "device", "0")), 30, 1e-9);
    EXPECT_NEAR(number(cell(devices, "gpu_utilization_pct", "device", "1")), 50, 1e-9);
    EXPECT_TRUE(is_empty(cell(devices, "gpu_utilization_pct", "device", "2")));
    EXPECT_TRUE(std::get<bool>(cell(devices, "idle", "device", "3")));
    EXPECT_NEAR(summary(session, "gpu_utilization_pct"), (40 + 50) / 2.0, 1e-9);
    EXPECT_NEAR(summary(session, "kernel_utilization_pct"), (30 + 50) / 2.0, 1e-9);
    const ResultTable system = table_of(session, "summary", "system");
    EXPECT_EQ(number(cell(system, "gpu_count")), 2);
    EXPECT_EQ(number(cell(system, "gpu_unused_count")), 2);
    const Report report = std::move(*make_report(session, "summary", {}));
    EXPECT_TRUE(std::any_of(report.notes.begin(), report.notes.end(), [](const std::string& note) {
        return note.starts_with("2 more GPUs are named");
    }));
}

// Two processes take turns on one GPU. Where nothing tells that it is one, each has its own.
TEST(Devices, OneThatRanksShareIsBusyWhileAnyWorks) {
    struct Case {
        std::string hosts[2], uuids[2], backend;
        double gpus, busy_pct;
    };
    const Case cases[] = {
        {{"a", "a"}, {"GPU-1", "GPU-1"}, "nccl", 1, 90},
        {{"a", "a"}, {"", ""}, "", 2, (60 + 45) / 2.0},  // or one: a note says that it is not told
        {{"a", "a"}, {"GPU-1", "GPU-2"}, "", 2, (60 + 45) / 2.0},
        {{"a", "b"}, {"", ""}, "", 2, (60 + 45) / 2.0},
        {{"a", "a"}, {"", ""}, "nccl", 2, (60 + 45) / 2.0},
        {{"", ""}, {"", ""}, "", 2, (60 + 45) / 2.0},
    };
    for (const Case& c : cases) {
        analyze::TestProfile t;
        for (size_t i = 0; i < 2; ++i) {
            if (i > 0) t.add_rank(static_cast<int64_t>(i));
            Rank& rank = t.builder.rank(RankId(i));
            rank.host = c.hosts[i];
            rank.source = "trace" + std::to_string(i);
            rank.backend = c.backend;
            t.gpu(0, "Tesla V100-SXM2-16GB", 7, 0).uuid = c.uuids[i];
            t.op("aten::add", 0, 1000);
            // 0 to 600 and 450 to 900; copies leave kernels 0 to 500 and 450 to 900.
            t.kernel("a", i == 0 ? 0 : 450, i == 0 ? 500 : 450, t.stream(7));
            if (i == 0) t.kernel("Memcpy", 500, 100, t.stream(7), -1, DeviceKind::kMemcpy);
        }
        const StoredProfile stored(std::move(t));
        Session session = stored.open();
        const std::string about = c.hosts[0] + c.hosts[1] + c.uuids[0] + c.uuids[1] + c.backend;
        EXPECT_NEAR(summary(session, "gpu_utilization_pct"), c.busy_pct, 1e-9) << about;
        EXPECT_NEAR(summary(session, "kernel_utilization_pct"), c.gpus == 1 ? 90 : (50 + 45) / 2.0, 1e-9)
            << about;
        EXPECT_EQ(number(cell(table_of(session, "summary", "system"), "gpu_count")), c.gpus) << about;
        const ResultTable devices = table_of(session, "summary", "devices");
        EXPECT_NEAR(number(cell(devices, "gpu_utilization_pct", "rank", "0")), 60, 1e-9) << about;
        EXPECT_NEAR(number(cell(devices, "gpu_utilization_pct", "rank", "1")), 45, 1e-9) << about;
        const Report report = std::move(*make_report(session, "summary", {}));
        EXPECT_EQ(std::any_of(report.notes.begin(), report.notes.end(),
                              [](const std::string& note) {
                                  return note.starts_with("ranks 0, 1 worked on one device, GPU 0");
                              }),
                  c.gpus == 1)
            << about;
        const bool doubtful =
            c.hosts[0] == "a" && c.hosts[1] == "a" && c.uuids[0].empty() && c.backend.empty();
        EXPECT_EQ(std::any_of(report.notes.begin(), report.notes.end(),
                              [](const std::string& note) {
                                  return note.starts_with("ranks 0, 1 of one machine each worked on a GPU 0");
                              }),
                  doubtful)
            << about;
    }
}

// ROCm lists the visible devices from 0 on, and its kernels name the device of the machine.
TEST(Devices, AListWithOtherNumbersNamesTheDeviceThatWorked) {
    analyze::TestProfile t;
    t.gpu(0, "AMD Instinct MI300X", 9, 4).declared = true;
    t.op("aten::add", 0, 1000);
    t.kernel("a", 100, 200, t.stream(7, 2));
    const StoredProfile stored(std::move(t));
    Session session = stored.open();
    const ResultTable devices = table_of(session, "summary", "devices");
    ASSERT_EQ(devices.rows.size(), 1u);
    EXPECT_EQ(number(cell(devices, "device")), 2);
    EXPECT_EQ(std::get<std::string>(cell(devices, "name")), "AMD Instinct MI300X");
    EXPECT_NEAR(summary(session, "gpu_utilization_pct"), 20, 1e-9);
    EXPECT_EQ(number(cell(table_of(session, "summary", "system"), "gpu_unused_count")), 0);
}

// Work of devices that was lost, or never recorded, is not an idle device.
TEST(Devices, WithoutDeviceWorkThereIsNoUtilization) {
    analyze::TestProfile t;
    t.gpu(0, "Tesla V100-SXM2-16GB", 7, 0).declared = true;
    t.op("aten::add", 0, 1000);
    t.api("cudaLaunchKernel", 100, 5, t.thread(), 1);
    const StoredProfile stored(std::move(t));
    Session session = stored.open();
    EXPECT_TRUE(is_empty(cell(table_of(session, "summary"), "gpu_utilization_pct")));
    EXPECT_TRUE(is_empty(cell(table_of(session, "summary", "devices"), "gpu_utilization_pct")));
    for (const char* key : {"gpu_count", "gpu_unused_count"})
        EXPECT_TRUE(is_empty(cell(table_of(session, "summary", "system"), key))) << key;
}

// 1000 ns, at each moment of which the first in the list of priorities counts.
TEST(Devices, ResourceSharesGoByPriority) {
    analyze::TestProfile t;
    t.gpu(0, "Tesla V100-SXM2-16GB", 7, 0);
    const TrackId loader = t.thread(2);
    t.op("aten::add", 0, 600);
    t.op("aten::add", 990, 10);
    t.kernel("plain<4>", 100, 200, t.stream(7));
    t.kernel(kTcKernel, 150, 100, t.stream(8));
    t.kernel("ncclKernel_AllReduce", 250, 100, t.stream(9));
    t.kernel("Memcpy", 340, 60, t.stream(10), -1, DeviceKind::kMemcpy);
    t.host(HostKind::kDataLoad, "load", 390, 110, loader);
    t.host(HostKind::kFileIo, "read", 480, 170, loader);
    const StoredProfile stored(std::move(t));
    Session session = stored.open();
    EXPECT_NEAR(summary(session, "tensor_core_kernel_pct"), 10, 1e-9);      // 150 to 250
    EXPECT_NEAR(summary(session, "non_tensor_core_kernel_pct"), 10, 1e-9);  // 100 to 150, 250 to 300
    EXPECT_NEAR(summary(session, "communication_pct"), 5, 1e-9);            // 300 to 350
    EXPECT_NEAR(summary(session, "memory_pct"), 5, 1e-9);                   // 350 to 400
    EXPECT_NEAR(summary(session, "dataloader_pct"), 10, 1e-9);              // 400 to 500
    EXPECT_NEAR(summary(session, "io_pct"), 15, 1e-9);                      // 500 to 650
    EXPECT_NEAR(summary(session, "cpu_pct"), 11, 1e-9);                     // 0 to 100, 990 to 1000
    EXPECT_NEAR(summary(session, "idle_pct"), 34, 1e-9);                    // 650 to 990
}

}  // namespace
}  // namespace opsight::query
