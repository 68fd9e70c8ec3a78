#include "analyze/recording_pauses.h"

#include <gtest/gtest.h>

#include "analyze/analyze.h"
#include "analyze/test_profile.h"

namespace opsight::analyze {
namespace {

constexpr int64_t kStep = 100;

// Steps of 100 ns with an op each, one behind the other, by their numbers.
void add_steps(TestProfile& t, std::initializer_list<int64_t> numbers,
               std::string_view stem = "ProfilerStep#") {
    for (const int64_t number : numbers) {
        t.annotation(std::string(stem) + std::to_string(number), kStep * number, kStep, t.thread());
        t.op("aten::mm", kStep * number + 10, 50);
    }
}

std::vector<std::pair<int64_t, int64_t>> pauses_of(TestProfile t) {
    Profile profile = t.finish();
    (void)analyze(profile, {});
    std::vector<std::pair<int64_t, int64_t>> found;
    for (const RecordingPause& pause : profile.pauses)
        found.emplace_back(pause.begin, pause.end);
    return found;
}

using Pauses = std::vector<std::pair<int64_t, int64_t>>;

TEST(RecordingPauses, LieWhereNumbersJumpAndNothingIsRecorded) {
    TestProfile t;
    add_steps(t, {0, 1, 2, 10, 11, 12});
    t.host(HostKind::kPythonFrame, "train.py(1): main", 0, 13 * kStep, t.thread(2));
    t.kernel("void at::native::vectorized_kernel<4>(int)", 3 * kStep - 5, 20, t.stream());
    EXPECT_EQ(pauses_of(std::move(t)), (Pauses{{3 * kStep + 15, 10 * kStep}}))
        << "from the last work on; the frame is open over all of it";
}

TEST(RecordingPauses, WhatIsRecordedIsNone) {
    TestProfile in_order;
    add_steps(in_order, {0, 1, 2, 3, 4});
    EXPECT_EQ(pauses_of(std::move(in_order)), Pauses());
    TestProfile at_work;
    add_steps(at_work, {0, 1, 2, 10, 11, 12});
    at_work.op("aten::mm", 6 * kStep, 50);
    EXPECT_EQ(pauses_of(std::move(at_work)), Pauses()) << "nine tenths are to be silent";
    TestProfile short_one;
    add_steps(short_one, {0, 1, 2, 4, 5});
    EXPECT_EQ(pauses_of(std::move(short_one)), Pauses()) << "no longer than a step";
    TestProfile batches;
    add_steps(batches, {0, 8, 32, 40}, "step[DECODE bs=");
    EXPECT_EQ(pauses_of(std::move(batches)), Pauses()) << "no numbers of steps";
}

TEST(RecordingPauses, PartIterations) {
    const std::vector<RecordingPause> pauses{{RankId(0), 100, 200}, {RankId(0), 300, 310}};
    std::vector<Iteration> list(3);
    list[0].rank = list[1].rank = RankId(0);
    list[2].rank = RankId(1);
    list[0].begin_ns = 0, list[0].end_ns = 90;
    list[1].begin_ns = 90, list[1].end_ns = 400;
    list[2].begin_ns = 90, list[2].end_ns = 400;
    part_at_pauses(list, pauses);
    EXPECT_EQ(list[0].end_ns, 90);
    EXPECT_EQ(std::pair(list[1].begin_ns, list[1].end_ns), std::pair(int64_t{200}, int64_t{300}));
    EXPECT_EQ(std::pair(list[2].begin_ns, list[2].end_ns), std::pair(int64_t{90}, int64_t{400}));
    EXPECT_EQ(paused_ns(pauses, RankId(0), 150, 305), 55);
}

}  // namespace
}  // namespace opsight::analyze
