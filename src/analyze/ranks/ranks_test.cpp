// Jobs of several ranks that are made up: who is slow, and what each clock shows, is known.
#include <gmock/gmock.h>

#include <cmath>
#include <functional>

#include "analyze/analyze.h"
#include "analyze/ranks/facts.h"
#include "analyze/test_profile.h"
#include "base/time.h"

namespace opsight::analyze {
namespace {

constexpr int64_t kUs = 1000, kMs = 1'000'000;
constexpr const char* kAllReduce = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgs)";

struct Job {
    int64_t ranks = 4, steps = 40;
    int64_t period = 10 * kMs, transfer = 200 * kUs;
    // When a rank comes to the collective of a step, after the step's begin.
    std::function<int64_t(int64_t rank, int64_t step)> comes = [](int64_t rank, int64_t step) {
        return 5 * kMs + (rank * 37 + step * 61) % 97 * kUs;
    };
    // What a rank's clock shows at a true time.
    std::function<int64_t(int64_t rank, int64_t time)> clock = [](int64_t, int64_t time) { return time; };
    std::function<bool(int64_t rank, int64_t step)> records = [](int64_t, int64_t) { return true; };
    std::function<std::string(int64_t rank)> host = [](int64_t) { return ""; };
    int64_t world = -1;
};

TestProfile made(const Job& job, std::string_view kernel = kAllReduce) {
    TestProfile t;
    for (int64_t rank = 0; rank < job.ranks; ++rank) {
        const RankId id = rank == 0 ? RankId(size_t{0}) : t.add_rank(rank);
        t.builder.rank(id).host = job.host(rank);
        t.builder.rank(id).world_size = job.world;
        for (int64_t step = 0; step < job.steps; ++step) {
            if (!job.records(rank, step)) continue;
            int64_t last = 0;
            for (int64_t other = 0; other < job.ranks; ++other)
                last = std::max(last, job.comes(other, step));
            const int64_t at = step * job.period;
            const int64_t begin = job.clock(rank, at + job.comes(rank, step));
            const int64_t end = job.clock(rank, at + last + job.transfer);
            const int64_t work = job.clock(rank, at + kMs);
            t.op("aten::mm", work, 10 * kUs, t.thread(1, 100 + rank));
            t.kernel("sgemm", work, begin - work, t.stream(7));
            t.kernel(kernel, begin, end - begin, t.stream(8));
        }
    }
    return t;
}

RankFacts facts_of(Profile& profile) {
    const std::vector<RankClock> clocks = align_ranks(profile);
    const Analysis analysis = analyze(profile, {});
    return find_rank_facts(profile, analysis, clocks);
}

TEST(Ranks, ClocksThatNothingSpeaksAgainstStay) {
    Profile profile = made(Job{}).finish();
    const std::vector<int64_t> before = profile.device.begin;
    for (const RankClock& clock : align_ranks(profile)) {
        EXPECT_FALSE(clock.corrected);
        EXPECT_EQ(clock.offset_ns, 0);
        EXPECT_GE(clock.error_ns, 0);
        EXPECT_EQ(clock.broken_before, 0);
    }
    EXPECT_EQ(profile.device.begin, before);
}

TEST(Ranks, OneRankHasNothingToCompare) {
    Job job;
    job.ranks = 1;
    Profile profile = made(job).finish();
    const auto clocks = align_ranks(profile);
    ASSERT_EQ(clocks.size(), 1u);
    EXPECT_FALSE(clocks[0].corrected);
    EXPECT_EQ(clocks[0].error_ns, -1);
}

// Rank 2 is 7 s ahead, rank 3 3 ms behind.
TEST(Ranks, OffsetsAreFound) {
    Job job;
    job.clock = [](int64_t rank, int64_t time) {
        return 10'000 * kMs + time + (rank == 2 ? 7000 * kMs : 0) - (rank == 3 ? 3 * kMs : 0);
    };
    Profile profile = made(job).finish();
    const RankFacts facts = facts_of(profile);
    const auto beside_first = [&](size_t rank) {
        return facts.clocks[rank].offset_ns - facts.clocks[0].offset_ns;
    };
    EXPECT_EQ(beside_first(1), 0);
    EXPECT_EQ(beside_first(2), -7000 * kMs);
    EXPECT_EQ(beside_first(3), 3 * kMs);
    EXPECT_GT(facts.clocks[2].broken_before, 0);
    EXPECT_EQ(facts.clocks[2].broken_after, 0);
    // The bound: the transfer, for who came last in one of them cannot have come later than the end.
    EXPECT_LE(facts.clocks[2].error_ns, 400 * kUs);
    for (const CollectiveCall& call : facts.calls) {
        EXPECT_EQ(call.state, MatchState::kMatched);
        EXPECT_EQ(call.transfer_ns, job.transfer);
        EXPECT_EQ(call.end - call.last_begin, job.transfer);
    }
}

// Rank 1's clock gains 200 us a second, and is 5 ms ahead.
TEST(Ranks, DriftIsFound) {
    Job job;
    job.ranks = 2;
    job.steps = 400;
    job.clock = [](int64_t rank, int64_t time) {
        return time + (rank == 1
                           ? 5 * kMs + static_cast<int64_t>(std::llround(static_cast<double>(time) * 2e-4))
                           : 0);
    };
    Profile profile = made(job).finish();
    const RankFacts facts = facts_of(profile);
    EXPECT_NEAR(facts.clocks[1].drift * 1e6 - facts.clocks[0].drift * 1e6, -200, 5);
    for (const CollectiveCall& call : facts.calls)
        EXPECT_NEAR(static_cast<double>(call.end - call.last_begin), static_cast<double>(job.transfer),
                    20 * kUs);
}

TEST(Ranks, RanksOfAHostShareItsClock) {
    Job job;
    job.host = [](int64_t rank) { return rank < 2 ? "left" : "right"; };
    job.clock = [](int64_t rank, int64_t time) { return time + (rank < 2 ? 0 : 43 * kMs); };
    Profile profile = made(job).finish();
    const RankFacts facts = facts_of(profile);
    EXPECT_EQ(facts.clocks[0].clock, facts.clocks[1].clock);
    EXPECT_EQ(facts.clocks[2].clock, facts.clocks[3].clock);
    EXPECT_EQ(facts.clocks[2].offset_ns, facts.clocks[3].offset_ns);
    EXPECT_EQ(facts.clocks[2].offset_ns - facts.clocks[0].offset_ns, -43 * kMs);
}

// One collective in ten ends on rank 1 at a time that has nothing to do with the others'.
TEST(Ranks, OddTimesOfAFewMoveNoClock) {
    Profile profile = made(Job{}).finish();
    size_t seen = 0;
    for (size_t row = 0; row < profile.device.size(); ++row)
        if (profile.strings.view(profile.device.name[row]) == kAllReduce && ++seen == 50)
            profile.device.begin[row] += 8 * kMs;
    for (const RankClock& clock : align_ranks(profile))
        EXPECT_FALSE(clock.corrected);
}

TEST(Ranks, TheSlowRankIsLast) {
    Job job;
    job.comes = [](int64_t rank, int64_t) { return 5 * kMs + (rank == 2 ? 2 * kMs : rank * 10 * kUs); };
    Profile profile = made(job).finish();
    const RankFacts facts = facts_of(profile);
    ASSERT_EQ(facts.calls.size(), 40u);
    for (const CollectiveCall& call : facts.calls) {
        EXPECT_EQ(call.last.index(), 2u);
        EXPECT_EQ(call.transfer_ns, job.transfer);
        EXPECT_EQ(call.waiting_ns, 2 * kMs + 1990 * kUs + 1970 * kUs);
        EXPECT_EQ(call.cause, Resource::kOtherKernel);  // the work that it did longer
    }
}

TEST(Ranks, OfGroupsWithRanksThatAreNotThereNoWaitingIsTold) {
    Job job;
    job.world = 8;
    Profile profile = made(job).finish();
    for (const CollectiveCall& call : facts_of(profile).calls) {
        EXPECT_EQ(call.state, MatchState::kRanksMissing);
        EXPECT_EQ(call.waiting_ns, -1);
        EXPECT_FALSE(call.last.valid());
    }
}

// Rank 1's recording begins at step 10 and ends with step 29.
TEST(Ranks, CutRecordingsAreMatchedByTime) {
    Job job;
    job.records = [](int64_t rank, int64_t step) { return rank != 1 || (step >= 10 && step < 30); };
    Profile profile = made(job).finish();
    size_t matched = 0;
    for (const CollectiveCall& call : facts_of(profile).calls) {
        if (call.state != MatchState::kMatched) continue;
        ++matched;
        EXPECT_EQ(call.transfer_ns, job.transfer);
    }
    EXPECT_EQ(matched, 20u);
}

// A call in the middle was not recorded: by no number of places do the others meet.
TEST(Ranks, AHoleIsNotGuessed) {
    Job job;
    job.records = [](int64_t rank, int64_t step) { return rank != 1 || step != 20; };
    Profile profile = made(job).finish();
    for (const CollectiveCall& call : facts_of(profile).calls)
        EXPECT_EQ(call.state, MatchState::kCountsDiffer);
}

// Who sends a broadcast is done before it: the shortest kernel is not that of the last.
TEST(Ranks, OfBroadcastsTheLastToBeginIsLast) {
    TestProfile t;
    constexpr const char* kBroadcast = "ncclDevKernel_Broadcast_RING_LL(ncclDevKernelArgs)";
    t.kernel(kBroadcast, 0, 50 * kUs, t.stream());
    t.add_rank(1);
    t.kernel(kBroadcast, kMs, 100 * kUs, t.stream());
    Profile profile = t.finish();
    const RankFacts facts = facts_of(profile);
    ASSERT_EQ(facts.calls.size(), 1u);
    EXPECT_EQ(facts.calls[0].last.index(), 1u);
    EXPECT_EQ(facts.calls[0].transfer_ns, 100 * kUs);
    EXPECT_EQ(facts.members[0].waiting_ns, 50 * kUs);
    EXPECT_EQ(facts.members[1].waiting_ns, 0);
}

TEST(Ranks, KindsOfCollectivesAreKnownHoweverTheyAreSpelled) {
    using enum CollectiveKind;
    const std::pair<const char*, CollectiveKind> names[] = {
        {"allreduce", kAllReduce},
        {"ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*)", kAllReduce},
        {"_allgather_base", kAllGather},
        {"ncclDevKernel_ReduceScatter_Sum", kReduceScatter},
        {"_reduce_scatter_base", kReduceScatter},
        {"all_to_allv", kAllToAll},
        {"ncclDevKernel_SendRecv(x)", kSendReceive},
        {"gloo:all_reduce", kAllReduce},
        {"broadcast", kBroadcast},
        {"reduce", kReduce},
        {"gather", kGather},
        {"barrier", kBarrier}};
    for (const auto& [name, kind] : names)
        EXPECT_EQ(collective_kind(name), kind) << name;
}

Collective told(TestProfile& t, std::string_view name, std::string_view group, int64_t size,
                int64_t elements) {
    Collective c;
    c.name = t.builder.text(name);
    c.dtype = t.builder.text("Float");
    c.group_name = t.builder.text(group);
    c.group_description = c.group_ranks = StringId(size_t{0});
    c.in_elements = c.out_elements = elements;
    c.group_size = size;
    return c;
}

void call(TestProfile& t, const Collective& collective, int64_t begin, int64_t dur, int64_t number = -1) {
    DeviceSpan span;
    span.collective_number = number;
    span.begin = begin;
    span.dur = dur;
    span.track = t.stream(8);
    span.kind = DeviceKind::kKernel;
    span.collective = t.builder.collective(collective);
    t.device(span, kAllReduce);
}

TEST(Ranks, GroupsAreApartAndSizesMustAgree) {
    TestProfile t;
    for (int64_t rank = 0; rank < 4; ++rank) {
        if (rank > 0) t.add_rank(rank);
        call(t, told(t, "allreduce", rank < 2 ? "tp left" : "tp right", 2, 1000), rank * 100,
             10 * kUs - rank * 100);
        call(t, told(t, "allreduce", "dp", 4, rank == 3 ? 999 : 1000), kMs, 10 * kUs);
    }
    Profile profile = t.finish();
    const RankFacts facts = facts_of(profile);
    ASSERT_EQ(facts.groups.size(), 3u);
    ASSERT_EQ(facts.calls.size(), 3u);
    for (const CollectiveCall& each : facts.calls) {
        const CommGroup& group = facts.groups[each.group];
        const bool all = each.count == 4;
        EXPECT_EQ(group.kind, all ? GroupKind::kData : GroupKind::kTensor);
        EXPECT_EQ(each.state, all ? MatchState::kCallsDiffer : MatchState::kMatched);
        EXPECT_EQ(each.bytes, 4000);
    }
}

// The second rank's recording begins two collectives later and its clock shows another hour: order says
// nothing.
TEST(Ranks, NumbersOfTheGroupTellWhichBelongTogether) {
    for (const bool numbered : {true, false}) {
        TestProfile t;
        for (int64_t rank = 0; rank < 2; ++rank) {
            if (rank > 0) t.add_rank(rank);
            const int64_t apart = rank * 3600 * int64_t{1'000'000'000};
            for (int64_t i = 2 * rank; i < 40; ++i)
                call(t, told(t, "allreduce", "dp", 2, 1000), apart + i * kMs, (10 + i) * kUs,
                     numbered ? 7 + i : -1);
        }
        Profile profile = t.finish();
        const std::vector<RankClock> clocks = align_ranks(profile);
        const Matches matches = match_calls(profile, find_calls(profile));
        const auto both = std::count_if(matches.calls.begin(), matches.calls.end(),
                                        [](const MatchedCall& each) { return each.count == 2; });
        EXPECT_EQ(both, numbered ? 38 : 0);
        EXPECT_EQ(clocks[1].corrected, numbered);
    }
}

// Calls that were started as one have one number; where numbers fall or are of different runs, order tells.
TEST(Ranks, NumbersAreUsedWhereTheyCanBeTrue) {
    const auto matched = [](std::vector<int64_t> first, std::vector<int64_t> second, std::string_view name) {
        TestProfile t;
        for (int64_t rank = 0; rank < 2; ++rank) {
            if (rank > 0) t.add_rank(rank);
            const std::vector<int64_t>& numbers = rank == 0 ? first : second;
            for (size_t i = 0; i < numbers.size(); ++i)
                call(t, told(t, name, "dp", 2, 1000), static_cast<int64_t>(i) * kMs, 10 * kUs, numbers[i]);
        }
        Profile profile = t.finish();
        std::vector<uint32_t> counts;
        for (const MatchedCall& each : match_calls(profile, find_calls(profile)).calls)
            counts.push_back(each.count);
        return counts;
    };
    using Counts = std::vector<uint32_t>;
    EXPECT_EQ(matched({5, 5, 6}, {5, 5, 6}, "allgather"), (Counts{2, 2, 2}));
    EXPECT_EQ(matched({5, 6, 7}, {6, 7, 8}, "allreduce"), (Counts{1, 2, 2, 1}));
    EXPECT_EQ(matched({5, 6, 7}, {105, 106, 107}, "allreduce"), (Counts{2, 2, 2})) << "of different runs";
    EXPECT_EQ(matched({6, 5, 7}, {5, 6, 7}, "allreduce"), (Counts{2, 2, 2})) << "they fall";
    EXPECT_EQ(matched({5, 6, -1}, {6, 7, 8}, "allreduce"), (Counts{2, 2, 2})) << "one is not told";
    EXPECT_EQ(matched({5, 6, 7}, {6, 7, 8}, "send"), (Counts{2, 2, 2})) << "each rank counts its own";
}

// A pipeline of four ranks: each sends to the next one, which has a receive for it. The first send is over
// before its receive begins, the last receive waits.
TEST(Ranks, SendsAndReceivesOfToldRanksArePairs) {
    TestProfile t;
    const auto exchange = [&t](const char* name, Exchange with, int64_t begin, int64_t dur) {
        DeviceSpan span;
        span.begin = begin;
        span.dur = dur;
        span.track = t.stream(8);
        span.kind = DeviceKind::kKernel;
        span.exchange = with;
        span.collective = t.builder.collective(told(t, name, "pp", 4, 1000));
        t.device(span, "ncclDevKernel_SendRecv(ncclDevKernelArgs)");
    };
    for (int64_t rank = 0; rank < 4; ++rank) {
        if (rank > 0) t.add_rank(rank);
        for (int64_t step = 0; step < 3; ++step) {
            const int64_t at = step * kMs;
            if (rank > 0) exchange("recv", {.from = rank - 1}, at + 100 * kUs * rank, 50 * kUs);
            const int64_t waits = rank == 2 ? 40 * kUs : 0;
            const int64_t dur = rank == 0 ? 20 * kUs : 50 * kUs;
            if (rank < 3)
                exchange("send", {.to = rank + 1},
                         at + 100 * kUs * (rank + 1) - waits - (rank == 0 ? 60 * kUs : 0), dur + waits);
        }
    }
    Profile profile = t.finish();
    const RankFacts facts = facts_of(profile);
    ASSERT_EQ(facts.groups.size(), 1u);
    EXPECT_EQ(facts.groups[0].size, 4);
    EXPECT_EQ(facts.groups[0].recorded, 4);
    EXPECT_EQ(facts.groups[0].kind, GroupKind::kPipeline);
    ASSERT_EQ(facts.calls.size(), 9u);
    int64_t waiting = 0;
    for (const CollectiveCall& each : facts.calls) {
        EXPECT_EQ(each.state, MatchState::kMatched);
        EXPECT_EQ(each.count, 2u);
        EXPECT_EQ(each.ranks, 2);
        const CollectiveMember &a = facts.members[each.first], &b = facts.members[each.first + 1];
        EXPECT_EQ(a.rank.index() + 1, b.rank.index());
        waiting += each.waiting_ns;
    }
    EXPECT_EQ(waiting, 3 * 40 * kUs) << "of rank 2, whose send comes before the receive of rank 3";
}

// Names and ranks of groups are whatever somebody wrote.
TEST(Ranks, HostileNamesAndTimesAreTakenAsTheyAre) {
    TestProfile t;
    for (int64_t rank = 0; rank < 3; ++rank) {
        if (rank > 0) t.add_rank(rank);
        Collective odd =
            told(t, "allreduce'; DROP TABLE x; --", std::string(100'000, '"'), INT64_MAX, INT64_MAX);
        odd.group_ranks = t.builder.text("[[[[[[[[");
        call(t, odd, rank * (kMaxNs / 4), kMaxNs / 8);
        call(t, told(t, "", "", -5, -7), 0, 0);
    }
    Profile profile = t.finish();
    const RankFacts facts = facts_of(profile);
    EXPECT_EQ(facts.members.size(), 6u);
    for (const CollectiveCall& each : facts.calls)
        EXPECT_GE(each.end, each.first_begin);
}

// So many ranks take a time that grows with them, not with their square.
TEST(Ranks, ManyRanks) {
    TestProfile t;
    constexpr int64_t kRanks = 100'000;
    for (int64_t rank = 0; rank < kRanks; ++rank) {
        if (rank > 0) t.add_rank(rank);
        t.kernel(kAllReduce, rank, 2 * kRanks - rank, t.stream());
    }
    Profile profile = t.finish();
    EXPECT_EQ(align_ranks(profile).size(), static_cast<size_t>(kRanks));
    const Matches matches = match_calls(profile, find_calls(profile));
    ASSERT_EQ(matches.calls.size(), 1u);
    EXPECT_EQ(matches.calls[0].count, kRanks);
    EXPECT_EQ(matches.calls[0].state, MatchState::kMatched);
}

// A backend on the host works on threads of its own: the op that asked tells the direction.
TEST(Ranks, GroupsOfTheHostHaveTheirKindByWhoAsks) {
    for (const bool backward : {true, false}) {
        TestProfile t;
        for (const int64_t rank : {0, 1}) {
            if (rank > 0) t.add_rank(rank);
            const TrackId main = t.thread(1, 100 + rank), worker = t.thread(2, 100 + rank);
            Collective c;
            c.name = t.builder.text("allreduce");
            c.group_ranks = t.builder.text("[0, 1]");
            c.group_size = 2;
            OpDetail detail;
            detail.collective = t.builder.collective(c);
            for (int64_t step = 0; step < 4; ++step) {
                const int64_t at = step * kMs;
                if (backward) t.op("autograd::engine::evaluate_function: AddBackward0", at, 100 * kUs, main);
                t.op("c10d::allreduce_", at + 10 * kUs, 20 * kUs, main, detail);
                t.annotation("gloo:all_reduce", at + 200 * kUs, 100 * kUs, worker);
            }
        }
        Profile profile = t.finish();
        const RankFacts facts = facts_of(profile);
        ASSERT_EQ(facts.groups.size(), 1u);
        EXPECT_EQ(facts.groups[0].kind, backward ? GroupKind::kData : GroupKind::kUnknown)
            << facts.groups[0].evidence;
    }
}

}  // namespace
}  // namespace opsight::analyze
