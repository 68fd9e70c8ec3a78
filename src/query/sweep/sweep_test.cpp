// Sweeps with known answers: planted lines, exponents, failures and op sets.
#include "query/sweep/sweep.h"

#include <gmock/gmock.h>

#include "query/sweep/tables.h"

namespace opsight::query {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr double kMs = 1e6;

// A point of `runs` runs; its ops' times add up to the iteration's.
PointOfSweep point_of(const std::string& batch, int runs, const std::vector<OpOfRun>& ops) {
    PointOfSweep point{{batch}, "batch=" + batch, {}};
    for (int i = 1; i <= runs; ++i) {
        RecordedRun recorded;
        recorded.ops = ops;
        double all = 0;
        for (OpOfRun& each : recorded.ops) {
            each.cpu_ns *= 1 + 0.001 * i;
            all += each.cpu_ns;
        }
        for (int k = 0; k < 5; ++k)
            recorded.times_ns.push_back(static_cast<int64_t>(all) + k - 2);
        recorded.flops = 100 * std::stod(batch);
        point.runs.push_back({.repeat = i, .wall_s = 1.1, .rss_bytes = 1 << 30, .recorded = recorded});
        point.runs.push_back({.repeat = i, .bare = true, .wall_s = 1.0, .rss_bytes = 1 << 29});
    }
    return point;
}

// 10 ms whatever the batch is, 1 ms a sample in a linear layer, and an attention that grows with the square.
Sweep planted(int runs, bool attention = true) {
    Sweep sweep{"planted", {plan::parse_parameter("batch=8,16,32,64").value()}, {}, {}};
    for (const char* batch : {"8", "16", "32", "64"}) {
        const double x = std::stod(batch);
        std::vector<OpOfRun> ops = {{"/net", "aten::sleep", "forward", 10 * kMs, 0, 1, {}},
                                    {"/net/linear", "aten::addmm", "forward", x * kMs, 0, 1, 2 * x}};
        if (attention) ops.push_back({"/net/attention", "aten::bmm", "forward", x * x * kMs, 0, 1, x * x});
        sweep.points.push_back(point_of(batch, runs, ops));
    }
    return sweep;
}

const ResultTable& table_of(const Report& report, std::string_view name) {
    for (const Section& each : report.sections)
        if (each.table.name == name) return each.table;
    ADD_FAILURE() << "no table " << name;
    static const ResultTable none;
    return none;
}

Cell at(const ResultTable& table, size_t row, std::string_view key) {
    for (size_t i = 0; i < table.columns.size(); ++i)
        if (table.columns[i].key == key) return table.rows.at(row).at(i);
    ADD_FAILURE() << "no column " << key;
    return {};
}

TEST(Sweep, BaselineAndSlopeAreFoundAndSaid) {
    const Report report = sweep_report(planted(3, false), {}, {}).value();
    const ResultTable& fit = table_of(report, "fit");
    EXPECT_NEAR(std::get<double>(at(fit, 0, "baseline_ns")), 10 * kMs, 0.1 * kMs);
    EXPECT_NEAR(std::get<double>(at(fit, 0, "slope_ns")), kMs, 0.01 * kMs);
    EXPECT_LT(std::get<double>(at(fit, 0, "baseline_low_ns")), std::get<double>(at(fit, 0, "baseline_ns")));
    EXPECT_TRUE(std::get<bool>(at(fit, 0, "holds")));
    EXPECT_NEAR(std::get<double>(at(fit, 0, "half_work")), 10, 0.2);
    EXPECT_THAT(report.notes, Contains(HasSubstr("of an iteration do not depend on batch")));
    const ResultTable& points = table_of(report, "points");
    EXPECT_NEAR(std::get<double>(at(points, 0, "throughput_per_s")), 8 / 0.018, 3);
    EXPECT_NEAR(std::get<double>(at(points, 0, "overhead_pct")), 10, 1e-6);
    EXPECT_EQ(std::get<double>(at(points, 0, "rss_bytes")), 1 << 29);  // without the recording
}

// Time that falls, or stays, has no part beside its growth.
TEST(Sweep, NoBaselineIsSaidWhereTimeDoesNotGrow) {
    Sweep falls = planted(3, false), stays = falls;
    for (size_t i = 0; i < falls.points.size(); ++i)
        for (size_t run = 0; run < falls.points[i].runs.size(); ++run) {
            falls.points[i].runs[run] = planted(3, false).points[falls.points.size() - 1 - i].runs[run];
            stays.points[i].runs[run] = planted(3, false).points[0].runs[run];
        }
    for (const Sweep& each : {falls, stays}) {
        const Report report = sweep_report(each, {}, {}).value();
        EXPECT_THAT(report.notes, Not(Contains(HasSubstr("do not depend on batch"))));
        EXPECT_FALSE(std::holds_alternative<double>(at(table_of(report, "fit"), 0, "half_work")));
    }
    EXPECT_THAT(sweep_report(stays, {}, {}).value().notes,
                Contains(HasSubstr("no growth of the time with batch stands against noise")));
}

TEST(Sweep, AMachineThatIsNotToldIsNotAnother) {
    Sweep sweep = planted(3, false);
    const auto differ = Contains(HasSubstr("different machines"));
    sweep.points[0].runs[0].recorded->machine = "Tesla V100";
    EXPECT_THAT(sweep_report(sweep, {}, {}).value().notes, Not(differ));
    sweep.points[1].runs[0].recorded->machine = "A100";
    EXPECT_THAT(sweep_report(sweep, {}, {}).value().notes, differ);
}

TEST(Sweep, NoFlopsAreToldWhereNothingThatTakesTimeWasCounted) {
    Sweep sweep = planted(3, false);
    for (RunOfSweep& run : sweep.points[0].runs)
        if (run.recorded) run.recorded->flops = 0, run.recorded->flops_at_least = true;
    const Report report = sweep_report(sweep, {}, {}).value();
    for (const char* column : {"flops", "flops_per_s"}) {
        EXPECT_FALSE(std::holds_alternative<double>(at(table_of(report, "points"), 0, column))) << column;
        EXPECT_TRUE(std::holds_alternative<double>(at(table_of(report, "points"), 1, column))) << column;
    }
}

// Two values always lie on a line.
TEST(Sweep, NoBaselineIsToldFromTwoValues) {
    Sweep sweep = planted(3, false);
    sweep.points.resize(2);
    const Report report = sweep_report(sweep, {}, {}).value();
    EXPECT_FALSE(std::get<bool>(at(table_of(report, "fit"), 0, "holds")));
    EXPECT_THAT(report.notes, Contains(HasSubstr("two values of batch always lie on a line")));
    EXPECT_THAT(report.notes, Not(Contains(HasSubstr("do not depend on batch"))));
}

// An op that one run of three has, at two points: its median is 0 at each.
TEST(Sweep, APartOfFewRunsGrowsByNoWord) {
    Sweep sweep = planted(3, false);
    for (const size_t point : {0, 1})
        sweep.points[point].runs[0].recorded->ops.push_back(
            {"/net/rare", "aten::rare", "forward", kMs * static_cast<double>(1 + point), 0, 1, {}});
    const Report report = sweep_report(sweep, {}, {}).value();
    const ResultTable& growth = table_of(report, "growth");
    for (size_t i = 0; i < growth.rows.size(); ++i)
        EXPECT_EQ(std::get<std::string>(at(growth, i, "name")).find("rare"), std::string::npos);
}

TEST(Sweep, PlantedQuadraticOpsAreNamed) {
    const Report report = sweep_report(planted(3), {}, {}).value();
    EXPECT_THAT(report.notes,
                Contains(::testing::AllOf(HasSubstr("grow faster than batch: aten::bmm (forward) in "
                                                    "/net/attention with exponent 2.00"),
                                          HasSubstr("quadratic"), Not(HasSubstr("addmm")))));
    const ResultTable& growth = table_of(report, "growth");
    std::map<std::string, std::string> words;
    for (size_t i = 0; i < growth.rows.size(); ++i)
        words[std::get<std::string>(at(growth, i, "kind")) + " " +
              std::get<std::string>(at(growth, i, "name"))] = std::get<std::string>(at(growth, i, "grows"));
    EXPECT_EQ(words["op aten::sleep (forward) in /net"], "constant");
    EXPECT_EQ(words["op type aten::addmm"], "linear");
    EXPECT_EQ(words["layer /net/attention"], "quadratic");
    EXPECT_THAT(report.notes, Contains(HasSubstr("time is not a straight line over batch")));
    const ResultTable& layers = table_of(report, "layers");
    EXPECT_EQ(std::get<std::string>(at(layers, 0, "name")), "/net");
    EXPECT_NEAR(std::get<double>(at(layers, 0, "batch=8_ns")), 82 * kMs * 1.002, kMs);
}

TEST(Sweep, WhatWasMeasuredOnceHasNoSpread) {
    const Report report = sweep_report(planted(1, false), {}, {}).value();
    EXPECT_THAT(report.notes, Contains(HasSubstr("4 points measured once")));
    for (const Column& each : table_of(report, "points").columns)
        EXPECT_NE(each.key, "latency_least_ns");
    EXPECT_THAT(report.notes, Contains(HasSubstr("how much runs differ is not known")));
}

TEST(Sweep, FailedAndMissingPointsStay) {
    Sweep sweep = planted(2, false);
    sweep.points[3].runs = {{.repeat = 1, .failed = "out of memory: 2 GiB asked for"}};
    sweep.points[2].runs.clear();
    const Report report = sweep_report(sweep, {}, {}).value();
    EXPECT_THAT(report.notes, Contains("4 points: 2 measured"));
    EXPECT_THAT(report.notes, Contains(HasSubstr("1 failed: batch=64 (out of memory: 2 GiB asked for)")));
    EXPECT_THAT(report.notes, Contains(HasSubstr("1 point not measured yet")));
    const ResultTable& points = table_of(report, "points");
    ASSERT_EQ(points.rows.size(), 4U);
    EXPECT_EQ(at(points, 3, "latency_ns"), Cell{});
    EXPECT_EQ(std::get<std::string>(at(points, 3, "failure")), "out of memory: 2 GiB asked for");
}

// A recording in which no iterations are sure is not one: it is compared with others like it alone.
TEST(Sweep, WholeRecordingsAreNotIterations) {
    Sweep sweep = planted(2, false);
    for (RunOfSweep& run : sweep.points[0].runs)
        if (run.recorded) run.recorded->whole = true, run.recorded->times_ns = {int64_t{500'000'000}};
    const Report report = sweep_report(sweep, {}, {}).value();
    EXPECT_THAT(report.notes, Contains("4 points: 3 measured"));
    EXPECT_THAT(report.notes, Contains(HasSubstr("2 runs without iterations that are sure (of batch=8)")));
    EXPECT_THAT(report.notes, Not(Contains(HasSubstr("not measured yet"))));
    EXPECT_NEAR(std::get<double>(at(table_of(report, "fit"), 0, "baseline_ns")), 10 * kMs, 0.1 * kMs);
    EXPECT_EQ(at(table_of(report, "points"), 0, "latency_ns"), Cell{});
    for (PointOfSweep& point : sweep.points)
        for (RunOfSweep& run : point.runs)
            if (run.recorded) run.recorded->whole = true;
    const Report whole = sweep_report(sweep, {}, {}).value();
    EXPECT_THAT(whole.notes, Contains("4 points: 4 measured"));
    EXPECT_THAT(whole.notes, Contains(HasSubstr("latency is that of the whole recording")));
    EXPECT_THAT(whole.notes, Not(Contains(HasSubstr("of an iteration"))));
}

TEST(Sweep, NoPointWithinTheLimitsIsAnEmptyTable) {
    SweepOptions options;
    options.most_latency_ns = 1;
    const Report report = sweep_report(planted(2), options, {}).value();
    EXPECT_TRUE(table_of(report, "best").rows.empty());
    EXPECT_THAT(report.notes, Contains("no measured point is within the limits"));
}

TEST(Sweep, PointsOfOtherOpsAreSaid) {
    Sweep sweep = planted(2);
    for (RunOfSweep& run : sweep.points[0].runs)
        if (run.recorded)
            std::erase_if(run.recorded->ops, [](const OpOfRun& op) { return op.name == "aten::bmm"; });
    const Report report = sweep_report(sweep, {}, {}).value();
    EXPECT_THAT(report.notes, Contains(::testing::AllOf(HasSubstr("do not have the same ops: 1 of 3"),
                                                        HasSubstr("batch=8 lack some"))));
    const ResultTable& layers = table_of(report, "layers");
    EXPECT_EQ(at(layers, 1, "batch=8_ns"), Cell{});
}

TEST(Sweep, BestPointUnderLimits) {
    SweepOptions options;
    options.most_latency_ns = 45 * kMs;
    const Report report = sweep_report(planted(3, false), options, {}).value();
    EXPECT_EQ(std::get<std::string>(at(table_of(report, "best"), 0, "point")), "batch=32");
    options.most_latency_ns = 1 * kMs;
    EXPECT_THAT(sweep_report(planted(3, false), options, {}).value().notes,
                Contains("no measured point is within the limits"));
    options.most_latency_ns = {};
    options.most_memory_bytes = 1e6;
    EXPECT_THAT(sweep_report(planted(3, false), options, {}).value().notes,
                Contains("no measured point is within the limits"));
}

TEST(Sweep, CountedSlopeIsOverTheWork) {
    SweepOptions options;
    options.work = "50*batch";
    const Report report = sweep_report(planted(2, false), options, {}).value();
    const ResultTable& counted = table_of(report, "counted");
    EXPECT_EQ(std::get<double>(at(counted, 0, "slope")), 2);  // 100 FLOPs a sample
    options.work = "50*bach";
    EXPECT_FALSE(sweep_report(planted(2, false), options, {}));
    options.work = {};
    options.x = "bach";
    EXPECT_FALSE(sweep_report(planted(2, false), options, {}));
}

TEST(Sweep, TwoSweepsBesideEachOther) {
    Sweep slower = planted(3, false);
    for (PointOfSweep& point : slower.points)
        for (RunOfSweep& run : point.runs)
            if (run.recorded)
                for (int64_t& time : run.recorded->times_ns)
                    time = time * 12 / 10;
    const Report report = compare_sweeps(planted(3, false), slower, {}).value();
    EXPECT_THAT(report.notes, Contains(::testing::AllOf(HasSubstr("over 4 points"), HasSubstr("1.200 times"),
                                                        HasSubstr("longer"))));
    EXPECT_NEAR(std::get<double>(at(table_of(report, "points"), 0, "change_pct")), 20, 0.01);
    EXPECT_EQ(std::get<std::string>(at(table_of(report, "points"), 0, "verdict")), "too few runs");
    EXPECT_TRUE(std::get<bool>(at(table_of(report, "fit"), 0, "apart")));
    EXPECT_THAT(compare_sweeps(planted(3, false), planted(3, false), {}).value().notes,
                Contains(HasSubstr("no change that stands")));
    Sweep one = planted(3, false), two = one;
    one.command = {"a.py", "{batch}"};
    const auto differ = Contains(HasSubstr("they ran different commands"));
    EXPECT_THAT(compare_sweeps(one, two, {}).value().notes, Not(differ)) << "profiles that were there";
    two.command = one.command;
    EXPECT_THAT(compare_sweeps(one, two, {}).value().notes, Not(differ));
    two.command.push_back("--full");
    EXPECT_THAT(compare_sweeps(one, two, {}).value().notes, differ);
    Sweep other = planted(1, false);
    for (PointOfSweep& point : other.points)
        point.name = "x" + point.name;
    EXPECT_FALSE(compare_sweeps(planted(3, false), other, {}));
}

TEST(RecordedRun, ComesBackFromItsText) {
    RecordedRun run = *planted(1).points[0].runs[0].recorded;
    run.memory_bytes = 12345;
    run.memory_place = "GPU";
    run.busy_pct = 12.25;
    run.found_by = "optimizer \"step\"";
    run.kernels = {{"void k<float>(int)\n", 12.5, 3}};
    const std::string text = recorded_run_json(run, "1.0");
    const auto read = parse_recorded_run(text, "a.json");
    ASSERT_TRUE(read) << read.error().message();
    EXPECT_EQ(read->run, run);
    EXPECT_EQ(read->made_by, "1.0");
    std::string later = text;
    later[later.find('1', later.find("layout"))] = '2';
    EXPECT_NE(parse_recorded_run(later, "a").error().message().find("another layout"), std::string::npos);
    for (size_t size = 0; size < text.size() - 2; size += 7)
        EXPECT_FALSE(parse_recorded_run(text.substr(0, size), "a.json"));
    EXPECT_FALSE(parse_recorded_run(R"({"made_by":"1","times_ns":[-1],"ops":[],"kernels":[]})", "a"));
    EXPECT_FALSE(parse_recorded_run(R"({"made_by":"1","times_ns":[1],"ops":[[1]],"kernels":[]})", "a"));
}

}  // namespace
}  // namespace opsight::query
