// CUDA records of captures that are made up here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/gzip_source.h"
#include "import/capture/cuda_capture.h"

namespace opsight::importer::capture {
namespace {

using ::testing::ElementsAre;
using testing::FabricatedCapture;
using wire::RecordType;

TEST_F(CudaCapture, KernelsWithTheirLaunchesShapesAndDevices) {
    run("_ZN2at4gemmILi3EEEvi", 500, 900, 5);  // before its call, as buffers come
    api("cudaLaunchKernel", 100, 200, 5);
    const Profile p = imported();
    ASSERT_EQ(p.device.size(), 1u);
    EXPECT_THAT(names(p), ElementsAre("void at::gemm<3>(int)"));
    EXPECT_EQ(p.device.begin[0], 400) << "the call begins the profile";
    EXPECT_EQ(p.device.dur[0], 400);
    EXPECT_EQ(p.device.correlation[0], 5);
    EXPECT_EQ(p.api_correlation, std::vector<int64_t>{5});
    const LaunchConfig& config = p.launch_configs[p.device.config[0].index()];
    EXPECT_EQ(config.grid[2], 2);
    EXPECT_EQ(config.block[0], 4);
    EXPECT_EQ(config.cluster[0], 2);
    EXPECT_EQ(config.cluster[1], -1);
    EXPECT_EQ(config.registers_per_thread, 168);
    EXPECT_EQ(config.static_shared_bytes, 1024);
    EXPECT_EQ(config.dynamic_shared_bytes, 2048);
    EXPECT_EQ(config.launch_type, 2);
    ASSERT_EQ(p.devices.size(), 1u);
    EXPECT_EQ(p.devices[0].name, "NVIDIA H100");
    EXPECT_EQ(p.devices[0].sm_count, 132);
    EXPECT_EQ(p.devices[0].uuid, "GPU-07000000-0000-0000-0000-000000000000");
    EXPECT_TRUE(p.devices[0].declared);
    const Track& stream = p.tracks[p.device.track[0].index()];
    EXPECT_EQ(stream.pid, 100);
    EXPECT_EQ(stream.context, 1);
    EXPECT_EQ(stream.stream, 7);
    ASSERT_EQ(p.kernel_names.size(), 1u);
    EXPECT_EQ(p.strings.view(p.kernel_names[0].mangled), "_ZN2at4gemmILi3EEEvi");
    ASSERT_EQ(p.contexts.size(), 1u);
    EXPECT_EQ(p.contexts[0].device, 0);
    EXPECT_EQ(p.info.origin_ns, FabricatedCapture::kEpoch + int64_t{kBase} + 100);
}

TEST_F(CudaCapture, CopiesSetsWaitsAndWholeGraphs) {
    wire::CudaCopyRecord copy{};
    copy.copy_kind = 1;
    copy.from_kind = 1;
    copy.to_kind = 3;
    copy.begin = kBase + 10;
    copy.end = kBase + 30;
    copy.bytes = 4096;
    copy.context = 1;
    copy.stream = 7;
    cuda.put(RecordType::kCudaCopy, copy);
    wire::CudaSetRecord set{};
    set.begin = kBase + 40;
    set.end = kBase + 50;
    set.bytes = 64;
    set.memory_kind = 3;
    set.context = 1;
    set.stream = 7;
    cuda.put(RecordType::kCudaSet, set);
    wire::CudaSyncRecord sync{};
    sync.type = wire::CudaSync::kEvent;
    sync.begin = kBase + 60;
    sync.end = kBase + 70;
    sync.context = 1;
    sync.stream = wire::kNoCudaId;
    sync.event = 3;
    cuda.put(RecordType::kCudaSync, sync);
    sync.context = 99;  // of which no device is known
    cuda.put(RecordType::kCudaSync, sync);
    wire::CudaGraphTraceRecord graph{};
    graph.graph = 12;
    graph.begin = kBase + 80;
    graph.end = kBase + 95;
    graph.context = 1;
    graph.stream = 7;
    graph.correlation = 6;
    cuda.put(RecordType::kCudaGraphTrace, graph);
    const Profile p = imported();
    EXPECT_THAT(names(p), ::testing::UnorderedElementsAre("Memcpy HtoD (Pageable -> Device)",
                                                          "Memset (Device)", "Event Sync", "CUDA Graph 12"));
    const auto row = [&](DeviceKind kind) {
        return static_cast<size_t>(std::find(p.device.kind.begin(), p.device.kind.end(), kind) -
                                   p.device.kind.begin());
    };
    EXPECT_EQ(p.device.bytes[row(DeviceKind::kMemcpy)], 4096);
    EXPECT_EQ(p.device.bytes[row(DeviceKind::kMemset)], 64);
    EXPECT_EQ(p.tracks[p.device.track[row(DeviceKind::kSync)].index()].stream, -1);
    EXPECT_EQ(p.device.correlation[row(DeviceKind::kGraph)], 6);
    EXPECT_EQ(count(p, Diag::kDanglingId), 1);
}

TEST_F(CudaCapture, OddRecordsAreCountedAndTheRestIsKept) {
    run("good", 100, 200, 1);
    run("no begin", 0, 200, 2);
    run("no end", 100, 0, 3);
    run("ends first", 300, 250, 4);
    cuda.put(RecordType::kCudaKernel, kernel(77, 400, 410, 5));  // of no kind
    auto elsewhere = kernel(kind(cuda, "elsewhere"), 500, 510, 6);
    elsewhere.device = 5;
    cuda.put(RecordType::kCudaKernel, elsewhere);
    cuda.put(RecordType::kCudaKernel, elsewhere);
    api("cudaFree", 600, 0, 8);
    wire::CudaDroppedRecord dropped{};
    dropped.what = wire::CudaLoss::kDropped;
    dropped.count = 1234;
    cuda.put(RecordType::kCudaDropped, dropped);
    wire::CudaStateRecord state{};
    state.state = wire::CudaState::kHeld;
    constexpr std::string_view kLine = "another tool holds CUPTI";
    state.length = kLine.size();
    cuda.put(RecordType::kCudaState, state, kLine);
    const Profile p = imported();
    EXPECT_EQ(p.device.size(), 5u);
    EXPECT_EQ(count(p, Diag::kBadTime), 2);
    EXPECT_EQ(count(p, Diag::kNegativeDuration), 1);
    EXPECT_EQ(count(p, Diag::kDanglingId), 2) << "a kind, and a device once";
    EXPECT_EQ(count(p, Diag::kUnfinishedSpan), 1);
    EXPECT_EQ(count(p, Diag::kLostRecords), 1234);
    ASSERT_EQ(count(p, Diag::kSourceWarning), 1);
    EXPECT_EQ(p.diagnostics.first(Diag::kSourceWarning)[0].text, kLine);
}

TEST_F(CudaCapture, TimesOfAnotherClockGoThroughItsReadings) {
    wire::CudaClockRecord clock{};
    clock.times = wire::CudaTimes::kOther;
    for (const uint64_t at : {uint64_t{0}, uint64_t{1000}}) {
        clock.cupti = 5'000'000'000 + 2 * at;  // runs at twice the rate
        clock.before = kBase + at - 20;
        clock.after = kBase + at + 20;
        cuda.put(RecordType::kCudaClock, clock);
    }
    auto record = kernel(kind(cuda, "k"), 1, 1, 1);
    record.begin = 5'000'000'000 + 2 * 100;
    record.end = 5'000'000'000 + 2 * 150;
    cuda.put(RecordType::kCudaKernel, record);
    clock.times = wire::CudaTimes::kTicks;  // from here on it took our clock
    cuda.put(RecordType::kCudaClock, clock);
    run("l", 400, 460, 2);
    const Profile p = imported();
    ASSERT_EQ(p.device.size(), 2u);
    EXPECT_EQ(p.device.dur[0], 50);
    EXPECT_EQ(p.device.begin[1], 300);
    EXPECT_EQ(p.device.dur[1], 60);
    EXPECT_THAT(p.info.properties, ::testing::Contains(std::pair<std::string, std::string>(
                                       "cuda_clock_error_ns_of_process_100", "20")));
}

TEST_F(CudaCapture, ProcessesOfOneRankKeepTheirStreamsAndShareTheirDevices) {
    run("a", 100, 200, 5);
    FabricatedCapture child(200, 100);
    child.thread(200);
    device(child, 0, "NVIDIA H100", 8);  // CUDA_VISIBLE_DEVICES: another one, and then the same
    device(child, 1, "NVIDIA H100", 7);
    for (const uint32_t number : {0u, 1u}) {
        auto record = kernel(kind(child, number == 0 ? "other" : "same"), 300, 400, 5);
        record.device = number;
        child.put(RecordType::kCudaKernel, record);
    }
    const Profile p = imported({cuda.bytes(), child.bytes()});
    ASSERT_EQ(p.ranks.size(), 1u);
    EXPECT_EQ(p.devices.size(), 2u);
    std::map<std::string, std::pair<int64_t, int64_t>> where;  // device and process
    for (size_t i = 0; i < p.device.size(); ++i) {
        const Track& track = p.tracks[p.device.track[i].index()];
        where[std::string(p.strings.view(p.device.name[i]))] = {p.devices[track.device.index()].number,
                                                                track.pid};
    }
    EXPECT_EQ(where["a"], std::pair(int64_t{0}, int64_t{100}));
    EXPECT_EQ(where["same"], std::pair(int64_t{0}, int64_t{200}));
    EXPECT_EQ(where["other"], std::pair(int64_t{1}, int64_t{200}));
}

TEST_F(CudaCapture, MemoryOfDevicesPoolsAndUnifiedMemory) {
    const auto memory = [&](wire::CudaMemory what, uint64_t time, uint64_t address, uint64_t bytes) {
        wire::CudaMemoryRecord record{};
        record.what = what;
        record.memory_kind = 3;
        record.time = kBase + time;
        record.address = address;
        record.bytes = bytes;
        cuda.put(RecordType::kCudaMemory, record);
    };
    memory(wire::CudaMemory::kFree, 300, 0x1000, 0);  // order of buffers is not that of time
    memory(wire::CudaMemory::kAlloc, 100, 0x1000, 4096);
    memory(wire::CudaMemory::kAlloc, 200, 0x9000, 100);
    memory(wire::CudaMemory::kFree, 400, 0x5000, 7);  // from before the recording
    wire::CudaPoolRecord pool{};
    pool.what = wire::CudaPool::kCreated;
    pool.time = kBase + 50;
    pool.address = 0xabc;
    pool.bytes = 1 << 20;
    pool.used = 1 << 10;
    cuda.put(RecordType::kCudaPool, pool);
    wire::CudaUnifiedRecord unified{};
    unified.what = wire::CudaUnified::kHostToDevice;
    unified.begin = kBase + 500;
    unified.end = kBase + 520;
    unified.value = 65536;
    unified.address = 0x7000;
    unified.from = wire::kNoCudaId;
    cuda.put(RecordType::kCudaUnified, unified);
    unified.what = wire::CudaUnified::kDeviceFaults;
    unified.value = 3;
    unified.cause = 2;
    cuda.put(RecordType::kCudaUnified, unified);
    const Profile p = imported();
    EXPECT_THAT(p.memory.bytes, ElementsAre(4096, 100, -4096));
    EXPECT_THAT(p.memory.total_allocated, ElementsAre(4096, 4196, 100));
    EXPECT_EQ(p.memory.device_type[0], 1);
    EXPECT_EQ(count(p, Diag::kUnknownFree), 1);
    EXPECT_THAT(p.counters.value, ElementsAre(1 << 20, 1 << 10));
    EXPECT_EQ(p.strings.view(p.counters.name[0]), "GPU 0 memory pool 0 reserved (bytes)");
    EXPECT_THAT(names(p), ElementsAre("Memcpy UVM HtoD"));
    EXPECT_EQ(p.device.bytes[0], 65536);
    ASSERT_EQ(p.page_faults.size(), 1u);
    EXPECT_EQ(p.page_faults[0].count, 3);
    EXPECT_EQ(p.strings.view(p.page_faults[0].access), "Write");
}

TEST_F(CudaCapture, MoreMemoryThanThereCanBeIsCounted) {
    constexpr uint64_t kMost = uint64_t{1} << 48;
    constexpr int kFit = (1 << 15) - 1;  // 2^63 overflows
    for (uint64_t i = 0; i < kFit + 2; ++i) {
        wire::CudaMemoryRecord record{};
        record.what = wire::CudaMemory::kAlloc;
        record.memory_kind = 3;
        record.time = kBase + i;
        record.address = i + 1;
        record.bytes = kMost;
        cuda.put(RecordType::kCudaMemory, record);
    }
    const Profile p = imported();
    EXPECT_EQ(p.memory.bytes.size(), size_t{kFit});
    EXPECT_EQ(p.memory.total_allocated.back(), int64_t{kFit} << 48);
    EXPECT_EQ(count(p, Diag::kBadEvent), 2);
}

TEST_F(CudaCapture, WhatCudaGaveAFrameworkIsASeriesBesideItsOwnCounts) {
    FabricatedCapture torch(100);
    torch.thread(101);
    wire::AllocRecord alloc{};
    alloc.device = 1 | (3 << 8);  // cuda:2
    alloc.time = kBase + 10;
    alloc.address = 0x100;
    alloc.bytes = 512;
    torch.put(RecordType::kAlloc, alloc);
    wire::CudaMemoryRecord record{};
    record.what = wire::CudaMemory::kAlloc;
    record.memory_kind = 3;
    record.time = kBase + 5;
    record.bytes = 2 << 20;
    cuda.put(RecordType::kCudaMemory, record);
    const Profile p = imported({cuda.bytes(), torch.bytes()});
    EXPECT_THAT(p.memory.bytes, ElementsAre(512));
    EXPECT_EQ(p.memory.device_type[0], 1);
    EXPECT_EQ(p.memory.device[0], 2);
    EXPECT_THAT(p.counters.value, ElementsAre(2 << 20));
}

TEST_F(CudaCapture, CallsStandInTheOpsThatAnotherCaptureOfTheProcessHas) {
    FabricatedCapture torch(100);
    torch.thread(101);
    torch.op(torch.op_kind("aten::mm", wire::OpScope::kFunction), kBase + 50, 500);
    api("cudaLaunchKernel", 100, 200, 5);
    const Profile p = imported({torch.bytes(), cuda.bytes()});
    ASSERT_EQ(p.host.size(), 2u);
    EXPECT_EQ(p.host.track[0], p.host.track[1]);
    EXPECT_THAT(p.host.kind, ElementsAre(HostKind::kOp, HostKind::kRuntimeApi));
    EXPECT_EQ(p.host.begin[1], 50);
}

TEST_F(CudaCapture, OrderWithinAProcessIsThatOfItsTicksHoweverItsCapturesReadTheClock) {
    for (const int64_t off : {-300, 300}) {
        SCOPED_TRACE(off);
        FabricatedCapture torch(100);
        torch.misread(off);
        torch.thread(101);
        torch.op(torch.op_kind("aten::mm", wire::OpScope::kFunction), kBase + 50, 500);
        CudaCapture::api(cuda, "cudaLaunchKernel", 60, 540, 5);
        const Profile p = imported({torch.bytes(), cuda.bytes()});
        ASSERT_EQ(p.host.size(), 2u);
        EXPECT_EQ(p.host.begin[1] - p.host.begin[0], 10);
        EXPECT_EQ(p.host.begin[0] + p.host.dur[0] - p.host.begin[1] - p.host.dur[1], 10);
        cuda = FabricatedCapture();
        cuda.thread(900);
    }
}

TEST_F(CudaCapture, GraphNodesTellWhereTheyWereMade) {
    wire::CudaGraphRecord node{};
    node.what = wire::CudaGraph::kNodeCreated;
    node.time = kBase + 10;
    node.node = (uint64_t{3} << 32) | 1;
    node.graph = 3;
    node.thread = 101;
    cuda.put(RecordType::kCudaGraph, node);
    node.what = wire::CudaGraph::kNodeCloned;
    node.time = kBase + 20;
    node.original_node = node.node;
    node.node = (uint64_t{4} << 32) | 1;
    cuda.put(RecordType::kCudaGraph, node);
    auto record = kernel(kind(cuda, "k"), 100, 110, 9);
    record.graph_node = node.node;
    record.graph = 4;
    cuda.put(RecordType::kCudaKernel, record);
    const Profile p = imported();
    ASSERT_EQ(p.graph_nodes.size(), 2u);
    EXPECT_EQ(p.graph_nodes[1].original, p.graph_nodes[0].node);
    ASSERT_EQ(p.device_extras.size(), 1u);
    EXPECT_EQ(p.device_extras.graph_node[0], p.graph_nodes[1].node);
    EXPECT_EQ(p.device_extras.graph[0], 4);
}

class CudaCodeCapture : public CudaCapture {
  protected:
    static std::string cubin(const std::string& name) {
        auto file = open_file(std::string(OPSIGHT_SOURCE_DIR) + "/tests/data/cubins/" + name + ".cubin.gz");
        const std::unique_ptr<ByteSource> plain = gunzip(std::move(*file));
        std::string bytes(1 << 20, '\0');
        bytes.resize(read_fully(*plain, bytes.data(), bytes.size()).value_or(0));
        return bytes;
    }
    void module(uint64_t content, const std::string& code, bool with_gap = false) {
        wire::CudaModuleRecord record{};
        record.content = content;
        record.bytes = code.size();
        record.whole = 1;
        cuda.put(RecordType::kCudaModule, record);
        for (size_t at = 0; at < code.size(); at += wire::kCudaPiece) {
            if (with_gap && at == 0) continue;
            const std::string piece = code.substr(at, wire::kCudaPiece);
            wire::CudaModuleBytesRecord bytes{};
            bytes.content = content;
            bytes.offset = at;
            bytes.length = static_cast<uint32_t>(piece.size());
            cuda.put(RecordType::kCudaModuleBytes, bytes, piece);
        }
    }
    static std::map<std::string, std::string> told(const Profile& p) {
        std::map<std::string, std::string> result;
        for (const KernelCode& code : p.kernel_code)
            result[std::string(p.strings.view(code.name))] = p.strings.view(code.matrix_instruction);
        return result;
    }
};

TEST_F(CudaCodeCapture, CodeTellsWhichKernelsUseTensorCores) {
    module(1, cubin("products_sm_90a"));
    module(2, cubin("ordinary_sm_90a"));
    for (const char* name : {"wg_f16", "m16n8k16_f16", "m8n8k4_f16", "n_half", "unheard"})
        run(name, 100, 200, 1);
    const std::map<std::string, std::string> expected = {
        {"wg_f16", "HGMMA"}, {"m16n8k16_f16", "HMMA"}, {"m8n8k4_f16", ""}, {"n_half", ""}};
    const Profile p = imported();
    EXPECT_EQ(told(p), expected);
    EXPECT_EQ(count(p, Diag::kUnreadCode), 0);
}

TEST_F(CudaCodeCapture, CodeThatIsNotWholeOrNotReadableTellsNothing) {
    module(1, cubin("products_sm_90a"), true);
    module(2, "no cubin");
    run("wg_f16", 100, 200, 1);
    const Profile p = imported();
    EXPECT_TRUE(told(p).empty());
    EXPECT_EQ(count(p, Diag::kUnreadCode), 2);
}

}  // namespace
}  // namespace opsight::importer::capture
