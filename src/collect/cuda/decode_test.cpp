#include "collect/cuda/decode.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "collect/cuda/abi.h"
#include "collect/cuda/stream.h"

namespace opsight::cuda {
namespace {

// Keeps what it is given.
class Kept final : public Sink {
  public:
    void begin() override {}
    uint32_t text(std::string_view text) override {
        if (text.empty()) return 0;
        texts.emplace_back(text);
        return static_cast<uint32_t>(texts.size());
    }
    uint32_t api_name(wire::CudaDomain, uint32_t cbid) override { return 1000 + cbid; }
    uint32_t kernel_kind(const wire::CudaKernelKindRecord& kind) override {
        kinds.push_back(kind);
        return static_cast<uint32_t>(kinds.size());
    }
    void put(const wire::RecordHeader& record, std::string_view text) override {
        const auto* bytes = reinterpret_cast<const char*>(&record);
        records.emplace_back(bytes, bytes + record.bytes);
        behind = text;
    }
    bool wants_api(wire::CudaDomain, uint32_t cbid, uint32_t) override { return cbid != 7; }
    bool wants_time(uint64_t begin, uint64_t) override { return begin != 666; }
    bool wants_work(uint32_t correlation, uint64_t, uint64_t) override { return correlation != 777; }
    void saw_call(uint32_t correlation, uint64_t) override { calls.push_back(correlation); }

    template <class Record>
    Record last() const {
        Record record{};
        EXPECT_EQ(records.back().size(), sizeof record);
        std::memcpy(static_cast<void*>(&record), records.back().data(), sizeof record);
        return record;
    }

    std::vector<std::string> texts;
    std::vector<wire::CudaKernelKindRecord> kinds;
    std::vector<std::vector<char>> records;
    std::vector<uint32_t> calls;
    std::string behind;
};

struct Layout {
    uint32_t kind;
    size_t smallest, newest;
};
constexpr Layout kLayouts[] = {{kConcurrentKernel, 144, sizeof(KernelActivity)},
                               {kMemcpy, 80, sizeof(MemcpyActivity)},
                               {kMemcpyPeer, 88, sizeof(PeerActivity)},
                               {kMemset, 80, sizeof(MemsetActivity)},
                               {kRuntime, 40, sizeof(ApiActivity)},
                               {kDriver, 40, sizeof(ApiActivity)},
                               {kDevice, 176, sizeof(DeviceActivity)},
                               {kContext, 16, sizeof(ContextActivity)},
                               {kStream, 24, sizeof(StreamActivity)},
                               {kOverhead, 40, sizeof(OverheadActivity)},
                               {kUnifiedMemory, 64, sizeof(UnifiedActivity)},
                               {kCudaEvent, 24, sizeof(EventActivity)},
                               {kSynchronization, 40, sizeof(SyncActivity)},
                               {kExternalCorrelation, 24, sizeof(ExternalActivity)},
                               {kMemory, 112, sizeof(MemoryActivity)},
                               {kMemoryPool, 64, sizeof(PoolActivity)},
                               {kJit, 64, sizeof(JitActivity)},
                               {kGraphTrace, 48, sizeof(GraphActivity)},
                               {kDeviceGraphTrace, 56, sizeof(DeviceGraphActivity)}};

TEST(CudaDecodeTest, EachLengthOfEachKind) {
    for (const Layout& layout : kLayouts)
        for (size_t room = 0; room <= layout.newest + 16; ++room) {
            // Exactly as long as it says, so that a sanitizer sees a read beyond it.
            const auto record = std::make_unique<char[]>(room);
            std::memcpy(record.get(), &layout.kind, std::min(room, sizeof layout.kind));
            Kept sink;
            bool newer = false;
            const Decoded got = decode(record.get(), room, sink, newer);
            EXPECT_EQ(got, room < layout.smallest ? Decoded::kDamaged : Decoded::kTaken)
                << layout.kind << ' ' << room;
            EXPECT_EQ(sink.records.size(), got == Decoded::kTaken ? 1u : 0u);
            EXPECT_EQ(newer, room > layout.newest);
        }
}

TEST(CudaDecodeTest, AnUnknownKindIsSaidToBeOne) {
    const uint64_t record[4] = {99};
    Kept sink;
    bool newer = false;
    EXPECT_EQ(decode(record, sizeof record, sink, newer), Decoded::kUnknownKind);
    EXPECT_TRUE(sink.records.empty());
}

TEST(CudaDecodeTest, FieldsBehindTheEndOfARecordAreNotTold) {
    KernelActivity in;
    std::memset(static_cast<void*>(&in), 0xcd, sizeof in);
    in.kind = kConcurrentKernel;
    in.name = "_Z1kv";
    Kept sink;
    bool newer = false;
    ASSERT_EQ(decode(&in, 176, sink, newer), Decoded::kTaken);  // CUDA 11.8: no clusters
    EXPECT_EQ(sink.texts, std::vector<std::string>{"_Z1kv"});
    EXPECT_EQ(sink.kinds[0].cluster[0], 0u);
    EXPECT_EQ(sink.kinds[0].active_clusters, 0u);
    EXPECT_EQ(sink.kinds[0].local_total, 0xcdcdcdcdu);  // the field of 32 bits
    EXPECT_EQ(sink.last<wire::CudaKernelRecord>().graph, 0xcdcdcdcdu);
    ASSERT_EQ(decode(&in, sizeof in, sink, newer), Decoded::kTaken);
    EXPECT_EQ(sink.kinds[1].cluster[0], 0xcdcdcdcdu);
    EXPECT_EQ(sink.kinds[1].local_total, 0xcdcdcdcdcdcdcdcdu);
}

TEST(CudaDecodeTest, UnwantedCallsAndTimesAreLeftOut) {
    Kept sink;
    bool newer = false;
    ApiActivity call{};
    call.kind = kRuntime;
    call.cbid = 7;
    EXPECT_EQ(decode(&call, sizeof call, sink, newer), Decoded::kLeftOut);
    call.cbid = 8;
    call.result = static_cast<uint32_t>(-1);
    EXPECT_EQ(decode(&call, sizeof call, sink, newer), Decoded::kTaken);
    EXPECT_EQ(sink.last<wire::CudaApiRecord>().name, 1008u);
    EXPECT_EQ(sink.last<wire::CudaApiRecord>().result, -1);
    call.start = 666;
    EXPECT_EQ(decode(&call, sizeof call, sink, newer), Decoded::kLeftOut);
}

TEST(CudaDecodeTest, WorkIsLeftOutByTheCallThatLaunchedIt) {
    Kept sink;
    bool newer = false;
    const auto left_out = [&](auto activity, uint32_t kind) {
        activity.kind = kind;
        activity.correlation = 777;
        const bool out = decode(&activity, sizeof activity, sink, newer) == Decoded::kLeftOut;
        activity.correlation = 776;
        return out && decode(&activity, sizeof activity, sink, newer) == Decoded::kTaken;
    };
    EXPECT_TRUE(left_out(KernelActivity{}, kConcurrentKernel));
    EXPECT_TRUE(left_out(MemcpyActivity{}, kMemcpy));
    EXPECT_TRUE(left_out(PeerActivity{}, kMemcpyPeer));
    EXPECT_TRUE(left_out(MemsetActivity{}, kMemset));
    EXPECT_TRUE(left_out(SyncActivity{}, kSynchronization));
    EXPECT_TRUE(left_out(GraphActivity{}, kGraphTrace));
    EXPECT_TRUE(left_out(EventActivity{}, kCudaEvent));
    EXPECT_TRUE(left_out(ExternalActivity{}, kExternalCorrelation));
    EXPECT_TRUE(sink.calls.empty());
    ApiActivity call{};
    call.kind = kRuntime;
    call.cbid = 7;
    call.correlation = 12;
    decode(&call, sizeof call, sink, newer);
    EXPECT_EQ(sink.calls, std::vector<uint32_t>{12}) << "also of calls that nobody wants";
}

TEST(CudaDecodeTest, UnifiedMemoryTellsOnlyWhatItsKindHas) {
    UnifiedActivity in{};
    in.kind = kUnifiedMemory;
    in.counter = 3;  // a fault of the host: a point in time, of no device
    in.start = 10;
    in.end = 99;
    in.from = in.to = 1;
    Kept sink;
    bool newer = false;
    ASSERT_EQ(decode(&in, sizeof in, sink, newer), Decoded::kTaken);
    auto out = sink.last<wire::CudaUnifiedRecord>();
    EXPECT_EQ(out.end, 0u);
    EXPECT_EQ(out.from, wire::kNoCudaId);
    EXPECT_EQ(out.to, wire::kNoCudaId);
    in.counter = 1;
    ASSERT_EQ(decode(&in, sizeof in, sink, newer), Decoded::kTaken);
    out = sink.last<wire::CudaUnifiedRecord>();
    EXPECT_EQ(out.end, 99u);
    EXPECT_EQ(out.to, 1u);
}

TEST(CudaNamesTest, VersionsAreCutOff) {
    EXPECT_EQ(plain_name("cudaMalloc_v3020"), "cudaMalloc");
    EXPECT_EQ(plain_name("cudaLaunchKernel_ptsz_v7000"), "cudaLaunchKernel");
    EXPECT_EQ(plain_name("cuMemAlloc_v2"), "cuMemAlloc_v2");
    EXPECT_EQ(plain_name("cuLaunchKernel_ptsz"), "cuLaunchKernel");
}

TEST(CudaNamesTest, WhatIsWorthRecording) {
    constexpr auto kRuntimeCalls = wire::CudaDomain::kRuntime, kDriverCalls = wire::CudaDomain::kDriver;
    for (const char* name : {"cudaLaunchKernel_v7000", "cudaMemcpyAsync_v3020", "cudaStreamSynchronize_v3020",
                             "cudaEventRecord_v3020", "cudaGraphLaunch_v10000", "cudaMalloc_v3020"})
        EXPECT_TRUE(worth_recording(kRuntimeCalls, name)) << name;
    for (const char* name :
         {"cudaGetLastError_v3020", "cudaGetDevice_v3020", "__cudaPushCallConfiguration_v9020",
          "cudaStreamIsCapturing_v10000", "cudaEventQuery_v3020"})
        EXPECT_FALSE(worth_recording(kRuntimeCalls, name)) << name;
    for (const char* name : {"cuLaunchKernel", "cuLaunchKernelEx", "cuMemAlloc_v2", "cuGraphLaunch"})
        EXPECT_TRUE(worth_recording(kDriverCalls, name)) << name;
    for (const char* name : {"cuCtxGetCurrent", "cuDeviceGetAttribute", "cuGetProcAddress"})
        EXPECT_FALSE(worth_recording(kDriverCalls, name)) << name;
}

TEST(CudaSpansTest, OnlyWhatLiesInASpan) {
    Spans spans;
    EXPECT_FALSE(spans.any(1, 2));
    EXPECT_TRUE(spans.any(0, 0));  // no time: not thrown away
    spans.open(10);
    EXPECT_TRUE(spans.any(15, 0));
    EXPECT_TRUE(spans.any(5, 11));
    EXPECT_FALSE(spans.any(5, 9));
    spans.close(20);
    EXPECT_FALSE(spans.any(21, 30));
    for (uint64_t i = 1; i <= 100; ++i) {
        spans.open(i * 100);
        spans.close(i * 100 + 10);
    }
    EXPECT_TRUE(spans.any(9'905, 9'906));
    EXPECT_FALSE(spans.any(9'950, 9'960));
}

}  // namespace
}  // namespace opsight::cuda
