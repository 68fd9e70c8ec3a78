#include <algorithm>

#include "advise/rules/rules.h"

namespace opsight::advise {

namespace {

std::vector<Rule> rules_of_time_and_host() {
    return {
        data_loading_rule(),
        beside_ops_rule(),
        host_bound_rule(),
        tensor_cores_rule(),
        unknown_kernels_rule(),
        plain_kernels_rule(),
        kernels_outside_ops_rule(),
        compiled_regions_rule(),
        tensor_core_kernels_rule(),
        communication_rule(),
        host_communication_rule(),
        copies_rule(),
        file_io_rule(),
        synchronization_rule(),
        memory_calls_rule(),
        pageable_copies_rule(),
        small_copies_rule(),
        scalar_reads_rule(),
        optimizer_loop_rule(),
        zero_grad_rule(),
        layout_conversions_rule(),
        contiguous_copies_rule(),
        dtype_conversions_rule(),
        double_precision_rule(),
        misaligned_sizes_rule(),
        unfused_attention_rule(),
        small_grids_rule(),
    };
}

std::vector<Rule> rules_of_patterns_and_recordings() {
    return {
        compilation_rule(),
        elementwise_chains_rule(),
        repeated_ops_rule(),
        growing_tensors_rule(),
        recomputation_rule(),
        dense_gradients_rule(),
        anomaly_mode_rule(),
        plain_convolutions_rule(),
        thread_count_rule(),
        layout_reorders_rule(),
        primitive_creation_rule(),
        summed_calls_rule(),
        engine_conversions_rule(),
        first_batches_rule(),
        slow_worker_rule(),
        convolution_trials_rule(),
        convolution_choice_rule(),
        low_occupancy_rule(),
        wave_tails_rule(),
        tile_tails_rule(),
        far_from_bound_rule(),
        small_collectives_rule(),
        late_collectives_rule(),
        unbalanced_ranks_rule(),
        gathers_rule(),
        graph_breaks_rule(),
        guards_rule(),
        memory_peak_rule(),
        fragmentation_rule(),
        idle_devices_rule(),
        recording_overhead_rule(),
        run_queue_rule(),
        one_job_rule(),
        lost_data_rule(),
        warmup_inside_rule(),
        clock_changes_rule(),
        few_iterations_rule(),
        uneven_iterations_rule(),
        memory_unused_rule(),
        batch_throughput_rule(),
        decode_batch_rule(),
        prefill_steps_rule(),
        slow_products_rule(),
        bf16_on_cpu_rule(),
    };
}

std::vector<Rule> joined(std::vector<Rule> first, const std::vector<Rule>& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

}  // namespace

const std::vector<Rule>& all_rules() {
    static const std::vector<Rule> rules =
        joined(rules_of_time_and_host(), rules_of_patterns_and_recordings());
    return rules;
}

const Rule* find_rule(std::string_view id) {
    const auto& rules = all_rules();
    const auto found = std::find_if(rules.begin(), rules.end(), [&](const Rule& r) { return r.id == id; });
    return found == rules.end() ? nullptr : &*found;
}

}  // namespace opsight::advise
