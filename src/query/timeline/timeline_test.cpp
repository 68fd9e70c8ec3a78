// The timeline of small profiles: tracks, windows, sums, search and the chain of an event.
#include "query/timeline/timeline.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <map>
#include <random>
#include <thread>

#include "model/source_limits.h"
#include "query/session/test_session.h"
#include "query/timeline/data.h"

namespace opsight::query {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;

Timeline open(const StoredProfile& stored) {
    auto timeline = Timeline::open(stored.path());
    if (!timeline) ADD_FAILURE() << timeline.error().message();
    return std::move(timeline).value();
}

// Two steps; each with a layer, an op in it that launches a kernel, and a backward op on another thread.
analyze::TestProfile steps() {
    analyze::TestProfile t;
    t.gpu(0, "Tesla V100-SXM2-16GB", 7, 0);
    const TrackId thread = t.thread(1), backward = t.thread(2), stream = t.stream();
    for (int64_t step = 0; step < 2; ++step) {
        const int64_t at = step * 1'000'000;
        t.annotation("ProfilerStep#" + std::to_string(step), at, 900'000, thread);
        t.host(HostKind::kModule, "nn.Module: Linear_0", at + 10'000, 300'000, thread);
        OpDetail detail;
        detail.sequence = step + 1;
        t.op("aten::linear", at + 20'000, 200'000, thread, detail);
        t.op("aten::addmm", at + 30'000, 100'000, thread);
        t.api("cudaLaunchKernel", at + 40'000, 20'000, thread, step * 10 + 1);
        t.kernel("volta_sgemm_128x64_nn", at + 100'000, 50'000, stream, step * 10 + 1);
        OpDetail of_backward;
        of_backward.sequence = step + 1;
        of_backward.forward_thread = 1;
        t.op("autograd::engine::evaluate_function: AddmmBackward0", at + 500'000, 100'000, backward,
             of_backward);
        t.op("AddmmBackward0", at + 510'000, 80'000, backward, of_backward);
        t.api("cudaLaunchKernel", at + 520'000, 10'000, backward, step * 10 + 2);
        t.kernel("volta_sgemm_32x32_nt", at + 600'000, 70'000, stream, step * 10 + 2);
    }
    return t;
}

const TimelineTrack& track_of(const Timeline& timeline, std::string_view kind, int64_t thread = 0) {
    for (const TimelineTrack& track : timeline.tracks())
        if (track.kind == kind && track.thread == thread) return track;
    ADD_FAILURE() << "no track of kind " << kind;
    return timeline.tracks()[0];
}

// A program's threads have its name, unless it gives them others.
TEST(Timeline, ThreadsOfOneNameAreToldApart) {
    analyze::TestProfile t;
    for (const auto& [id, name] : {std::pair{11, "train"}, {12, "train"}, {13, "loader"}}) {
        t.builder.track(t.thread(id)).name = t.builder.text(name);
        t.op("aten::mm", 0, 100, t.thread(id));
        t.host(HostKind::kAnnotation, "step", 0, 100, t.thread(id));
    }
    const StoredProfile stored(std::move(t));
    std::vector<std::string> names;
    const Timeline timeline = open(stored);
    for (const TimelineTrack& track : timeline.tracks())
        if (track.kind == "thread") names.push_back(track.name);
    EXPECT_THAT(names, ElementsAre("train (11)", "train (12)", "loader"));
}

// Each context of a device has a stream 7.
TEST(Timeline, StreamsOfOneNumberAreToldApart) {
    analyze::TestProfile t;
    const DeviceId device = t.builder.device(RankId(0), 0);
    for (const auto& [context, stream, pid] : {std::tuple{1, 7, 5}, std::tuple{2, 7, 5}, std::tuple{1, 8, 5},
                                               std::tuple{1, 9, 5}, std::tuple{1, 9, 6}})
        t.kernel("void at::native::vectorized_kernel<4>(int)", 0, 100,
                 t.builder.stream_track(TrackKind::kDeviceStream, device, context, stream, pid));
    const StoredProfile stored(std::move(t));
    std::vector<std::string> names;
    const Timeline timeline = open(stored);
    for (const TimelineTrack& track : timeline.tracks())
        if (track.kind == "stream") names.push_back(track.name);
    EXPECT_THAT(names, ElementsAre("stream 7 (context 1)", "stream 7 (context 2)", "stream 8",
                                   "stream 9 (process 5)", "stream 9 (process 6)"));
}

TEST(Timeline, SaysThatItsPlacesAreMadeUp) {
    for (const bool in_order : {false, true}) {
        analyze::TestProfile t = steps();
        if (in_order) set_durations_only(t.builder.info());
        const StoredProfile stored(std::move(t));
        EXPECT_EQ(open(stored).times_in_order(), in_order);
    }
}

TEST(Timeline, TracksInTheOrderOfDisplay) {
    const StoredProfile stored(steps());
    const Timeline timeline = open(stored);
    std::vector<std::string> kinds;
    for (const TimelineTrack& track : timeline.tracks())
        kinds.push_back(track.kind + " " + std::to_string(track.thread));
    EXPECT_THAT(kinds, ElementsAre("iteration 0", "annotation 1", "thread 1", "thread 2", "stream 0"));
    const TimelineTrack& calls = track_of(timeline, "thread", 1);
    EXPECT_EQ(calls.spans, 8);
    EXPECT_EQ(calls.depths, 4);
    EXPECT_EQ(calls.process, 100);
    const TimelineTrack& stream = track_of(timeline, "stream");
    EXPECT_EQ(stream.device, 0);
    EXPECT_EQ(stream.stream, 7);
    EXPECT_EQ(stream.device_name, "Tesla V100-SXM2-16GB");
    EXPECT_EQ(timeline.begin_ns(), 0);
    EXPECT_EQ(timeline.end_ns(), 1'900'000);
}

TEST(Timeline, RangesAcrossThreadsStandInTheirProcess) {
    analyze::TestProfile t;
    t.op("aten::add", 0, 10, t.thread(1));
    t.annotation("io", 5, 100, t.builder.other_track(RankId(0), "100", "ranges across threads"));
    t.annotation("of the tool", 5, 100, t.builder.other_track(RankId(0), "Traces", "PyTorch Profiler"));
    const StoredProfile stored(std::move(t));
    const Timeline timeline = open(stored);
    std::map<std::string, int64_t> process;
    for (const TimelineTrack& track : timeline.tracks())
        process[track.name] = track.process;
    EXPECT_EQ(process, (std::map<std::string, int64_t>{
                           {"thread 1", 100}, {"ranges across threads", 100}, {"PyTorch Profiler", 0}}));
}

TEST(Timeline, AWindowOfSingleSpans) {
    const StoredProfile stored(steps());
    const Timeline timeline = open(stored);
    const int64_t calls = track_of(timeline, "thread", 1).id;
    const auto window = timeline.window({calls}, 35'000, 1'000'000, 2000);
    ASSERT_TRUE(window.has_value());
    ASSERT_EQ(window->tracks.size(), 1u);
    const TimelineEntries& entries = window->tracks[0];
    EXPECT_EQ(window->pixel_ns, 483);
    EXPECT_THAT(entries.begin, ElementsAre(-25'000, -15'000, -5'000, 5'000));
    EXPECT_THAT(entries.dur, ElementsAre(300'000, 200'000, 100'000, 20'000));
    EXPECT_THAT(entries.depth, ElementsAre(0, 1, 2, 3));
    EXPECT_THAT(entries.count, ElementsAre(1, 1, 1, 1));
    EXPECT_THAT(entries.kind, ElementsAre(SpanKind::kModule, SpanKind::kOpForward, SpanKind::kOpForward,
                                          SpanKind::kRuntimeApi));
    EXPECT_THAT(window->names,
                ElementsAre("nn.Module: Linear_0", "aten::linear", "aten::addmm", "cudaLaunchKernel"));
    EXPECT_THAT(entries.name, ElementsAre(0, 1, 2, 3));
}

TEST(Timeline, APixelHoldsManySpans) {
    const StoredProfile stored(steps());
    const Timeline timeline = open(stored);
    const auto window = timeline.window({track_of(timeline, "stream").id}, 0, 2'000'000, 2);
    ASSERT_TRUE(window.has_value());
    const TimelineEntries& entries = window->tracks[0];
    EXPECT_THAT(entries.count, ElementsAre(2, 2));
    EXPECT_THAT(entries.begin, ElementsAre(100'000, 1'100'000));
    EXPECT_THAT(entries.dur, ElementsAre(570'000, 570'000));
    EXPECT_THAT(entries.busy, ElementsAre(120'000, 120'000));
    EXPECT_EQ(window->names[entries.name[0]], "volta_sgemm_32x32_nt");
}

TEST(Timeline, BadWindowsAreRefused) {
    const StoredProfile stored(steps());
    const Timeline timeline = open(stored);
    for (const auto& refused :
         {timeline.window({}, 5, 5, 10), timeline.window({}, 6, 5, 10), timeline.window({}, 0, 5, 0),
          timeline.window({}, 0, 5, 1'000'000), timeline.window({12345}, 0, 5, 10),
          timeline.window({}, INT64_MIN, INT64_MAX, 10)}) {
        ASSERT_FALSE(refused.has_value());
        EXPECT_EQ(refused.error().exit_code, 2);
    }
    EXPECT_FALSE(timeline.event(track_of(timeline, "stream").id, 99).has_value());
    EXPECT_FALSE(timeline.event(9999, 0).has_value());
    EXPECT_FALSE(timeline.search({.text = ""}).has_value());
}

std::vector<std::string> chain(const TimelineEvent& event) {
    std::vector<std::string> out;
    for (const ChainLink& link : event.chain)
        out.push_back(link.role + " " + link.place.name);
    return out;
}

// The event that a search finds first from a time on.
TimelineEvent event_of(const Timeline& timeline, const std::string& text, int64_t from = 0) {
    const auto match = timeline.search({.text = text, .from_ns = from});
    if (!match || !match->place) {
        ADD_FAILURE() << "nothing matches " << text;
        return {};
    }
    auto event = timeline.event(match->place->track, match->place->span);
    if (!event) ADD_FAILURE() << event.error().message();
    return std::move(event).value();
}

TEST(Timeline, TheChainOfAKernel) {
    const StoredProfile stored(steps());
    const Timeline timeline = open(stored);
    const TimelineEvent event = event_of(timeline, "sgemm_128x64", 1'000'000);
    EXPECT_THAT(chain(event),
                ElementsAre("kernel volta_sgemm_128x64_nn", "api_call cudaLaunchKernel", "op aten::addmm",
                            "op aten::linear", "layer Linear_0", "iteration Iteration 1"));
    EXPECT_EQ(event.place.begin_ns, 1'100'000);
    EXPECT_EQ(event.chain[1].place.begin_ns, 1'040'000);
    EXPECT_EQ(event.chain[2].place.depth, 2);
    EXPECT_EQ(event.chain[4].place.begin_ns, 1'010'000);
    const auto field = std::find_if(event.fields.begin(), event.fields.end(),
                                    [](const EventField& f) { return f.key == "dur_ns"; });
    ASSERT_NE(field, event.fields.end());
    EXPECT_EQ(std::get<int64_t>(field->value), 50'000);
    EXPECT_EQ(field->unit, Unit::kNs);
}

TEST(Timeline, AnEventTellsWhatItsNvtxRangeSays) {
    analyze::TestProfile t;
    const TrackId thread = t.thread(1);
    t.annotation("step", 0, 1'000'000, thread);
    t.op("ncclSend", 100'000, 50'000, thread);
    NvtxAttributes attributes;
    attributes.domain = 1;
    attributes.domain_name = t.builder.text("NCCL");
    NvtxRange range;
    range.track = thread;
    range.text = t.builder.text("ncclSend");
    range.attributes = t.builder.nvtx_attributes(attributes);
    t.builder.extend_nvtx(range);
    NvtxPayload payload;
    payload.type = NvtxPayload::Type::kText;
    payload.text = t.builder.text("{\"Peer rank\":3}");
    t.builder.extend_payload(payload);
    const StoredProfile stored(std::move(t));
    const Timeline timeline = open(stored);
    std::map<std::string, std::string> nvtx;
    const TimelineEvent send = event_of(timeline, "ncclSend"), step = event_of(timeline, "step");
    for (const EventField& field : send.fields)
        if (field.key.starts_with("nvtx_")) nvtx[field.key] = std::get<std::string>(field.value);
    EXPECT_EQ(nvtx, (std::map<std::string, std::string>{{"nvtx_domain", "NCCL"},
                                                        {"nvtx_payload", "{\"Peer rank\":3}"}}));
    for (const EventField& field : step.fields)
        EXPECT_FALSE(field.key.starts_with("nvtx_")) << field.key;
}

TEST(Timeline, TheChainOfAnOpAndItsBackward) {
    const StoredProfile stored(steps());
    const Timeline timeline = open(stored);
    EXPECT_THAT(chain(event_of(timeline, "aten::linear", 900'000)),
                ElementsAre("op aten::linear", "backward autograd::engine::evaluate_function: AddmmBackward0",
                            "layer Linear_0", "iteration Iteration 1", "launched volta_sgemm_128x64_nn"));
    const TimelineEvent backward = event_of(timeline, "evaluate_function");
    EXPECT_THAT(chain(backward), IsSupersetOf({"forward aten::linear", "launched volta_sgemm_32x32_nt"}));
    EXPECT_EQ(backward.launched_in_all, 1);
    EXPECT_THAT(chain(event_of(timeline, "cudaLaunch")),
                IsSupersetOf({"op aten::addmm", "op aten::linear", "launched volta_sgemm_128x64_nn"}));
    EXPECT_THAT(chain(event_of(timeline, "Iteration 1")), ElementsAre("iteration Iteration 1"));
    EXPECT_THAT(chain(event_of(timeline, "ProfilerStep#1")),
                IsSupersetOf({"range ProfilerStep#1", "launched volta_sgemm_128x64_nn"}));
}

TEST(Timeline, SearchGoesForwardAndBack) {
    const StoredProfile stored(steps());
    const Timeline timeline = open(stored);
    TimelineSearch question{.text = "ADDMM", .from_ns = 0};
    std::vector<int64_t> begins;
    for (int64_t number = 1;; ++number) {
        const auto match = timeline.search(question);
        ASSERT_TRUE(match.has_value());
        EXPECT_EQ(match->matches, 6);
        if (!match->place) break;
        EXPECT_EQ(match->number, number);
        begins.push_back(match->place->begin_ns);
        question.from_ns = match->place->begin_ns;
        question.from_span = {match->place->track, match->place->span};
    }
    EXPECT_THAT(begins, ElementsAre(30'000, 500'000, 510'000, 1'030'000, 1'500'000, 1'510'000));
    question.backwards = true;
    const auto before = timeline.search(question);
    ASSERT_TRUE(before.has_value() && before->place);
    EXPECT_EQ(before->place->begin_ns, 1'500'000);
    EXPECT_EQ(before->number, 5);
    EXPECT_EQ(timeline.search({.text = "no such name"})->matches, 0);
    const auto only = timeline.search({.text = "addmm", .tracks = {track_of(timeline, "thread", 2).id}});
    EXPECT_EQ(only->matches, 4);
}

TEST(Timeline, SearchFindsTheNameThatIsShownAndTheFullOne) {
    analyze::TestProfile t;
    t.gpu(0, "Tesla V100-SXM2-16GB", 7, 0);
    const TrackId stream = t.stream();
    t.kernel("void at::native::vec<float, at::native::Add<float>>(int)", 0, 10, stream, 1);
    t.kernel("void at::native::vec<float, at::native::Mul<float>>(int)", 20, 10, stream, 2);
    const StoredProfile stored(std::move(t));
    const Timeline timeline = open(stored);
    for (const char* text : {"vec<Add<float>>", "at::native::Add<float>>(int)"}) {
        const auto match = timeline.search({.text = text});
        ASSERT_TRUE(match && match->place) << text;
        EXPECT_EQ(match->matches, 1);
        EXPECT_EQ(match->place->name, "vec<Add<float>>");
    }
}

TEST(Timeline, SumsAreCutAtTheWindow) {
    const StoredProfile stored(steps());
    const Timeline timeline = open(stored);
    const int64_t stream = track_of(timeline, "stream").id, calls = track_of(timeline, "thread", 1).id;
    const auto sums = timeline.sums({stream, calls}, 120'000, 650'000);
    ASSERT_TRUE(sums.has_value());
    std::map<std::string, std::pair<int64_t, int64_t>> by_name;
    for (const TimelineSum& sum : sums->names)
        by_name[std::string(sum.name)] = {sum.count, sum.total_ns};
    EXPECT_EQ(by_name["volta_sgemm_128x64_nn"], std::pair(int64_t{1}, int64_t{30'000}));
    EXPECT_EQ(by_name["volta_sgemm_32x32_nt"], std::pair(int64_t{1}, int64_t{50'000}));
    EXPECT_EQ(by_name["aten::linear"], std::pair(int64_t{1}, int64_t{100'000}));
    EXPECT_EQ(by_name.size(), 5u);
    ASSERT_EQ(sums->tracks.size(), 2u);
    EXPECT_EQ(sums->tracks[0].busy_ns, 80'000);
    EXPECT_EQ(sums->tracks[1].busy_ns, 190'000);
    for (size_t i = 1; i < sums->names.size(); ++i)
        EXPECT_GE(sums->names[i - 1].total_ns, sums->names[i].total_ns);
}

TEST(Timeline, BusyTimeIsTheUnionOfAllLanes) {
    std::mt19937 random(5);
    std::vector<SpanRun> runs(1);
    std::vector<char> busy(3'000'000, 0);
    for (int64_t at = 0; at < 2'900'000; at += static_cast<int64_t>(random() % 20'000)) {
        const auto dur = static_cast<int64_t>(random() % 30'000);
        runs[0].add(at, dur, 0, 0, SpanKind::kKernel);
        std::fill_n(busy.begin() + at, std::min<int64_t>(dur, 3'000'000 - at), 1);
    }
    const SpanLanes lanes(std::move(runs));
    ASSERT_GT(lanes.lanes(), 1u);
    for (int i = 0; i < 50; ++i) {
        const auto begin = static_cast<int64_t>(random() % 2'000'000);
        const int64_t end = begin + 1 + static_cast<int64_t>(random() % 1'000'000);
        ASSERT_EQ(busy_within(lanes, begin, end), std::count(busy.begin() + begin, busy.begin() + end, 1));
    }
}

TEST(Timeline, CountersOfMemory) {
    analyze::TestProfile t;
    t.op("aten::mm", 0, 1000);
    for (int64_t i = 0; i < 10; ++i) {
        MemoryEvent event;
        event.time = i * 100;
        event.track = t.thread();
        event.bytes = 1;
        event.total_allocated = i == 5 ? 1000 : i;
        event.device_type = 1;
        event.device = 0;
        t.builder.add_memory(event);
    }
    const StoredProfile stored(std::move(t));
    const Timeline timeline = open(stored);
    const TimelineTrack& track = timeline.tracks().back();
    ASSERT_EQ(track.kind, "counter");
    EXPECT_EQ(track.name, "Memory of device 0");
    EXPECT_THAT(track.series, ElementsAre("allocated"));
    const auto counters = timeline.counters({track.id}, 150, 950, 2);
    ASSERT_TRUE(counters.has_value());
    ASSERT_EQ(counters->size(), 1u);
    EXPECT_THAT((*counters)[0].time, ElementsAre(-50, 50, 450));
    EXPECT_THAT((*counters)[0].least[0], ElementsAre(1, 2, 6));
    EXPECT_THAT((*counters)[0].greatest[0], ElementsAre(1, 1000, 9));
    EXPECT_THAT((*counters)[0].last[0], ElementsAre(1, 1000, 9));
}

TEST(Timeline, KindsOfCallsHaveRowsOfTheirOwn) {
    analyze::TestProfile t;
    const TrackId thread = t.thread(7, 7), other = t.thread(3, 7), stream = t.stream();
    t.op("aten::add", 100, 50, other);
    t.op("aten::mm", 0, 1000, thread);
    t.api("cudaStreamSynchronize", 10, 900, thread, 1);
    t.host(HostKind::kPythonFrame, "train.py(1): step", 0, 1000, thread);
    t.host(HostKind::kOsRuntime, "poll", 20, 100, thread);
    t.host(HostKind::kDataLoad, "next batch", 2000, 100, thread);
    t.kernel("Stream Sync", 10, 900, stream, 1, DeviceKind::kSync);
    t.kernel("k", 100, 50, stream, 1);
    const StoredProfile stored(std::move(t));
    const Timeline timeline = open(stored);
    std::vector<std::string> rows;
    for (const TimelineTrack& track : timeline.tracks())
        rows.push_back(fmt::format("{} {} {}", track.kind, track.thread, track.spans));
    EXPECT_THAT(rows,
                ElementsAre("thread 7 3", "python 7 1", "os 7 1", "thread 3 1", "stream 0 1", "wait 0 1"));
    // A wait is not work that a call launched.
    EXPECT_EQ(event_of(timeline, "cudaStreamSynchronize").launched_in_all, 1);
    EXPECT_THAT(chain(event_of(timeline, "Stream Sync")),
                IsSupersetOf({"device_work Stream Sync", "api_call cudaStreamSynchronize", "op aten::mm"}));
    EXPECT_EQ(event_of(timeline, "train.py").fields.size(), 0u);
    EXPECT_EQ(event_of(timeline, "poll").place.kind, "os_runtime");
}

TEST(Timeline, AnswersSeveralThreadsAtOnce) {
    const StoredProfile stored(steps());
    const Timeline timeline = open(stored);
    std::vector<std::thread> clients;
    for (int i = 0; i < 4; ++i)
        clients.emplace_back([&] {
            for (int k = 0; k < 20; ++k) {
                EXPECT_TRUE(timeline.window({}, 0, 2'000'000, 100).has_value());
                EXPECT_EQ(chain(event_of(timeline, "sgemm_128x64")).size(), 6u);
            }
        });
    for (std::thread& client : clients)
        client.join();
}

TEST(Timeline, AProfileWithoutSpansHasNoTracks) {
    analyze::TestProfile t;
    const StoredProfile stored(std::move(t));
    const Timeline timeline = open(stored);
    EXPECT_THAT(timeline.tracks(), IsEmpty());
    EXPECT_TRUE(timeline.window({}, 0, 100, 10)->tracks.empty());
    EXPECT_TRUE(timeline.sums({}, 0, 100)->names.empty());
    EXPECT_EQ(timeline.search({.text = "a"})->matches, 0);
}

}  // namespace
}  // namespace opsight::query
