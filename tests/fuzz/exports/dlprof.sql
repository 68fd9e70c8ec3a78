-- A database of DLProf 1.8 for tests: a network of one convolution, forward and backward, over two iterations.
-- The first instance of the convolution has kernels that overlap on the device: 100 000 + 39 678 ns that cover
-- 130 846 ns. Beside it a copy outside of all ops, a set, a wait and a call of its own. Some of its tables are
-- those of sums, of which Opsight reads iterations and findings only.
CREATE TABLE db_version (current_version TEXT, original_version TEXT);
INSERT INTO db_version VALUES ('1.8.0', '1.8.0');
CREATE TABLE dictionary (id INTEGER PRIMARY KEY, string TEXT);
CREATE TABLE read_only_domains (id INTEGER PRIMARY KEY, domain TEXT);
CREATE TABLE read_only_ops (id INTEGER PRIMARY KEY, domain_id INT, op_id_id INT, op_id INT, op_name TEXT, op_type_id
    INT, device_id INT, tc_support_status INT, data_type_id INT, data_format_id INT, output_format_id INT,
    parameters_format_id INT, direction_id INT, stack_trace TEXT);
CREATE TABLE read_only_op_instances (id INTEGER PRIMARY KEY, read_only_ops_id INT, cpu_start INT, cpu_stop INT,
    process_id INT, thread_id INT, input_names_id INT, input_shapes_id INT, output_names_id INT, output_shapes_id INT,
    parameters_id INT);
CREATE TABLE read_only_kernels (id INTEGER PRIMARY KEY, read_only_ops_id INT, op_instance INT, name_id INT,
    long_name_id INT, uses_tc INT, api_start INT, api_stop INT, gpu_start INT, gpu_stop INT, grid_id INT, block_id
    INT, device_id INT, process_id INT, thread_id INT);
CREATE TABLE read_only_memcpys (id INTEGER PRIMARY KEY, read_only_ops_id INT, op_instance INT, name_id INT, api_start
    INT, api_stop INT, gpu_start INT, gpu_stop INT, device_id INT, process_id INT, thread_id INT, num_bytes INT, copy_kind INT);
CREATE TABLE read_only_memsets (id INTEGER PRIMARY KEY, read_only_ops_id INT, op_instance INT, name_id INT, api_start
    INT, api_stop INT, gpu_start INT, gpu_stop INT, device_id INT, process_id INT, thread_id INT, num_bytes INT);
CREATE TABLE read_only_cuda_syncs (id INTEGER PRIMARY KEY, read_only_ops_id INT, op_instance INT, name_id INT,
    api_start INT, api_stop INT, gpu_start INT, gpu_stop INT, device_id INT, process_id INT, thread_id INT, sync_type INT, event_id INT);
CREATE TABLE read_only_cuda_calls (id INTEGER PRIMARY KEY, read_only_ops_id INT, op_instance INT, name_id INT,
    api_start INT, api_stop INT, process_id INT, thread_id INT);
CREATE TABLE read_only_grid_block (id INTEGER PRIMARY KEY, x INT, y INT, z INT);
CREATE TABLE read_only_gpu_infos (id INTEGER PRIMARY KEY, device_id INT, gpu_name TEXT, compute_capability_major INT,
    compute_capability_minor INT, sm_count INT);
CREATE TABLE gpu_memories (id INTEGER PRIMARY KEY, total INT, used INT);
CREATE TABLE read_only_system_config (num_gpus INT, cpu_model TEXT, driver_version TEXT, framework TEXT, cuda_version
    TEXT, cudnn_version TEXT, nsys_version TEXT, dlprof_version TEXT, dlprof_build TEXT, profile_name TEXT, mode_enum
    INT, mode_string TEXT, original_command TEXT);
CREATE TABLE iteration_list (id INTEGER PRIMARY KEY, aggr_id INT, iter_value INT, start_time INT, stop_time INT);
CREATE TABLE iteration_key (id INTEGER PRIMARY KEY, aggr_id INT, key_node_id INT);
CREATE TABLE expert_systems_feedback (aggr_id INT, domain_id INT, exp_sys_id TEXT, problem TEXT, recommendation TEXT,
    javascript_function TEXT, javascript_args TEXT);
CREATE TABLE read_only_model_config (num_workers INT, amp_enabled INT);
INSERT INTO dictionary VALUES (1, 'CONV2D_1'), (2, 'conv2d'), (3, 'float32'), (4, 'fprop'), (5, 'bprop'), (6,
    '[[1,3,32,32],[6,3,3,3]]' || char(10)), (7, 'fast'), (8, 'void fast<float>(int)'), (9,
    'cudaFuncGetAttributes_v3020'), (10, 'CONV2D_2'), (11, 'cudaMemcpy_v3020'), (12, 'CUDAMEMCPY_V3020_1'), (13,
    '[[1,1],[0,0],[1,1],[1]]' || char(10)), (14, '[[1,6,30,30]]' || char(10)), (15, 'null' || char(10)), (16,
    'N,C,H,W;K,C,R,S'), (17, 'N,K,P,Q'), (18, 'SH,SW;PH,PW;DH,DW;G'), (19, 'cudaMemsetAsync_v3020'), (20,
    'cudaStreamSynchronize_v3020'), (21, ''), (22, '/module/Net::_call_impl/Net::forward/conv2d');
INSERT INTO read_only_ops (id, domain_id, op_id_id, op_name, op_type_id, tc_support_status, data_type_id,
    data_format_id, output_format_id, parameters_format_id) VALUES (1, 1, 1,
    '/module/Net::_call_impl/Net::forward/conv2d', 2, 0, 3, 16, 17, 18), (2, 1, 10,
    '/module/Net::_call_impl/Net::forward/conv2d', 2, 0, 3, 16, 17, 18), (3, 1, 12, 'unassociated_cudaMemcpy_v3020', 11, 2,
    21, 21, 21, 21);
INSERT INTO read_only_op_instances VALUES (1, 1, 1000, 201000, 77, 78, NULL, 6, NULL, 14, 13), (2, 2, 300000,
    340000, 77, 79, NULL, 15, NULL, 15, 15), (3, 1, 501000, 601000, 77, 78, NULL, 6, NULL, 15, 15), (4, 3, 400000,
    410000, 77, 78, NULL, 15, NULL, 15, 15);
INSERT INTO read_only_grid_block VALUES (1, 8, 4, 1), (2, 128, 1, 1);
INSERT INTO read_only_kernels VALUES (1, 1, 1, 7, 8, 1, 2000, 12000, 20000, 120000, 1, 2, 0, 77, 78), (2, 1, 1, 7, 8,
    1, 13000, 18000, 111168, 150846, 1, 2, 0, 77, 78), (3, 2, 2, 7, 8, 0, 301000, 309000, 310000, 330000, 1, 2, 0, 77,
    79), (4, 1, 3, 7, 8, 1, 502000, 512000, 520000, 530000, 1, 2, 0, 77, 78);
INSERT INTO read_only_memcpys VALUES (1, 3, 4, 11, 400000, 410000, 402000, 409000, 0, 77, 78, 4096, 1);
INSERT INTO read_only_memsets VALUES (1, 1, 1, 19, 20000, 21000, 160000, 161000, 0, 77, 78, 64);
INSERT INTO read_only_cuda_syncs VALUES (1, 1, 1, 20, 22000, 25000, 0, 0, 0, 77, 78, 3, NULL);
INSERT INTO read_only_cuda_calls VALUES (1, 1, 1, 9, 30000, 30500, 77, 78);
INSERT INTO read_only_gpu_infos VALUES (1, 0, 'Tesla T4', 7, 5, 40), (2, 1, 'Tesla T4', 7, 5, 40);
INSERT INTO gpu_memories VALUES (1, 16000000000, 500000000), (2, 15000000000, 3599999999);
INSERT INTO read_only_system_config VALUES (2, 'a cpu', '470.1', 'PyTorch', '11.5', '8.3', '2021.4', 'v1.8.0',
    'r21.12', 'dlprof', 4, 'pytorch', 'dlprof python3 train.py');
INSERT INTO iteration_list VALUES (1, 1, 0, 0, 601000), (2, 2, 0, 0, 340000), (3, 2, 1, 340000, 601000);
INSERT INTO iteration_key VALUES (1, 1, 21), (2, 2, 10);
INSERT INTO expert_systems_feedback VALUES (1, 1, 'no_iterations_detector', 'old', 'old', '', ''), (2, 1,
    'amp_detector', '2 ops were eligible', 'Try AMP', '', '');
UPDATE read_only_ops SET direction_id = CASE id WHEN 1 THEN 4 WHEN 2 THEN 5 END, stack_trace = CASE id WHEN 1 THEN
    'train.py:3' || char(10) || 'net.py:7' END;
INSERT INTO read_only_model_config VALUES (4, 0);
CREATE TABLE aggregations (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE op_nodes (aggr_id INT, domain_id INT, read_only_ops_id INT, num_calls INT, metrics_id INT);
CREATE TABLE metric (id INTEGER PRIMARY KEY, count INT, max INT, min INT, sum INT, avg INT);
INSERT INTO metric VALUES (1, 1, 2, 2, 2, 2);
