// Each rule on a run that has what it looks for, and on one that has not.
#include <chrono>
#include <map>
#include <thread>

#include "advise/test_rules.h"
#include "query/ask/lean_views.h"

namespace opsight::advise {
namespace {

void nothing(Recorded& r) {
    r.begin();
}

std::vector<Case> cases_of_copies() {
    return {
        {"memory_calls", [](Recorded& r) { r.begin(), r.calls("cudaMalloc", kMs); },
         [](Recorded& r) { r.begin(), r.calls("cudaMalloc", 10 * kUs); }, 10},
        // Behind each copy the device waits for the host, which it held up.
        {"pageable_copies",
         [](Recorded& r) { r.begin(), r.copies(20, 1 << 20, "Memcpy HtoD (Pageable -> Device)"); },
         [](Recorded& r) { r.begin(), r.copies(20, 1 << 20, "Memcpy HtoD (Pinned -> Device)"); }, 7.85},
        {"small_copies", [](Recorded& r) { r.begin(), r.copies(20, 64, "Memcpy HtoD (Pinned -> Device)"); },
         [](Recorded& r) { r.begin(), r.copies(20, 1 << 20, "Memcpy HtoD (Pinned -> Device)"); }, 6},
        {"scalar_reads", [](Recorded& r) { r.begin(), r.op("aten::item", kMs, 0); },
         [](Recorded& r) { r.begin(), r.op("aten::add", kMs, 0); }, 10},
    };
}

std::vector<Case> cases_of_conversions() {
    return {
        {"zero_grad",
         [](Recorded& r) {
             r.begin(), r.op("aten::zero_", kMs / 2, 0), r.marks("Optimizer.zero_grad#SGD.zero_grad", kMs);
         },
         [](Recorded& r) {
             r.begin(), r.op("aten::add", 20 * kUs, 0), r.marks("Optimizer.zero_grad#SGD.zero_grad", kMs);
         },
         10},
        {"layout_conversions",
         [](Recorded& r) {
             r.begin(), r.op("aten::conv2d", 20 * kUs, 500 * kUs, "void nchwToNhwcKernel<half>");
         },
         [](Recorded& r) { r.begin(), r.op("aten::conv2d", 20 * kUs, 500 * kUs); }, 5},
        {"contiguous_copies", [](Recorded& r) { r.begin(), r.op("aten::contiguous", 20 * kUs, 500 * kUs); },
         [](Recorded& r) { r.begin(), r.op("aten::add", 20 * kUs, 500 * kUs); }, 5},
        {"dtype_conversions", [](Recorded& r) { r.begin(), r.op("aten::_to_copy", 20 * kUs, 600 * kUs); },
         [](Recorded& r) { r.begin(), r.op("aten::add", 20 * kUs, 600 * kUs); }, 6},
    };
}

std::vector<Case> cases_of_types_and_sizes() {
    return {
        {"double_precision",
         [](Recorded& r) {
             r.begin(), r.op("aten::mul", 20 * kUs, 600 * kUs, "k", r.detail("[[8]]", "[\"double\"]"));
         },
         [](Recorded& r) {
             r.begin(), r.op("aten::mul", 20 * kUs, 600 * kUs, "k", r.detail("[[8]]", "[\"float\"]"));
         },
         6},
        // Half of each tile of 128 columns lies beside the result.
        {"tile_tails",
         [](Recorded& r) {
             r.begin(), r.op("aten::bmm", 20 * kUs, 1600 * kUs,
                             "cutlass_80_tensorop_f16_s16816gemm_f16_128x128_nn_align8",
                             r.detail("[[8, 256, 256], [8, 256, 64]]", ""));
         },
         [](Recorded& r) {
             r.begin(), r.op("aten::bmm", 20 * kUs, 1600 * kUs,
                             "cutlass_80_tensorop_f16_s16816gemm_f16_64x128_nn_align8",
                             r.detail("[[8, 256, 256], [8, 256, 64]]", ""));
         },
         8},
        {"misaligned_sizes",
         [](Recorded& r) {
             r.begin(), r.op("aten::mm", 20 * kUs, 600 * kUs, "k",
                             r.detail("[[64, 127], [127, 64]]", "[\"c10::Half\", \"c10::Half\"]"));
         },
         [](Recorded& r) {
             r.begin(), r.op("aten::mm", 20 * kUs, 600 * kUs, "k",
                             r.detail("[[127, 128], [128, 64]]", "[\"c10::Half\", \"c10::Half\"]"));
         },
         6},
        {"unfused_attention",
         [](Recorded& r) {
             r.begin(), r.op("aten::_softmax", 20 * kUs, 600 * kUs, "softmax",
                             r.detail("[[8, 12, 128, 128], [], []]", "[\"float\"]"));
         },
         [](Recorded& r) {
             r.begin(), r.op("aten::_softmax", 20 * kUs, 600 * kUs, "softmax",
                             r.detail("[[8, 12, 128, 1000], [], []]", "[\"float\"]"));
         },
         6},
        {"compilation", [](Recorded& r) { r.begin(), r.marks("_compile.compile_inner (dynamo_timed)", kMs); },
         nothing, 10},
    };
}

std::vector<Case> cases_of_the_run() {
    return {
        {"optimizer_loop",
         [](Recorded& r) {
             r.begin(), r.marks("Optimizer.step#Adam.step", kMs);
             for (int64_t i = 0; i < r.steps; ++i)
                 for (int64_t k = 0; k < 120; ++k)
                     r.t.op("aten::addcdiv_", Recorded::at(i) + (210 + 6 * k) * kUs, 5 * kUs);
         },
         [](Recorded& r) {
             r.begin(), r.marks("Optimizer.step#Adam.step", kMs);
             for (int64_t i = 0; i < r.steps; ++i)
                 for (int64_t k = 0; k < 120; ++k)
                     r.t.op("aten::_foreach_addcdiv_", Recorded::at(i) + (210 + 6 * k) * kUs, 5 * kUs);
         },
         10},
        {"host_bound",
         [](Recorded& r) {
             r.kernel_ns = kMs, r.begin(), r.op("aten::add", 8 * kMs, 0);
             for (int64_t i = 0; i < r.steps; ++i)
                 for (int64_t k = 0; k < 100; ++k)
                     r.launched("elementwise_kernel", Recorded::at(i) + (4000 + 40 * k) * kUs,
                                Recorded::at(i) + (4010 + 40 * k) * kUs, 4 * kUs);
         },
         nothing, 90},
        {"few_iterations", [](Recorded& r) { r.steps = 3, r.begin(); }, nothing, -1},
        {"uneven_iterations",
         [](Recorded& r) {
             r.begin(), r.t.annotation("ProfilerStep#20", Recorded::at(20), 90 * kMs, r.t.thread());
         },
         nothing, -1},
    };
}

std::vector<std::string> times(size_t count, const std::string& name) {
    return std::vector<std::string>(count, name);
}

std::vector<Case> cases_of_rows_of_ops() {
    const std::vector<std::string> growing = {"[[[8, 4], [8, 4]], []]",  "[[[16, 4], [8, 4]], []]",
                                              "[[[24, 4], [8, 4]], []]", "[[[32, 4], [8, 4]], []]",
                                              "[[[40, 4], [8, 4]], []]", "[[[48, 4], [8, 4]], []]",
                                              "[[[56, 4], [8, 4]], []]", "[[[64, 4], [8, 4]], []]",
                                              "[[[72, 4], [8, 4]], []]", "[[[80, 4], [8, 4]], []]"};
    return {
        {"repeated_ops", [](Recorded& r) { r.begin(), r.row(times(300, "aten::dot"), 3 * kUs, 0); },
         [](Recorded& r) { r.begin(), r.row(times(100, "aten::dot"), 3 * kUs, 0); }, 9.6},
        {"elementwise_chains",
         [](Recorded& r) { r.begin(), r.row(times(8, "aten::mul"), 20 * kUs, 80 * kUs); },
         [](Recorded& r) {
             r.begin(), r.row({"aten::mul", "aten::mul", "aten::mul", "aten::mm", "aten::mul", "aten::mul",
                               "aten::mul", "aten::mm"},
                              20 * kUs, 80 * kUs);
         },
         6.4},
        {"growing_tensors",
         [=](Recorded& r) { r.begin(), r.row(times(10, "aten::cat"), 20 * kUs, 60 * kUs, growing); },
         [=](Recorded& r) { r.begin(), r.row(times(10, "aten::cat"), 20 * kUs, 60 * kUs, {growing[0]}); },
         5.4},
        {"scalar_reads",
         [](Recorded& r) { r.device = false, r.begin(), r.row(times(200, "aten::item"), 5 * kUs, 0); },
         [](Recorded& r) { r.device = false, r.begin(), r.row({"aten::item"}, 5 * kUs, 0); }, 10.4},
    };
}

std::vector<Case> cases_of_the_backward_pass() {
    return {
        {"recomputation",
         [](Recorded& r) {
             r.begin(), r.around("CheckpointFunctionBackward", kMs), r.row({"aten::mm"}, 20 * kUs, 700 * kUs);
         },
         [](Recorded& r) {
             r.begin(), r.around("MmBackward0", kMs), r.row({"aten::mm"}, 20 * kUs, 700 * kUs);
         },
         7},
        {"anomaly_mode",
         [](Recorded& r) {
             r.begin(), r.around("autograd::engine::evaluate_function: TanhBackward0", kMs),
                 r.row(times(5, "aten::isnan"), 100 * kUs, 0);
         },
         [](Recorded& r) { r.begin(), r.row(times(5, "aten::isnan"), 100 * kUs, 0); }, 10},
        {"dense_gradients",
         [](Recorded& r) {
             r.begin(),
                 r.op("aten::embedding_dense_backward", 20 * kUs, 700 * kUs, "k",
                      r.detail("[[8, 64], [8], [], [], []]", "", R"(["", "", "200000", "-1", "False"])"));
         },
         [](Recorded& r) {
             r.begin(), r.op("aten::embedding_dense_backward", 20 * kUs, 700 * kUs, "k",
                             r.detail("[[30000, 64], [30000], [], [], []]", "",
                                      R"(["", "", "200000", "-1", "False"])"));
         },
         7},
    };
}

std::vector<Case> cases_without_a_device() {
    return {
        {"plain_convolutions",
         [](Recorded& r) {
             r.device = false, r.begin(),
             r.op("aten::_slow_conv2d_forward", kMs, 0, "", r.detail("[[8, 3, 32, 32], [16, 3, 3, 3]]", ""));
         },
         [](Recorded& r) {
             r.device = false, r.begin(),
             r.op("aten::_slow_conv2d_forward", kMs, 0, "", r.detail("[[8, 3, 32, 32], [16, 3, 1, 1]]", ""));
         },
         10},
        {"thread_count",
         [](Recorded& r) {
             r.device = false, r.begin(), r.told("torch_threads", "32"), r.told("cpu_count", "8"),
             r.op("aten::mm", 5 * kMs, 0);
         },
         [](Recorded& r) {
             r.device = false, r.begin(), r.told("torch_threads", "8"), r.told("cpu_count", "8"),
             r.op("aten::mm", 5 * kMs, 0);
         },
         50},
    };
}

TEST(Rules, SpeakOfWhatIsThereAndOfNothingElse) {
    std::vector<Case> all;
    for (const auto& list :
         {cases_of_copies(), cases_of_conversions(), cases_of_types_and_sizes(), cases_of_the_run(),
          cases_of_rows_of_ops(), cases_of_the_backward_pass(), cases_without_a_device()})
        all.insert(all.end(), list.begin(), list.end());
    expect_right(all);
}

// What makes copies takes the host, too: where the device waits for it that may be gained.
TEST(Rules, OfCopiesTheHostsPartCounts) {
    double last = 0;
    for (const int64_t host_us : {20, 1000}) {
        Recorded r;
        r.kernel_ns = 2 * kMs;
        r.begin();
        r.op("aten::contiguous", host_us * kUs, 500 * kUs);
        const Advice found = r.ask("contiguous_copies");
        ASSERT_EQ(found.findings.size(), 1u);
        EXPECT_GT(found.findings[0].bound->pct, last + 4) << host_us;
        last = found.findings[0].bound->pct;
    }
}

// The page's link shows the rows that a finding names, not the whole table.
TEST(Rules, LinksShowTheOpsThatFindingsName) {
    const std::map<std::string_view, std::string> filters = {
        {"contiguous_copies", "op_name:eq:aten::contiguous"},
        {"dtype_conversions", "op_name:eq:aten::_to_copy"},
        {"growing_tensors", "op_name:eq:aten::cat"},
        {"unfused_attention", "op_name:contains:aten::_softmax"}};
    size_t asked = 0;
    for (const auto& list : {cases_of_conversions(), cases_of_types_and_sizes(), cases_of_rows_of_ops()})
        for (const Case& each : list) {
            const auto filter = filters.find(each.rule);
            if (filter == filters.end()) continue;
            Recorded run;
            each.sick(run);
            const Advice found = run.ask(each.rule);
            ASSERT_EQ(found.findings.size(), 1u) << each.rule;
            EXPECT_EQ(found.findings[0].filter, filter->second);
            ++asked;
        }
    EXPECT_EQ(asked, filters.size());
}

// Calls of 6 ms, all but 20 us of it below a kernel: to pin the memory would gain nothing.
TEST(Rules, ACopyThatWaitsForAKernelIsNotSlow) {
    Recorded run;
    run.begin();
    for (int64_t i = 0; i < run.steps; ++i) {
        run.t.api("cudaMemcpyAsync", Recorded::at(i) + 4 * kMs - 20 * kUs, 6 * kMs, run.t.thread(), run.next);
        DeviceSpan copy;
        copy.begin = Recorded::at(i) + 9 * kMs;
        copy.dur = 20 * kUs;
        copy.track = run.t.stream(8);
        copy.kind = DeviceKind::kMemcpy;
        copy.bytes = 8;
        copy.correlation = run.next++;
        copy.transfer = run.t.builder.transfer(transfer_of_name("Memcpy DtoH (Device -> Pageable)"));
        run.t.device(copy, "Memcpy DtoH (Device -> Pageable)");
    }
    EXPECT_EQ(run.ask("pageable_copies").quiet, std::vector<std::string>{"pageable_copies"});
}

TEST(Rules, NumbersBeyondAllSizesAreNone) {
    const std::string huge(40, '9');
    const auto asked = [&](const char* rule, const std::string& op, const std::string& shapes) {
        Recorded run;
        run.begin();
        run.op(op, 20 * kUs, 600 * kUs, "k", run.detail(shapes, "[\"c10::Half\"]", "[\"" + huge + "\"]"));
        return run.ask(rule).quiet.size();
    };
    EXPECT_EQ(asked("misaligned_sizes", "aten::mm", "[[8, " + huge + "], [" + huge + ", 8]]"), 1u);
    EXPECT_EQ(asked("dense_gradients", "aten::embedding_dense_backward", "[[8, 64], [8]]"), 1u);
    EXPECT_EQ(asked("growing_tensors", "aten::cat", "[[[" + huge + "], [8]]]"), 1u);
}

// expect_right() asks those of durations alone, too.
TEST(Rules, ThatCompareDurationsNeedNoWallClock) {
    for (const char* id :
         {"tensor_cores", "plain_kernels", "unknown_kernels", "copies", "layout_conversions", "low_occupancy",
          "wave_tails", "tile_tails", "misaligned_sizes", "double_precision", "far_from_bound",
          "layout_reorders", "engine_conversions", "primitive_creation", "summed_calls"}) {
        ASSERT_TRUE(find_rule(id)) << id;
        EXPECT_TRUE(find_rule(id)->of_durations) << id;
    }
}

TEST(Rules, ThatNeedADeviceSayThatThereIsNone) {
    Recorded run;
    run.device = false;
    run.begin();
    const Advice advice = run.ask("small_grids");
    ASSERT_EQ(advice.not_checked.size(), 1u);
    EXPECT_EQ(advice.not_checked[0].why, "no work of a device was recorded");
    EXPECT_TRUE(advice.quiet.empty());
}

// Calls of an iteration, and what they take of one: not of all.
TEST(Rules, CountsAndTimesAreOfTheSameIteration) {
    Recorded run;
    run.begin();
    run.calls("cudaMalloc", kMs);
    const Advice advice = run.ask("memory_calls");
    ASSERT_EQ(advice.findings.size(), 1u);
    EXPECT_NE(advice.findings[0].evidence.find("in an iteration, 1.00 ms in all."), std::string::npos)
        << advice.findings[0].evidence;
}

// Allocation, and a scalar that is read while it goes on: together they hold no more than their union.
TEST(Rules, BoundsThatOverlapAreNotAddedUp) {
    Recorded run;
    run.begin();
    run.calls("cudaMalloc", kMs);  // 300 us to 1.3 ms
    run.op("aten::item", kMs, 0);  // 200 us to 1.2 ms
    const StoredProfile stored(std::move(run.t));
    Session session = stored.open();
    const auto advice = advise(session, {.rules = {"memory_calls", "scalar_reads"}});
    ASSERT_TRUE(advice);
    ASSERT_EQ(advice->findings.size(), 2u);
    ASSERT_TRUE(advice->combined);
    EXPECT_NEAR(advice->combined->pct, 11, 0.1);
    EXPECT_EQ(advice->iterations, 20);
    EXPECT_NEAR(static_cast<double>(advice->combined->ns), 1.1e6, 1e4);
}

TEST(Rules, ThresholdsDecide) {
    for (const double share : {5.0, 15.0}) {
        Recorded run;
        run.begin();
        run.calls("cudaMalloc", kMs);
        Options options;
        options.thresholds["memory_calls.share"] = share;
        EXPECT_EQ(run.ask("memory_calls", options).findings.size(), share < 10 ? 1u : 0u);
    }
    EXPECT_TRUE(parse_threshold("memory_calls.share=2.5"));
    for (const char* wrong :
         {"memory_calls", "memory_calls.share", "memory_calls.other=1", "none.share=1",
          "memory_calls.share=", "memory_calls.share=-1", "memory_calls.share=1x", "=", ".="})
        EXPECT_FALSE(parse_threshold(wrong)) << wrong;
}

TEST(Rules, EvidenceCanBeAskedFor) {
    Recorded run;
    run.begin();
    const StoredProfile stored(std::move(run.t));
    Session session = stored.open();
    for (const Rule& rule : all_rules()) {
        EXPECT_EQ(find_rule(rule.id), &rule);
        EXPECT_FALSE(rule.looks_for.empty() || rule.confidence.empty() || rule.source.empty()) << rule.id;
        if (rule.query.empty()) continue;
        EXPECT_EQ(not_in_order(rule.query), "") << rule.id << ": " << rule.query;
        const auto rows = session.query(query_within(rule.query));
        ASSERT_TRUE(rows) << rule.id << ": " << rows.error().message();
        // As the engine asks it.
        const auto lean = session.query(query::with_lean_views(query_within(rule.query)));
        ASSERT_TRUE(lean) << rule.id << ": " << lean.error().message();
        EXPECT_THAT(lean->rows, ::testing::UnorderedElementsAreArray(rows->rows)) << rule.id;
    }
    EXPECT_EQ(find_rule("none"), nullptr);
}

// The loader runs for 3 ms, 2 of them beside the device's work of the step before; only where no device works
// is there something to gain.
TEST(Rules, WhatTheHostDoesIsBoundByTheDevicesIdleTime) {
    Recorded run;
    run.begin();
    for (int64_t i = 0; i < run.steps; ++i)
        run.t.host(HostKind::kDataLoad, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
                   Recorded::at(i) + 7 * kMs, 3 * kMs, run.t.thread());
    for (int64_t i = 0; i < run.steps; ++i)
        run.t.host(HostKind::kDataLoad, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
                   Recorded::at(i) + kMs / 2, kMs, run.t.thread());
    const Advice advice = run.ask("data_loading");
    ASSERT_EQ(advice.findings.size(), 1u);
    ASSERT_TRUE(advice.findings[0].bound);
    EXPECT_NEAR(advice.findings[0].bound->pct, 20, 1.01);
}

TEST(Rules, AreNotHarmedByAnInterruption) {
    Recorded run;
    run.begin();
    const StoredProfile stored(std::move(run.t));
    Session calm = stored.open(), session = stored.open();
    const auto words = [](const Result<Advice>& advice) {
        std::string all;
        if (advice)
            for (const Finding& each : advice->findings)
                all += each.title + "\n";
        return all;
    };
    const std::string expected = words(advise(calm));
    for (int round = 0; round < 10; ++round) {
        std::thread other([&session, round] {
            std::this_thread::sleep_for(std::chrono::milliseconds(3 * round));
            session.interrupt();
        });
        (void)advise(session);
        other.join();
    }
    EXPECT_EQ(words(advise(session)), expected);
}

// A TPU copies all the time on a queue of its own; its kernels are there without the copies, too.
TEST(Rules, KernelsThatStayCapTheBoundOfCopies) {
    Recorded r;
    r.begin();
    r.t.kernel("gemm_of_a_second_stream", 0, 5 * kMs, r.t.stream(9));
    DeviceSpan copy;
    copy.dur = Recorded::at(r.steps);
    copy.track = r.t.stream(8);
    copy.kind = DeviceKind::kMemcpy;
    r.t.device(copy, "Memcpy HtoD (Pinned -> Device)");
    const Advice found = r.ask("copies", {.thresholds = {{"copies.share", 1}}});
    ASSERT_EQ(found.findings.size(), 1u);
    ASSERT_TRUE(found.findings[0].bound);
    EXPECT_NEAR(found.findings[0].bound->pct, 20, 0.1);  // 8 of each 10 ms are kernels of one stream
}

// What one process asks of two devices in turn could run on both at once.
TEST(Rules, TheDeviceThatWorksLongestIsWhatTheHostLeaves) {
    Recorded r;
    r.kernel_ns = 3 * kMs;
    r.begin();
    for (int64_t i = 0; i < r.steps; ++i)
        r.t.kernel("gemm", Recorded::at(i) + 6 * kMs, 2 * kMs, r.t.stream(7, 1));
    r.marks("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 0);
    for (int64_t i = 0; i < r.steps; ++i)
        r.t.host(HostKind::kDataLoad, "load", Recorded::at(i), 10 * kMs - 1, r.t.thread());
    const Advice found = r.ask("data_loading");
    ASSERT_EQ(found.findings.size(), 1u);
    ASSERT_TRUE(found.findings[0].bound);
    EXPECT_NEAR(found.findings[0].bound->pct, 70, 0.1);
}

}  // namespace
}  // namespace opsight::advise
