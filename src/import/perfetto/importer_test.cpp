#include <gtest/gtest.h>
#include <zlib.h>

#include "base/test_files.h"
#include "import/import.h"
#include "import/protobuf/test_bytes.h"

namespace opsight::importer {
namespace {

using protobuf::Bytes;

enum { kBegin = 1, kEnd = 2, kInstant = 3, kCounter = 4 };

// A trace, packet by packet, of one writer.
class TestTrace {
  public:
    TestTrace& packet(const Bytes& packet) {
        all_.text(1, packet.all);
        return *this;
    }
    // That the writer begins anew.
    TestTrace& clear() { return packet(Bytes().number(10, 7).number(13, 1)); }
    TestTrace& process(int64_t uuid, int64_t pid, std::string_view name) {
        return track(Bytes().number(1, uuid).text(3, Bytes().number(1, pid).text(6, name).all));
    }
    TestTrace& thread(int64_t uuid, int64_t pid, int64_t tid, std::string_view name) {
        return track(
            Bytes().number(1, uuid).text(4, Bytes().number(1, pid).number(2, tid).text(5, name).all));
    }
    TestTrace& track(const Bytes& descriptor) {
        return packet(Bytes().number(10, 7).text(60, descriptor.all));
    }
    TestTrace& event(int64_t time, const Bytes& event) {
        return packet(Bytes().number(8, time).number(10, 7).text(11, event.all));
    }
    // A slice with names written out.
    TestTrace& slice(int64_t track, int64_t begin, int64_t dur, std::string_view category,
                     std::string_view name, const std::vector<Bytes>& annotations = {}) {
        Bytes begins;
        begins.number(9, kBegin).number(11, track).text(22, category).text(23, name);
        for (const Bytes& each : annotations)
            begins.text(4, each.all);
        return event(begin, begins).event(begin + dur, Bytes().number(9, kEnd).number(11, track));
    }
    const std::string& bytes() const { return all_.all; }

  private:
    Bytes all_;
};

Bytes whole(std::string_view key, int64_t value) {
    return Bytes().text(10, key).number(4, value);
}
Bytes text(std::string_view key, std::string_view value) {
    return Bytes().text(10, key).text(6, value);
}

class PerfettoTest : public ::testing::Test {
  protected:
    Profile imported(const TestTrace& trace) { return imported(trace.bytes()); }
    Profile imported(const std::string& bytes) {
        Result<Profile> profile = import_files({folder_.write("a.pftrace", bytes)});
        EXPECT_TRUE(profile) << profile.error().message();
        return profile ? std::move(profile).value() : Profile();
    }
    std::string refused(const std::string& bytes) {
        const Result<Profile> profile = import_files({folder_.write("b.pftrace", bytes)});
        EXPECT_FALSE(profile);
        return profile ? "" : profile.error().message();
    }
    static std::string view(const Profile& p, StringId id) { return std::string(p.strings.view(id)); }
    static std::string host(const Profile& p, size_t row) { return view(p, p.host.name[row]); }

    testing::TempFolder folder_;
};

TEST_F(PerfettoTest, SlicesOfThreadsAndStreams) {
    TestTrace trace;
    trace.clear().process(1, 42, "python3").thread(2, 42, 43, "main");
    trace.track(Bytes().number(1, 3).number(5, 1).text(2, "Stream 7"));
    trace.event(1000, Bytes().number(9, kBegin).number(11, 2).text(22, "cpu_op").text(23, "aten::linear"))
        .slice(2, 1100, 400, "cpu_op", "aten::mm", {text("Input Dims", "[[2, 3], [3, 4]]")})
        .slice(2, 1200, 100, "cuda_runtime", "cudaLaunchKernel", {whole("correlation", 5)})
        .event(1600, Bytes().number(9, kEnd).number(11, 2));
    trace.slice(3, 2000, 750, "kernel", "gemm",
                {whole("device", 0), whole("stream", 7), whole("correlation", 5), text("grid", "[4, 2, 1]"),
                 text("block", "[128, 1, 1]")});
    const Profile p = imported(trace);
    EXPECT_EQ(p.info.producer, "Perfetto");
    ASSERT_EQ(p.host.size(), 3u);
    EXPECT_EQ(host(p, 0) + " " + host(p, 1) + " " + host(p, 2), "aten::linear aten::mm cudaLaunchKernel");
    EXPECT_EQ(p.host.dur, (std::vector<int64_t>{600, 400, 100}));
    const Track& thread = p.tracks[p.host.track[0].index()];
    EXPECT_EQ(thread.pid * 100 + thread.tid, 4243);
    EXPECT_EQ(view(p, thread.name), "main");
    EXPECT_EQ(view(p, thread.process_name), "python3");
    EXPECT_EQ(view(p, p.signatures.at(0).shapes), "[[2, 3], [3, 4]]") << "JSON in a text";
    ASSERT_EQ(p.device.size(), 1u);
    EXPECT_EQ(p.device.correlation[0], 5);
    EXPECT_EQ(p.launch_configs[p.device.config[0].index()].grid[1], 2);
    EXPECT_EQ(p.tracks[p.device.track[0].index()].stream, 7);
}

// A packet of a few bytes may name a long text, and more than once.
TEST_F(PerfettoTest, LongTextsThatAreNamedOftenAreRefused) {
    const std::string name(size_t{1} << 16, 'n');
    const auto entry = [&name](int kind) {
        return Bytes().text(kind, Bytes().number(1, 9).text(2, name).all);
    };
    const auto told = [&entry](int kind) {
        TestTrace trace;
        trace.clear().thread(2, 1, 1, "main");
        trace.packet(Bytes().number(10, 7).text(12, entry(kind).all));
        return trace;
    };
    TestTrace begins = told(2);
    for (int i = 0; i < 4000; ++i)
        begins.event(i, Bytes().number(9, kBegin).number(11, 2).number(10, 9));
    EXPECT_NE(refused(begins.bytes()).find("thousandfold"), std::string::npos) << "slices that stay open";

    Bytes many;
    many.number(9, kInstant).number(11, 2).text(23, "x").text(3, std::string(10000, '\x09'));
    EXPECT_NE(refused(told(1).event(1, many).bytes()).find("thousandfold"), std::string::npos)
        << "one event of many categories";

    TestTrace arrows;
    arrows.clear().track(Bytes().number(1, 3).text(2, name));
    Bytes flows;
    flows.number(9, kInstant).number(11, 3).text(23, "x");
    for (int i = 0; i < 10000; ++i)
        flows.fixed(47, static_cast<uint64_t>(i));
    EXPECT_NE(refused(arrows.event(1, flows).bytes()).find("thousandfold"), std::string::npos)
        << "arrows that each name their row";
}

TEST_F(PerfettoTest, NamesThatWereToldBefore) {
    TestTrace trace;
    trace.clear().thread(2, 1, 1, "main");
    const Bytes names = Bytes()
                            .text(1, Bytes().number(1, 9).text(2, "cpu_op").all)
                            .text(2, Bytes().number(1, 9).text(2, "aten::relu").all)
                            .text(3, Bytes().number(1, 9).text(2, "Sequence number").all);
    trace.packet(Bytes()
                     .number(8, 10)
                     .number(10, 7)
                     .number(13, 2)
                     .text(12, names.all)
                     .text(11, Bytes()
                                   .number(9, kBegin)
                                   .number(11, 2)
                                   .number(3, 9)
                                   .number(10, 9)
                                   .text(4, Bytes().number(1, 9).number(4, 77).all)
                                   .all));
    trace.event(20, Bytes().number(9, kEnd).number(11, 2));
    // Another writer has told nothing.
    trace.packet(Bytes().number(8, 30).number(10, 8).number(13, 2).text(
        11, Bytes().number(9, kBegin).number(11, 2).number(10, 9).all));
    const Profile p = imported(trace);
    ASSERT_EQ(p.host.size(), 1u);
    EXPECT_EQ(host(p, 0), "aten::relu");
    EXPECT_EQ(p.host.kind[0], HostKind::kOp);
    EXPECT_EQ(p.op_details.sequence[0], 77);
    EXPECT_EQ(p.diagnostics.count(Diag::kLostRecords), 1);
}

TEST_F(PerfettoTest, ClocksOfWritersCountInTheirOwnUnits) {
    const auto clock = [](int64_t id, int64_t time) { return Bytes().number(1, id).number(2, time); };
    TestTrace trace;
    Bytes own = clock(64, 5);
    own.number(3, 1).number(4, 1000);  // changes, in us
    trace.clear().thread(2, 1, 1, "main");
    trace.packet(Bytes().number(10, 7).text(
        6,
        Bytes().text(1, clock(6, 1000).all).text(1, clock(1, 1700000000000001000).all).text(1, own.all).all));
    const auto at = [&](int64_t time, int type) {
        trace.packet(Bytes().number(8, time).number(10, 7).number(58, 64).text(
            11, Bytes().number(9, type).number(11, 2).text(22, "cpu_op").text(23, "a").all));
    };
    at(2, kBegin);
    at(3, kEnd);
    trace.packet(Bytes().number(8, 1).number(10, 7).number(58, 65).text(
        11, Bytes().number(9, kInstant).number(11, 2).all));
    const Profile p = imported(trace);
    ASSERT_EQ(p.host.size(), 1u);
    EXPECT_EQ(p.host.dur[0], 3000);
    EXPECT_EQ(p.info.origin_ns, 1700000000000003000) << "2 us behind the snapshot";
    EXPECT_EQ(p.diagnostics.count(Diag::kBadTime), 1) << "clock 65 is not known";
}

TEST_F(PerfettoTest, Counters) {
    TestTrace trace;
    const auto counter = [](int64_t uuid, std::string_view name, const Bytes& what) {
        return Bytes().number(1, uuid).text(2, name).text(8, what.all);
    };
    trace.clear()
        .track(counter(10, "load", Bytes()))
        .track(counter(11, "bytes", Bytes().number(4, 1024).number(5, 1)));
    trace.event(10, Bytes().number(9, kCounter).number(11, 10).real(44, 0.25));
    trace.event(20, Bytes().number(9, kCounter).number(11, 11).number(30, 2));
    trace.event(30, Bytes().number(9, kCounter).number(11, 11).number(30, 3));
    trace.packet(
        Bytes().number(10, 7).text(59, Bytes().text(11, Bytes().number(11, 2).number(31, 10).all).all));
    trace.thread(2, 1, 1, "main");
    trace.event(40, Bytes().number(9, kBegin).text(22, "cpu_op").text(23, "a").number(12, 8));
    trace.event(50, Bytes().number(9, kEnd));
    trace.event(60, Bytes().number(9, kCounter).number(11, 10));
    const Profile p = imported(trace);
    std::vector<double> values = p.counters.value;
    std::sort(values.begin(), values.end());
    EXPECT_EQ(values, (std::vector<double>{0.25, 8, 2048, 5120}));
    EXPECT_EQ(view(p, p.counters.name[0]), "load");
    EXPECT_EQ(p.host.size(), 1u) << "on the track that the writer's events have by default";
    EXPECT_EQ(p.diagnostics.count(Diag::kBadEvent), 1) << "a counter without a value";
}

TEST_F(PerfettoTest, OpenSlicesAndStrayEnds) {
    TestTrace trace;
    trace.clear().thread(2, 1, 1, "main").slice(2, 10, 5, "cpu_op", "a");
    trace.event(20, Bytes().number(9, kEnd).number(11, 2));
    trace.event(30, Bytes().number(9, kBegin).number(11, 2).text(22, "cpu_op").text(23, "open"));
    const Profile p = imported(trace);
    ASSERT_EQ(p.host.size(), 2u);
    EXPECT_EQ(p.host.flags[1] & kUnfinished, kUnfinished);
    EXPECT_EQ(p.diagnostics.count(Diag::kEndWithoutBegin), 1);
    EXPECT_EQ(p.diagnostics.count(Diag::kUnfinishedSpan), 1);
}

TEST_F(PerfettoTest, WritersOfOneTrackEndTheirOwnSlices) {
    TestTrace trace;
    trace.clear().track(Bytes().number(1, 3).text(2, "requests"));
    const auto at = [&](int64_t time, int64_t writer, int type, std::string_view name) {
        trace.packet(
            Bytes()
                .number(8, time)
                .number(10, writer)
                .text(11,
                      Bytes().number(9, type).number(11, 3).text(22, "user_annotation").text(23, name).all));
    };
    at(100, 1, kBegin, "first");
    at(110, 2, kBegin, "second");
    at(190, 1, kEnd, "");
    at(150, 2, kEnd, "");
    at(300, 1, kBegin, "third");
    at(350, 2, kEnd, "");
    const Profile p = imported(trace);
    ASSERT_EQ(p.host.size(), 3u);
    EXPECT_EQ(p.host.dur, (std::vector<int64_t>{90, 40, 50}));
}

TEST_F(PerfettoTest, SlicesThatAreAlikeStayInEachOther) {
    TestTrace trace;
    trace.clear().thread(2, 1, 1, "main");
    const auto at = [&](int64_t time, int type, const char* name) {
        Bytes event;
        event.number(9, type).number(11, 2);
        if (type == kBegin) event.text(23, name).text(22, "cpu_op");
        trace.event(time, event);
    };
    at(100, kBegin, "outer");
    at(100, kBegin, "middle");
    at(100, kBegin, "inner");
    for (int i = 0; i < 3; ++i)
        at(150, kEnd, "");
    at(200, kBegin, "first");
    at(200, kEnd, "");
    at(200, kBegin, "second");
    at(200, kEnd, "");
    const Profile p = imported(trace);
    std::vector<std::string> names;
    for (const StringId name : p.host.name)
        names.emplace_back(p.strings.view(name));
    EXPECT_EQ(names, (std::vector<std::string>{"outer", "middle", "inner", "first", "second"}));
}

TEST_F(PerfettoTest, WordsOfRocprof) {
    TestTrace trace;
    trace.clear().thread(2, 70, 70, "THREAD 1 (70)");
    trace.track(Bytes().number(1, 3).text(2, "STREAM [2]"));
    trace.slice(2, 1000, 100, "hip_api", "hipLaunchKernel", {whole("corr_id", 6)});
    trace.slice(2, 900, 500, "marker_api", "step 1");
    trace.slice(3, 1500, 400, "kernel_dispatch", "gemm(float*)",
                {text("agent", "Agent 1"), whole("corr_id", 6), whole("queue", 2),
                 whole("workgroup_size", 256), whole("grid_size", 1000), whole("group_segment_size", 512)});
    trace.slice(
        3, 2000, 100, "memory_copy", "MEMORY_COPY_HOST_TO_DEVICE",
        {whole("src_agent", 0), whole("dst_agent", 1), whole("copy_bytes", 4096), whole("corr_id", 7)});
    const Profile p = imported(trace);
    ASSERT_EQ(p.device.size(), 2u);
    EXPECT_EQ(p.device.correlation[0], 6);
    const LaunchConfig& config = p.launch_configs[p.device.config[0].index()];
    EXPECT_EQ(config.grid[0], 4);
    EXPECT_EQ(config.static_shared_bytes, 512);
    EXPECT_EQ(p.devices.at(0).number, 1);
    EXPECT_EQ(p.device.kind[1], DeviceKind::kMemcpy);
    EXPECT_EQ(p.device.bytes[1], 4096);
    EXPECT_EQ(p.host.kind[1], HostKind::kRuntimeApi);
    EXPECT_EQ(p.host.kind[0], HostKind::kAnnotation);
}

// What its HIP and its HSA tell of the same kernels.
TEST_F(PerfettoTest, WordsOfRocprofTwo) {
    TestTrace trace;
    trace.clear().thread(2, 70, 70, "HIP API 70");
    trace.track(Bytes().number(1, 3).text(2, "Dev 1 Queue 2"));
    trace.track(Bytes().number(1, 4).text(2, "HipStream 0"));
    trace.slice(2, 900, 500, "ROCTX_API", "step 1", {whole("RocTx ID", 0)});
    trace.slice(2, 1000, 100, "HIP_API", "hipLaunchKernel", {});
    trace.slice(3, 1500, 400, "KERNELS", "gemm(float*)",
                {whole("Agent ID", 1), whole("Queue ID", 2), whole("GRD", 1000), whole("WGR", 256),
                 whole("LDS", 512), whole("SCR", 0)});
    trace.slice(4, 1500, 400, "HIP_OPS", "gemm(float*)", {whole("Agent ID", 1), whole("Process ID", 70)});
    trace.slice(4, 1950, 10, "HIP_OPS", "FillBuffer", {whole("Process ID", 70)});
    const Profile p = imported(trace);
    ASSERT_EQ(p.device.size(), 1u);
    EXPECT_EQ(p.device.dur[0], 400);
    EXPECT_EQ(p.devices.at(0).number, 1);
    const LaunchConfig& config = p.launch_configs[p.device.config[0].index()];
    EXPECT_EQ(config.grid[0], 4);
    EXPECT_EQ(config.block[0], 256);
    EXPECT_EQ(config.static_shared_bytes, 512);
    EXPECT_EQ(p.host.kind[0], HostKind::kAnnotation);
    EXPECT_EQ(p.host.kind[1], HostKind::kRuntimeApi);
    EXPECT_EQ(p.diagnostics.count(Diag::kUnknownCategory), 2) << "told again, and without a GPU";
}

TEST_F(PerfettoTest, CompressedPackets) {
    TestTrace inner, trace;
    inner.clear().thread(2, 1, 1, "main").slice(2, 10, 5, "cpu_op", "a");
    uLongf size = compressBound(inner.bytes().size());
    std::string packed(size, '\0');
    ASSERT_EQ(compress(reinterpret_cast<Bytef*>(packed.data()), &size,
                       reinterpret_cast<const Bytef*>(inner.bytes().data()), inner.bytes().size()),
              Z_OK);
    packed.resize(size);
    trace.clear()
        .packet(Bytes().number(10, 7).text(50, packed))
        .packet(Bytes().number(10, 7).text(50, "junk"));
    const Profile p = imported(trace);
    EXPECT_EQ(p.host.size(), 1u);
    EXPECT_EQ(p.diagnostics.count(Diag::kBadEvent), 1);
}

TEST_F(PerfettoTest, WhatIsNotUsedIsCounted) {
    TestTrace trace;
    trace.clear().thread(2, 1, 1, "main").slice(2, 10, 5, "cpu_op", "a\xff");
    trace.packet(Bytes().number(10, 7).text(1, "ftrace")).packet(Bytes().number(10, 7).text(1, "ftrace"));
    trace.packet(Bytes().number(10, 7).text(36, "marker")).event(7, Bytes().number(9, 55).number(11, 2));
    trace.packet(Bytes().number(10, 7).text(11, Bytes().number(9, kInstant).all));
    const Profile p = imported(trace);
    ASSERT_EQ(p.info.unread_tables.size(), 1u);
    EXPECT_EQ(p.info.unread_tables[0], (std::pair<std::string, int64_t>("ftrace_events", 2)));
    EXPECT_EQ(p.diagnostics.count(Diag::kUncleanText), 1);
    EXPECT_EQ(p.diagnostics.count(Diag::kUnknownPhase), 1);
    EXPECT_EQ(p.diagnostics.count(Diag::kBadTime), 1) << "an event without a time";
    for (const DiagOccurrence& where : p.diagnostics.first(Diag::kUncleanText))
        EXPECT_EQ(where.offset, -1) << "bytes of the text that is made are no places";
}

TEST_F(PerfettoTest, DeepAnnotationsEnd) {
    Bytes deep = whole("x", 1);
    for (int i = 0; i < 5000; ++i)
        deep = Bytes().text(10, "x").text(11, deep.all);
    TestTrace trace;
    trace.clear().thread(2, 1, 1, "main").slice(2, 10, 5, "cpu_op", "a", {deep});
    EXPECT_EQ(imported(trace).host.size(), 1u);
}

TEST_F(PerfettoTest, AFewBytesMayNotStandForMany) {
    TestTrace trace;
    trace.clear().thread(2, 1, 1, "main");
    trace.packet(Bytes().number(10, 7).text(
        12, Bytes().text(2, Bytes().number(1, 9).text(2, std::string(100000, 'x')).all).all));
    std::string bytes = trace.bytes();
    TestTrace events;
    events.event(10, Bytes().number(9, kInstant).number(11, 2).number(10, 9));
    for (int i = 0; i < 4000; ++i)
        bytes += events.bytes();
    EXPECT_NE(refused(bytes).find("thousandfold"), std::string::npos);
}

TEST_F(PerfettoTest, CutAndEmptyTraces) {
    TestTrace trace;
    trace.clear().thread(2, 1, 1, "main").slice(2, 10, 5, "cpu_op", "a").slice(2, 20, 5, "cpu_op", "b");
    const Profile cut = imported(trace.bytes().substr(0, trace.bytes().size() - 3));
    EXPECT_EQ(cut.diagnostics.count(Diag::kTruncatedInput), 1);
    EXPECT_EQ(cut.host.size(), 2u) << "b has no end";
    TestTrace kernel;
    kernel.packet(Bytes().number(10, 7).text(1, "ftrace"));
    EXPECT_NE(refused(kernel.bytes()).find("ftrace_events (1)"), std::string::npos);
}

}  // namespace
}  // namespace opsight::importer
