#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "replay/graph.h"
#include "replay/recording.h"

namespace opsight::replay {
namespace {

using ::testing::ElementsAre;

// Any graph without circles: edges go from lower to higher numbers.
Graph random_graph(std::mt19937& random) {
    const auto upto = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n + 1)); };
    Graph graph;
    const int count = 2 + upto(40);
    for (int i = 0; i < count; ++i)
        graph.add({TaskKind::kDevice, 0, i, upto(100), upto(3) ? 0 : upto(20), RuleSet(upto(3))});
    for (int i = 0; i < 3 * count; ++i) {
        const auto to = static_cast<uint32_t>(1 + upto(count - 2));
        const auto from = static_cast<uint32_t>(upto(static_cast<int>(to) - 1));
        graph.link(from, to, upto(4) ? Link::kOrder : Link::kSync, upto(2) ? 0 : upto(30), upto(3) == 0);
    }
    graph.completions = {graph.add({}), graph.add({})};
    for (uint32_t i = 0; i < static_cast<uint32_t>(count); ++i)
        graph.link(i, graph.completions[1], Link::kMark);
    return graph;
}

// The longest way to each task, by going over all edges until nothing changes.
std::vector<int64_t> longest_ways(const Graph& graph) {
    std::vector<int64_t> start(graph.tasks.size());
    for (size_t i = 0; i < start.size(); ++i)
        start[i] = graph.tasks[i].delay;
    for (bool changed = true; changed;) {
        changed = false;
        for (const Edge& edge : graph.edges) {
            const int64_t from = start[edge.from] + (edge.from_start ? 0 : graph.tasks[edge.from].duration);
            const int64_t to = from + edge.lag + graph.tasks[edge.to].delay;
            changed |= to > start[edge.to];
            start[edge.to] = std::max(start[edge.to], to);
        }
    }
    return start;
}

TEST(ReplayTest, StartsAreTheLongestWays) {
    std::mt19937 random(1);
    for (int round = 0; round < 500; ++round) {
        const Graph graph = random_graph(random);
        const auto times = replay(graph);
        ASSERT_TRUE(times);
        EXPECT_EQ(times->start, longest_ways(graph));
    }
}

TEST(ReplayTest, TheCriticalPathHasNoGapsAndSumsToTheWholeTime) {
    std::mt19937 random(2);
    for (int round = 0; round < 500; ++round) {
        const Graph graph = random_graph(random);
        for (const Changes& changes : {Changes{}, Changes{{0.3, 0}}, Changes{{2, 1}, true}}) {
            const auto times = replay(graph, changes);
            ASSERT_TRUE(times);
            int64_t at = times->end[graph.completions[1]];
            critical_path(graph, changes, *times, [&at](const PathPiece& piece) {
                EXPECT_EQ(piece.end, at);
                at = piece.begin;
            });
            EXPECT_EQ(at, 0);
        }
    }
}

TEST(ReplayTest, LessWorkNeverTakesLonger) {
    std::mt19937 random(3);
    for (int round = 0; round < 500; ++round) {
        const Graph graph = random_graph(random);
        int64_t last = INT64_MAX;
        for (const double factor : {2.0, 1.0, 0.7, 0.2, 0.0}) {
            const auto times = replay(graph, {{factor, factor}});
            ASSERT_TRUE(times);
            const int64_t end = times->end[graph.completions[1]];
            EXPECT_LE(end, last);
            last = end;
        }
        EXPECT_LE(replay(graph, {{}, true})->end[graph.completions[1]],
                  replay(graph)->end[graph.completions[1]]);
    }
}

TEST(ReplayTest, FactorsOfOneChangeNothing) {
    std::mt19937 random(5);
    for (int round = 0; round < 200; ++round) {
        const Graph graph = random_graph(random);
        const auto as_it_is = replay(graph), same = replay(graph, {{1, 1}});
        ASSERT_TRUE(as_it_is && same);
        EXPECT_EQ(same->start, as_it_is->start);
        EXPECT_EQ(same->end, as_it_is->end);
    }
}

// No more is saved than what the changes take out, nor more than removing the same would save.
TEST(ReplayTest, SavingsHaveBounds) {
    std::mt19937 random(6);
    for (int round = 0; round < 500; ++round) {
        const Graph graph = random_graph(random);
        int64_t held = 0, tasks = 0;
        for (const Task& task : graph.tasks)
            if (task.rules & 1) {
                held += task.duration;
                ++tasks;
            }
        const auto end = [&](double factor) { return replay(graph, {{factor}})->end[graph.completions[1]]; };
        const int64_t saved = end(1) - end(0.4);
        EXPECT_LE(static_cast<double>(saved), 0.6 * static_cast<double>(held) + static_cast<double>(tasks));
        EXPECT_LE(saved, end(1) - end(0) + tasks);  // each duration is rounded
    }
}

TEST(ReplayTest, ACircleIsNoAnswer) {
    Graph graph;
    const uint32_t a = graph.add({}), b = graph.add({});
    graph.link(a, b, Link::kOrder);
    graph.link(b, a, Link::kOrder);
    EXPECT_FALSE(replay(graph));
}

// A run that keeps to the rules of the replay: it is made by them, with the same delays everywhere.
struct Machine {
    static constexpr int64_t kLaunch = 7, kBetween = 2;
    Recording recording{1000, 0, {{}}, {{}, {}}, 0, {}};
    int64_t now = 1000, id = 0;
    std::vector<int64_t> free{0, 0};

    void host(int64_t duration, CallKind call = CallKind::kNone) {
        recording.threads[0].push_back({now, now + duration, id++, call, -1, 0});
        now += duration;
    }
    void launch(size_t stream, int64_t duration, RuleSet rules = 0) {
        const int64_t launched = now;
        host(5);
        const int64_t begin = std::max(launched + kLaunch, free[stream] + kBetween);
        recording.streams[stream].push_back(
            {begin, begin + duration, id - 1, launched, WorkKind::kKernel, rules});
        free[stream] = begin + duration;
    }
    void wait() {
        const int64_t begin = now;
        now = std::max(now, std::max(free[0], free[1])) + 3;
        recording.threads[0].push_back({begin, now, id++, CallKind::kDeviceSync, -1, 0});
    }
    void mark() { recording.marks.push_back(recording.end = now); }
};

TEST(ReplayTest, AConsistentRecordingIsReplayedAsItWas) {
    std::mt19937 random(4);
    for (int round = 0; round < 200; ++round) {
        Machine machine;
        machine.launch(0, 100);  // delays are learnt from what was alone, and from what was queued
        machine.launch(0, 100);
        machine.wait();
        for (int iteration = 0; iteration < 4; ++iteration) {
            for (int i = 0; i < 20; ++i) {
                machine.host(static_cast<int64_t>(random() % 40));
                machine.now += static_cast<int64_t>(random() % 10);
                machine.launch(0, 20 + static_cast<int64_t>(random() % 80));
            }
            if (random() % 2) machine.wait();
            machine.mark();
        }
        const Built built = build(machine.recording);
        const auto times = replay(built.graph);
        ASSERT_TRUE(times);
        for (size_t i = 0; i < built.graph.tasks.size(); ++i) {
            const Task& task = built.graph.tasks[i];
            if (task.kind != TaskKind::kDevice) continue;
            const DeviceSpan& span =
                machine.recording.streams[static_cast<size_t>(task.place)][static_cast<size_t>(task.span)];
            EXPECT_EQ(times->start[i], span.begin - machine.recording.begin);
        }
        for (size_t i = 0; i < built.completions.size(); ++i)
            EXPECT_EQ(times->end[built.graph.completions[i]], built.completions[i] - machine.recording.begin);
    }
}

int64_t whole_time(const Recording& recording, const Changes& changes = {}) {
    const Built built = build(recording);
    const auto times = replay(built.graph, changes);
    return times ? times->end[built.graph.completions.back()] : -1;
}

TEST(ReplayTest, AWaitEndsWithTheWorkThatItIsFor) {
    Machine machine;
    machine.launch(0, 1000, 1);
    machine.wait();
    machine.host(50);
    machine.mark();
    // 7 until the kernel starts, 1000, 3 to return, 50 more.
    EXPECT_EQ(whole_time(machine.recording), 1060);
    EXPECT_EQ(whole_time(machine.recording, {{0.5}}), 560);
    EXPECT_EQ(whole_time(machine.recording, {{1}, true}), 1007) << "the device is still at work";
}

TEST(ReplayTest, WorkThatTheHostHidesSavesNothing) {
    Machine machine;
    machine.launch(0, 100, 1);
    machine.host(5000);
    machine.mark();
    EXPECT_EQ(whole_time(machine.recording), 5005);
    EXPECT_EQ(whole_time(machine.recording, {{0}}), 5005);
}

TEST(ReplayTest, NestedSpansAreAChainAndRulesReachInside) {
    Recording recording{0, 100, {{}}, {}, 0, {100}};
    recording.threads[0] = {{10, 90, 1, CallKind::kNone, -1, 1}, {20, 50, 2, CallKind::kNone, -1, 2}};
    EXPECT_EQ(whole_time(recording), 100);
    EXPECT_EQ(whole_time(recording, {{0, 1}}), 20);
    EXPECT_EQ(whole_time(recording, {{1, 0}}), 70);
    EXPECT_EQ(whole_time(recording, {{1, 0.5}}), 85);
}

TEST(ReplayTest, ABlockingCopyHoldsTheHost) {
    Recording recording{0, 1000, {{}}, {{}}, 0, {1000}};
    recording.threads[0] = {{0, 10, 1, CallKind::kNone, -1, 0}, {10, 500, 2, CallKind::kCopy, -1, 0}};
    recording.streams[0] = {{20, 400, 1, 0, WorkKind::kKernel, 1}, {400, 480, 2, 10, WorkKind::kCopy, 0}};
    EXPECT_EQ(whole_time(recording), 1000);
    EXPECT_EQ(whole_time(recording, {{0.5}}), 810);
}

// A stream that waits for another one starts when that is done.
TEST(ReplayTest, StreamsWaitForEachOther) {
    Recording recording{0, 90'000, {{}}, {{}, {}}, 0, {}};
    recording.threads[0] = {{0, 10, 1, CallKind::kNone, -1, 0},
                            {10, 20, 2, CallKind::kStreamWait, 1, 0},
                            {20, 30, 3, CallKind::kNone, -1, 0}};
    recording.streams[0] = {{5, 50'000, 1, 0, WorkKind::kKernel, 1}};
    recording.streams[1] = {{50'000, 90'000, 3, 20, WorkKind::kKernel, 0}};
    EXPECT_EQ(whole_time(recording), 90'000);
    EXPECT_NEAR(static_cast<double>(whole_time(recording, {{0.5}})), 65'000, 10);
    recording.threads[0][1].stream = -1;  // the source does not tell which stream waits
    EXPECT_NEAR(static_cast<double>(whole_time(recording, {{0.5}})), 65'000, 10);
    recording.threads[0][1].call = CallKind::kNone;  // no wait: the delay stays as it was
    EXPECT_EQ(whole_time(recording, {{0.5}}), 90'000);
}

// Else the range would begin earlier and seem longer.
TEST(ReplayTest, WorkFromBeforeTheRangeStaysAsItWas) {
    Recording recording{1000, 2000, {{}}, {{}}, 0, {2000}};
    recording.threads[0] = {{1000, 2000, 1, CallKind::kNone, -1, 0}};
    recording.streams[0] = {{900, 1400, 0, 500, WorkKind::kKernel, 1}};
    const Built built = build(recording);
    for (const double factor : {1.0, 0.0}) {
        const auto times = replay(built.graph, {{factor}});
        ASSERT_TRUE(times);
        EXPECT_EQ(times->end[built.graph.completions[0]], 400);
        EXPECT_EQ(times->end[built.graph.completions[1]], 1000);
    }
}

// One launch that was held up says nothing of launches.
TEST(ReplayTest, ALongDelayOfALaunchIsUnexplained) {
    Recording recording{0, 30'100'000, {{}}, {{}}, 0, {}};
    recording.threads[0] = {{0, 5'000, 1, CallKind::kNone, -1, 0}};
    recording.streams[0] = {{30'000'000, 30'100'000, 1, 0, WorkKind::kKernel, 1}};
    const Built built = build(recording);
    const auto times = replay(built.graph);
    ASSERT_TRUE(times);
    int64_t unexplained = 0;
    critical_path(built.graph, {}, *times, [&unexplained](const PathPiece& piece) {
        if (piece.piece == Piece::kUnexplained) unexplained += piece.end - piece.begin;
    });
    EXPECT_EQ(unexplained, 30'000'000);
    EXPECT_EQ(whole_time(recording), 30'100'000);
}

// The main thread sleeps while another runs the backward pass.
TEST(ReplayTest, AThreadWaitsForAnotherOne) {
    Recording recording{0, 200'000, {{}, {}}, {}, 0, {200'000}};
    recording.threads[0] = {{0, 50'000, 1, CallKind::kNone, -1, 1},
                            {160'000, 200'000, 2, CallKind::kNone, -1, 0}};
    recording.threads[1] = {{60'000, 150'000, 3, CallKind::kNone, -1, 2}};
    EXPECT_EQ(build(recording).hand_offs, 1);
    EXPECT_EQ(whole_time(recording), 200'000);
    EXPECT_EQ(whole_time(recording, {{0, 1}}), 150'000);
    EXPECT_EQ(whole_time(recording, {{1, 0}}), 110'000);
}

// Two collectives that the main thread asks for and then works beside, before it waits for both: of threads
// of their own, that overlap.
TEST(ReplayTest, AThreadWaitsForWhatWentOnBesideItsWork) {
    Recording recording{0, 300'000, {{}, {}, {}}, {}, 0, {300'000}};
    recording.threads[0] = {{0, 50'000, 1, CallKind::kNone, -1, 1},
                            {200'000, 210'000, 2, CallKind::kNone, -1, 0},
                            {250'000, 300'000, 3, CallKind::kNone, -1, 0}};
    recording.threads[1] = {{20'000, 200'000, 4, CallKind::kNone, -1, 2, true}};
    recording.threads[2] = {{60'000, 250'000, 5, CallKind::kNone, -1, 2, true}};
    EXPECT_EQ(build(recording).hand_offs, 2);
    EXPECT_EQ(whole_time(recording), 300'000);
    EXPECT_EQ(whole_time(recording, {{1, 0}}), 110'000) << "what the main thread does itself";
}

// A launch that finds the queue full returns when some work before it is done.
TEST(ReplayTest, ALaunchWaitsForAPlaceInTheQueue) {
    Recording recording{0, 1'100'000, {{}}, {{}}, 0, {1'100'000}};
    recording.threads[0] = {{0, 5'000, 1, CallKind::kNone, -1, 0},
                            {5'000, 1'000'000, 2, CallKind::kQueueFull, -1, 0}};
    recording.streams[0] = {{10'000, 998'000, 1, 0, WorkKind::kKernel, 1},
                            {1'000'000, 1'100'000, 2, 5'000, WorkKind::kKernel, 0}};
    EXPECT_EQ(whole_time(recording), 1'100'000);
    EXPECT_NEAR(static_cast<double>(whole_time(recording, {{0.5}})), 1'100'000 - 494'000, 10'000);
}

TEST(ReplayTest, WithoutIterationsAllOfItIsOne) {
    Recording recording{0, 400, {{}}, {{}}, 0, {}};
    recording.threads[0] = {{0, 10, 1, CallKind::kNone, -1, 0}};
    recording.streams[0] = {{20, 400, 1, 0, WorkKind::kKernel, 1}};
    EXPECT_THAT(build(recording).completions, ElementsAre(0, 400));
    EXPECT_EQ(whole_time(recording, {{0.5}}), 210);
}

}  // namespace
}  // namespace opsight::replay
