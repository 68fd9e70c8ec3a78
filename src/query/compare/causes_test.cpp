// Why two runs differ: each cause planted alone, on trees and profiles made by hand.
#include <gmock/gmock.h>

#include <map>

#include "query/compare/comparison.h"
#include "query/compare/gates.h"
#include "query/compare/test_sides.h"
#include "query/session/test_session.h"

namespace opsight::query {
namespace {

using ::testing::HasSubstr;

std::map<std::string, std::string> causes(Made& base, Made& next) {
    std::map<std::string, std::string> found;
    for (const Cause& each : compare_sides(base.finish(), next.finish()).causes)
        found[each.kind] = each.text;
    return found;
}

using Kinds = std::vector<std::string>;
Kinds kinds(Made& base, Made& next) {
    Kinds out;
    for (const auto& [kind, text] : causes(base, next))
        out.push_back(kind);
    return out;
}

TEST(Causes, TheSameRunTwiceHasNone) {
    Made base, next;
    EXPECT_EQ(kinds(base, next), Kinds{});
}

TEST(Causes, ASlowerKernelIsOneAndNoClock) {
    Made base, next;
    next.scale(3, 1.2);
    const auto found = causes(base, next);
    ASSERT_TRUE(found.contains("slower"));
    EXPECT_THAT(found.at("slower"), HasSubstr("op3"));
    EXPECT_FALSE(found.contains("one_factor"));
}

// A collective takes longer where another rank comes later: it may not be the work of this one.
TEST(Causes, ACollectiveMayWaitForAnotherRank) {
    for (const char* op : {"c10d::allreduce_", "aten::mm"}) {
        Made base, next;
        for (Made* made : {&base, &next})
            made->tree.op(op, 0, 10'000, "kernel");
        next.scale(6, 1.3);
        EXPECT_EQ(
            causes(base, next)["slower"].find("waits for the ranks that enter it later") != std::string::npos,
            std::string(op) != "aten::mm");
    }
}

TEST(Causes, AllKernelsSlowerByOneFactorAreAClock) {
    Made base, next;
    for (size_t op = 0; op < 6; ++op)
        next.scale(op, 1.3);
    const auto found = causes(base, next);
    ASSERT_TRUE(found.contains("one_factor"));
    EXPECT_THAT(found.at("one_factor"), HasSubstr("1.30 times"));
}

// Of other shapes the kernels do other work: no clock is the cause.
TEST(Causes, OtherShapesAreNoClock) {
    for (const bool shapes : {true, false}) {
        Made base, next;
        for (size_t op = 0; op < 6; ++op) {
            next.scale(op, 1.3);
            if (shapes) next.tree.tree.ops[op].shapes = "[[16]]";
        }
        EXPECT_EQ(causes(base, next).contains("one_factor"), !shapes);
    }
}

// One iteration a side tells nothing of noise: what differs by much is told all the same, and that nobody
// knows.
TEST(Causes, OfOneSampleASideTheOpThatDiffersByMuchIsNamed) {
    for (const double by : {3.0, 1.01}) {
        Made base, next;
        next.scale(3, by);
        for (Made* made : {&base, &next}) {
            made->tree.tree.iterations = 1;
            made->side.samples.resize(1);
            made->side.state.waits.resize(1), made->side.state.waiting_ns.resize(1);
            for (TreeOp& op : made->tree.tree.ops) {
                for (Amount* amount : {&op.cpu, &op.work[0].gpu}) {
                    amount->samples.resize(1);
                    amount->calls = 1, amount->ns = amount->mean_ns = amount->samples[0];
                }
            }
        }
        const auto found = causes(base, next);
        ASSERT_EQ(found.contains("slower"), by == 3.0);
        if (by == 3.0) {
            EXPECT_THAT(found.at("slower"), HasSubstr("op3"));
        }
    }
}

TEST(Causes, MoreKernelsAreCounted) {
    Made base, next;
    next.tree.op("added", 0, 20'000, "more");
    const auto found = causes(base, next);
    ASSERT_TRUE(found.contains("added_ops"));
    EXPECT_THAT(found.at("more_kernels"), HasSubstr("kernels in an iteration: 6 before, 7 after"));
}

TEST(Causes, ShapesTypesKernelsAndTensorCoresAreTold) {
    Made base, next;
    base.tree.op("shaped", 0, 10'000, "k", "[[8]]"), next.tree.op("shaped", 0, 20'000, "k", "[[16]]");
    base.tree.op("typed", 0, 10'000, "k"),
        next.tree.op("typed", 0, 20'000, "k", "[[8]]", "no", "[\"double\"]");
    base.tree.op("other", 0, 10'000, "k1"), next.tree.op("other", 0, 20'000, "k2");
    base.tree.op("lost", 0, 10'000, "tc", "[[8]]", "yes"), next.tree.op("lost", 0, 20'000, "simt");
    EXPECT_THAT(kinds(base, next),
                ::testing::IsSupersetOf({"shape", "dtype", "other_kernels", "tensor_cores_lost"}));
}

TEST(Causes, LoadingThatOneSideAloneHasIsTold) {
    Made base, next;
    base.side.classes[2].told = false;
    for (IterationShares& each : next.side.samples) {
        each.dur_ns += 40'000;
        each.ns[4] = 40'000;
    }
    EXPECT_EQ(causes(base, next).at("loading"),
              "data loading: none recorded before, 40.000 µs of an iteration after");
    EXPECT_EQ(causes(next, base).at("loading"),
              "data loading: 40.000 µs of an iteration before, none recorded after");
}

TEST(Causes, WaitsForAProcessorAreTold) {
    Made base, next;
    base.side.state.run_queue_pct = 0.5, next.side.state.run_queue_pct = 12.25;
    EXPECT_THAT(causes(base, next).at("run_queue"), HasSubstr("0.5% of the time before, 12.2% after"));
    base.side.state.run_queue_pct = 8;
    EXPECT_FALSE(causes(base, next).contains("run_queue"));
}

TEST(Causes, WaitsLoadingMemoryClocksAndOverlapAreTold) {
    Made base, next;
    for (size_t i = 0; i < 8; ++i) {
        next.side.state.waits[i] += 3, next.side.state.waiting_ns[i] += 4'000;
        next.side.samples[i].ns[4] = 9'000;
        next.side.samples[i].ns[kIdleResource] -= 9'000;
        next.side.samples[i].ns[1] -= 30'000;  // the same work in less time: it overlaps
        next.side.samples[i].ns[kIdleResource] += 30'000;
    }
    base.side.state.memory_place = next.side.state.memory_place = "GPU";
    base.side.state.memory_held = 100 << 20, next.side.state.memory_held = 150 << 20;
    base.side.state.clocks["SM clock"] = 1980, next.side.state.clocks["SM clock"] = 1410;
    const auto found = causes(base, next);
    EXPECT_EQ(found.at("more_synchronization"),
              "waits of the host for the device: 5.000 µs before, 9.000 µs after; calls in an iteration that "
              "wait: 2 before, 5 after");
    EXPECT_THAT(found.at("loading"), HasSubstr("0 ns of an iteration before, 9.000 µs after"));
    EXPECT_THAT(found.at("memory_growth"), HasSubstr("100.0 MiB"));
    EXPECT_THAT(found.at("clocks"), HasSubstr("1980 before, 1410 after"));
    EXPECT_TRUE(found.contains("more_overlap"));
    const auto back = causes(next, base);
    EXPECT_TRUE(back.contains("less_overlap"));
    EXPECT_TRUE(back.contains("less_synchronization"));
    EXPECT_TRUE(back.contains("less_memory"));
}

// Each time has the unit that it is told best in.
TEST(Causes, TimesHaveTheirOwnUnit) {
    EXPECT_EQ(time_text(0), "0 ns");
    EXPECT_EQ(time_text(-371), "-371 ns");
    EXPECT_EQ(time_text(9'000, true), "+9.000 µs");
    EXPECT_EQ(time_text(-1'015'000'000), "-1.015 s");
}

// Of rows of one kind the one that is named goes the way of their sum, by what the sentence is about.
TEST(Causes, TheOpThatIsNamedFitsTheSentence) {
    Made base, next;
    for (const auto& [name, before, after] :
         {std::tuple("falls", 50'000, 10'000), std::tuple("grows", 10'000, 40'000),
          std::tuple("grows too", 10'000, 35'000)}) {
        base.tree.op(name, 0, before, "k", "[[8]]");
        next.tree.op(name, 0, after, "k", "[[16]]");
    }
    const std::string text = causes(base, next).at("shape");
    EXPECT_THAT(text, HasSubstr("+15."));
    EXPECT_THAT(text, HasSubstr("most in grows ([[8]]"));
}

std::vector<std::string> ways(Made& base, Made& next) {
    std::vector<std::string> kinds;
    for (const Cause& each : compare_sides(base.finish(), next.finish()).causes)
        if (each.kind == "slower" || each.kind == "faster") kinds.push_back(each.kind);
    return kinds;
}

TEST(Causes, WhatGoesTheOtherWayComesLast) {
    Made base, next;
    base.scale(0, 9), next.scale(0, 3);  // 60 us of work less
    next.scale(3, 2);
    for (IterationShares& each : next.side.samples)
        each.dur_ns += 40'000, each.ns[kIdleResource] += 40'000;
    EXPECT_THAT(ways(base, next), ::testing::ElementsAre("slower", "faster"));
    EXPECT_THAT(ways(next, base), ::testing::ElementsAre("faster", "slower"));
}

// Without overlap: these devices were as busy before whatever their kernels take.
std::vector<Cause> ordered(Made& base, Made& next) {
    std::vector<Cause> causes = compare_sides(base.finish(), next.finish()).causes;
    std::erase_if(causes, [](const Cause& each) { return each.kind.ends_with("_overlap"); });
    return causes;
}
Kinds in_order_of_causes(Made& base, Made& next) {
    Kinds out;
    for (const Cause& each : ordered(base, next))
        out.push_back(each.kind);
    return out;
}
void make_slower(Made& made) {
    for (IterationShares& each : made.side.samples)
        each.dur_ns += 40'000, each.ns[kIdleResource] += 40'000;
}

TEST(Causes, ManyShortWaitsAreLessThanOneLongOne) {
    Made base, next;
    make_slower(next);
    for (size_t i = 0; i < 8; ++i) {
        base.side.state.waits[i] = 1, base.side.state.waiting_ns[i] = 30'000;
        next.side.state.waits[i] = 3, next.side.state.waiting_ns[i] = 100;
    }
    next.scale(0, 1.5);
    const auto found = ordered(base, next);
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].kind, "slower");
    EXPECT_EQ(found[1].kind, "less_synchronization") << "it went the other way, so it is last";
    EXPECT_EQ(found[1].wall_ns, -29'900);
    EXPECT_THAT(kinds(next, base), ::testing::Contains("more_synchronization"));
}

TEST(Causes, MoreCallsThatWaitNoLongerAreNoCause) {
    Made base, next;
    make_slower(next);
    next.side.state.waits.assign(8, 5);
    EXPECT_EQ(kinds(base, next), Kinds{});
}

TEST(Causes, WaitsOfAnItemAreCompared) {
    Made base, next;
    next.side.batch = next.tree.tree.batch = 2;
    next.side.state.waits.assign(8, 4), next.side.state.waiting_ns.assign(8, 6'000);
    EXPECT_THAT(kinds(base, next), ::testing::Contains("less_synchronization"));
}

// The number of kernels explains a difference only where it and their time go its way.
TEST(Causes, FewerKernelsExplainNothingSlower) {
    Made base, next;
    make_slower(next);
    base.scale(0, 3);  // 20 us less that the order of causes can be told by
    base.tree.op("gone", 0, 20, "less");
    next.scale(3, 3);
    EXPECT_EQ(in_order_of_causes(base, next), (Kinds{"slower", "faster", "fewer_kernels", "small_changes"}));
    EXPECT_EQ(in_order_of_causes(next, base), (Kinds{"faster", "slower", "more_kernels", "small_changes"}));
}

TEST(Causes, MoreKernelsThatTakeLessExplainNothingSlower) {
    Made base, next;
    make_slower(next);
    base.scale(0, 3);
    next.tree.op("more", 0, 20, "more");
    EXPECT_EQ(in_order_of_causes(base, next), (Kinds{"faster", "more_kernels", "small_changes"}));
    next.side.host_binds = true;  // it launches them
    EXPECT_EQ(in_order_of_causes(base, next), (Kinds{"more_kernels", "faster", "small_changes"}));
}

TEST(Causes, AFactorThatMakesFasterExplainsNothingSlower) {
    Made base, next;
    make_slower(next);
    for (size_t op = 0; op < 6; ++op)
        base.scale(op, 1.3);
    base.side.state.clocks["SM clock"] = 1410, next.side.state.clocks["SM clock"] = 1980;
    EXPECT_EQ(in_order_of_causes(base, next), (Kinds{"clocks", "faster", "one_factor"}));
}

TEST(Causes, CommunicationOfTheHostHasNoKernels) {
    Made base, next;
    for (IterationShares& each : next.side.samples)
        each.ns[2] += 9'000, each.ns[kIdleResource] -= 9'000;
    EXPECT_EQ(causes(base, next).at("communication"),
              "communication that no kernel hides: 0 ns of an iteration before, 9.000 µs after");
}

TEST(Causes, WhatOneRecordingDoesNotTellIsNoOtherSetting) {
    Made base, next;
    base.side.info.properties = {{"world_size", "1"}, {"driver", "12"}};
    next.side.info.properties = {{"world_size", "2"}};
    EXPECT_EQ(causes(base, next).at("configuration"), "the recordings tell of other settings: world_size");
}

// What is another thing than before is told whatever its time, and stands before the rows that are the same.
TEST(Causes, OtherThingsOfTheSameTimeAreTold) {
    Made base, next;
    for (Made* made : {&base, &next})
        made->tree.op("wide", 0, 10'000, "k", made == &base ? "[[8]]" : "[[16]]"),
            made->tree.op("tiny", 0, 20, "k", made == &base ? "[[8]]" : "[[16,1]]");
    const Comparison it = compare_sides(base.finish(), next.finish());
    ASSERT_EQ(it.causes.size(), 1u);
    EXPECT_EQ(
        it.causes[0].text,
        "inputs of other shapes: wide ([[8]] -> [[16]]) and 1 more; their time differs by noise or by less "
        "than 0.2% of an iteration");
    EXPECT_FALSE(it.causes[0].gpu_ns.has_value());
    EXPECT_EQ(it.changes.ops[0].op, "wide");
    EXPECT_EQ(it.changes.ops[2].kind, ChangeKind::kSame);
}

TEST(Causes, WhatTakesHardlyAnyTimeIsOneRow) {
    Made base, next;
    base.tree.op("gone", 0, 20, "k");
    next.scale(3, 1.5);
    const auto found = ordered(base, next);
    EXPECT_EQ(found.back().kind, "small_changes");
    EXPECT_EQ(found.back().text, "in ops that take less than 0.2% of an iteration: ops that are gone: gone");
}

TEST(Causes, ARenamedLayerIsToldWithoutOpsOfItsOwn) {
    Made base, next;
    for (Made* made : {&base, &next}) {
        const size_t top = made->tree.layer(made == &base ? "Encoder" : "Transformer");
        made->tree.op("aten::mm", made->tree.layer("Linear", top), 10'000);
    }
    const Comparison it = compare_sides(base.finish(), next.finish());
    ASSERT_EQ(it.causes.size(), 1u);
    EXPECT_EQ(it.causes[0].kind, "renamed");
    EXPECT_EQ(it.causes[0].text, "layers of another name: /Encoder -> /Transformer");
    EXPECT_EQ(it.changes.layers[0].kind, ChangeKind::kRenamed);
    EXPECT_EQ(it.changes.layers[0].next->layer, "/Transformer");
}

TEST(Causes, AnOutlierIsToldByWhatItDoesToTheMean) {
    Made base, next;
    next.side.samples[5].dur_ns += 80'000, next.side.samples[5].ns[kIdleResource] += 80'000;
    const Comparison it = compare_sides(base.finish(), next.finish());
    ASSERT_EQ(it.causes.size(), 1u);
    EXPECT_EQ(it.causes[0].kind, "outlier");
    EXPECT_EQ(it.causes[0].wall_ns, 10'001);
    EXPECT_EQ(
        it.causes[0].text,
        "iteration 5 of the new run is far longer than the others, which makes its mean 10.001 µs longer, "
        "mostly by: Idle");
    make_slower(next);  // the medians differ: what moves the mean alone comes after what moves these
    next.scale(3, 2);
    EXPECT_EQ(in_order_of_causes(base, next), (Kinds{"slower", "outlier"}));
    for (IterationShares& each : next.side.samples)
        each.dur_ns += each.iteration % 2 ? 300'000 : 0;
    EXPECT_THAT(kinds(base, next), ::testing::Not(::testing::Contains("outlier"))) << "every second one";
}

// Its time has what the device still had to do then, or the end of the program.
TEST(Causes, OfAnOutlierThatIsTheLastThatIsSaid) {
    Made base, next;
    next.side.samples.back().dur_ns += 80'000, next.side.samples.back().ns[kIdleResource] += 80'000;
    const Comparison it = compare_sides(base.finish(), next.finish());
    ASSERT_EQ(it.causes.size(), 1u);
    EXPECT_THAT(it.causes[0].text, ::testing::HasSubstr(", the last, of the new run is far longer"));
}

// Where the host binds, no op's work explains the difference: Python does, and comes first.
TEST(Causes, TimeOfTheHostAloneIsOne) {
    Made base, next;
    for (Made* made : {&base, &next}) {
        made->side.classes.push_back({6, "cpu", "CPU", true});
        made->side.classes.push_back({9, "host", "Python and other host", true});
        for (IterationShares& each : made->side.samples) {
            each.dur_ns += made == &base ? 30'000 : 10'000;
            each.ns[9] = made == &base ? 25'000 : 5'000;
            each.ns[6] = 5'000;
        }
    }
    next.scale(3, 1.5);
    const Comparison it = compare_sides(base.finish(), next.finish());
    ASSERT_FALSE(it.causes.empty());
    EXPECT_EQ(it.causes[0].kind, "host");
    EXPECT_EQ(it.causes[0].wall_ns, -20'000);
    EXPECT_THAT(it.causes[0].text,
                HasSubstr("while no device worked: 25.000 µs of an iteration before, 5.000 µs after"));
    EXPECT_THAT(kinds(base, next), ::testing::Not(::testing::Contains("host_ops"))) << "equal";
    for (Made* made : {&base, &next})
        for (TreeOp& op : made->tree.tree.ops)
            op.work.clear();
    const auto without_device = causes(base, next);
    ASSERT_TRUE(without_device.contains("host"));
    EXPECT_EQ(without_device.at("host").find("device"), std::string::npos);
}

// What groups of ops explain adds up to the difference of all work, for any two trees.
TEST(Causes, GroupsOfOpsAddUp) {
    Made base, next;
    base.tree.op("gone", 0, 7'000, "k");
    next.tree.op("come", 0, 9'000, "k");
    next.scale(2, 1.5);
    const Comparison it = compare_sides(base.finish(), next.finish());
    int64_t gpu = 0, rows = 0;
    for (const ChangeGroup& each : it.changes.groups) {
        gpu += each.next_gpu_ns - each.base_gpu_ns;
        rows += static_cast<int64_t>(each.rows);
    }
    EXPECT_EQ(gpu, it.next.work.gpu.mean_ns - it.base.work.gpu.mean_ns);
    EXPECT_EQ(rows, std::ssize(it.changes.ops));
}

TEST(Causes, TimesOfAnItemAddUpToo) {
    Made base, next;
    next.side.batch = 2;
    next.tree.tree.batch = 2;
    const Comparison it = compare_sides(base.finish(), next.finish());
    EXPECT_EQ(it.next_mean_ns, 50'018);
    int64_t sum = 0;
    for (const BudgetRow& row : it.budget)
        sum += row.difference_ns;
    EXPECT_EQ(sum, it.next_mean_ns - it.base_mean_ns);
    EXPECT_THAT(verdict_text(it), HasSubstr("iteration time of an item (1 an iteration before, 2 after)"));
}

TEST(Gates, ANewProblemIsOverTheLimit) {
    Made base, next;
    Comparison it = compare_sides(base.finish(), next.finish());
    const auto gate = parse_gate("finding:new");
    ASSERT_TRUE(gate.has_value());
    EXPECT_THAT(check_gates(it, {*gate}, false).at(0).unjudged, HasSubstr("nobody looked"));
    it.base.problems = FoundProblems{{{"old", "it was there", "high", false}}, {"unheard"}};
    it.next.problems = FoundProblems{{{"old", "it was there", "high", false},
                                      {"small", "of little", "low", true},
                                      {"unheard", "the base cannot tell", "high", false}},
                                     {}};
    const auto check = [&](bool strict) { return check_gates(it, {*gate}, strict).at(0); };
    EXPECT_TRUE(check(false).held);
    EXPECT_EQ(check(false).doubtful, 2u);
    EXPECT_EQ(check(true).failures.size(), 2u);
    it.next.problems->all.push_back({"fresh", "waits for the device", "medium", false});
    EXPECT_THAT(check(false).failures, ::testing::ElementsAre("new problem (medium): waits for the device"));
}

// How kernels were launched, and how often a rank waits, against a profile of four iterations.
TEST(WorkTree, HasLaunchesAndWaits) {
    analyze::TestProfile t;
    for (int64_t i = 0; i < 4; ++i) {
        const int64_t at = 1000 * i;
        t.annotation("ProfilerStep#" + std::to_string(i), at, 1000, t.thread());
        t.op("aten::mm", at + 10, 100);
        t.api("cudaLaunchKernel", at + 20, 5, t.thread(), i + 1);
        t.kernel("gemm", at + 130, 200, t.stream(), i + 1);
        t.api("cudaStreamSynchronize", at + 300, 40 + i, t.thread(), 100 + i);
    }
    const StoredProfile stored(std::move(t));
    Session session = stored.open({.all = true});
    const auto side = read_side(session, "a", {}, {.batch = 2, .launches = true});
    ASSERT_TRUE(side.has_value()) << side.error().message();
    EXPECT_EQ(side->state.waits, (std::vector<int64_t>{1, 1, 1, 1}));
    EXPECT_EQ(side->state.waiting_ns, (std::vector<int64_t>{40, 41, 42, 43}));
    EXPECT_EQ(side->work.gpu.mean_ns, 100);
    EXPECT_EQ(side->times(), (std::vector<int64_t>{500, 500, 500, 500}));
    EXPECT_FALSE(side->work.ops.at(0).work.at(0).launch.has_value())
        << "no launch configuration was recorded";
}

}  // namespace
}  // namespace opsight::query
