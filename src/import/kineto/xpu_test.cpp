// Traces of Intel's devices (XPU). The one of tests/fuzz/seeds is made, by what PyTorch's profiler writes:
// https://github.com/pytorch/kineto, libkineto/src/plugin/xpupti.
#include <gtest/gtest.h>

#include <map>

#include "import/kineto/test_trace.h"

namespace opsight::importer::kineto {
namespace {

TEST(KinetoXpu, CopiesAndSetsTellTheirSides) {
    const Profile p = import_seed("kineto_xpu.json");
    const auto transfer = [&](std::string_view name) {
        return p.transfers[p.device.transfer[device_row(p, name)].index()];
    };
    EXPECT_EQ(transfer("Memcpy M2D").copy, CopyKind::kHostToDevice);
    EXPECT_EQ(transfer("Memcpy M2D").from, MemoryKind::kPageable);
    EXPECT_EQ(transfer("Memcpy M2D").to, MemoryKind::kDevice);
    EXPECT_EQ(transfer("Memcpy D2H").copy, CopyKind::kDeviceToHost);
    EXPECT_EQ(transfer("Memcpy D2H").from, MemoryKind::kDevice);
    EXPECT_EQ(transfer("Memcpy D2H").to, MemoryKind::kPinned);
    EXPECT_EQ(transfer("Memset").to, MemoryKind::kDevice);
    EXPECT_EQ(p.diagnostics.count(Diag::kUnknownCategory), 0);
}

// Counters come as a kernel around the kernel, and as a curve.
TEST(KinetoXpu, CountersOfAKernelAreNoKernel) {
    const Profile p = import_seed("kineto_xpu.json");
    EXPECT_EQ(p.device.kind[device_row(p, "gemm_kernel")], DeviceKind::kKernel);
    EXPECT_EQ(p.device.kind[device_row(p, "metrics: gemm_kernel")], DeviceKind::kOther);
    std::map<std::string, double> counters;
    for (size_t i = 0; i < p.counters.size(); ++i)
        counters.emplace(p.strings.view(p.counters.name[i]), p.counters.value[i]);
    EXPECT_EQ(counters, (std::map<std::string, double>{{"GpuTime::ns", 20000}, {"XVE_ACTIVE::%", 61.5}}));
    EXPECT_EQ(p.counters.size(), 2U);
}

TEST(KinetoXpu, WaitsAndOverheadBelongToTheirThread) {
    const Profile p = import_seed("kineto_xpu.json");
    const size_t wait = host_row(p, "zeEventHostSynchronize");
    EXPECT_EQ(p.host.kind[wait], HostKind::kDriverApi);
    EXPECT_EQ(p.api_correlation[p.host.detail[wait]], 15);
    EXPECT_EQ(p.host.track[wait], p.host.track[host_row(p, "urEventWait")]);
    EXPECT_EQ(p.host.track[host_row(p, "Buffer Flush")], p.host.track[wait]);
    const size_t collective = host_row(p, "xccl::allreduce");
    EXPECT_EQ(p.host.kind[collective], HostKind::kLibrary);
    EXPECT_EQ(p.strings.view(StringId(p.host.detail[collective])), "oneCCL");
    for (const Track& track : p.tracks)
        EXPECT_NE(track.pid, -1);
}

// Threads of one number in two processes: which is meant is not told.
TEST(KinetoXpu, AThreadOfTwoProcessesStaysApart) {
    const std::string call =
        R"({"ph":"X","cat":"xpu_runtime","name":"urQueueFinish","pid":%,"tid":7,"ts":1,"dur":9},)";
    const std::string wait =
        R"({"ph":"X","cat":"xpu_sync","name":"zeFenceHostSynchronize","pid":-1,"tid":7,"ts":2,"dur":7})";
    for (const std::string_view pids : {"1", "12"}) {
        std::string events;
        for (const char pid : pids)
            events += std::string(call).replace(call.find('%'), 1, 1, pid);
        const Profile p = import_events(events + wait);
        const Track& track = p.tracks[p.host.track[host_row(p, "zeFenceHostSynchronize")].index()];
        EXPECT_EQ(track.pid, pids.size() == 1 ? 1 : -1);
    }
}

}  // namespace
}  // namespace opsight::importer::kineto
