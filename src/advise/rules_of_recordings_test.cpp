// Rules about kernels' launches, collectives, memory and the recording itself: a run that has what each looks
// for, and one that has not.
#include <fmt/format.h>

#include "advise/test_rules.h"

namespace opsight::advise {
namespace {

void nothing(Recorded& r) {
    r.begin();
}

// In each step a kernel of 2.5 ms at 7 ms with that launch configuration.
void configured(Recorded& r, int64_t blocks, int64_t registers, const std::string& name) {
    r.kernel_ns = 4 * kMs;
    r.begin();
    Device& gpu = r.t.gpu(0, "NVIDIA A100-SXM4-40GB", 8, 0);
    gpu.max_threads_per_sm = 2048;
    gpu.registers_per_sm = 65536;
    LaunchConfig config;
    config.grid[0] = blocks;
    config.block[0] = 256;
    config.grid[1] = config.grid[2] = config.block[1] = config.block[2] = 1;
    config.registers_per_thread = registers;
    config.static_shared_bytes = 0;
    for (int64_t i = 0; i < r.steps; ++i) {
        r.t.api("cudaLaunchKernel", Recorded::at(i) + 300 * kUs, 5 * kUs, r.t.thread(), r.next);
        DeviceSpan span;
        span.begin = Recorded::at(i) + 7 * kMs;
        span.dur = 2500 * kUs;
        span.track = r.t.stream();
        span.kind = DeviceKind::kKernel;
        span.correlation = r.next++;
        span.config = r.t.builder.launch_config(config);
        r.t.device(span, name);
    }
}

// In each step a convolution with a kernel of 1.8 ms; whether it searched, and how often its sizes change.
void convolution(Recorded& r, const std::string& searches, int64_t steps_of_a_size,
                 const std::string& kernel = "cudnn_infer_ampere_scudnn_128x64_relu_small_nn_v1") {
    r.begin();
    for (int64_t i = 0; i < r.steps; ++i) {
        const std::string shapes =
            fmt::format("[[8, 64, {0}, {0}], [64, 64, 3, 3], []]", 56 + i / steps_of_a_size);
        const std::string at = R"("", "", "", "[1, 1]", "[1, 1]", "[1, 1]", "False", "[0, 0]", "1", )";
        const OpDetail detail = r.detail(shapes, "", "[" + at + searches + R"(, "False", "True", "True"])");
        r.t.op("aten::_convolution", Recorded::at(i) + 200 * kUs, kMs, r.t.thread(), detail);
        r.t.op("aten::cudnn_convolution", Recorded::at(i) + 210 * kUs, 900 * kUs, r.t.thread(), detail);
        r.launched(kernel, Recorded::at(i) + 220 * kUs, Recorded::at(i) + 10100 * kUs, 1800 * kUs);
    }
}

TEST(RulesOfRecordings, ConvolutionsWithoutATrialAreThoseWhoseSizesComeAgain) {
    const auto found = [](const std::string& searches, int64_t steps_of_a_size) {
        Recorded r;
        convolution(r, searches, steps_of_a_size);
        return r.ask("convolution_choice").findings;
    };
    const Findings said = found(R"("False")", 10);
    ASSERT_EQ(said.size(), 1u);
    EXPECT_EQ(said[0].severity, Severity::kNote);
    // Of 200 ms; 0.96 GFLOP to 1.33 of each 1.8 ms take 0.05 ms of an A100 in FP32.
    EXPECT_NEAR(said[0].share_pct.value_or(0), 17.5, 0.5);
    EXPECT_TRUE(found(R"("True")", 10).empty());
    EXPECT_TRUE(found(R"("False")", 4).empty());  // a trial of each size hardly pays
    Recorded own;
    convolution(own, R"("False")", 10,
                "void at::native::conv_depthwise2d_forward_kernel<3, float, int>(int)");
    EXPECT_TRUE(own.ask("convolution_choice").findings.empty()) << "PyTorch has one such kernel";
    Recorded silent;
    convolution(silent, R"("")", 10);
    EXPECT_TRUE(silent.ask("convolution_choice").findings.empty());
    Recorded without_values;
    without_values.begin();
    without_values.op("aten::cudnn_convolution", kMs, 500 * kUs);
    const Advice none = without_values.ask("convolution_choice");
    ASSERT_EQ(none.not_checked.size(), 1u);
    EXPECT_EQ(none.not_checked[0].why,
              "values of arguments of ops were not recorded (record_shapes of today's PyTorch)");
}

std::vector<Case> cases_of_launches() {
    return {
        // 108 multiprocessors hold 864 such blocks: 1.05 waves, of which the second is nearly empty.
        {"wave_tails", [](Recorded& r) { configured(r, 908, 32, "reduce_kernel"); },
         [](Recorded& r) { configured(r, 864 * 20 + 44, 32, "reduce_kernel"); }, 11.9},
        {"low_occupancy", [](Recorded& r) { configured(r, 2000, 240, "my_stencil"); },
         [](Recorded& r) { configured(r, 2000, 240, "ampere_sgemm_128x64_nn"); }, 25},
        {"convolution_trials",
         [](Recorded& r) {
             r.begin();
             for (int64_t i = 0; i < r.steps; ++i) {
                 r.t.op("aten::cudnn_convolution", Recorded::at(i) + 200 * kUs, kMs);
                 for (int64_t k = 0; k < 14; ++k)
                     r.launched("trial_" + std::to_string(k), Recorded::at(i) + (210 + 10 * k) * kUs,
                                Recorded::at(i) + (8100 + 100 * k) * kUs, 90 * kUs);
             }
         },
         [](Recorded& r) {
             r.begin();
             for (int64_t i = 0; i < r.steps; ++i) {
                 r.t.op("aten::cudnn_convolution", Recorded::at(i) + 200 * kUs, kMs);
                 for (int64_t k = 0; k < 14; ++k)
                     r.launched("chosen", Recorded::at(i) + (210 + 10 * k) * kUs,
                                Recorded::at(i) + (8100 + 100 * k) * kUs, 90 * kUs);
             }
         },
         12.6},
    };
}

// In each step so many collectives of that length from 8 ms on.
void collectives(Recorded& r, const std::string& kernel, int64_t count, int64_t ns) {
    r.kernel_ns = 5 * kMs;
    r.begin();
    for (int64_t i = 0; i < r.steps; ++i)
        for (int64_t k = 0; k < count; ++k)
            r.launched(kernel, Recorded::at(i) + (210 + 10 * k) * kUs,
                       Recorded::at(i) + 8 * kMs + k * (ns + 100), ns);
}

std::vector<Case> cases_of_collectives() {
    return {
        {"small_collectives",
         [](Recorded& r) { collectives(r, "ncclDevKernel_AllReduce_Sum_f32_RING_LL", 40, 20 * kUs); },
         [](Recorded& r) { collectives(r, "ncclDevKernel_AllReduce_Sum_f32_RING_LL", 4, 200 * kUs); }, 8},
        {"gathers", [](Recorded& r) { collectives(r, "ncclDevKernel_AllGather_RING_LL", 4, 300 * kUs); },
         [](Recorded& r) { collectives(r, "ncclDevKernel_AllReduce_Sum_f32_RING_LL", 4, 300 * kUs); }, 12},
    };
}

void loads(Recorded& r, int64_t first_ns) {
    r.begin();
    for (int64_t i = 0; i < r.steps; ++i)
        r.t.host(HostKind::kDataLoad, "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__",
                 Recorded::at(i) + 10 * kUs, i % 10 == 0 ? first_ns : 50 * kUs, r.t.thread());
}

// Each batch alike; every tenth iteration holds an evaluation of five.
void loads_of_evaluations(Recorded& r) {
    r.device = false;
    r.begin();
    for (int64_t i = 0; i < r.steps; ++i)
        for (int64_t batch = 0; batch < (i % 10 == 0 ? 6 : 1); ++batch)
            r.t.host(HostKind::kDataLoad, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
                     Recorded::at(i) + 10 * kUs + batch * 1300 * kUs, 1200 * kUs, r.t.thread());
    r.t.op("aten::mm", kMs, kMs);
}

void memory(Recorded& r, int64_t allocated) {
    r.begin();
    MemoryEvent event;
    event.time = Recorded::at(2) + kMs;
    event.track = r.t.thread();
    event.bytes = 1 << 20;
    event.total_allocated = allocated;
    event.total_reserved = 20'000'000'000;
    event.device_type = 1;
    event.device = 0;
    r.t.builder.add_memory(event);
}

void clock(Recorded& r, double low) {
    r.begin();
    for (int64_t i = 0; i < 100; ++i)
        r.t.builder.add_counter(Recorded::at(0) + i * 2 * kMs, r.t.stream(),
                                r.t.builder.text("GPC Clock Frequency [MHz]"), i % 3 == 0 ? low : 1410);
}

std::vector<Case> cases_of_recordings() {
    return {
        {"idle_devices",
         [](Recorded& r) {
             r.begin();
             for (const int64_t number : {0, 1})
                 r.t.gpu(number, "NVIDIA A100-SXM4-40GB", 8, 0).declared = true;
         },
         nothing, -1},
        {"first_batches",
         [](Recorded& r) { r.device = false, loads(r, 8 * kMs), r.t.op("aten::mm", kMs, kMs); },
         [](Recorded& r) { r.device = false, loads(r, 60 * kUs), r.t.op("aten::mm", kMs, kMs); }, 10},
        {"first_batches",
         [](Recorded& r) { r.device = false, loads(r, 8 * kMs), r.t.op("aten::mm", kMs, kMs); },
         loads_of_evaluations, 10},
        {"recording_overhead",
         [](Recorded& r) {
             r.begin();
             for (int64_t i = 0; i < r.steps; ++i)
                 r.t.host(HostKind::kOverhead, "Buffer Flush", Recorded::at(i) + 500 * kUs, kMs,
                          r.t.thread());
         },
         nothing, -1},
        {"lost_data",
         [](Recorded& r) { r.begin(), r.t.builder.diagnostics().add(Diag::kTruncatedInput, {}); }, nothing,
         -1},
        {"idle_devices",  // one that is called and never works
         [](Recorded& r) {
             r.device = false;
             r.begin();
             r.t.gpu(0, "NVIDIA A100-SXM4-40GB", 8, 0).declared = true;
             r.t.api("cudaDeviceSynchronize", kMs, kUs, r.t.thread());
         },
         [](Recorded& r) { r.device = false, r.begin(); }, -1},
        {"fragmentation", [](Recorded& r) { memory(r, 10'000'000'000); },
         [](Recorded& r) { memory(r, 19'000'000'000); }, -1},
        {"clock_changes", [](Recorded& r) { clock(r, 900); }, [](Recorded& r) { clock(r, 1400); }, -1},
    };
}

std::vector<Case> cases_of_compilers() {
    const auto regions = [](Recorded& r, int64_t count) {
        r.begin();
        for (int64_t i = 0; i < r.steps; ++i)
            for (int64_t k = 0; k < count; ++k)
                r.t.op("Torch-Compiled Region: 0/" + std::to_string(k),
                       Recorded::at(i) + (200 + 60 * k) * kUs, 50 * kUs);
    };
    return {
        {"graph_breaks", [=](Recorded& r) { regions(r, 12); }, [=](Recorded& r) { regions(r, 2); }, -1},
        {"layout_reorders",
         [](Recorded& r) { r.device = false, r.begin(), r.op("aten::mkldnn_reorder_conv2d_weight", kMs, 0); },
         [](Recorded& r) { r.device = false, r.begin(), r.op("aten::conv2d", kMs, 0); }, 10},
        {"engine_conversions",
         [](Recorded& r) { r.begin(), r.op("trt::quantize", 20 * kUs, 900 * kUs, "trt::quantize"); },
         [](Recorded& r) { r.begin(), r.op("trt::convolution", 20 * kUs, 900 * kUs, "trt::convolution"); },
         9},
        {"layout_reorders", [](Recorded& r) { r.device = false, r.begin(), r.op("onednn::reorder", kMs, 0); },
         [](Recorded& r) { r.device = false, r.begin(), r.op("onednn::convolution", kMs, 0); }, 10},
    };
}

TEST(RulesOfRecordings, SpeakOfWhatIsThereAndOfNothingElse) {
    for (const auto& list :
         {cases_of_launches(), cases_of_collectives(), cases_of_recordings(), cases_of_compilers()})
        expect_right(list);
}

TEST(RulesOfRecordings, WarmUpIsToldWhereTheRangeHasIt) {
    for (const bool all : {true, false}) {
        TestProfile t;
        int64_t begin = 0;
        for (int64_t i = 0; i < 20; ++i) {
            const int64_t length = i == 0 ? 200 * kMs : 10 * kMs;
            t.annotation("ProfilerStep#" + std::to_string(i), begin, length, t.thread());
            t.op("aten::mm", begin + kUs, length - 2 * kUs);
            begin += length;
        }
        const StoredProfile stored(std::move(t));
        Session session = stored.open({.all = all});
        const auto advice = advise(session, {.rules = {"warmup_inside"}});
        ASSERT_TRUE(advice);
        EXPECT_EQ(advice->findings.size(), all ? 1u : 0u);
    }
}

// nsys lists what a program loads with its own work.
TEST(RulesOfRecordings, LoadingALibraryIsNotTheRecording) {
    Recorded run;
    run.begin();
    run.t.host(HostKind::kOverhead, "dlopen(basic.so)", Recorded::at(1), 50 * kMs, run.t.thread());
    run.t.host(HostKind::kOverhead, "Lazy Function Loading", Recorded::at(8), 4 * kMs, run.t.thread());
    run.t.host(HostKind::kOverhead, "Buffer Flush", Recorded::at(9), kMs / 10, run.t.thread());
    // A wait for the device is neither.
    run.t.host(HostKind::kOverhead, "Command Buffer Full", Recorded::at(10), 60 * kMs, run.t.thread());
    const Advice advice = run.ask("recording_overhead");
    ASSERT_EQ(advice.findings.size(), 1u);
    const Finding& found = advice.findings[0];
    EXPECT_EQ(found.title.rfind("Loading of libraries and code takes ", 0), 0u) << found.title;
    EXPECT_NE(found.evidence.find("the longest, dlopen(basic.so), takes 50.00 ms"), std::string::npos)
        << found.evidence;
}

// What is recorded of the time is said, though it is no work of the run.
TEST(RulesOfRecordings, LoadingIsSaidOfTheTimeInWhichNothingElseRuns) {
    for (const int64_t ms : {60, 10}) {
        Recorded run{.device = false};
        run.t.host(HostKind::kOsRuntime, "read", 0, kMs / 10, run.t.thread());
        run.t.host(HostKind::kOverhead, "dlopen(basic.so)", kMs, ms * kMs, run.t.thread());
        run.t.host(HostKind::kOsRuntime, "read", 99 * kMs, kMs, run.t.thread());
        Options options;
        options.rows = 5;
        const Advice advice = run.ask("beside_ops", options);
        ASSERT_EQ(advice.findings.size(), 1u);
        const Finding& found = advice.findings[0];
        EXPECT_EQ(found.title.find("but, in ") != std::string::npos, ms == 60) << found.title;
        EXPECT_EQ(found.rows.table.rows.size(), 2u) << "what was recorded: " << found.query;
    }
}

// What switches of context tell stands beside what was not recorded.
TEST(RulesOfRecordings, SwitchesOfContextAreToldWhereNothingElseWasRecorded) {
    Recorded run{.device = false};
    run.t.host(HostKind::kOsRuntime, "read", 0, kMs, run.t.thread());
    run.t.host(HostKind::kOsRuntime, "read", 99 * kMs, kMs, run.t.thread());
    const TrackId track = run.t.builder.other_track(RankId(size_t{0}), "5", "CPU of thread 5");
    run.t.builder.add_host({10 * kMs, 20 * kMs, track, run.t.builder.text("CPU 1"), HostKind::kOther, 0},
                           run.t.builder.text("cpu_scheduling").value);
    const Advice advice = run.ask("beside_ops");
    ASSERT_EQ(advice.findings.size(), 1u);
    const std::string& evidence = advice.findings[0].evidence;
    EXPECT_NE(evidence.find("on a CPU in 20.00 ms of these"), std::string::npos) << evidence;
    EXPECT_NE(evidence.find("Neither ops nor calls"), std::string::npos) << evidence;
}

// Samples of CPUs tell what runs where nothing else does.
TEST(RulesOfRecordings, SamplesTellWhatRunsBetweenCalls) {
    Recorded run{.device = false};
    run.t.api("cudaLaunchKernel", 0, kMs, run.t.thread());
    run.t.api("cudaLaunchKernel", 99 * kMs, kMs, run.t.thread());
    for (int64_t i = 0; i < 30; ++i)
        run.t.builder.add_sample((10 + i) * kMs, run.t.thread(), 0,
                                 run.t.builder.text(i < 20 ? "verify\nmain" : "abs\nmain"));
    const Advice advice = run.ask("beside_ops");
    ASSERT_EQ(advice.findings.size(), 1u);
    EXPECT_NE(advice.findings[0].evidence.find("20 of the 30 CPU samples in these times are in 'verify'"),
              std::string::npos)
        << advice.findings[0].evidence;
    EXPECT_NE(advice.findings[0].advice.find("cpu_samples"), std::string::npos);
}

// Numbers of Python become tensors without a dimension: no weights are converted there.
TEST(RulesOfRecordings, NumbersThatBecomeTensorsAreNoConversions) {
    for (const char* shapes : {"[[], [], [], []]", "[[64, 8], [], []]"}) {
        Recorded r;
        r.device = false;
        r.begin();
        r.op("aten::_to_copy", kMs, 0, "", r.detail(shapes, "[\"float\"]"));
        EXPECT_EQ(r.ask("dtype_conversions").findings.size(), shapes[2] == ']' ? 0u : 1u) << shapes;
    }
}

// What other ops do between two reads is no part of a loop over values.
TEST(RulesOfRecordings, OpsBetweenReadsAreNotReads) {
    for (const bool others : {false, true}) {
        Recorded r;
        r.device = false;
        r.begin();
        for (int64_t i = 0; i < r.steps; ++i)
            for (int64_t k = 0; k < 60; ++k) {
                r.t.op("aten::item", Recorded::at(i) + (200 + 100 * k) * kUs, kUs);
                if (others) r.t.op("aten::mm", Recorded::at(i) + (210 + 100 * k) * kUs, 80 * kUs);
            }
        const Advice advice = r.ask("scalar_reads");
        EXPECT_EQ(advice.findings.size(), others ? 0u : 1u);
    }
}

// The option is of PyTorch's profiler.
TEST(RulesOfRecordings, ChangesOfMemoryHaveAnOptionInPyTorchAlone) {
    for (const char* framework : {"PyTorch", "JAX"}) {
        Recorded run;
        run.begin();
        run.t.builder.info().frameworks = {framework};
        run.t.host(HostKind::kOverhead, "Buffer Flush", 2 * kMs, 150 * kMs, run.t.thread(2));
        run.t.op(*framework == 'P' ? "aten::mm" : "fusion.1", 150 * kUs, 5 * kUs);
        MemoryEvent memory;
        memory.time = kMs;
        memory.track = run.t.thread();
        memory.bytes = 64;
        run.t.builder.add_memory(memory);
        run.kernel_ns = kMs;
        const Advice advice = run.ask("recording_overhead");
        ASSERT_EQ(advice.findings.size(), 1u) << framework;
        EXPECT_NE(advice.findings[0].advice.find("changes of memory"), std::string::npos);
        EXPECT_EQ(advice.findings[0].advice.find("profile_memory") != std::string::npos, *framework == 'P');
    }
}

// What an op costs a profiler is guessed of PyTorch's alone.
TEST(RulesOfRecordings, OfOtherFrameworksTheCostOfRecordingIsNotGuessed) {
    for (const char* op : {"aten::mm", "Conv"}) {
        Recorded run{.device = false};
        run.begin();
        if (*op == 'C') run.t.builder.info().frameworks = {"ONNX Runtime"};
        for (int64_t i = 0; i < run.steps; ++i)
            for (int64_t k = 0; k < 900; ++k)
                run.t.op(op, Recorded::at(i) + k * 10 * kUs, 5 * kUs);
        const Advice advice = run.ask("recording_overhead");
        EXPECT_EQ(advice.findings.size(), *op == 'C' ? 0u : 1u) << op;
    }
}

// A pipeline's sends and receives have no buckets to be joined in.
TEST(RulesOfRecordings, PairsOfSendsAndReceivesAreNoSmallCollectives) {
    Recorded run;
    collectives(run, "ncclDevKernel_SendRecv", 40, 20 * kUs);
    EXPECT_EQ(run.ask("small_collectives").quiet, std::vector<std::string>{"small_collectives"});
}

// The first launch of what begins each step is a kernel for which another is not waited for: hidden
// all-gathers.
TEST(RulesOfRecordings, GathersBesideComputationCostNothing) {
    Recorded run;
    run.begin();
    for (int64_t i = 0; i < run.steps; ++i) {
        run.t.api("cudaLaunchKernel", Recorded::at(i) + 150 * kUs, 5 * kUs, run.t.thread(), run.next);
        run.t.kernel("ncclDevKernel_AllGather_RING_LL", Recorded::at(i) + 3 * kMs, 2 * kMs, run.t.stream(9),
                     run.next++);
    }
    EXPECT_EQ(run.ask("gathers").quiet, std::vector<std::string>{"gathers"});
}

// As in timelines of TensorFlow, which have no calls: the first op of its kind starts the device up.
TEST(RulesOfRecordings, ALongFirstOpIsAStartUp) {
    Recorded run;
    run.t.gpu(0, "NVIDIA A100-SXM4-40GB", 8, 0);
    for (int64_t i = 0; i < 6; ++i) {
        const int64_t begin = 100 * kMs * i, ns = i > 0 ? kMs / 10 : 90 * kMs;
        run.t.op("RandomNormal", begin, ns);
        run.t.builder.add_flow({i + 1, begin, run.t.thread(), FlowKind::kLaunch, true});
        run.t.kernel("k", begin + ns, kMs, run.t.stream(), i + 1);
    }
    const Advice advice = run.ask("host_bound");
    ASSERT_EQ(advice.findings.size(), 1u);
    EXPECT_EQ(advice.findings[0].kind, "unknown") << advice.findings[0].title;
    EXPECT_NE(advice.findings[0].advice.find("start-up"), std::string::npos) << advice.findings[0].advice;
}

// CoreML runs on a Neural Engine, a GPU or the CPU: the source does not tell which.
TEST(RulesOfRecordings, DevicesThatMayBeAnyAreNotCalledGpus) {
    Recorded run{.device = false};
    run.begin();
    run.op("CoreML::Subgraph", 9 * kMs, 0);
    run.told("source.devices", "nodes ran on CoreML, and no kernel is in the file");
    run.told("source.devices.kind", "any");
    const Advice advice = run.ask("host_bound");
    ASSERT_EQ(advice.findings.size(), 1u);
    EXPECT_NE(advice.findings[0].title.find("what the device did meanwhile was not recorded"),
              std::string::npos)
        << advice.findings[0].title;
}

// Nodes of a device whose kernels the source does not tell.
TEST(RulesOfRecordings, OpsOfADeviceThatIsNotTold) {
    for (const bool told : {true, false}) {
        Recorded run{.device = false};
        run.begin();
        run.op("CUDA::Conv", 9 * kMs, 0);
        if (!told) run.told("source.devices", "nodes ran on CUDA: times are the host's part of them");
        const Advice advice = run.ask("host_bound");
        ASSERT_EQ(advice.findings.size(), 1u);
        EXPECT_EQ(advice.findings[0].kind, told ? "fine" : "unknown");
        if (told) continue;
        EXPECT_TRUE(advice.findings[0].title.starts_with("Ops on the CPU take")) << advice.findings[0].title;
        EXPECT_NE(advice.findings[0].query.find("FROM ops"), std::string::npos) << "no calls were recorded";
        EXPECT_NE(advice.findings[0].title.find("what the GPU did meanwhile was not recorded"),
                  std::string::npos)
            << advice.findings[0].title;
        EXPECT_EQ(advice.findings[0].evidence.find("Launches were recorded"), std::string::npos);
    }
}

// Reorders of 3 ms are of activations, and one of 1 ms is of weights whose first size is the batch as well.
TEST(RulesOfRecordings, ReordersOfActivationsAreKeptInTheLayout) {
    for (const bool trains : {false, true}) {
        Recorded run{.device = false};
        run.begin();
        run.op("onednn::convolution", kMs, 0, "", run.detail("[[2, 64, 48, 48], [2, 64, 3, 3]]", ""));
        const std::string name = "onednn::reorder";
        for (int64_t i = 0; i < run.steps; ++i) {
            run.t.op(name, Recorded::at(i) + 2 * kMs, 3 * kMs, run.t.thread(),
                     run.detail("[[2, 64, 24, 24]]", ""));
            run.t.op(name, Recorded::at(i) + 6 * kMs, kMs, run.t.thread(),
                     run.detail("[[2, 64, 3, 3]]", "", R"(["", "layout abcd -> Acdb16a"])"));
            run.t.op(name, Recorded::at(i) + 7 * kMs, 900 * kUs, run.t.thread(),
                     run.detail("[[2, 64, 24, 24]]", "", R"(["", "layout abcd"])"));  // copies
            if (trains) run.t.op("onednn::convolution_backward", Recorded::at(i) + 8 * kMs, kMs);
        }
        const Advice advice = run.ask("layout_reorders");
        ASSERT_EQ(advice.findings.size(), 2u);
        const auto named = [&](const char* id) {
            return std::find_if(advice.findings.begin(), advice.findings.end(),
                                [id](const Finding& f) { return f.id == id; });
        };
        ASSERT_NE(named("reorder_copies"), advice.findings.end());
        EXPECT_NEAR(named("reorder_copies")->share_pct.value_or(0), 9, 0.1) << "no other layout";
        ASSERT_NE(named("layout_reorders"), advice.findings.end());
        const Finding& finding = *named("layout_reorders");
        EXPECT_NEAR(finding.share_pct.value_or(0), 40, 0.1);
        EXPECT_NE(finding.evidence.find("30.0% of the time"), std::string::npos) << finding.evidence;
        EXPECT_NE(finding.advice.find("Keep activations in oneDNN's layout"), std::string::npos)
            << finding.advice;
        EXPECT_EQ(finding.advice.find("Order weights once") == std::string::npos, trains) << finding.advice;
    }
}

TEST(RulesOfRecordings, RulesOfTheCpuAreNotAskedOfADevice) {
    Recorded run{.device = false};
    run.begin();
    run.op("onednn::reorder", 9 * kMs, 0);
    run.told("source.devices", "nodes ran on CUDA: times are the host's part of them");
    EXPECT_EQ(run.ask("layout_reorders").not_checked.size(), 1u);
}

}  // namespace
}  // namespace opsight::advise
