#include <gtest/gtest.h>

#include "query/dlprof/tables.h"

namespace opsight::dlprof {
namespace {

// A run of one GPU with two even iterations, busy and without an op that Tensor Cores would take.
struct Fabricated {
    Model model;
    Overview overview;
    Fabricated() {
        model.iterations.list = {{0, 100}, {100, 200}};
        model.iterations.stop = 1;
        model.iterations.split = true;
        model.recording.devices.emplace_back();
        overview.wall_ns = 200;
        overview.used = {true};
        overview.shares = {20, 60, 5, 0, 0, 10, 5};
        overview.mean_iteration = 100;
    }
    void op(std::string type, bool eligible, std::string types) {
        Op op;
        op.name = op.type = std::move(type);
        op.eligible = eligible;
        Instance instance;
        instance.op = static_cast<int32_t>(model.ops.size());
        instance.details = static_cast<int32_t>(model.details.size());
        model.ops.push_back(op);
        model.details.push_back({std::move(types), {}, {}, {}});
        model.instances.push_back(instance);
    }
    std::vector<std::string> problems() const {
        std::vector<std::string> found;
        const Report report = expert_systems(model, overview);
        for (const auto& row : report.tables[0].rows)
            found.push_back(std::get<std::string>(row[0]) + " | " + std::get<std::string>(row[1]));
        return found;
    }
};

TEST(DlprofFindings, NothingIsWrongWithABusyRun) {
    Fabricated run;
    run.op("conv2d", true, "float16, float16");
    run.op("relu", false, "float32");
    EXPECT_EQ(run.problems(), std::vector<std::string>());
}

TEST(DlprofFindings, HalfPrecisionIsMissedInOpsThatCouldUseIt) {
    Fabricated run;
    run.op("conv2d", true, "float32");
    run.op("relu", false, "float16");
    ASSERT_EQ(run.problems().size(), 1u);
    EXPECT_TRUE(
        run.problems()[0].starts_with("1 ops were eligible to use tensor cores but none are using FP16"));
}

TEST(DlprofFindings, LowUseNamesWhatTheTimeGoesTo) {
    Fabricated run;
    run.overview.shares = {1.25, 3, 10, 4, 1, 20, 60.75};
    EXPECT_EQ(
        run.problems(),
        std::vector<std::string>{
            "The GPU is underutilized: Only 4.2% of the profiled time is spent on GPU kernel operations | "
            "60.8% goes to Other: look at what the program does outside of its ops"});
    run.overview.shares = {1, 3, 6, 70, 0, 20, 0};
    std::vector<std::string> problems = run.problems();
    ASSERT_EQ(problems.size(), 3u);
    EXPECT_NE(problems[0].find("70.0% goes to Dataloader"), std::string::npos);
    EXPECT_TRUE(problems[1].starts_with("70.0% of the aggregated run was spent in the dataloader"));
    EXPECT_TRUE(problems[2].starts_with("No DALI ops detected"));
    run.op("DALI pipeline", false, "");
    EXPECT_EQ(run.problems().size(), 2u);
    run.overview.used.clear();  // no GPU was recorded, so none is used too little
    EXPECT_EQ(run.problems().size(), 1u);
}

TEST(DlprofFindings, IterationsThatDifferAndGpusThatRest) {
    Fabricated run;
    run.overview.deviation = 24;
    EXPECT_EQ(run.problems().size(), 0u);
    run.overview.deviation = 26;
    run.overview.used = {true, false};
    run.model.recording.devices.emplace_back().number = 3;
    const std::vector<std::string> problems = run.problems();
    ASSERT_EQ(problems.size(), 2u);
    EXPECT_TRUE(
        problems[0].starts_with("The aggregated iteration range of 0 to 1 contains a lot of variation"));
    EXPECT_TRUE(problems[1].starts_with("The following GPU device IDs are not being used: 3"));
}

TEST(DlprofFindings, XlaIsOfTensorFlow) {
    Fabricated run;
    run.model.recording.tensorflow = true;
    ASSERT_EQ(run.problems().size(), 1u);
    EXPECT_TRUE(run.problems()[0].starts_with("XLA is not enabled: No XLA ops detected"));
    run.op("XlaLaunch", false, "");
    EXPECT_EQ(run.problems().size(), 0u);
}

TEST(DlprofFindings, OfADatabaseTheRecordedOnesStand) {
    Fabricated run;
    run.model.iterations.split = false;
    run.model.recording.origin = Origin::kRecorded;
    run.model.recording.facts = {{"property.dlprof_problem_1", "a"},
                                 {"property.dlprof_recommendation_1", "b"}};
    EXPECT_EQ(run.problems(), std::vector<std::string>{"a | b"});
}

}  // namespace
}  // namespace opsight::dlprof
