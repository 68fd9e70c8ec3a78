// Tables and columns of DLProf 1.8 that are known, and that Opsight fills.
#pragma once

namespace opsight::exports {

inline constexpr const char* kDlprofSchema = R"sql(
CREATE TABLE db_version (current_version TEXT, original_version TEXT);
CREATE TABLE dictionary (id INTEGER PRIMARY KEY, string TEXT);
CREATE TABLE read_only_ops (id INTEGER PRIMARY KEY, domain_id INTEGER, op_id_id INTEGER, op_name TEXT,
    op_type_id INTEGER, device_id INTEGER, tc_support_status INTEGER, data_type_id INTEGER, data_format_id INTEGER,
    output_format_id INTEGER, parameters_format_id INTEGER, direction_id INTEGER, stack_trace TEXT);
CREATE TABLE read_only_op_instances (id INTEGER PRIMARY KEY, read_only_ops_id INTEGER, cpu_start INTEGER,
    cpu_stop INTEGER, process_id INTEGER, thread_id INTEGER, input_names_id INTEGER, input_shapes_id INTEGER,
    output_names_id INTEGER, output_shapes_id INTEGER, parameters_id INTEGER);
CREATE TABLE read_only_kernels (id INTEGER PRIMARY KEY, read_only_ops_id INTEGER, op_instance INTEGER, name_id INTEGER,
    long_name_id INTEGER, uses_tc INTEGER, api_start INTEGER, api_stop INTEGER, gpu_start INTEGER, gpu_stop INTEGER,
    grid_id INTEGER, block_id INTEGER, device_id INTEGER, process_id INTEGER, thread_id INTEGER);
CREATE TABLE read_only_memcpys (id INTEGER PRIMARY KEY, read_only_ops_id INTEGER, op_instance INTEGER, name_id INTEGER,
    api_start INTEGER, api_stop INTEGER, gpu_start INTEGER, gpu_stop INTEGER, device_id INTEGER, process_id INTEGER,
    thread_id INTEGER, num_bytes INTEGER, copy_kind INTEGER);
CREATE TABLE read_only_memsets (id INTEGER PRIMARY KEY, read_only_ops_id INTEGER, op_instance INTEGER, name_id INTEGER,
    api_start INTEGER, api_stop INTEGER, gpu_start INTEGER, gpu_stop INTEGER, device_id INTEGER, process_id INTEGER,
    thread_id INTEGER, num_bytes INTEGER);
CREATE TABLE read_only_cuda_syncs (id INTEGER PRIMARY KEY, read_only_ops_id INTEGER, op_instance INTEGER,
    name_id INTEGER, api_start INTEGER, api_stop INTEGER, gpu_start INTEGER, gpu_stop INTEGER, device_id INTEGER,
    process_id INTEGER, thread_id INTEGER, sync_type INTEGER, event_id INTEGER);
CREATE TABLE read_only_cuda_calls (id INTEGER PRIMARY KEY, read_only_ops_id INTEGER, op_instance INTEGER,
    name_id INTEGER, api_start INTEGER, api_stop INTEGER, process_id INTEGER, thread_id INTEGER);
CREATE TABLE read_only_grid_block (id INTEGER PRIMARY KEY, x INTEGER, y INTEGER, z INTEGER);
CREATE TABLE read_only_gpu_infos (id INTEGER PRIMARY KEY, device_id INTEGER, gpu_name TEXT,
    compute_capability_major INTEGER, compute_capability_minor INTEGER, sm_count INTEGER);
CREATE TABLE gpu_memories (id INTEGER PRIMARY KEY, total INTEGER, used INTEGER);
CREATE TABLE read_only_system_config (num_gpus INTEGER, cpu_model TEXT, driver_version TEXT, framework TEXT,
    cuda_version TEXT, cudnn_version TEXT, nsys_version TEXT, dlprof_version TEXT, dlprof_build TEXT, profile_name TEXT,
    mode_enum INTEGER, mode_string TEXT, original_command TEXT);
CREATE TABLE read_only_model_config (num_workers INTEGER, pin_memory INTEGER, cudnn_benchmark_disabled INTEGER,
    detect_anomaly INTEGER, gradcheck INTEGER, gradgradcheck INTEGER, autograd_profile INTEGER,
    autograd_set_detect_anomaly INTEGER, emit_nvtx INTEGER, amp_enabled INTEGER);
CREATE TABLE iteration_list (id INTEGER PRIMARY KEY, aggr_id INTEGER, iter_value INTEGER, start_time INTEGER,
    stop_time INTEGER);
CREATE TABLE iteration_key (id INTEGER PRIMARY KEY, aggr_id INTEGER, key_node_id INTEGER);
CREATE TABLE model_summary (aggr_id INTEGER, avg_iteration_time REAL, iteration_time_std_dev REAL, iter_total INTEGER,
    iter_aggregated INTEGER, iter_start INTEGER, iter_stop INTEGER);
CREATE TABLE expert_systems_feedback (aggr_id INTEGER, exp_sys_id INTEGER, problem TEXT, recommendation TEXT,
    javascript_function TEXT, javascript_args TEXT);
)sql";

}  // namespace opsight::exports
