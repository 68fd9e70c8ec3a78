// Rules on loaders with workers, batches, servers, counted work, memory at its peak, and compiled code: each
// on a run that has what it looks for, and on one that has not.
#include "advise/test_rules.h"

namespace opsight::advise {
namespace {

// Waits for batches of three workers, of which the second takes so long.
void loader(Recorded& r, int64_t slow_ns) {
    r.begin();
    for (int64_t i = 0; i < r.steps; ++i)
        r.t.host(HostKind::kDataLoad, "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__",
                 Recorded::at(i) + kUs, i % 3 == 1 ? slow_ns : 100 * kUs, r.t.thread());
}

// Kernels of a product that needs next to nothing, outside of the 8 ms of the others.
void product(Recorded& r, int64_t kernel_ns, const char* shapes) {
    r.begin();
    r.op("aten::mm", 20 * kUs, kernel_ns, "ampere_bf16_s16816gemm_bf16_128x64",
         r.detail(shapes, "[\"c10::BFloat16\", \"c10::BFloat16\"]"));
}

// One collective of 2 ms in each step: beside the kernel of 8 ms, or when it is done.
void reduction(Recorded& r, int64_t begin, int64_t ns) {
    r.kernel_ns = 7 * kMs;
    r.begin();
    for (int64_t i = 0; i < r.steps; ++i) {
        r.t.op("autograd::engine::evaluate_function: AddmmBackward0", Recorded::at(i) + 120 * kUs, 50 * kUs);
        r.t.op("ConvolutionBackward0", Recorded::at(i) + 125 * kUs, 40 * kUs);
        r.t.api("cudaLaunchKernel", Recorded::at(i) + 130 * kUs, 5 * kUs, r.t.thread(), r.next);
        r.t.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)", Recorded::at(i) + begin, ns,
                   r.t.stream(9), r.next++);
    }
}

// Steps of a server, of 9 ms each, in which the kernel of 8 ms runs.
void serving(Recorded& r, const std::vector<std::string>& names) {
    r.begin();
    for (int64_t i = 0; i < r.steps; ++i)
        r.t.annotation(names[static_cast<size_t>(i) % names.size()], Recorded::at(i) + 50 * kUs, 9900 * kUs,
                       r.t.thread(2));
}

// Steps by turns of a batch of 64 and one of 16, with kernels so long.
void batches(Recorded& r, int64_t large_ns, int64_t small_ns, bool evaluated = false) {
    r.t.builder.info().frameworks = {"PyTorch"};
    r.t.gpu(0, "NVIDIA A100-SXM4-40GB", 8, 0).sm_count = 108;
    int64_t at = 0;
    for (int64_t i = 0; i < r.steps; ++i) {
        const bool large = i % 2 == 0;
        const int64_t ns = large ? large_ns : small_ns;
        r.t.annotation("ProfilerStep#" + std::to_string(i), at, ns, r.t.thread());
        if (evaluated && large)
            r.t.op("aten::linear", at + 10, 50, r.t.thread(),
                   r.detail("[[1, 512], [512, 512]]", "[\"float\", \"float\"]"));
        r.t.op("aten::linear", at + 100, ns / 2, r.t.thread(),
               r.detail(large ? "[[64, 512], [512, 512]]" : "[[16, 512], [512, 512]]",
                        "[\"float\", \"float\"]"));
        r.launched("ampere_sgemm_128x64_nn", at + 200, at + 6000, ns - 7000);
        at += ns;
    }
}

// What an op of the first step holds until the end, on a device with 40 GB of memory.
void memory(Recorded& r, int64_t bytes) {
    r.begin();
    r.t.gpu(0, "NVIDIA A100-SXM4-40GB", 8, 0).memory_bytes = 40'000'000'000;
    r.op("aten::gelu", 20 * kUs, 100 * kUs);
    MemoryEvent event;
    event.time = Recorded::at(0) + 205 * kUs;
    event.track = r.t.thread();
    event.address = 4096;
    event.bytes = event.total_allocated = bytes;
    event.total_reserved = bytes;
    event.device_type = 1;
    event.device = 0;
    r.t.builder.add_memory(event);
}

// A product of matrices of this size takes 5 ms on four cores.
void processor(Recorded& r, const char* features, int64_t size = 1024) {
    r.device = false;
    r.begin();
    r.t.builder.info().producer = "opsight";
    for (const auto& [key, value] : {std::pair{"cpu_model", "AMD EPYC 9554"},
                                     {"cpu_vendor", "AuthenticAMD"},
                                     {"cpu_family", "25"},
                                     {"cpu_model_number", "17"},
                                     {"cpu_features", features},
                                     {"cpu_cores", "4"},
                                     {"cpu_packages", "1"},
                                     {"cpu_clock_hz", "3000000000"},
                                     {"cpu_cache_bytes", "33554432"},
                                     {"cpu_count", "4"}})
        r.told(key, value);
    r.op("aten::mm", 5 * kMs, 0, "",
         r.detail(fmt::format("[[{0}, {0}], [{0}, {0}]]", size), "[\"float\", \"float\"]"));
}

void compiled(Recorded& r, int64_t look_up_ns) {
    r.begin();
    r.op("Torch-Compiled Region: 0/0", 30 * kUs, 0);
    r.marks("TorchDynamo Cache Lookup", look_up_ns);
}

constexpr const char* kDecode = "execute_32_context_0(sq0sk0)_generation_32(sq32sk9)";
constexpr const char* kManyDecode = "execute_200_context_0(sq0sk0)_generation_200(sq9sk9)";

TEST(RulesOfSteps, SpeakOfWhatIsThereAndOfNothingElse) {
    expect_right({
        // 7 of 20 waits take 1.9 ms more than the others.
        {"slow_worker", [](Recorded& r) { loader(r, 2 * kMs); }, [](Recorded& r) { loader(r, 150 * kUs); },
         6.6},
        {"far_from_bound",
         [](Recorded& r) { r.kernel_ns = 5 * kMs, product(r, 1800 * kUs, "[[64, 64], [64, 64]]"); },
         [](Recorded& r) { r.kernel_ns = 5 * kMs, product(r, 1800 * kUs, "[[8192, 8192], [8192, 4096]]"); },
         17.5},
        {"late_collectives", [](Recorded& r) { reduction(r, 9 * kMs, kMs); },
         [](Recorded& r) { reduction(r, 3 * kMs, kMs); }, 10},
        // Of 80 % in kernels, with 32 of the 201 sequences at which arithmetic binds (312 TFLOP/s, 1.555
        // TB/s).
        {"decode_batch", [](Recorded& r) { serving(r, {kDecode}); },
         [](Recorded& r) { serving(r, {kManyDecode}); }, 66.5},
        {"prefill_steps",
         [](Recorded& r) {
             serving(r, {"step[DECODE bs=8]", "step[EXTEND bs=2]"});
         },
         [](Recorded& r) {
             serving(r, {"step[DECODE bs=8]", "step[TARGET_VERIFY bs=8]", "step[MIXED bs=8]"});
         },
         44.5},
        {"prefill_steps",
         [](Recorded& r) {
             serving(r, {"[Executor] _forward_step 1: 0 ctx reqs, 8 gen reqs",
                         "[Executor] _forward_step 2: 2 ctx reqs, 0 gen reqs"});
         },
         [](Recorded& r) { serving(r, {"[Executor] _forward_step 1: 0 ctx reqs, 8 gen reqs"}); }, 44.5},
        // 8 ms of 64, 7 ms of 16: 6.67 ms of each.
        {"batch_throughput", [](Recorded& r) { batches(r, 8 * kMs, 7 * kMs); },
         [](Recorded& r) { batches(r, 8 * kMs, 3 * kMs); }, 89},
        {"memory_peak", [](Recorded& r) { memory(r, 38'000'000'000); },
         [](Recorded& r) { memory(r, 8'000'000'000); }, -1},
        {"bf16_on_cpu", [](Recorded& r) { processor(r, "fma avx512f avx512_bf16"); },
         [](Recorded& r) { processor(r, "fma avx512f"); }, -1},
        {"slow_products", [](Recorded& r) { processor(r, "fma avx512f", 64); },
         [](Recorded& r) { processor(r, "fma avx512f"); }, -1},
        {"bf16_on_cpu", [](Recorded& r) { processor(r, "fma avx512f avx512_bf16"); },
         [](Recorded& r) { processor(r, "fma avx512f avx512_bf16", 64); }, -1},
        {"guards", [](Recorded& r) { compiled(r, kMs); }, [](Recorded& r) { compiled(r, 50 * kUs); }, 10},
    });
}

TEST(RulesOfSteps, SayWhyTheyWereNotAsked) {
    const auto why = [](const char* rule, const std::function<void(Recorded&)>& make) {
        Recorded run;
        make(run);
        const Advice advice = run.ask(rule);
        return advice.not_checked.empty() ? std::string() : advice.not_checked[0].why;
    };
    const auto plain = [](Recorded& r) { r.begin(); };
    EXPECT_EQ(why("slow_worker", plain), "no waits for workers of a data loader were recorded");
    EXPECT_EQ(why("guards", plain), "nothing is compiled by torch.compile");
    EXPECT_EQ(why("bf16_on_cpu", [](Recorded& r) { r.begin(), r.op("aten::mm", kMs, 0); }),
              "the work is a device's");
    EXPECT_EQ(why("late_collectives", plain), "no backward pass was recorded");
    EXPECT_EQ(why("batch_throughput", [](Recorded& r) { batches(r, 7 * kMs, 8 * kMs); }),
              "iterations of a smaller batch take longer: they do something else besides");
    // Before each batch of 64 the first layer reads one of 1, as in an evaluation.
    EXPECT_EQ(why("batch_throughput", [](Recorded& r) { batches(r, 8 * kMs, 7 * kMs, true); }),
              "no iterations of two batch sizes, one twice the other, are in the range");
    EXPECT_EQ(why("decode_batch", [](Recorded& r) { r.device = false, r.begin(); }),
              "no work of a device was recorded");
}

// An iteration of which a step of decoding takes all, and the device works in a tenth: the host binds.
TEST(RulesOfSteps, WhatTheHostDoesIsNotBoundByTheDevicesMemory) {
    Recorded run;
    run.kernel_ns = kMs / 2;
    serving(run, {kDecode});
    EXPECT_EQ(run.ask("decode_batch").quiet, std::vector<std::string>{"decode_batch"});
}

// Each sequence has several rows there, and speculative decoding is what the advice would ask for.
TEST(RulesOfSteps, StepsThatVerifyDraftsAreNoSmallBatches) {
    Recorded run;
    serving(run, {"step[TARGET_VERIFY bs=8]"});
    EXPECT_EQ(run.ask("decode_batch").quiet, std::vector<std::string>{"decode_batch"});
}

// Each third wait is long in the first half alone: no worker is slow.
TEST(RulesOfSteps, WaitsThatOnlyHappenToBeLongAreOfNoWorker) {
    Recorded run;
    run.begin();
    for (int64_t i = 0; i < run.steps; ++i)
        run.t.host(HostKind::kDataLoad, "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__",
                   Recorded::at(i) + kUs, (i * i) % 7 == 2 && i < 10 ? 3 * kMs : 100 * kUs, run.t.thread());
    EXPECT_EQ(run.ask("slow_worker").quiet, std::vector<std::string>{"slow_worker"});
}

}  // namespace
}  // namespace opsight::advise
