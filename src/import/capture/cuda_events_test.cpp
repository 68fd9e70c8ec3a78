// Events on streams, ids of programs, names of streams, and recordings that are limited to ranges.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "import/capture/cuda_capture.h"
#include "wire/nvtx.h"

namespace opsight::importer::capture {
namespace {

using ::testing::ElementsAre;
using testing::FabricatedCapture;
using ::testing::Pair;
using wire::RecordType;

class CudaStreams : public CudaCapture {
  protected:
    void event(uint32_t call, uint64_t device_time, uint32_t stream = 7) {
        wire::CudaEventRecord record{};
        record.event = 3;
        record.device_time = device_time ? kBase + device_time : 0;
        record.device = wire::kNoCudaId;
        record.context = 1;
        record.stream = stream;
        record.correlation = call;
        cuda.put(RecordType::kCudaEvent, record);
    }
    void external(uint32_t call, uint32_t kind, uint64_t id) {
        wire::CudaExternalRecord record{};
        record.kind = kind;
        record.external = id;
        record.correlation = call;
        cuda.put(RecordType::kCudaExternal, record);
    }
    void range(uint64_t begin, uint64_t end) {
        wire::CudaRangeRecord record{};
        record.begin = kBase + begin;
        record.end = end ? kBase + end : 0;
        cuda.put(RecordType::kCudaRange, record);
    }
    void handle(uint64_t handle, uint64_t time, uint32_t stream) {
        wire::CudaHandleRecord record{};
        record.what = wire::CudaObject::kStream;
        record.time = kBase + time;
        record.handle = handle;
        record.context = 1;
        record.stream = stream;
        cuda.put(RecordType::kCudaHandle, record);
    }
    static void name(FabricatedCapture& to, uint64_t handle, uint64_t time, std::string_view text,
                     wire::NvtxResource kind = wire::NvtxResource::kStream) {
        wire::NvtxDefineRecord record{};
        record.fact = wire::NvtxFact::kResource;
        record.id = handle;
        record.detail = static_cast<uint64_t>(kind) | (time ? (kBase + time) & ~wire::kResourceMask : 0);
        record.length = static_cast<uint16_t>(text.size());
        to.put(RecordType::kNvtxDefine, record, text);
    }
    void kernel_on(uint32_t stream, uint64_t begin, uint32_t call) {
        wire::CudaKernelRecord record = kernel(kind(cuda, "k"), begin, begin + 10, call);
        record.stream = stream;
        cuda.put(RecordType::kCudaKernel, record);
    }
    static std::vector<int64_t> calls_of_work(const Profile& p) {
        std::vector<int64_t> calls = p.device.correlation;
        std::sort(calls.begin(), calls.end());
        return calls;
    }
    static std::map<int64_t, std::string> rows(const Profile& p) {
        std::map<int64_t, std::string> result;
        for (const Track& track : p.tracks)
            if (track.kind == TrackKind::kDeviceStream) result[track.stream] = p.strings.view(track.name);
        return result;
    }
    static std::string property(const Profile& p, std::string_view key) {
        for (const auto& [name, value] : p.info.properties)
            if (name == key) return value;
        return {};
    }
};

TEST_F(CudaStreams, EventsStandWhereTheDeviceCameByThem) {
    event(5, 900);  // before its call, as buffers come
    api("cudaEventRecord", 100, 200, 5);
    const Profile p = imported();
    EXPECT_THAT(names(p), ElementsAre("Event Record"));
    EXPECT_EQ(p.device.begin[0], 800) << "the call begins the profile";
    EXPECT_EQ(p.device.dur[0], 0);
    EXPECT_EQ(p.device.kind[0], DeviceKind::kOther);
    EXPECT_EQ(p.device.flags[0], kInstant);
    EXPECT_EQ(p.device.correlation[0], 5);
    EXPECT_EQ(p.device_extras.event, std::vector<int64_t>{3});
    EXPECT_EQ(p.tracks[p.device.track[0].index()].stream, 7);
    EXPECT_EQ(count(p, Diag::kUnreadRow), 0);
}

TEST_F(CudaStreams, EventsWhoseTimeIsNotToldOrCannotBeStandWhereTheyWereCalled) {
    api("cudaEventRecord", 100, 200, 5);
    api("cudaEventRecord", 300, 400, 6);
    api("cudaEventRecord", 500, 600, 7);
    event(5, 0);
    event(6, 299);                      // before the call
    event(7, 500 + 3'600'000'000'001);  // hours later: another clock
    const Profile p = imported();
    EXPECT_THAT(names(p), ElementsAre("Event Record (when called)", "Event Record (when called)",
                                      "Event Record (when called)"));
    EXPECT_THAT(p.device.begin, ElementsAre(0, 200, 400));
}

TEST_F(CudaStreams, EventsOfNoCallOrContextAreCounted) {
    api("cudaEventRecord", 100, 200, 5);
    event(6, 900);
    wire::CudaEventRecord lost{};
    lost.device = wire::kNoCudaId;
    lost.context = 9;
    lost.correlation = 5;
    cuda.put(RecordType::kCudaEvent, lost);
    const Profile p = imported();
    EXPECT_EQ(p.device.size(), 0u);
    EXPECT_EQ(count(p, Diag::kDanglingId), 2);
}

TEST_F(CudaStreams, IdsOfProgramsStandWithTheWork) {
    external(5, 4, 11);
    external(5, 3, 12);  // a call may have one of each kind: the lowest is shown
    external(5, 5, 13);
    external(6, 5, UINT64_MAX);  // more than the profile can hold
    api("cudaLaunchKernel", 100, 200, 5);
    api("cudaLaunchKernel", 300, 400, 6);
    run("a", 500, 600, 5);
    run("b", 700, 800, 6);
    const Profile p = imported();
    EXPECT_THAT(p.device.external_id, ElementsAre(12, -1));
    EXPECT_EQ(property(p, "cuda_external_ids_of_process_100"), "1 of custom 0, 1 of custom 1, 2 of custom 2");
    EXPECT_EQ(count(p, Diag::kUnreadRow), 0);
}

TEST_F(CudaStreams, OfALimitedRecordingIsKeptWhatItsCallsLaunched) {
    run("of before", 150, 5000, 3);
    run("of the range, run later", 7000, 8000, 12);  // before its call
    range(100, 0);
    api("cudaStreamSynchronize", 50, 120, 9);  // of another thread, open when it began
    api("cudaLaunchKernel", 110, 120, 10);
    api("cudaLaunchKernel", 190, 200, 12);
    range(100, 200);
    run("of a call that was lost", 150, 160, 11);
    run("of the gap", 150, 160, 13);
    run("of another thread", 150, 160, 9);
    range(1000, 0);
    api("cudaStreamSynchronize", 900, 1100, 14);
    api("cudaLaunchKernel", 1110, 1120, 15);
    range(1000, 2000);
    run("of the second", 2500, 2600, 15);
    run("of no call", 300, 400, 0);
    run("of after", 3500, 3600, 16);
    event(16, 1500);
    EXPECT_THAT(calls_of_work(imported()), ElementsAre(-1, 9, 11, 12, 15));
}

TEST_F(CudaStreams, ARangeWithoutCallsHasNoWork) {
    range(100, 0);
    run("of before", 150, 5000, 3);
    const Profile p = imported();
    EXPECT_EQ(p.device.size(), 0u);
}

TEST_F(CudaStreams, NamesOfStreamsStandOnTheirRows) {
    handle(0xd00, 100, 13);
    handle(0xd00, 5000, 14);  // the same handle again
    kernel_on(7, 6000, 0);
    kernel_on(13, 6000, 0);
    kernel_on(14, 6000, 0);
    FabricatedCapture nvtx(100);
    nvtx.thread(101);
    name(nvtx, 0xd00, 2000, "first");
    name(nvtx, 0xd00, 3000, "copies");
    name(nvtx, 0, 2000, "default");
    name(nvtx, 0xe00, 2000, "of no stream");
    name(nvtx, 0, 2000, "trainer", wire::NvtxResource::kDevice);
    const Profile p = imported({cuda.bytes(), nvtx.bytes()});
    EXPECT_THAT(rows(p),
                ElementsAre(Pair(7, "default (stream 7)"), Pair(13, "copies (stream 13)"), Pair(14, "")));
    EXPECT_EQ(property(p, "nvtx_name stream 0xd00"), "copies");
    EXPECT_EQ(property(p, "nvtx_name device 0"), "trainer");
}

TEST_F(CudaStreams, NamesWithoutATimeAreThoseOfTheLastStream) {
    handle(0xd00, 5000, 14);
    handle(0xd00, 100, 13);
    kernel_on(13, 6000, 0);
    kernel_on(14, 6000, 0);
    FabricatedCapture nvtx(100);
    nvtx.thread(101);
    name(nvtx, 0xd00, 0, "copies");
    FabricatedCapture other(200);  // another process knows the handle for something else
    other.thread(201);
    name(other, 0xd00, 0, "of another process");
    const Profile p = imported({cuda.bytes(), nvtx.bytes(), other.bytes()});
    EXPECT_THAT(rows(p), ElementsAre(Pair(13, ""), Pair(14, "copies (stream 14)")));
}

}  // namespace
}  // namespace opsight::importer::capture
