#include "query/session/range_sums.h"
#include "query/session/iteration_choice.h"

#include <gmock/gmock.h>

#include "query/reports/test_reports.h"
#include "query/timeline/first_event.h"

namespace opsight::query {
namespace {

// A program without a framework: two steps of 100 ns on a thread, what is in them, and a range across
// threads.
class RangeSumsTest : public ::testing::Test {
  protected:
    void range(const char* name, int64_t begin, int64_t end, const char* domain = "",
               NvtxType type = NvtxType::kPushPop, int64_t end_thread = 1) {
        made.annotation(name, begin, end - begin, made.thread());
        NvtxRange nvtx;
        nvtx.track = made.thread();
        if (end_thread != 1) nvtx.end_track = made.thread(end_thread);
        nvtx.text = made.builder.text(name);
        NvtxAttributes attributes;
        attributes.type = type;
        attributes.domain_name = made.builder.text(domain);
        nvtx.attributes = made.builder.nvtx_attributes(attributes);
        made.builder.extend_nvtx(nvtx);
    }
    void fill() {
        range("setup", 0, 50);
        for (const int64_t at : {100, 300, 500}) {
            range("step", at, at + 100 + at / 10);
            range("solve", at + 10, at + 60, "solver");
            range("sweep", at + 20, at + 50, "solver");
        }
        range("time loop", 90, 700, "", NvtxType::kStartEnd, 2);
    }
    analyze::TestProfile made;
};

double of(const ResultTable& table, const char* column, const char* name) {
    return number(cell(table, column, "range", name));
}

TEST_F(RangeSumsTest, OwnTimeIsWhatTheRangesInsideLeave) {
    fill();
    const StoredProfile stored(std::move(made));
    Session session = stored.open();
    const ResultTable table = table_of(session, "ranges");
    EXPECT_EQ(table.rows.size(), 5U);
    EXPECT_EQ(of(table, "total_time_ns", "step"), 110 + 130 + 150);
    EXPECT_EQ(of(table, "self_time_ns", "step"), 110 + 130 + 150 - 3 * 50);
    EXPECT_EQ(of(table, "calls", "step"), 3);
    EXPECT_EQ(of(table, "avg_time_ns", "step"), 130);
    EXPECT_EQ(of(table, "median_time_ns", "step"), 130);
    EXPECT_EQ(of(table, "p95_time_ns", "step"), 148);  // nine tenths of the way from the second to the third
    EXPECT_EQ(of(table, "self_time_ns", "solve"), 3 * 20);
    EXPECT_EQ(of(table, "self_time_ns", "sweep"), 3 * 30);
    EXPECT_EQ(cell(table, "domain", "range", "sweep"), Cell(std::string("solver")));
    // A start/end range holds no others, so nothing is its own.
    EXPECT_TRUE(is_empty(cell(table, "self_time_ns", "range", "time loop")));
    EXPECT_EQ(of(table, "total_time_ns", "time loop"), 610);
    EXPECT_EQ(of(table, "self_share_pct", "setup"), 100.0 * 50 / (240 + 60 + 90 + 50));
}

TEST_F(RangeSumsTest, TheWallClockOfAProgramWithoutOpsIsThatOfItsRanges) {
    fill();
    const StoredProfile stored(std::move(made));
    Session session = stored.open();
    EXPECT_EQ(number(cell(table_of(session, "summary", "summary"), "wall_clock_ns")), 700);
    RangeOptions second;
    second.iteration_range = "^step$";
    second.start = second.stop = 1;
    Session cut = stored.open(second);
    EXPECT_EQ(number(cell(table_of(cut, "summary", "summary"), "wall_clock_ns")), 130);
}

TEST_F(RangeSumsTest, ARangeOfIterationsHasWhatBeginsInIt) {
    fill();
    const StoredProfile stored(std::move(made));
    RangeOptions options;
    options.iteration_range = "^step$";
    options.start = options.stop = 2;
    Session session = stored.open(options);
    const ResultTable table = table_of(session, "ranges");
    EXPECT_EQ(table.rows.size(), 3U);
    EXPECT_EQ(of(table, "calls", "sweep"), 1);
    EXPECT_EQ(of(table, "total_time_ns", "step"), 150);
    EXPECT_EQ(of(table, "self_time_ns", "step"), 100);
}

// JAX names a call twice, one within the other.
TEST_F(RangeSumsTest, ARangeWithinOneOfItsNameCountsOnce) {
    range("call", 0, 100);
    range("call", 10, 90);
    range("other", 20, 80);
    range("call", 30, 40);
    range("call", 200, 250);
    const StoredProfile stored(std::move(made));
    Session session = stored.open();
    const ResultTable table = table_of(session, "ranges");
    EXPECT_EQ(of(table, "calls", "call"), 4);
    EXPECT_EQ(of(table, "total_time_ns", "call"), 150);
    EXPECT_EQ(of(table, "total_time_ns", "other"), 60);
    EXPECT_EQ(of(table, "max_time_ns", "call"), 100);
}

TEST_F(RangeSumsTest, GpuTimeIsTheProjection) {
    range("launches", 0, 100);
    made.api("cudaLaunchKernel", 10, 5, made.thread(), 1);
    made.kernel("k", 200, 20, made.stream(), 1);
    made.api("cudaLaunchKernel", 20, 5, made.thread(), 2);
    made.kernel("k", 300, 30, made.stream(), 2);
    range("idle", 100, 150);
    const StoredProfile stored(std::move(made));
    Session session = stored.open();
    const ResultTable table = table_of(session, "ranges");
    EXPECT_EQ(of(table, "projected_gpu_time_ns", "launches"), 130);
    EXPECT_EQ(of(table, "gpu_ops", "launches"), 2);
    EXPECT_TRUE(is_empty(cell(table, "projected_gpu_time_ns", "range", "idle")));
    EXPECT_EQ(number(cell(table_of(session, "summary", "summary"), "wall_clock_ns")), 330);
}

TEST_F(RangeSumsTest, SuggestsWhatComesAgainAndAgain) {
    fill();
    for (int i = 0; i < 4; ++i)
        range(("checkpoint (" + std::to_string(i) + ")").c_str(), 1000 + 1000 * i, 1900 + 1000 * i);
    const StoredProfile stored(std::move(made));
    Session session = stored.open();
    const auto choice = iteration_choice(session);
    ASSERT_TRUE(choice && *choice);
    EXPECT_EQ((*choice)->name, "step");  // by its name, though others take longer
    EXPECT_EQ((*choice)->pattern, "^step$");
    EXPECT_EQ((*choice)->count, 3);
    RangeOptions options;
    options.iteration_range = (*choice)->pattern;
    Session cut = stored.open(options);
    EXPECT_EQ(cut.range().total, 3);
    const auto said_none = [](Session& asked) {
        const auto odd = diagnostic_list(asked, {});
        return std::any_of(odd->rows.begin(), odd->rows.end(), [](const std::vector<Cell>& row) {
            return row.front() == Cell(std::string("no_iterations"));
        });
    };
    EXPECT_TRUE(said_none(session));
    EXPECT_FALSE(said_none(cut)) << "they were cut since";
    const auto report = make_report(cut, "summary", {});
    ASSERT_TRUE(report.has_value());
    EXPECT_THAT(report->notes,
                ::testing::Contains(::testing::HasSubstr("not in sums of ops, kernels and copies")));
    const auto none = iteration_choice(cut);
    ASSERT_TRUE(none);
    EXPECT_FALSE(*none);
}

TEST_F(RangeSumsTest, SuggestsNothingWhereIterationsAreKnown) {
    for (int i = 0; i < 4; ++i) {
        range(("ProfilerStep#" + std::to_string(i)).c_str(), 1000 * i, 1000 + 1000 * i);
        range("part", 1000 * i + 100, 1000 * i + 900);
    }
    const StoredProfile stored(std::move(made));
    RangeOptions whole;
    whole.whole = true;
    for (const RangeOptions& options : {RangeOptions(), whole}) {
        Session session = stored.open(options);
        const auto choice = iteration_choice(session);
        ASSERT_TRUE(choice);
        EXPECT_FALSE(*choice);
    }
}

TEST_F(RangeSumsTest, RangesOfLibrariesAreNotSuggested) {
    for (int i = 0; i < 8; ++i)
        range("MPI_Send", 1000 * i, 1000 * i + 900, "MPI");
    for (int i = 0; i < 3; ++i)
        range("saxpy", 10000 + 1000 * i, 10500 + 1000 * i);
    const StoredProfile stored(std::move(made));
    Session session = stored.open();
    const auto choice = iteration_choice(session);
    ASSERT_TRUE(choice && *choice);
    EXPECT_EQ((*choice)->name, "saxpy");
}

// As the option takes them; markers of lines of code are no steps.
TEST_F(RangeSumsTest, WithinAnotherOfTheNameIsNoOtherIteration) {
    for (int i = 0; i < 4; ++i) {
        range("train_fn", 1000 * i, 1000 * i + 900);
        range("train_fn", 1000 * i + 10, 1000 * i + 800);
        range("profile2.py:314", 1000 * i, 1000 * i + 990);
    }
    const StoredProfile stored(std::move(made));
    Session session = stored.open();
    const auto choice = iteration_choice(session);
    ASSERT_TRUE(choice && *choice);
    EXPECT_EQ((*choice)->name, "train_fn");
    EXPECT_EQ((*choice)->count, 4);
    RangeOptions options;
    options.iteration_range = (*choice)->pattern;
    EXPECT_EQ(stored.open(options).range().total, 4);
}

TEST_F(RangeSumsTest, NamesThatCountStepsMayHaveSeveralNumbers) {
    for (int i = 0; i < 4; ++i)
        range(("Step " + std::to_string(10 * i) + " to " + std::to_string(10 * i + 9)).c_str(), 1000 * i,
              900 + 1000 * i);
    const StoredProfile stored(std::move(made));
    Session session = stored.open();
    const auto choice = iteration_choice(session);
    ASSERT_TRUE(choice && *choice);
    EXPECT_EQ((*choice)->pattern, "^Step [0-9]+ to [0-9]+$");
}

// The calls around which a program works are no loop of it.
TEST_F(RangeSumsTest, WhatIsOpenForHardlyAnyOfTheTimeIsNotSuggested) {
    for (const int apart : {100, 1000}) {
        made = analyze::TestProfile();
        for (int i = 0; i < 4; ++i)
            range("saxpy", apart * i, apart * i + 20);
        const StoredProfile stored(std::move(made));
        Session session = stored.open();
        const auto choice = iteration_choice(session);
        ASSERT_TRUE(choice);
        EXPECT_EQ(choice->has_value(), apart == 100);
    }
}

// A helper that comes three times in a row is no main loop of a long recording; what says that it is may be.
TEST_F(RangeSumsTest, WhatTakesHardlyAnyOfTheRecordingIsNotSuggested) {
    for (const char* name : {"getCpAsyncBulkGmemIndex", "step"}) {
        made = analyze::TestProfile();
        range("Compile", 0, 10000);
        for (int i = 0; i < 3; ++i)
            range(name, 100 + 30 * i, 120 + 30 * i);
        const StoredProfile stored(std::move(made));
        Session session = stored.open();
        const auto choice = iteration_choice(session);
        ASSERT_TRUE(choice);
        EXPECT_EQ(choice->has_value(), std::string_view(name) == "step");
    }
}

TEST_F(RangeSumsTest, NamesWithNumbersAreOneSuggestion) {
    for (int i = 0; i < 4; ++i)
        range(("pass (" + std::to_string(i) + ")").c_str(), 1000 * i, 900 + 1000 * i);
    const StoredProfile stored(std::move(made));
    Session session = stored.open();
    const auto choice = iteration_choice(session);
    ASSERT_TRUE(choice && *choice);
    EXPECT_EQ((*choice)->name, "pass (#)");
    EXPECT_EQ((*choice)->pattern, "^pass \\([0-9]+\\)$");
    RangeOptions options;
    options.iteration_range = (*choice)->pattern;
    Session cut = stored.open(options);
    EXPECT_EQ(cut.range().total, 4);
}

TEST_F(RangeSumsTest, AProfileWithoutRangesSaysHowToGetSome) {
    made.op("aten::mm", 0, 10, made.thread());
    const StoredProfile stored(std::move(made));
    Session session = stored.open();
    const auto report = make_report(session, "ranges", {});
    ASSERT_TRUE(report);
    EXPECT_TRUE(report->sections.at(0).table.rows.empty());
    EXPECT_THAT(report->notes, ::testing::ElementsAre(::testing::HasSubstr("NVTX")));
}

TEST_F(RangeSumsTest, NamesThatDifferInNumbersAloneCanBeOneRow) {
    for (int i = 0; i < 4; ++i)
        range(("layer " + std::to_string(i)).c_str(), 100 * i, 100 * i + 10 * (i + 1));
    range("layer", 500, 600);
    range("pass 1", 700, 710);
    const StoredProfile stored(std::move(made));
    Session session = stored.open();
    EXPECT_EQ(table_of(session, "ranges").rows.size(), 6U);
    TableShape shape;
    shape.merge_numbers = true;
    const auto merged = make_report(session, "ranges", shape);
    ASSERT_TRUE(merged.has_value()) << merged.error().message();
    const ResultTable& table = merged->sections[0].table;
    EXPECT_EQ(table.rows.size(), 3U);
    EXPECT_EQ(of(table, "calls", "layer #"), 4);
    EXPECT_EQ(of(table, "total_time_ns", "layer #"), 10 + 20 + 30 + 40);
    EXPECT_EQ(of(table, "max_time_ns", "layer #"), 40);
    EXPECT_EQ(of(table, "calls", "pass 1"), 1) << "the only one of its kind keeps its name";
    EXPECT_EQ(table_of(session, "ranges").rows.size(), 6U) << "asked without it again";
}

// "step 0" runs before the range: the row must lead to one that is in it.
TEST_F(RangeSumsTest, ARowOfMergedNamesLeadsToARangeThatIsChosen) {
    for (int i = 0; i < 4; ++i) {
        range(("step " + std::to_string(i)).c_str(), 100 * i, 100 * i + 90);
        range(("load " + std::to_string(i)).c_str(), 100 * i + 10, 100 * i + 20);
    }
    const StoredProfile stored(std::move(made));
    Session session = stored.open({.start = 1, .iteration_range = "^step"});
    TableShape shape;
    shape.merge_numbers = true;
    const auto merged = make_report(session, "ranges", shape);
    ASSERT_TRUE(merged.has_value()) << merged.error().message();
    EventSubject subject;
    subject.range = of(merged->sections[0].table, "range_id", "load #");
    const auto first = first_event(session, subject);
    ASSERT_TRUE(first.has_value()) << first.error().message();
    ASSERT_TRUE(first->has_value());
    EXPECT_EQ((*first)->begin_ns, 110);
}

}  // namespace
}  // namespace opsight::query
