#include "analyze/resources.h"

#include <gtest/gtest.h>

#include <random>

#include "analyze/analyze.h"
#include "analyze/intervals.h"
#include "analyze/test_profile.h"

namespace opsight::analyze {
namespace {

TEST(Intervals, MergeAndUnite) {
    Intervals a = {{5, 7}, {0, 2}, {2, 3}, {6, 9}, {20, 20}};
    merge(a);
    EXPECT_EQ(a, (Intervals{{0, 3}, {5, 9}, {20, 20}}));
    EXPECT_EQ(unite({{0, 3}, {10, 12}}, {{2, 5}, {12, 13}}), (Intervals{{0, 5}, {10, 13}}));
    EXPECT_EQ(length({{0, 3}, {5, 9}}), 7);
}

TEST(Resources, PriorityPartition) {
    TestProfile t;
    const TrackId thread = t.thread();
    t.gpu(0, "Tesla V100-SXM2-16GB", 7, 0);
    t.annotation("ProfilerStep#1", 0, 1000, thread);
    t.op("op", 0, 300);
    t.annotation("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 400, 200, thread);
    t.op("aten::stack", 450, 50);
    t.host(HostKind::kFileIo, "read", 700, 50, thread);
    t.api("cudaDeviceSynchronize", 800, 100, thread);
    t.kernel("ncclKernel_AllReduce", 100, 100, t.stream(8));
    t.kernel("plain", 150, 20, t.stream(7));
    t.kernel("volta_h884gemm_64x128_ldg8_nn", 160, 20, t.stream(9));
    t.kernel("Memcpy", 590, 20, t.stream(7), -1, DeviceKind::kMemcpy);
    t.kernel("wait", 900, 50, t.stream(7), -1, DeviceKind::kSync);
    Profile p = t.finish();
    const Analysis a = analyze(p, {});
    using R = Resource;
    const std::vector<std::tuple<int64_t, int64_t, R>> expected = {
        {0, 100, R::kCpu},
        {100, 150, R::kCommunication},
        {150, 160, R::kUnknownKernel},
        {160, 180, R::kTensorCoreKernel},
        {180, 200, R::kCommunication},
        {200, 300, R::kCpu},
        {300, 400, R::kHost},  // within the step
        {400, 590, R::kDataLoader},
        {590, 610, R::kMemory},
        {610, 700, R::kHost},
        {700, 750, R::kFileIo},
        {750, 800, R::kHost},
        {800, 900, R::kCpu},
        {900, 1000, R::kHost},
    };
    std::vector<std::tuple<int64_t, int64_t, R>> found;
    for (const ResourceSegment& s : a.resources)
        found.push_back({s.begin_ns, s.end_ns, s.resource});
    EXPECT_EQ(found, expected);

    std::vector<std::tuple<int64_t, int64_t, bool>> busy, communication;
    for (const BusySegment& s : a.busy)
        busy.push_back({s.begin_ns, s.end_ns, s.kernel_only});
    EXPECT_EQ(busy, (std::vector<std::tuple<int64_t, int64_t, bool>>{
                        {100, 200, false}, {590, 610, false}, {100, 200, true}}));
    for (const CommSegment& s : a.communication)
        communication.push_back({s.begin_ns, s.end_ns, s.overlapped});
    EXPECT_EQ(communication, (std::vector<std::tuple<int64_t, int64_t, bool>>{
                                 {100, 150, false}, {150, 180, true}, {180, 200, false}}));
}

// What a thread does by itself: a lock in a Python frame and a poll are waits, read() is file I/O.
TEST(Resources, TheHostBesideOpsAndCalls) {
    TestProfile t;
    const TrackId thread = t.thread();
    t.host(HostKind::kPythonFrame, "train.py(1): main", 0, 500, thread);
    t.host(HostKind::kPythonFrame, "<built-in method acquire of _thread.lock object at 0x1>", 100, 100,
           thread);
    t.host(HostKind::kOsRuntime, "read", 600, 50, thread);
    t.host(HostKind::kOsRuntime, "poll", 650, 100, thread);
    t.host(HostKind::kOsRuntime, "mmap64", 750, 50, thread);
    t.kernel("_paged_attention", 300, 50, t.stream(7));
    Profile p = t.finish();
    const Analysis a = analyze(p, {});
    using R = Resource;
    std::vector<std::tuple<int64_t, int64_t, R>> found;
    for (const ResourceSegment& s : a.resources)
        found.push_back({s.begin_ns, s.end_ns, s.resource});
    EXPECT_EQ(found, (std::vector<std::tuple<int64_t, int64_t, R>>{{0, 100, R::kHost},
                                                                   {100, 200, R::kIdle},
                                                                   {200, 300, R::kHost},
                                                                   {300, 350, R::kUnknownKernel},
                                                                   {350, 500, R::kHost},
                                                                   {500, 600, R::kIdle},
                                                                   {600, 650, R::kFileIo},
                                                                   {650, 750, R::kIdle},
                                                                   {750, 800, R::kHost}}));
}

// The selector of an event loop waits, a handler that it calls does not, and may wait itself.
TEST(Resources, TheInnermostDecidesWhetherAThreadWaits) {
    TestProfile t;
    const TrackId thread = t.thread();
    t.annotation("serve", 0, 100, thread);
    t.host(HostKind::kPythonFrame, "<built-in method poll of select.epoll object at 0x1>", 100, 900, thread);
    t.host(HostKind::kPythonFrame, "handler.py(3): handle", 200, 500, thread);
    t.host(HostKind::kOsRuntime, "nanosleep", 300, 100, thread);
    t.host(HostKind::kPythonFrame, "handler.py(9): log", 350, 20, thread);
    t.annotation("crosses", 900, 300, thread);
    Profile p = t.finish();
    const Analysis a = analyze(p, {});
    using R = Resource;
    std::vector<std::tuple<int64_t, int64_t, R>> found;
    for (const ResourceSegment& s : a.resources)
        found.push_back({s.begin_ns, s.end_ns, s.resource});
    EXPECT_EQ(found, (std::vector<std::tuple<int64_t, int64_t, R>>{{0, 100, R::kHost},
                                                                   {100, 200, R::kIdle},
                                                                   {200, 300, R::kHost},
                                                                   {300, 350, R::kIdle},
                                                                   {350, 370, R::kHost},
                                                                   {370, 400, R::kIdle},
                                                                   {400, 700, R::kHost},
                                                                   {700, 900, R::kIdle},
                                                                   {900, 1200, R::kHost}}));
}

// gloo runs its collectives on threads of its own, while Python waits for them.
TEST(Resources, CommunicationOnTheHost) {
    for (const bool device : {false, true}) {
        TestProfile t;
        if (!device) t.annotation("step", 0, 1000, t.thread());
        t.op("aten::mm", 0, 300);
        t.host(HostKind::kAnnotation, "gloo:all_reduce", 200, 400, t.thread(2));
        t.host(HostKind::kMessagePassing, "MPI_Allreduce", 700, 100, t.thread(3));
        t.host(HostKind::kMessagePassing, "MPI_Comm_rank", 850, 50, t.thread(3));
        if (device) t.kernel("plain", 900, 50, t.stream());
        Profile p = t.finish();
        const Analysis a = analyze(p, {});
        int64_t communicating = 0, host = 0;
        for (const ResourceSegment& s : a.resources) {
            if (s.resource == Resource::kCommunication) communicating += s.end_ns - s.begin_ns;
            if (s.resource == Resource::kHost) host += s.end_ns - s.begin_ns;
        }
        EXPECT_EQ(communicating, device ? 0 : 400) << "300 to 600, which no op hides, and MPI's 100";
        EXPECT_EQ(host, device ? 450 : 300) << "beside a device it is time of the program";
    }
}

// Every moment of a random rank, looked at by itself.
TEST(Resources, AgreesWithBruteForce) {
    std::mt19937 random(3);
    for (int round = 0; round < 30; ++round) {
        TestProfile t;
        t.gpu(0, "Tesla V100-SXM2-16GB", 7, 0);
        t.op("first", 0, 1);
        for (int i = 0; i < 40; ++i) {
            const auto begin = static_cast<int64_t>(random() % 900),
                       dur = static_cast<int64_t>(random() % 60);
            const auto stream = static_cast<int64_t>(7 + random() % 3);
            switch (random() % 5) {
                case 0:
                    t.kernel("plain<int>", begin, dur, t.stream(stream));
                    break;
                case 1:
                    t.kernel("volta_h884gemm", begin, dur, t.stream(stream));
                    break;
                case 2:
                    t.kernel("nccl_x", begin, dur, t.stream(stream));
                    break;
                case 3:
                    t.kernel("Memset", begin, dur, t.stream(stream), -1, DeviceKind::kMemset);
                    break;
                default:
                    t.op("op", begin, dur, t.thread(static_cast<int64_t>(10 + i)));
            }
        }
        Profile p = t.finish();
        const Analysis a = analyze(p, {});
        const auto at = [&](int64_t time) {
            Resource best = Resource::kIdle;
            for (size_t s = 0; s < p.device.size(); ++s) {
                if (p.device.begin[s] > time || p.device.begin[s] + p.device.dur[s] <= time) continue;
                const std::string_view name = p.strings.view(p.device.name[s]);
                const Resource r = name == "plain<int>"       ? Resource::kOtherKernel
                                   : name == "volta_h884gemm" ? Resource::kTensorCoreKernel
                                   : name == "nccl_x"         ? Resource::kCommunication
                                                              : Resource::kMemory;
                best = std::min(best, r);  // of these the numbers are in the order of priority
            }
            for (size_t s = 0; s < p.host.size(); ++s)
                if (p.host.begin[s] <= time && time < p.host.begin[s] + p.host.dur[s])
                    best = std::min(best, Resource::kCpu);
            return best;
        };
        ASSERT_EQ(a.resources.front().begin_ns, 0);
        ASSERT_EQ(a.resources.back().end_ns, p.info.end_ns);
        for (size_t i = 0; i < a.resources.size(); ++i) {
            const ResourceSegment& s = a.resources[i];
            if (i > 0) {
                ASSERT_EQ(s.begin_ns, a.resources[i - 1].end_ns);
                ASSERT_NE(s.resource, a.resources[i - 1].resource);
            }
            for (int64_t time = s.begin_ns; time < s.end_ns; ++time)
                ASSERT_EQ(at(time), s.resource) << time;
        }
    }
}

}  // namespace
}  // namespace opsight::analyze
