// Findings: only what the recording bears out, with advice that fits its device and framework.
#include "advise/test_findings.h"
#include "query/ask/test_cells.h"
#include "query/reports/reports.h"

namespace opsight::advise {
namespace {

using query::RangeOptions;
using query::Session;
using query::StoredProfile;

struct Made {
    std::string gpu = "Tesla V100-SXM2-16GB";
    int major = 7;
    int64_t units = 0, warp_size = 0;
    std::string framework = "PyTorch";
    std::string kernel = "volta_sgemm_128x64_nn";
    std::string dtypes = "[\"float\", \"float\"]";
    int64_t kernel_ns = 500, load_ns = 0, wait_ns = 0, graph_ns = 0, op_ns = 40;
    std::string copy = {};  // after the kernel
};

// Ten steps of 1000 ns: data loading, then a product whose kernel runs at the end of the step.
StoredProfile profile_of(const Made& made) {
    analyze::TestProfile t;
    t.builder.info().frameworks = {made.framework};
    Device& device = t.gpu(0, made.gpu, made.major, 0);
    device.sm_count = made.units;
    device.warp_size = made.warp_size;
    OpDetail detail;
    detail.signature =
        t.builder.signature({t.builder.text("[[64, 64], [64, 64]]"), t.builder.text(made.dtypes),
                             t.builder.text(""), t.builder.text("")});
    for (int64_t i = 0; i < 10; ++i) {
        const int64_t at = 1000 * i;
        t.annotation("ProfilerStep#" + std::to_string(i), at, 1000, t.thread());
        if (made.load_ns > 0)
            t.host(HostKind::kDataLoad, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", at,
                   made.load_ns, t.thread());
        t.op("aten::mm", at + 490 - made.op_ns, made.op_ns, t.thread(), detail);
        t.api("cudaLaunchKernel", at + 460, 10, t.thread(), i + 1);
        t.kernel(made.kernel, at + 500, made.kernel_ns, t.stream(), i + 1);
        if (made.wait_ns > 0) t.api("cudaStreamSynchronize", at + 500, made.wait_ns, t.thread());
        if (!made.copy.empty()) {
            DeviceSpan copy;
            copy.begin = at + 500 + made.kernel_ns;
            copy.dur = 300;
            copy.track = t.stream();
            copy.name = t.builder.text(made.copy);
            copy.kind = DeviceKind::kMemcpy;
            copy.transfer = t.builder.transfer(transfer_of_name(made.copy));
            t.builder.add_device(copy);
        }
        if (made.graph_ns == 0) continue;
        DeviceSpan graph;
        graph.begin = at + 500 + made.kernel_ns;
        graph.dur = made.graph_ns;
        graph.track = t.stream();
        graph.name = t.builder.text("CUDA graph");
        graph.kind = DeviceKind::kGraph;
        t.builder.add_device(graph);
    }
    return StoredProfile(std::move(t));
}

std::vector<Finding> findings_of(const Made& made) {
    const StoredProfile stored = profile_of(made);
    Session session = stored.open({.all = true});
    auto found = find_findings(session);
    if (!found) {
        ADD_FAILURE() << found.error().message();
        return {};
    }
    return std::move(found).value();
}

TEST(Findings, SeveralByTheirShare) {
    const std::vector<Finding> all = findings_of({.load_ns = 400});
    ASSERT_GE(all.size(), 2u);
    const Finding *loading = find(all, "data_loading"), *products = find(all, "tensor_cores");
    ASSERT_TRUE(loading && products);
    // Kernels take more of the time, and the device waits for the host: faster ones gain little.
    EXPECT_EQ(all[0].id, "data_loading");
    EXPECT_GT(products->share_pct.value_or(0), loading->share_pct.value_or(0));
    EXPECT_LT(products->severity, Severity::kMedium);
    EXPECT_NE(products->evidence.find("Faster kernels alone gain less"), std::string::npos)
        << products->evidence;
    EXPECT_NEAR(loading->share_pct.value_or(0), 100.0 * (9 * 400) / (9 * 1000), 1);
    EXPECT_NE(loading->evidence.find("num_workers is 0"), std::string::npos);
    EXPECT_TRUE(std::is_sorted(all.begin(), all.end(), [](const Finding& a, const Finding& b) {
        const auto weighed = [](const Finding& f) { return f.kernels_pct.value_or(f.share_pct.value_or(0)); };
        return weighed(a) > weighed(b);
    }));
    EXPECT_FALSE(find(findings_of({}), "data_loading"));
}

TEST(Findings, WhereTheHostWaitsForThemKernelsCount) {
    const std::vector<Finding> all = findings_of({.load_ns = 400, .wait_ns = 490});
    const Finding* products = find(all, "tensor_cores");
    ASSERT_TRUE(products);
    EXPECT_EQ(products->severity, Severity::kHigh);
    EXPECT_EQ(products->evidence.find("Faster kernels alone gain less"), std::string::npos)
        << products->evidence;
}

TEST(Findings, PrecisionFitsTheDevice) {
    const auto advice = [](const Made& made) {
        const std::vector<Finding> all = findings_of(made);
        const Finding* found = find(all, "tensor_cores");
        return found ? found->advice : std::string("none");
    };
    const std::string volta = advice({});
    EXPECT_NE(volta.find("GradScaler"), std::string::npos) << volta;
    EXPECT_EQ(volta.find("TF32"), std::string::npos) << volta;
    EXPECT_EQ(volta.find("bfloat16"), std::string::npos) << volta;
    const std::string ampere = advice({.gpu = "NVIDIA A100-SXM4-40GB", .major = 8});
    EXPECT_NE(ampere.find("allow_tf32"), std::string::npos) << ampere;
    EXPECT_NE(ampere.find("bfloat16"), std::string::npos) << ampere;
    EXPECT_EQ(ampere.find("GradScaler"), std::string::npos) << ampere;
    const std::string other = advice({.gpu = "NVIDIA A100-SXM4-40GB", .major = 8, .framework = "TensorFlow"});
    EXPECT_EQ(other.find("torch"), std::string::npos) << other;
    // Not in the table by its name; what it was derived to be is in the profile.
    const std::string derived = advice({.gpu = "NVIDIA A100-PG509-200", .major = 8, .units = 108});
    EXPECT_NE(derived.find("allow_tf32"), std::string::npos) << derived;
    EXPECT_NE(derived.find("bfloat16"), std::string::npos) << derived;
    EXPECT_EQ(advice({.gpu = "AMD Radeon RX 6900 XT", .major = 10}), "none");
    EXPECT_EQ(advice({.gpu = "MTIA", .major = 0}), "none");  // of its kernels nothing is known
    EXPECT_EQ(advice({.gpu = "Tesla P100-PCIE-16GB", .major = 6}), "none");  // has none to use
}

TEST(Findings, UnknownIsSaidAsUnknown) {
    const std::vector<Finding> all = findings_of({.kernel = "triton_mm"});
    const Finding* unknown = find(all, "unknown_kernels");
    ASSERT_TRUE(unknown);
    EXPECT_EQ(unknown->kind, "unknown");
    EXPECT_FALSE(find(all, "tensor_cores"));
    EXPECT_FALSE(find(all, "plain_kernels"));
}

TEST(Findings, OfANamelessDeviceTheWarpTellsTheVendor) {
    const auto advice = [](int64_t warp_size) {
        const std::vector<Finding> all =
            findings_of({.gpu = "", .major = 9, .warp_size = warp_size, .kernel = "triton_mm"});
        const Finding* unknown = find(all, "unknown_kernels");
        EXPECT_TRUE(unknown);
        return unknown ? unknown->advice : std::string();
    };
    EXPECT_NE(advice(32).find("opsight profile"), std::string::npos);
    EXPECT_EQ(advice(64), "") << "CUPTI reads no code of AMD's";
}

// Graphs recorded as a whole may hold any kernels.
TEST(Findings, WholeGraphsAreUnknown) {
    const std::vector<Finding> all =
        findings_of({.kernel = "elementwise_kernel", .kernel_ns = 10, .graph_ns = 400});
    const Finding* unknown = find(all, "unknown_kernels");
    ASSERT_TRUE(unknown);
    EXPECT_NEAR(unknown->share_pct.value_or(0), 40, 1);
    EXPECT_NE(unknown->evidence.find("Graphs"), std::string::npos) << unknown->evidence;
    EXPECT_NE(unknown->query.find("'graph'"), std::string::npos)
        << "of kernels there would be no row: " << unknown->query << unknown->evidence;
    EXPECT_FALSE(find(all, "plain_kernels"));
    EXPECT_FALSE(find(all, "tensor_cores"));
}

TEST(Findings, OfAnUnknownDeviceEligibilityIsUnknown) {
    const std::vector<Finding> all = findings_of({.gpu = "", .major = 0});
    const Finding* found = find(all, "tensor_cores");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->kind, "unknown");
    EXPECT_NEAR(found->share_pct.value_or(0), 50, 1);
    EXPECT_EQ(found->advice, "");
}

TEST(Findings, WaitsForTheDeviceCountAgainstTheWallClock) {
    const std::vector<Finding> all = findings_of({.kernel_ns = 90, .wait_ns = 100, .op_ns = 100});
    const Finding* found = find(all, "synchronization");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->title, "Waits for the GPU leave it without work in 9.0% of the time");
    EXPECT_TRUE(found->evidence.starts_with("1 call in an iteration")) << found->evidence;
    EXPECT_FALSE(find(findings_of({.wait_ns = 100, .op_ns = 100}), "synchronization"))
        << "the kernel runs on after the wait";
    EXPECT_FALSE(find(findings_of({.kernel_ns = 10, .wait_ns = 20, .op_ns = 100}), "synchronization"))
        << "a fiftieth of the time";
}

TEST(Findings, CopiesOfPinnedMemoryAreNotToldToBePinned) {
    for (const auto& [name, advised] : {std::pair("Memcpy HtoD (Pageable -> Device)", true),
                                        std::pair("Memcpy HtoD (Pinned -> Device)", false)}) {
        const std::vector<Finding> all = findings_of({.kernel_ns = 200, .copy = name});
        const Finding* found = find(all, "copies");
        ASSERT_TRUE(found) << name;
        EXPECT_EQ(found->advice.find("pin_memory") != std::string::npos, advised) << found->advice;
    }
}

// Most of the time is as it should be, and is not what is to do first.
TEST(Findings, WhatIsAsItShouldBeStandsBehindWhatIsNot) {
    const std::vector<Finding> all = findings_of(
        {.kernel = "volta_s884gemm_fp16_128x128_ldg8_f2f_tn", .copy = "Memcpy HtoD (Pageable -> Device)"});
    const Finding* fine = find(all, "tensor_core_kernels");
    const Finding* copies = find(all, "copies");
    ASSERT_TRUE(fine && copies);
    EXPECT_GT(fine->share_pct, copies->share_pct);
    EXPECT_LT(copies, fine) << "by its place in the list";
}

TEST(Findings, LostDeviceWorkIsNotWorkOfTheCpu) {
    analyze::TestProfile t;
    t.gpu(0, "a GPU", 8, 0).declared = true;
    for (int i = 0; i < 8; ++i)
        t.api("cudaLaunchKernel", 100 * i, 50, t.thread(), i);
    const StoredProfile stored(std::move(t));
    Session session = stored.open();
    const auto all = find_findings(session);
    ASSERT_TRUE(all.has_value());
    const Finding* host = find(*all, "host");
    ASSERT_TRUE(host);
    EXPECT_EQ(host->kind, "unknown");
    EXPECT_EQ(host->title.find("done by the CPU"), std::string::npos) << host->title;
}

// A log of a library's ops says nothing of what the program does between them.
TEST(Findings, BetweenTheOpsOfALogNothingIsKnown) {
    for (const bool torch : {true, false}) {
        analyze::TestProfile t;
        if (torch) t.builder.info().frameworks = {"PyTorch"};
        for (int i = 0; i < 10; ++i)
            t.op("convolution", 1000 * i, 600);
        const StoredProfile stored(std::move(t));
        Session session = stored.open();
        const auto all = find_findings(session);
        ASSERT_TRUE(all.has_value());
        const Finding* outside = find(*all, "outside");
        ASSERT_TRUE(outside);
        EXPECT_EQ(outside->kind, torch ? "problem" : "unknown");
    }
}

// Ops come first in a trace: of one that is cut the GPU's work is missing.
TEST(Findings, OfACutFileNobodyKnowsWhatTheGpuDid) {
    for (const bool kernels : {false, true}) {
        analyze::TestProfile t;
        t.builder.diagnostics().add(Diag::kTruncatedInput);
        for (int i = 0; i < 10; ++i)
            t.op("aten::mm", 1000 * i, 900);
        if (kernels) t.kernel("sgemm", 500, 100, t.stream());
        const StoredProfile stored(std::move(t));
        Session session = stored.open();
        const auto all = find_findings(session);
        ASSERT_TRUE(all.has_value());
        const Finding* host = find(*all, "host");
        ASSERT_TRUE(host);
        EXPECT_EQ(host->kind, "unknown") << host->title;
        EXPECT_NE(host->evidence.find("The file is cut"), std::string::npos) << host->evidence;
        const auto report = query::make_report(session, "summary", {.for_people = true});
        ASSERT_TRUE(report.has_value());
        EXPECT_TRUE(std::any_of(report->notes.begin(), report->notes.end(),
                                [](const std::string& note) { return note.starts_with("a source is cut"); }));
    }
}

// Half of the launches left no device work: a GPU may have run it while only the CPU is seen.
TEST(Findings, WhereMuchDeviceWorkWasLostNobodyKnowsWhetherTheGpuWaits) {
    for (const bool lost : {true, false}) {
        analyze::TestProfile t;
        t.gpu(0, "NVIDIA A100-SXM4-40GB", 8, 0);
        for (int i = 0; i < 40; ++i) {
            t.op("aten::add", 1000 * i, 900);
            t.api("cudaLaunchKernel", 1000 * i + 100, 50, t.thread(), i);
            if (!lost || i % 2) t.kernel("elementwise_kernel", 1000 * i + 200, 10, t.stream(), i);
        }
        const StoredProfile stored(std::move(t));
        Session session = stored.open();
        const auto all = find_findings(session);
        ASSERT_TRUE(all.has_value());
        const Finding* host = find(*all, "host");
        ASSERT_TRUE(host);
        EXPECT_EQ(host->kind, lost ? "unknown" : "problem");
        EXPECT_EQ(host->title.find("The GPU waits") == std::string::npos, lost) << host->title;
        const auto report = query::make_report(session, "summary", {.for_people = true});
        ASSERT_TRUE(report.has_value());
        EXPECT_EQ(std::any_of(report->notes.begin(), report->notes.end(),
                              [](const std::string& note) {
                                  return note.starts_with("the device work of 20 launches was not recorded");
                              }),
                  lost);
    }
}

// A compiled region runs a product on Tensor Cores, and an elementwise kernel beside it.
TEST(Findings, WhatARegionRunsBesideItsProductsNeedNotBeAbleToUseTensorCores) {
    for (const auto& [op, finding] :
         {std::pair("Torch-Compiled Region: 0/0", "regions"), std::pair("aten::mm", "tensor_cores")}) {
        analyze::TestProfile t;
        t.gpu(0, "NVIDIA A100-SXM4-40GB", 8, 0);
        t.op(op, 0, 1000);
        t.api("cudaLaunchKernel", 10, 10, t.thread(), 1);
        t.kernel("ampere_fp16_s16816gemm_fp16_128x64_tn", 1000, 1000, t.stream(), 1);
        t.api("cudaLaunchKernel", 30, 10, t.thread(), 2);
        t.kernel("void at::native::vectorized_elementwise_kernel<4>(int)", 2000, 1000, t.stream(), 2);
        const std::vector<Finding> all = findings_in(std::move(t));
        EXPECT_TRUE(find(all, finding)) << op;
        EXPECT_NE(find(all, "tensor_cores") != nullptr, find(all, "regions") != nullptr) << op;
        EXPECT_FALSE(find(all, "plain_kernels")) << op;  // it may be a product
    }
}

TEST(Findings, OfKernelsOutsideOfOpsItIsNotKnownWhetherTheyAreAsTheyShouldBe) {
    for (const bool launched : {true, false}) {
        analyze::TestProfile t;
        t.gpu(0, "Tesla V100-SXM2-16GB", 7, 0);
        t.op("aten::add", 0, 10);
        if (launched) t.api("cudaLaunchKernel", 20, 10, t.thread(), 1);
        t.kernel("void elementwise_kernel(int)", 30, 1000, t.stream(), 1);
        const std::vector<Finding> all = findings_in(std::move(t));
        EXPECT_EQ(find(all, "kernels") != nullptr, launched);
        const Finding* found = find(all, launched ? "kernels" : "unlaunched_kernels");
        ASSERT_TRUE(found);
        EXPECT_EQ(found->kind, "unknown");
    }
}

TEST(Findings, KernelsWithoutALaunchAndOnesOutsideOfOpsHaveAShareEach) {
    analyze::TestProfile t;
    t.op("aten::add", 0, 10);
    t.api("cudaLaunchKernel", 20, 10, t.thread(), 1);
    t.kernel("void elementwise_kernel(int)", 40, 400, t.stream(), 1);
    t.kernel("void elementwise_kernel(int)", 440, 560, t.stream(), 2);
    const std::vector<Finding> all = findings_in(std::move(t));
    const Finding *outside = find(all, "kernels"), *unlaunched = find(all, "unlaunched_kernels");
    ASSERT_TRUE(outside && unlaunched);
    for (const Finding* each : {outside, unlaunched})
        EXPECT_NE(each->title.find("without Tensor Cores"), std::string::npos) << each->title;
    EXPECT_NEAR(outside->share_pct.value_or(0), 40, 0.1);
    EXPECT_NEAR(unlaunched->share_pct.value_or(0), 56, 0.1);
}

TEST(Findings, AWaitOfTheFirstWorkForEarlierWorkIsNoTimeToGain) {
    analyze::TestProfile t;
    t.op("aten::add", 0, 100);
    t.api("cudaLaunchKernel", 50, 10, t.thread(), 1);
    t.kernel("void elementwise_kernel(int)", 5000, 1000, t.stream(), 1);
    const std::vector<Finding> all = findings_in(std::move(t));
    for (const char* id : {"outside", "program"}) {
        const Finding* found = find(all, id);
        if (!found) continue;
        EXPECT_EQ(found->kind, "unknown") << found->title;
        EXPECT_NE(found->evidence.find("before the recording"), std::string::npos) << found->evidence;
        return;
    }
    FAIL() << "nothing is said of the time before the kernel";
}

// What only the CPU is seen to do meanwhile is not time to gain either.
TEST(Findings, CallsBesideAWaitForEarlierWorkAreNoTimeToGain) {
    analyze::TestProfile t;
    t.api("cudaLaunchKernel", 0, 10, t.thread(), 1);
    for (int64_t i = 0; i < 40; ++i)
        t.op("aten::add", 10 + 100 * i, 100);
    t.kernel("void elementwise_kernel(int)", 5000, 5000, t.stream(), 1);
    const std::vector<Finding> all = findings_in(std::move(t));
    const Finding* host = find(all, "host");
    ASSERT_TRUE(host);
    EXPECT_EQ(host->kind, "unknown") << host->title;
    EXPECT_EQ(host->title.find("GPU waits"), std::string::npos) << host->title;
}

TEST(Findings, WhatIsCompiledIsNotToldToBeCompiled) {
    for (const char* op : {"Torch-Compiled Region: 0/0", "aten::add"}) {
        analyze::TestProfile t;
        t.builder.info().frameworks = {"PyTorch"};
        t.gpu(0, "Tesla V100-SXM2-16GB", 7, 0);
        t.op(op, 0, 10);
        t.op("aten::add", 10, 10);
        t.api("cudaLaunchKernel", 12, 5, t.thread(), 1);
        t.kernel("void elementwise_kernel(int)", 30, 1000, t.stream(), 1);
        const std::vector<Finding> all = findings_in(std::move(t));
        const Finding* plain = find(all, "plain_kernels");
        ASSERT_TRUE(plain);
        EXPECT_EQ(plain->advice.find("torch.compile") == std::string::npos, std::string(op) != "aten::add")
            << plain->advice;
    }
}

// The device waits for the program in each step; that the program ran ahead of it once does not explain that.
TEST(Findings, IdleTimeElsewhereIsNotAWaitOfTheFirstWork) {
    analyze::TestProfile t;
    t.annotation("ProfilerStep#0", 0, 1000, t.thread());
    t.op("aten::add", 0, 10);
    t.api("cudaLaunchKernel", 0, 5, t.thread(), 1);
    t.kernel("void elementwise_kernel(int)", 900, 600, t.stream(), 1);
    for (int64_t i = 1; i < 5; ++i) {
        t.annotation("ProfilerStep#" + std::to_string(i), 1000 * i, 500, t.thread());
        t.op("aten::add", 1000 * i, 10);
        t.api("cudaLaunchKernel", 1000 * i, 5, t.thread(), i + 1);
        t.kernel("void elementwise_kernel(int)", 1000 * i + 500, 100, t.stream(), i + 1);
    }
    const StoredProfile stored(std::move(t));
    Session session = stored.open({.start = 1, .stop = 4});
    const auto all = find_findings(session);
    ASSERT_TRUE(all.has_value());
    const Finding* found = find(*all, "outside");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->kind, "problem") << found->evidence;
}

// A range is open for 500 of the 1000 us, an op for 100: what another finding tells of is not to be gained
// here too.
TEST(Findings, TimeOutsideOfAllIsBoundedByItself) {
    analyze::TestProfile t;
    t.op("aten::add", 0, 100'000);
    t.annotation("compile", 100'000, 500'000, t.thread());
    t.op("aten::add", 999'000, 1'000);
    const std::vector<Finding> all = findings_in(std::move(t));
    const Finding* found = find(all, "outside");
    ASSERT_TRUE(found);
    ASSERT_TRUE(found->bound);
    EXPECT_GE(found->bound->pct, found->share_pct.value_or(100));
    EXPECT_LT(found->bound->pct, 60);  // with what the op pays for cold caches; 90 and more with the range
}

// Nothing of the recording runs from 100 to 900 us: by the switches of context the program does, or it
// sleeps.
TEST(Findings, TimeThatNothingExplainsIsNoGainWhereAThreadIsOnACpu) {
    for (const int64_t on_cpu : {0, 100, 700}) {
        analyze::TestProfile t;
        t.op("aten::add", 0, 100'000);
        t.op("aten::add", 900'000, 100'000);
        if (on_cpu > 0) {
            const TrackId track = t.builder.other_track(RankId(size_t{0}), "5", "CPU of thread 5");
            t.builder.add_host({150'000, on_cpu * 1000, track, t.builder.text("CPU 1"), HostKind::kOther, 0},
                               t.builder.text("cpu_scheduling").value);
        }
        const std::vector<Finding> all = findings_in(std::move(t));
        const Finding* found = find(all, "outside");
        ASSERT_TRUE(found);
        EXPECT_EQ(found->kind, on_cpu == 700 ? "unknown" : "problem") << found->title;
        EXPECT_EQ(found->title.find("no calls, ops or ranges") != std::string::npos, on_cpu == 700)
            << found->title;
        EXPECT_EQ(found->evidence.find("ms of these 0.80 ms") != std::string::npos, on_cpu > 0)
            << found->evidence;
        EXPECT_EQ(found->advice.find("sleeps") != std::string::npos, on_cpu == 100) << found->advice;
    }
}

// One call that takes nearly all of the time is a start-up; forty are not.
TEST(Findings, AStartUpIsNoTimeToGain) {
    for (const int64_t calls : {1, 40}) {
        analyze::TestProfile t;
        constexpr int64_t kAll = 40'000'000;
        for (int64_t i = 0; i < calls; ++i)
            t.api("cudaHostRegister", i * (kAll / calls), kAll / calls, t.thread());
        t.api("cudaLaunchKernel", kAll, 1000, t.thread(), 1);
        t.kernel("void f(int)", kAll + 2000, 100'000, t.stream(), 1);
        const std::vector<Finding> all = findings_in(std::move(t));
        const Finding* found = find(all, "host");
        ASSERT_TRUE(found);
        EXPECT_NE(found->title.find("cudaHostRegister"), std::string::npos) << found->title;
        EXPECT_EQ(found->kind, calls == 1 ? "unknown" : "problem") << found->title;
    }
}

// The compute capability that ROCm tells is the number of an architecture of AMD's.
TEST(Findings, AnArchitectureOfAmdIsNoComputeCapability) {
    for (const int64_t warp : {64, 32}) {
        analyze::TestProfile t;
        t.gpu(0, warp == 64 ? "AMD Instinct MI300X" : "NVIDIA A", 9, 4).warp_size = warp;
        t.api("hipLaunchKernel", 10, 10, t.thread(), 1);
        t.kernel("void f(int)", 200, 1000, t.stream(), 1);
        const StoredProfile stored(std::move(t));
        Session session = stored.open({.whole = true});
        const auto devices = device_use(session, {});
        ASSERT_TRUE(devices.has_value());
        EXPECT_EQ(cell(*devices, "compute_capability"),
                  query::Cell(std::string(warp == 64 ? "gfx94x" : "9.4")));
    }
}

// ROCm's kernels may name their device by a number that the header does not have.
TEST(Findings, ANamelessDeviceIsWhatItWasFoundToBe) {
    analyze::TestProfile t;
    t.gpu(0, "AMD Instinct MI300X", 9, 4).declared = true;
    t.gpu(0, "AMD Instinct MI300X", 9, 4).warp_size = 64;
    t.op("aten::mm", 0, 100);
    t.api("hipLaunchKernel", 10, 10, t.thread(), 1);
    t.kernel("Cijk_Ailk_Bljk_BBS_BH_MT256x256x32_MI16x16x16x1", 200, 1000, t.stream(7, 2), 1);
    const std::vector<Finding> all = findings_in(std::move(t));
    const Finding* found = find(all, "tensor_core_kernels");
    ASSERT_TRUE(found);
    EXPECT_TRUE(found->title.starts_with("Kernels that use matrix cores")) << found->title;
}

}  // namespace
}  // namespace opsight::advise
