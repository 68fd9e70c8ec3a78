// A rule whose input was not recorded says that it could not look, not that it found nothing.
#include <set>

#include "advise/test_rules.h"

namespace opsight::advise {
namespace {

// What the rules need that found nothing in all that was recorded.
std::map<std::string, std::string> quiet_rules(Recorded&& run) {
    const StoredProfile stored(std::move(run.t));
    Session session = stored.open({.whole = true});
    const auto advice = advise(session);
    EXPECT_TRUE(advice.has_value());
    std::map<std::string, std::string> needs;
    if (advice)
        for (const std::string& rule : advice->quiet)
            needs[rule] = find_rule(rule)->needs;
    return needs;
}

void expect_needs(Recorded&& run, const std::set<std::string>& recorded) {
    for (const auto& [rule, needs] : quiet_rules(std::move(run)))
        EXPECT_TRUE(needs.empty() || recorded.contains(needs)) << rule << " needs " << needs;
}

const std::set<std::string> kKernels = {"names of kernels", "kernels with names or code that tell",
                                        "the devices that the source names",
                                        "ops, or calls of the device's API"};

constexpr const char* kRecording = "ops of PyTorch, Python calls, or what the profiler tells of itself";

TEST(NotChecked, WithoutOpsNoRuleOfOpsIsQuiet) {
    Recorded run;
    run.t.gpu(0, "NVIDIA A100-SXM4-40GB", 8, 0);
    for (int64_t i = 0; i < run.steps; ++i)
        run.launched("gemm", Recorded::at(i) + 100 * kUs, Recorded::at(i) + 2 * kMs, 8 * kMs);
    expect_needs(std::move(run), kKernels);
}

TEST(NotChecked, WithoutShapesTypesAndIterationsNoRuleOfThemIsQuiet) {
    Recorded run;
    run.t.builder.info().frameworks = {"PyTorch"};
    run.t.gpu(0, "NVIDIA A100-SXM4-40GB", 8, 0);
    run.op("aten::mm", 20 * kUs, 500 * kUs, "gemm");
    std::set<std::string> recorded = kKernels;
    recorded.insert({"ops", "ops, and kernels", kRecording});
    expect_needs(std::move(run), recorded);
}

TEST(NotChecked, OnACpuNoRuleOfDevicesIsQuiet) {
    Recorded run;
    run.device = false;
    run.t.builder.info().frameworks = {"PyTorch"};
    run.op("aten::mm", 20 * kUs, 0);
    expect_needs(std::move(run),
                 {"ops", "ops, and no device", kRecording, "ops, or calls of the device's API"});
}

// Ops of another library are none that the rules of PyTorch's ops know.
TEST(NotChecked, OpsOfOtherLibrariesAreNotPyTorchs) {
    Recorded run;
    run.begin();
    run.op("fusion.1", 20 * kUs, 500 * kUs);
    const Advice advice = run.ask("scalar_reads");
    ASSERT_EQ(advice.not_checked.size(), 1u);
    EXPECT_EQ(advice.not_checked[0].why, "no ops of PyTorch's library were recorded");
}

// A copy to a device is one, too: of neither its type nor the device's work anything is known.
TEST(NotChecked, CopiesOfUnknownTypesAreNotConversions) {
    for (const bool types : {false, true}) {
        Recorded run;
        run.device = false;
        run.begin();
        run.op("aten::_to_copy", kMs, 0, "", types ? run.detail("[[8]]", "[\"float\"]") : OpDetail());
        const Advice advice = run.ask("dtype_conversions");
        EXPECT_EQ(advice.findings.size(), types ? 1u : 0u);
        EXPECT_EQ(advice.not_checked.size(), types ? 0u : 1u);
    }
}

// Without a list of the machine's devices nobody knows of others.
TEST(NotChecked, DevicesThatTheSourceDoesNotList) {
    for (const bool listed : {false, true}) {
        Recorded run;
        run.begin();
        run.t.gpu(0, "NVIDIA A100-SXM4-40GB", 8, 0).declared = listed;
        const Advice advice = run.ask("idle_devices");
        EXPECT_EQ(advice.not_checked.size(), listed ? 0u : 1u);
    }
}

// What another framework holds beside its tensors is reserved, and no hole of an allocator.
TEST(NotChecked, HolesInMemoryThatPyTorchDoesNotHold) {
    for (const char* framework : {"PyTorch", "JAX"}) {
        Recorded run;
        run.begin();
        run.t.builder.info().frameworks = {framework};
        MemoryEvent event;
        event.time = kMs;
        event.track = run.t.thread();
        event.device_type = 1;
        event.device = 0;
        event.bytes = event.total_allocated = 1'000'000'000;
        event.total_reserved = 20'000'000'000;
        run.t.builder.add_memory(event);
        const Advice advice = run.ask("fragmentation");
        const bool torch = std::string(framework) == "PyTorch";
        EXPECT_EQ(advice.findings.size(), torch ? 1u : 0u) << framework;
        EXPECT_EQ(advice.not_checked.size(), torch ? 0u : 1u) << framework;
    }
}

// Their time is that of the model, as of LBFGS, which calls a closure.
TEST(NotChecked, OptimizersThatRunTheModel) {
    for (const int64_t begin_us : {940, 5000, 150}) {  // within a step, beside it, and around it
        const bool closure = begin_us == 940;
        Recorded run;
        run.begin();
        run.marks("Optimizer.step#LBFGS.step", kMs);
        for (int64_t i = 0; i < run.steps; ++i) {
            for (int64_t k = 0; k < 120; ++k)
                run.t.op("aten::add", Recorded::at(i) + (210 + 6 * k) * kUs, 5 * kUs);
            run.t.op("AddmmBackward0", Recorded::at(i) + begin_us * kUs,
                     (begin_us == 150 ? 1500 : 200) * kUs);
        }
        const Advice advice = run.ask("optimizer_loop");
        EXPECT_EQ(advice.not_checked.size(), closure ? 1u : 0u);
        EXPECT_EQ(advice.findings.size(), closure ? 0u : 1u);
    }
}

}  // namespace
}  // namespace opsight::advise
