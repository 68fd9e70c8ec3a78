// What findings say fits the run: its iterations or ranks, its optimizer, its vendor, and what recording took
// of it.
#include "advise/evidence.h"
#include "advise/test_rules.h"

namespace opsight::advise {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Words, WithoutIterationsCountsAreOfARank) {
    analyze::TestProfile t;
    t.builder.info().frameworks = {"PyTorch"};
    for (const int64_t rank : {0, 1}) {
        if (rank > 0) t.add_rank(rank);
        for (int64_t i = 0; i < 300; ++i)
            t.op("aten::item", i * 10 * kUs, 5 * kUs, t.thread(1, 100 + rank));
    }
    const StoredProfile stored(std::move(t));
    Session session = stored.open({.whole = true});
    const auto advice = advise(session, {.rules = {"scalar_reads"}});
    ASSERT_TRUE(advice && advice->findings.size() == 1);
    EXPECT_THAT(advice->findings[0].evidence,
                HasSubstr("300 ops such as item(), nonzero() or printing of a rank"));
    EXPECT_EQ(advice->iterations, 0);
    EXPECT_EQ(advice->ranks, 2);
}

// The device goes on for 90 ms when the host is done: a backlog of all iterations, not of the last one.
TEST(Words, WhatTheDeviceHasStillToDoIsNotOfTheLastIteration) {
    Recorded r;
    r.begin();
    r.launched("ampere_sgemm_128x64_nn", Recorded::at(19) + kMs, Recorded::at(20), 90 * kMs);
    EXPECT_EQ(r.ask("uneven_iterations").quiet.size(), 1u);
}

// The mark of one step is missing: the time until the next one is not what the iteration before it took.
TEST(Words, WhatLiesBetweenTwoMarksIsNotASlowIteration) {
    Recorded r;
    r.begin();
    r.t.op("aten::add", Recorded::at(20) + 5 * kMs, 5 * kMs);
    r.t.annotation("ProfilerStep#22", Recorded::at(22), 10 * kMs, r.t.thread());
    const auto findings = r.ask("uneven_iterations").findings;
    ASSERT_EQ(findings.size(), 1u);
    EXPECT_THAT(findings[0].title, HasSubstr("lie between iteration 19 and the next"));
}

void optimizer(Recorded& r, const std::string& range, const std::string& op) {
    r.begin();
    r.marks("Optimizer.step#" + range, kMs);
    for (int64_t i = 0; i < r.steps; ++i)
        for (int64_t k = 0; k < 120; ++k)
            r.t.op(op, Recorded::at(i) + (210 + 6 * k) * kUs, 5 * kUs);
}

TEST(Words, TheOptimizerOfTheRunIsNamed) {
    for (const auto& [range, lines] : std::vector<std::pair<std::string, std::string>>{
             {"SGD.step", "torch.optim.SGD(..., fused=True)"},
             {"AdamW.step", "torch.optim.AdamW(..., fused=True)"},
             {"RMSprop.step", "torch.optim.RMSprop(..., foreach=True)"},
             {"Shampoo.step", ""}}) {
        Recorded r;
        optimizer(r, range, "aten::addcdiv_");
        const Advice found = r.ask("optimizer_loop");
        ASSERT_EQ(found.findings.size(), 1u) << range;
        if (lines.empty()) {
            EXPECT_EQ(found.findings[0].lines, "") << range;
        } else {
            EXPECT_THAT(found.findings[0].lines, HasSubstr(lines));
        }
    }
}

// Elementwise kernels of 1 ms in each step of a run that trains by this op.
Advice elementwise(const std::string& op) {
    Recorded r;
    optimizer(r, "SGD.step", op);
    r.op("aten::gelu", 100 * kUs, 900 * kUs, "reduce_kernel<float>");
    Advice found = r.ask("plain_kernels");
    EXPECT_EQ(found.findings.size(), 1u) << op;
    return found;
}

TEST(Words, OfForeachNothingIsSaidWhereItIsInUse) {
    const Advice single = elementwise("aten::add_"), grouped = elementwise("aten::_foreach_add_"),
                 fused = elementwise("aten::_fused_sgd_");
    ASSERT_TRUE(single.findings.size() == 1 && grouped.findings.size() == 1 && fused.findings.size() == 1);
    EXPECT_THAT(single.findings[0].lines,
                HasSubstr("torch.optim.SGD(..., fused=True)  # from PyTorch 2.3 on; before, foreach=True"));
    EXPECT_THAT(grouped.findings[0].lines, HasSubstr("torch.optim.SGD(..., fused=True)"));
    EXPECT_THAT(grouped.findings[0].lines, Not(HasSubstr("foreach")));
    EXPECT_THAT(fused.findings[0].lines, Not(HasSubstr("torch.optim")));
}

TEST(Words, OfOpsOfExtensionsNothingIsLeftToCompile) {
    const auto ask = [](const std::string& op, int64_t own_ns) {
        Recorded r;
        r.kernel_ns = 10 * kUs;
        r.begin();
        r.op(op, 100 * kUs, 900 * kUs, "reduce_kernel<float>");
        for (int64_t step = 0; step < r.steps; ++step) {
            r.t.op("aten::gelu", Recorded::at(step) + 400 * kUs, 50 * kUs);
            r.launched("reduce_kernel<int>", Recorded::at(step) + 401 * kUs, Recorded::at(step) + 3 * kMs,
                       own_ns);
        }
        return r.ask("plain_kernels");
    };
    const Advice both = ask("fbgemm::lookup", 800 * kUs), alone = ask("fbgemm::lookup", 20 * kUs),
                 torch = ask("aten::embedding", 20 * kUs);
    ASSERT_TRUE(both.findings.size() == 1 && alone.findings.size() == 1 && torch.findings.size() == 1);
    EXPECT_THAT(both.findings[0].advice, AllOf(HasSubstr("in ops of extensions, such as fbgemm::lookup"),
                                               HasSubstr("torch.compile (")));
    EXPECT_THAT(both.findings[0].lines, HasSubstr("torch.compile"));
    EXPECT_THAT(alone.findings[0].advice, HasSubstr("torch.compile leaves as they are"));
    EXPECT_EQ(alone.findings[0].lines, "");
    EXPECT_THAT(torch.findings[0].advice, Not(HasSubstr("extensions")));
    EXPECT_THAT(torch.findings[0].lines, HasSubstr("torch.compile"));
}

// Fused optimizers came to CPUs later, and foreach gains nothing there.
TEST(Words, OfAnOptimizerOnACpuItIsSaidSinceWhenItIsFused) {
    Recorded r;
    r.device = false;
    optimizer(r, "Adam.step", "aten::addcdiv_");
    const Advice found = r.ask("optimizer_loop");
    ASSERT_EQ(found.findings.size(), 1u);
    EXPECT_THAT(found.findings[0].lines, HasSubstr("fused=True)  # on a CPU from PyTorch 2.4 on"));
    EXPECT_THAT(found.findings[0].advice, Not(HasSubstr("kernels")));
}

TEST(Words, TheEnvironmentIsThatOfTheVendor) {
    for (const bool amd : {true, false}) {
        Recorded r;
        r.begin(amd ? "AMD Instinct MI300X" : "NVIDIA A100-SXM4-40GB");
        if (amd) r.t.gpu(0, "AMD Instinct MI300X", 9, 4).warp_size = 64;
        r.calls(amd ? "hipMalloc" : "cudaMalloc", kMs);
        const Advice found = r.ask("memory_calls");
        ASSERT_EQ(found.findings.size(), 1u);
        const std::string& lines = found.findings[0].lines;
        EXPECT_EQ(lines.find("PYTORCH_HIP_ALLOC_CONF") != lines.npos, amd) << lines;
        EXPECT_EQ(lines.find("expandable_segments") != lines.npos, !amd) << lines;
    }
}

TEST(Words, ADefaultIsNoRemedy) {
    for (const Rule& rule : all_rules())
        EXPECT_THAT(std::string(rule.lines), Not(HasSubstr("bucket_cap_mb=25"))) << rule.id;
}

// A sum that an op with a product launches beside it is no product.
TEST(Words, OnlyKernelsOfOpsThatCouldThemselvesCouldUseTensorCores) {
    const auto bound = [](const char* inner, const char* rule) {
        Recorded r;
        r.begin();
        r.around("aten::linear", kMs);
        for (int64_t i = 0; i < r.steps; ++i)
            r.t.op(inner, Recorded::at(i) + 300 * kUs, 100 * kUs);
        for (int64_t i = 0; i < r.steps; ++i)
            r.launched("reduce_kernel<float>", Recorded::at(i) + 310 * kUs, Recorded::at(i) + 9 * kMs + kUs,
                       900 * kUs);
        const Advice found = r.ask(rule);
        return found.findings.empty() || !found.findings[0].bound ? 0 : found.findings[0].bound->pct;
    };
    EXPECT_NEAR(bound("aten::addmm", "tensor_cores"), 9, 0.1);
    EXPECT_EQ(bound("aten::sum", "tensor_cores"), 0);
    EXPECT_NEAR(bound("aten::sum", "plain_kernels"), 9, 0.2);
}

// Of a CPU's run: its ops are what takes the time only where nothing takes more; and no GPU is named.
TEST(Words, OpsOfTheCpuAreTheWorkWhereTheyTakeMost) {
    for (const int64_t ms : {8, 2}) {
        const auto recorded = [ms] {
            Recorded r;
            r.device = false;
            r.begin();
            for (int64_t i = 0; i < r.steps; ++i)
                r.t.op("aten::mm", Recorded::at(i), ms * kMs);
            return r;
        };
        Recorded one = recorded(), other = recorded();
        const Advice bound = one.ask("host_bound"), beside = other.ask("beside_ops");
        const Finding* host = find(bound.findings, "host");
        ASSERT_TRUE(host);
        EXPECT_EQ(host->title.starts_with("The work is done by the CPU"), ms == 8) << host->title;
        EXPECT_EQ(host->title.starts_with("The CPU's ops take"), ms == 2) << host->title;
        for (const Finding& each : beside.findings)
            EXPECT_EQ(each.title.find("GPU"), std::string::npos) << each.title;
        EXPECT_FALSE(beside.findings.empty());
    }
}

// One figure, whatever part of it a finding may be.
TEST(Words, WhatRecordingTakesIsOneFigure) {
    const auto recorded = [] {
        Recorded r;
        r.device = false;
        r.begin();
        for (int64_t i = 0; i < r.steps; ++i) {
            r.t.op("aten::mm", Recorded::at(i), 8 * kMs);
            for (int64_t k = 0; k < 8000; ++k)
                r.t.host(HostKind::kPythonFrame, "train.py(3): step", Recorded::at(i) + k * kUs, kUs / 2,
                         r.t.thread());
        }
        return r;
    };
    Recorded one = recorded(), other = recorded();
    const Advice overhead = one.ask("recording_overhead"), beside = other.ask("beside_ops");
    const Finding* recording = find(overhead.findings, "recording_overhead");
    const Finding* program = find(beside.findings, "program");
    ASSERT_TRUE(recording && program);
    EXPECT_NE(program->evidence.find(recording->title), std::string::npos)
        << recording->title << " / " << program->evidence;
}

TEST(Words, WhatRecordingTakesIsToldWhereItMayBeThat) {
    for (const bool much : {true, false}) {
        Recorded r;
        r.device = false;
        r.begin();
        for (int64_t i = 0; i < r.steps; ++i) {
            r.t.op("aten::mm", Recorded::at(i), 3 * kMs);
            for (int64_t k = 0; k < (much ? 4000 : 4); ++k)
                r.t.host(HostKind::kPythonFrame, "train.py(3): step", Recorded::at(i) + 3 * kMs + k * kUs,
                         kUs / 2, r.t.thread());
        }
        const Advice found = r.ask("beside_ops");
        const Finding* program = find(found.findings, "program");
        ASSERT_TRUE(program);
        EXPECT_EQ(program->evidence.find("Recording itself may take") != std::string::npos, much)
            << program->evidence;
        EXPECT_EQ(program->confidence.find("recording itself") != std::string::npos, much)
            << program->confidence;
    }
}

// What the profiler says of itself, with or without changes of memory.
TEST(Words, ChangesOfMemoryAreNamedWhereTheyWereRecorded) {
    for (const bool memory : {true, false}) {
        Recorded r;
        r.device = false;
        r.begin();
        for (int64_t i = 0; i < r.steps; ++i)
            for (int64_t k = 0; k < 1000; ++k)
                r.t.op("aten::mm", Recorded::at(i) + 6 * k * kUs, 5 * kUs);
        if (memory) {
            MemoryEvent event;
            event.time = Recorded::at(1);
            event.track = r.t.thread();
            event.bytes = 1024;
            r.t.builder.add_memory(event);
        }
        const Advice found = r.ask("recording_overhead");
        ASSERT_EQ(found.findings.size(), 1u);
        EXPECT_EQ(found.findings[0].advice.find("profile_memory") != std::string::npos, memory);
    }
}

TEST(Words, ReadsSayWhichOpTheyAreOfWhichLine) {
    Recorded r;
    r.begin();
    OpDetail detail;
    detail.stack = r.t.builder.text("train.py(41): main;train.py(62): <module>");
    for (int64_t i = 0; i < r.steps; ++i) {
        r.t.op("aten::nonzero", Recorded::at(i) + 200 * kUs, kMs, r.t.thread(), detail);
        r.t.op("aten::item", Recorded::at(i) + 8 * kMs, kUs);
    }
    const Advice found = r.ask("scalar_reads");
    ASSERT_EQ(found.findings.size(), 1u);
    EXPECT_THAT(found.findings[0].evidence,
                HasSubstr("Longest: aten::nonzero, called at train.py(41): main."));
}

// One event without its fields is not why all others are in no number.
TEST(Words, ThatNothingIsKnownExplainsMoreThanOneBadEvent) {
    for (const bool known : {true, false}) {
        Recorded r;
        r.begin();
        r.t.builder.diagnostics().add(Diag::kTruncatedInput, {});
        if (!known) r.t.builder.diagnostics().add(Diag::kNothingKnown, {});
        const Advice found = r.ask("lost_data");
        ASSERT_EQ(found.findings.size(), 1u);
        EXPECT_EQ(found.findings[0].title.find("none is of a kind that Opsight knows") == std::string::npos,
                  known);
        EXPECT_EQ(found.findings[0].advice.find("none of a kind that Opsight knows") == std::string::npos,
                  known);
    }
}

// It is no share of the time.
TEST(Words, LossIsToldWithoutAWallClock) {
    Recorded r;
    r.begin();
    r.t.builder.diagnostics().add(Diag::kLostDeviceWork, {});
    set_durations_only(r.t.builder.info());
    const Advice found = r.ask("lost_data");
    ASSERT_EQ(found.findings.size(), 1u);
    EXPECT_THAT(found.findings[0].title, HasSubstr("Part of the recording was lost"));
}

// A table of ranges alone, as rocprofv3 --marker-trace writes.
TEST(Words, WhatRangesHoldIsNotKnownWhereNothingElseWasRecorded) {
    Recorded run{.device = false};
    run.t.annotation("forward", 0, 80 * kMs, run.t.thread());
    run.t.annotation("other", 90 * kMs, 10 * kMs, run.t.thread());
    const Advice advice = run.ask("beside_ops");
    ASSERT_FALSE(advice.findings.empty());
    EXPECT_EQ(advice.findings[0].kind, "unknown");
    EXPECT_EQ(
        advice.findings[0].title,
        "In 90.0% of the time only ranges or calls of libraries were recorded: what the program does in "
        "them is not known");
}

TEST(Words, WhatKnowsItsCauseGoesBeforeTimeBesideOps) {
    const auto& causes = find_rule("beside_ops")->gives_way_to;
    for (const char* rule : {"zero_grad", "optimizer_loop"})
        EXPECT_NE(std::find(causes.begin(), causes.end(), rule), causes.end()) << rule;
}

TEST(Words, QueriesAreOfTheRange) {
    const query::Range range{.start = 2, .stop = 9, .left_out = {4, 5}};
    EXPECT_EQ(
        query_within("SELECT 1 FROM ops WHERE {range} AND self_ns > 0 GROUP BY ALL", &range),
        "SELECT 1 FROM ops WHERE iteration BETWEEN 2 AND 9 AND iteration NOT IN (4, 5) AND self_ns > 0 GROUP "
        "BY ALL");
    EXPECT_EQ(query_within("SELECT 1 FROM ops WHERE {range} AND self_ns > 0"),
              "SELECT 1 FROM ops WHERE self_ns > 0");
    EXPECT_EQ(query_within("SELECT 1 FROM ops WHERE {range} GROUP BY ALL"), "SELECT 1 FROM ops GROUP BY ALL");
}

TEST(Words, EvidenceOfOneRankNamesIt) {
    const query::Range range{.start = 2, .stop = 9};
    EXPECT_EQ(query_within(query_of_rank("SELECT 1 FROM ops WHERE {range} AND self_ns > 0", 3), &range),
              "SELECT 1 FROM ops WHERE iteration BETWEEN 2 AND 9 AND rank = 3 AND self_ns > 0");
    EXPECT_EQ(
        query_within(query_of_rank("FROM kernels k JOIN devices d WHERE {range:k.rank} GROUP BY ALL", 3)),
        "FROM kernels k JOIN devices d WHERE k.rank = 3 GROUP BY ALL");
    EXPECT_EQ(query_within("FROM kernels k JOIN devices d WHERE {range:k.rank} AND true"),
              "FROM kernels k JOIN devices d WHERE true");
    EXPECT_TRUE(names_rank("FROM ops WHERE rank = 3", 3));
    EXPECT_TRUE(names_rank("FROM kernels k WHERE k.rank = 31 OR k.rank = 3 GROUP BY ALL", 3));
    EXPECT_FALSE(names_rank("FROM ops WHERE rank = 31", 3));
    EXPECT_FALSE(names_rank("FROM counters", 3));
}

TEST(Words, EvidenceOfOneRankCanBeAsked) {
    Recorded r;
    r.begin();
    const StoredProfile stored(std::move(r.t));
    Session session = stored.open();
    for (const Rule& rule : all_rules()) {
        const auto rows = session.query(query_within(query_of_rank(rule.query, 0), &session.range()));
        EXPECT_TRUE(rule.query.empty() || rows) << rule.id << ": " << rows.error().message();
    }
}

TEST(Words, CommandsNameTheRun) {
    Recorded r;
    r.begin();
    r.calls("cudaMalloc", kMs);
    const Advice found = r.ask("memory_calls", {.run = "my run.opsight"});
    ASSERT_EQ(found.findings.size(), 1u);
    EXPECT_EQ(found.findings[0].verify, "opsight compare 'my run.opsight' AFTER.opsight");
}

// Mixed precision is no remedy for what is on 16 bits already, and nobody knows of what was not recorded.
TEST(Words, RemediesForTensorCoresFitTheFloatsOfTheOps) {
    const auto finding = [](const std::string& dtypes) {
        Recorded r;
        r.begin();
        const OpDetail with = dtypes.empty() ? OpDetail() : r.detail("[[64, 64], [64, 64]]", dtypes);
        r.op("aten::mm", 100 * kUs, 900 * kUs, "ampere_sgemm_64x32_sliced1x4_nn", with);
        Advice found = r.ask("tensor_cores");
        EXPECT_EQ(found.findings.size(), 1u);
        return found.findings.empty() ? Finding{} : std::move(found.findings[0]);
    };
    const Finding wide = finding("[\"float\", \"float\"]");
    EXPECT_THAT(wide.evidence, HasSubstr("work on: 0.90 ms per iteration FP32."));
    EXPECT_THAT(wide.lines, HasSubstr("allow_tf32"));
    for (const char* half : {"c10::Half", "c10::BFloat16", "bfloat16"}) {
        const Finding narrow = finding(fmt::format("[\"{}\", \"float\"]", half));
        EXPECT_THAT(narrow.evidence, HasSubstr("0.90 ms per iteration 16 bits or less.")) << half;
        EXPECT_THAT(narrow.advice, HasSubstr("mixed precision changes nothing"));
        EXPECT_EQ(narrow.lines.find("autocast"), std::string::npos) << narrow.lines;
    }
    EXPECT_THAT(finding("").evidence, HasSubstr("was not recorded"));
}

// A P100 has no Tensor Cores: its products are no elementwise ops all the same.
TEST(Words, ProductsWithoutTensorCoresAreNotElementwise) {
    const auto found = [](const std::string& op) {
        Recorded r;
        r.kernel_ns = 10 * kUs;
        r.begin("Tesla P100-PCIE-16GB");
        r.op(op, 20 * kUs, 900 * kUs, "maxwell_sgemm_128x64_nn");
        return r.ask("plain_kernels");
    };
    EXPECT_EQ(found("aten::addmm").quiet.size(), 1u);
    EXPECT_EQ(found("aten::gelu").findings.size(), 1u);
}

TEST(Words, TheRateOf64BitFloatsIsTheDevices) {
    const auto advice = [](const std::string& gpu) {
        Recorded r;
        r.kernel_ns = 10 * kUs;
        r.begin(gpu);
        r.op("aten::mm", 20 * kUs, 900 * kUs, "dgemm",
             r.detail("[[64, 64], [64, 64]]", "[\"double\", \"double\"]"));
        const Advice found = r.ask("double_precision");
        return found.findings.empty() ? std::string() : found.findings[0].advice;
    };
    EXPECT_THAT(advice("NVIDIA A100-SXM4-40GB"),
                HasSubstr("at 100.0% of the rate of 32-bit floats (19.5 against 19.5"));
}

TEST(Words, NumbersOfPythonAreNoDoublePrecision) {
    for (const char* shapes : {"[[], [64, 64]]", "[[]]"}) {
        Recorded r;
        r.kernel_ns = 10 * kUs;
        r.begin("NVIDIA A100-SXM4-40GB");
        r.op("aten::mul", 20 * kUs, 900 * kUs, "k", r.detail(shapes, "[\"double\", \"float\"]"));
        EXPECT_TRUE(r.ask("double_precision").findings.empty()) << shapes;
    }
}

}  // namespace
}  // namespace opsight::advise
