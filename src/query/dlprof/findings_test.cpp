#include <gtest/gtest.h>

#include "query/dlprof/tables.h"

namespace opsight::query::dlprof {
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
        overview.gpu_utilization = 80;
        overview.mean_iteration = 100;
    }
    void op(std::string type, bool eligible, std::string data_type) {
        OpKind kind;
        kind.name = kind.type = std::move(type);
        Instance instance;
        instance.kind = instance.op = static_cast<int32_t>(model.ops.size());
        Op op;
        op.kind = instance.kind;
        op.eligible = eligible;
        op.data_type = std::move(data_type);
        model.ops.push_back(op);
        model.kinds.push_back(kind);
        model.instances.push_back(instance);
    }
    void framework(const char* name) { model.recording.facts["framework"] = name; }
    std::vector<std::string> problems() const {
        std::vector<std::string> found;
        const Report report = expert_systems(model, overview);
        for (const auto& row : report.sections.at(0).table.rows)
            found.push_back(std::get<std::string>(row[0]) + " | " + std::get<std::string>(row[1]));
        return found;
    }
};

using Found = std::vector<std::string>;

TEST(DlprofFindings, NothingIsWrongWithABusyRun) {
    Fabricated run;
    run.op("conv2d", true, "float16");
    run.op("relu", false, "float32");
    EXPECT_EQ(run.problems(), Found());
}

TEST(DlprofFindings, HalfPrecisionIsMissedInOpsThatCouldUseIt) {
    Fabricated run;
    run.op("conv2d", true, "float32");
    run.op("relu", false, "float16");
    const std::string advice =
        " eligible to use tensor cores but none are using FP16 | Try enabling AMP (Automatic Mixed "
        "Precision). For "
        "more information: https://developer.nvidia.com/automatic-mixed-precision";
    EXPECT_EQ(run.problems(), Found{"1 op was" + advice});
    run.op("linear", true, "float32");
    EXPECT_EQ(run.problems(), Found{"2 ops were" + advice});
}

TEST(DlprofFindings, LowUseNamesWhatTheTimeGoesTo) {
    Fabricated run;
    const std::string problem =
        "The GPU is underutilized: Only 4.2% of the profiled time is spent on GPU kernel operations | ";
    const std::string pipeline =
        "%. Investigate the dataloading pipeline as this often indicates too much time is being spent here";
    run.overview.gpu_utilization = 4.25;
    run.overview.shares = {1.25, 3, 90, 4, 1, 0, 0.75};
    EXPECT_EQ(run.problems(),
              Found{problem + "Dataloader has the highest (non-GPU) usage at 4.0" + pipeline});
    run.overview.shares = {1.25, 3, 10, 4, 1, 20, 60.75};
    EXPECT_EQ(run.problems(),
              Found{problem + "\"Other\" has the highest (non-GPU) usage at 60.8" + pipeline});
    run.overview.shares = {1.25, 3, 10, 4, 1, 79.1, 1.65};
    EXPECT_EQ(run.problems(),
              Found{problem +
                    "CPU has the highest (non-GPU) usage at 79.1%. Consider swapping ops that are running "
                    "on the CPU for equivalent GPU ops"});
    run.overview.used.clear();  // no GPU was recorded, so none is used too little
    EXPECT_EQ(run.problems(), Found());
}

TEST(DlprofFindings, GpusThatRestStandForLowUse) {
    Fabricated run;
    run.overview.gpu_utilization = 4;
    run.overview.used = {true, false, false};
    run.model.recording.devices.emplace_back().number = 3;
    run.model.recording.devices.emplace_back().number = 5;
    EXPECT_EQ(
        run.problems(),
        Found{
            "The following GPU device IDs are not being used: 3 5 | Make sure to pass the necessary options "
            "to docker, the framework, and the model to use all available GPUs"});
}

TEST(DlprofFindings, LoadingIsThatOfPyTorch) {
    Fabricated run;
    run.framework("PyTorch 1.10.1+cu102");
    const std::string dali =
        "No DALI ops detected | Consider using NVIDIA DALI, a library that is a high performance alternative "
        "to "
        "built-in data loaders and data iterators. Learn more here: https://developer.nvidia.com/DALI";
    EXPECT_EQ(run.problems(), Found{dali});
    run.overview.shares[3] = 87.3;
    ASSERT_EQ(run.problems().size(), 2u);
    EXPECT_TRUE(
        run.problems()[0].starts_with("87.3% of the aggregated run was spent in the dataloader while not "
                                      "simultaneously running on the GPU | "));
    run.op("DALI pipeline", false, "");
    EXPECT_EQ(run.problems().size(), 1u);
}

TEST(DlprofFindings, AKeyOpThatIsNotThere) {
    Fabricated run;
    run.model.iterations.split = false;
    const std::string problem = "Unable to split profile into training iterations: key op ";
    const std::string advice = " not found | Specify key op by setting the --key_op argument";
    EXPECT_EQ(run.problems(), Found{problem + advice});
    run.model.iterations.key_op = "TOPK_1";
    EXPECT_EQ(run.problems(), Found{problem + "TOPK_1" + advice});
    run.model.iterations.key_op.clear();
    run.framework("TensorFlow 1.15.5");
    EXPECT_EQ(run.problems()[1], problem + "global_step" + advice);
    run.framework("TensorFlow 2.6");
    EXPECT_EQ(run.problems()[1], problem + advice);
}

TEST(DlprofFindings, IterationsThatDiffer) {
    Fabricated run;
    run.overview.deviation = 24;
    EXPECT_EQ(run.problems(), Found());
    run.overview.deviation = 26;
    ASSERT_EQ(run.problems().size(), 1u);
    EXPECT_TRUE(run.problems()[0].starts_with(
        "The aggregated iteration range of 0 to 1 contains a lot of variation | Try limiting"));
}

TEST(DlprofFindings, ConvolutionsWithoutTheSearch) {
    Fabricated run;
    run.model.recording.facts["property.model_cudnn_benchmark_disabled"] = "1";
    run.op("convert_batch", false, "");
    run.model.kinds[0].name = "/module/conv2d/convert_batch";
    EXPECT_EQ(run.problems(), Found());
    run.op("conv2d", false, "");
    std::vector<Instance> none;
    std::swap(run.model.instances, none);  // outside of the range
    EXPECT_EQ(run.problems(), Found());
    std::swap(run.model.instances, none);
    EXPECT_EQ(
        run.problems(),
        Found{
            "Convolution operations were detected but torch.backends.cudnn.benchmark was not enabled. | Try "
            "setting torch.backends.cudnn.benchmark = True in your network. For best performance, the input "
            "shapes should be relatively stable."});
    run.model.recording.facts["property.model_cudnn_benchmark_disabled"] = "0";
    EXPECT_EQ(run.problems(), Found());
}

TEST(DlprofFindings, MemoryThatIsHardlyUsed) {
    Fabricated run;
    run.model.recording.facts["property.dlprof_gpu_memory_pct"] = "23";
    EXPECT_EQ(run.problems(),
              Found{"GPU Memory is underutilized: Only 23% of GPU Memory is used | Try increasing "
                    "batch size by 4x to increase data throughput"});
    run.model.recording.facts["property.dlprof_gpu_memory_pct"] = "80";
    EXPECT_EQ(run.problems(), Found());
}

TEST(DlprofFindings, XlaIsOfTensorFlow) {
    Fabricated run;
    run.model.recording.tensorflow = true;
    ASSERT_EQ(run.problems().size(), 1u);
    EXPECT_TRUE(
        run.problems()[0].starts_with("XLA is not enabled: No XLA ops detected | Try enabling XLA. See "));
    run.op("XlaLaunch", false, "");
    EXPECT_EQ(run.problems().size(), 0u);
}

TEST(DlprofFindings, OfADatabaseTheRecordedOnesStand) {
    Fabricated run;
    run.model.iterations.split = false;
    run.model.iterations.as_recorded = true;
    run.model.recording.facts = {{"property.dlprof_problem_1", "a"},
                                 {"property.dlprof_recommendation_1", "b"}};
    EXPECT_EQ(run.problems(), Found{"a | b"});
    run.model.iterations.as_recorded = false;  // another range was asked for
    ASSERT_EQ(run.problems().size(), 1u);
    EXPECT_NE(run.problems()[0], "a | b");
}

}  // namespace
}  // namespace opsight::query::dlprof
