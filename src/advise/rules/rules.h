// Every rule, one file each, and what several of them share.
#pragma once

#include "advise/rule.h"

namespace opsight::advise {

Rule anomaly_mode_rule();
Rule batch_throughput_rule();
Rule beside_ops_rule();
Rule bf16_on_cpu_rule();
Rule clock_changes_rule();
Rule communication_rule();
Rule compilation_rule();
Rule compiled_regions_rule();
Rule contiguous_copies_rule();
Rule convolution_trials_rule();
Rule convolution_choice_rule();
Rule copies_rule();
Rule data_loading_rule();
Rule decode_batch_rule();
Rule dense_gradients_rule();
Rule double_precision_rule();
Rule dtype_conversions_rule();
Rule elementwise_chains_rule();
Rule engine_conversions_rule();
Rule far_from_bound_rule();
Rule few_iterations_rule();
Rule file_io_rule();
Rule first_batches_rule();
Rule fragmentation_rule();
Rule gathers_rule();
Rule graph_breaks_rule();
Rule growing_tensors_rule();
Rule guards_rule();
Rule host_bound_rule();
Rule host_communication_rule();
Rule idle_devices_rule();
Rule kernels_outside_ops_rule();
Rule late_collectives_rule();
Rule layout_conversions_rule();
Rule layout_reorders_rule();
Rule primitive_creation_rule();
Rule summed_calls_rule();
Rule one_job_rule();
Rule lost_data_rule();
Rule low_occupancy_rule();
Rule memory_calls_rule();
Rule memory_peak_rule();
Rule memory_unused_rule();
Rule misaligned_sizes_rule();
Rule optimizer_loop_rule();
Rule pageable_copies_rule();
Rule plain_convolutions_rule();
Rule plain_kernels_rule();
Rule prefill_steps_rule();
Rule recomputation_rule();
Rule recording_overhead_rule();
Rule repeated_ops_rule();
Rule run_queue_rule();
Rule scalar_reads_rule();
Rule slow_products_rule();
Rule slow_worker_rule();
Rule small_collectives_rule();
Rule small_copies_rule();
Rule small_grids_rule();
Rule synchronization_rule();
Rule tensor_core_kernels_rule();
Rule tensor_cores_rule();
Rule thread_count_rule();
Rule unbalanced_ranks_rule();
Rule uneven_iterations_rule();
Rule unfused_attention_rule();
Rule unknown_kernels_rule();
Rule warmup_inside_rule();
Rule wave_tails_rule();
Rule tile_tails_rule();
Rule zero_grad_rule();

// The middle one, of an even number the greater of the two there; `values` is not empty.
int64_t median_of(std::vector<int64_t> values);
// Time in which no device works: what the device itself needs is left, whatever the host does. Without work
// of a device: in which no op runs.
Result<query::TimeSpans> idle_times(Context& c);
// What the device of each rank that works longest leaves of the wall clock.
Result<query::TimeSpans> times_beside_device(Context& c);
// Whether at least half of a share of the time is a wait for a stream's first work, launched long before.
// `behind_ns`: what of that share lies within the wait.
bool behind_earlier_work(const query::RunFacts& f, int64_t behind_ns, double share);
void tell_earlier_work(const query::RunFacts& f, Finding& finding);
// A share of the time (%) without the pauses of the device in which the next work was launched already: no
// host is late there. `queued_ns`: what of that share lies in such pauses.
double without_queued(const query::RunFacts& f, double share, int64_t queued_ns);
// What was left out so, where it is 1 % of the time or more; else nothing.
void tell_queued(const query::RunFacts& f, int64_t queued_ns, Finding& finding);
// These times without such pauses.
Result<query::TimeSpans> without_queued(Context& c, const query::TimeSpans& times);
// A share of the time without what the threads that run the ops waited for a processor in that share,
// `waited_ns`, and what was left out so.
double without_run_queue(const query::RunFacts& f, double share, int64_t waited_ns);
void tell_run_queue(const query::RunFacts& f, int64_t waited_ns, Finding& finding);
// Of something that the host does: its own times, or those in which no device works and waits for the host
// where these are less (of several devices of a rank the one that works longest: the others may work at
// once).
Result<query::TimeSpans> host_times(Context& c, query::TimeSpans own);

// Names of matrix products and convolutions that work on the host, as a regular expression.
inline constexpr const char* kHostProducts =
    "^aten::(mm|addmm|bmm|baddbmm|mkldnn_convolution|mkldnn_linear|convolution_backward|_convolution|thnn_"
    "conv2d|slow_conv2d_forward)$";

// Asked once of a run, whichever rules need it.
Result<RecordingCost> recording_cost(Context& c);
// Of a finding on time of the host: that recording may be part of it, where it takes so much that it matters.
Status tell_recording(Context& c, Finding& finding);

// The lines of PyTorch that copy by pinned memory; kind: of the copies that take most time, as in "DtoH".
std::string pinned_copies(const std::string& kind);

// How the run's optimizer is had with few kernels for all parameters; empty: it is not told, or has no such
// way.
std::string grouped_optimizer(const query::RunFacts& f);

// Options of PyTorch's allocator against fragmentation, as a line of the environment. On AMD expandable
// segments are of PyTorch 2.11 and ROCm 7 on at the earliest, and do not work everywhere.
std::string allocator_options(const query::RunFacts& f);

// Where no work of a device is in the recording though some was launched, or may have been: how that is
// known.
std::string unseen_device(const query::RunFacts& f);

// Time in which no kernel runs.
Result<query::TimeSpans> times_without_kernels(Context& c);

// Of kernels that may go: with the short pauses before them, in which the device goes from one piece of work
// to the next.
Result<query::TimeSpans> with_pauses(Context& c, query::TimeSpans kernels);

// In which no op, call or data loading is open.
Result<query::TimeSpans> gaps_of_host(Context& c);
// When any op is open, and when any call of the runtime or driver is: read once for all rules.
Result<const query::TimeSpans*> op_times(Context& c);
Result<const query::TimeSpans*> call_times(Context& c);

}  // namespace opsight::advise
