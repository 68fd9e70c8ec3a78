// What decides the time of a run, in one struct: what the rules of advise/ look at.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "query/reports/host_time.h"
#include "query/reports/matrix_units.h"
#include "query/reports/run_queue.h"
#include "query/session/session.h"

namespace opsight::query {

// Of collectives that all ranks take part in.
struct CollectiveWaits {
    int64_t ns = 0, waiting_ns = 0;  // sums over the ranks; waiting: for the rank that begins last
    int64_t collectives = 0;
    int64_t first_waiting_ns = 0;  // of it in the first, which ranks enter as their recordings begin
    // The rank that makes most of the rest; times 0: there is none.
    int64_t last_rank = 0, times = 0, last_waiting_ns = 0;
};

// What the recording tells, in whatever range: where it does not, that nothing was found says nothing.
struct RecordedDetails {
    bool shapes = false, dtypes = false, input_values = false;  // of ops
    bool torch_ops = false;                                     // ops of PyTorch's library, "aten::"
    bool grids = false, occupancy = false, waves = false;       // of kernels, on a device whose size is told
    bool bounds_of_work = false;                                // work counted, on a device of known peaks
    bool collectives = false;                                   // of a device
    bool kinds_of_memory = false, sizes_of_copies = false;      // of copies
    bool optimizer_steps = false, zero_grads = false, compiler_ranges = false, compiled_regions = false;
    bool fusions = false;                                // of XLA: ops that are fused already
    bool foreach_ops = false, fused_optimizers = false;  // ops on many tensors at once
    int64_t iterations = 0;  // of the range; 0 too where the range is all that was recorded
    std::string optimizer;   // "SGD"; empty: not told, or several
};

// CPU samples of some time: how many, and of them those in the function that has most.
struct SampledTime {
    int64_t count = 0, of_function = 0;
    std::string function;
};

// Of the chosen range.
struct RunFacts {
    // Shares of the wall clock that exclude each other; nothing where the recording does not tell.
    std::optional<double> tensor_core, plain_kernel, unknown_kernel, communication, memory, dataloader, io,
        cpu, host, idle;
    bool device_work = false, work_lost = false, ops = false, torch = false, recorded_here = false,
         python_frames = false, memory_events = false;
    bool trains = false;                                  // backward passes or optimizers were recorded
    int64_t torch_threads = 0, processors = 0;            // of the main process and its machine; 0: not told
    bool loads_itself = false, loads_by_workers = false;  // data: in the training process, by others
    int64_t ranks = 1;
    Vendor vendor = Vendor::kUnknown;
    bool devices_known = false, matrix_units = false, tf32 = false, bf16 = false;
    // Sums of durations of kernels: in all, and of those that do not tell whether they use Tensor Cores;
    // then, of those that are known not to, of ops that could, of compiled regions that use them elsewhere,
    // of other ops, that no op launched, and whose launch is not in the recording.
    int64_t kernels = 0, kernel_ns = 0, unknown_ns = 0, eligible_ns = 0, region_ns = 0, plain_ns = 0,
            outside_ns = 0, unlaunched_ns = 0;
    // Beside them: of matrix products and convolutions that cannot use them, for their device or type.
    int64_t product_ns = 0;
    // Of plain_ns: of ops that are not PyTorch's own; the one with most.
    int64_t custom_ns = 0;
    std::string custom_op;
    int64_t median_ns = 0;  // of a kernel's duration
    // How long the first device work of the recording waited after its launch, and how much of that lies in
    // the time of the range in which nothing runs, or only the host, or only calls and ops.
    int64_t first_queued_ns = 0, idle_behind_ns = 0, host_behind_ns = 0, cpu_behind_ns = 0;
    // Of the same three: what lies in pauses of the device before work that was launched already.
    int64_t idle_queued_ns = 0, host_queued_ns = 0, cpu_queued_ns = 0;
    // Of pauses of the recording, as the numbers of its steps tell: of the rank that has most, and of all
    // ranks.
    int64_t skipped_steps = 0, skipped_ns = 0, all_skipped_ns = 0;
    // Launches of the profile of which no device work was recorded, and their share of those and the kernels.
    int64_t lost_launches = 0;
    double lost_pct = 0;
    bool truncated = false;  // a source is cut: anything may be missing
    int64_t graph_ns = 0;    // of CUDA graphs recorded as a whole, which do not tell either
    int64_t copy_ns = 0, pageable_ns = 0;
    struct Copies {
        std::string kind;  // "HtoD"; empty: no copies
        int64_t calls = 0, bytes = -1, ns = 0;
    } most_copies;  // the kind that takes most time
    std::optional<CollectiveWaits> collectives;
    std::optional<LongCalls> file_calls;    // the function that reads or writes longest
    bool compiled = false, graphs = false;  // torch.compile, and graphs of the device's work, are in use
    int64_t wall_ns = 0;                    // of all ranks
    int64_t waits = 0, waiting_ns = 0;      // calls that wait for the device
    std::optional<LongCalls> long_calls;
    std::optional<OpenSpan> beside_ops;
    RecordedDetails recorded;
    // Of all ranks: time in which nothing of the recording runs; the part of it with a thread on a CPU, or -1
    // where switches of context were not recorded.
    int64_t idle_ns = 0, idle_on_cpu_ns = -1;
    SampledTime idle_samples;  // CPU samples in idle_ns
    RunQueueWaits run_queue;

    // Of the share of kernels without Tensor Cores, the part that `ns` of their durations makes.
    double share_of(int64_t ns) const {
        const int64_t all = eligible_ns + region_ns + plain_ns + product_ns + outside_ns + unlaunched_ns;
        return all > 0 ? plain_kernel.value_or(0) * static_cast<double>(ns) / static_cast<double>(all) : 0;
    }
};

Result<RunFacts> read_run_facts(Session& session);

}  // namespace opsight::query
