-- A database of rocprofv3 for tests, as ROCm 7 writes it: an op under PyTorch's roctx ranges that launches two kernels, a
-- copy, an HSA call, a call of RCCL, a mark, a counter that is not read; and of what is odd a kernel that could not be timed,
-- a kernel of an unknown agent, and a region of an unknown event.
CREATE TABLE "rocpd_metadata_0198aa_1f" (id INTEGER PRIMARY KEY, tag TEXT, value TEXT);
INSERT INTO "rocpd_metadata_0198aa_1f" VALUES (1, 'schema_version', '3');
CREATE TABLE "rocpd_string_0198aa_1f" (id INTEGER PRIMARY KEY, guid TEXT, string TEXT NOT NULL);
INSERT INTO "rocpd_string_0198aa_1f" VALUES (1, 'g', ''), (2, 'g', 'HIP_RUNTIME_API'), (3, 'g', 'hipLaunchKernel'),
    (4, 'g', 'MARKER_CORE_RANGE_API'), (5, 'g', 'roctxThreadRangeA'), (6, 'g', 'KERNEL_DISPATCH'), (7, 'g', 'MEMORY_COPY'),
    (8, 'g', 'MEMORY_COPY_HOST_TO_DEVICE'), (9, 'g', 'hipMemcpyWithStream'), (10, 'g', 'HSA_CORE_API'),
    (11, 'g', 'hsa_signal_wait_scacquire'), (12, 'g', 'RCCL_API'), (13, 'g', 'ncclAllReduce');
CREATE TABLE "rocpd_info_node_0198aa_1f" (id INTEGER PRIMARY KEY, guid TEXT, hash BIGINT, machine_id TEXT, hostname TEXT);
INSERT INTO "rocpd_info_node_0198aa_1f" VALUES (900, 'g', 1, 'm', 'mi300-7');
CREATE TABLE "rocpd_info_process_0198aa_1f" (id INTEGER PRIMARY KEY, guid TEXT, nid INT, ppid INT, pid INT, command TEXT, environment TEXT);
INSERT INTO "rocpd_info_process_0198aa_1f" VALUES (77, 'g', 900, 1, 77, 'python3 train.py', '{}');
CREATE TABLE "rocpd_info_thread_0198aa_1f" (id INTEGER PRIMARY KEY, guid TEXT, nid INT, ppid INT, pid INT, tid INT, name TEXT);
INSERT INTO "rocpd_info_thread_0198aa_1f" VALUES (78, 'g', 900, 1, 77, 78, 'main');
CREATE TABLE "rocpd_info_agent_0198aa_1f" (id INTEGER PRIMARY KEY, guid TEXT, nid INT, pid INT, type TEXT, absolute_index INT, logical_index INT, type_index INT, uuid INT, name TEXT, model_name TEXT, vendor_name TEXT, product_name TEXT, extdata TEXT);
INSERT INTO "rocpd_info_agent_0198aa_1f" VALUES (0, 'g', 900, 77, 'CPU', 0, 0, 0, 0, 'AMD EPYC', '', 'AMD', 'AMD EPYC', '{}'),
    (4, 'g', 900, 77, 'GPU', 4, 4, 0, 0, 'gfx942', '', 'AMD', 'AMD Instinct MI300X', '{"cu_count": 304, "wave_front_size": 64, "gfx_target_version": 90402, "max_engine_clk_fcompute": 2100, "mem_banks": [{"size_in_bytes": 205520896000}]}'),
    (5, 'g', 900, 77, 'GPU', 5, 5, 1, 0, 'gfx942', '', 'AMD', 'AMD Instinct MI300X', 'not JSON');
CREATE TABLE "rocpd_info_stream_0198aa_1f" (id INTEGER PRIMARY KEY, guid TEXT, nid INT, pid INT, name TEXT);
INSERT INTO "rocpd_info_stream_0198aa_1f" VALUES (0, 'g', 900, 77, 'Default Stream'), (3, 'g', 900, 77, 'Stream 1');
CREATE TABLE "rocpd_info_kernel_symbol_0198aa_1f" (id INTEGER PRIMARY KEY, guid TEXT, nid INT, pid INT, code_object_id INT, kernel_name TEXT, display_name TEXT, arch_vgpr_count INT);
INSERT INTO "rocpd_info_kernel_symbol_0198aa_1f" VALUES (31, 'g', 900, 77, 1, 'Cijk_Ailk_Bljk_HHS_BH_MT128x128x32_MI32x32x8x1.kd', 'Cijk_Ailk_Bljk_HHS_BH_MT128x128x32_MI32x32x8x1.kd', 96),
    (32, 'g', 900, 77, 1, '_Z4reluPf', 'relu(float*)', 8);
CREATE TABLE "rocpd_event_0198aa_1f" (id INTEGER PRIMARY KEY, guid TEXT, category_id INT, stack_id INT, parent_stack_id INT, correlation_id INT, call_stack TEXT, extdata TEXT);
INSERT INTO "rocpd_event_0198aa_1f" VALUES (1, 'g', 4, 100, 0, 0, '{}', '{"message": "aten::mm, seq = 7, op_id = 12, sizes = [[64, 32], [32, 16]]"}'),
    (2, 'g', 2, 101, 100, 0, '{}', '{}'), (3, 'g', 2, 102, 100, 0, '{}', '{}'), (4, 'g', 6, 101, 101, 0, '{}', '{}'),
    (5, 'g', 6, 102, 102, 0, '{}', '{}'), (6, 'g', 2, 103, 0, 0, '{}', '{}'), (7, 'g', 7, 103, 103, 0, '{}', '{}'),
    (8, 'g', 10, 104, 0, 0, '{}', '{}'), (9, 'g', 12, 105, 0, 0, '{}', '{}'), (10, 'g', 4, 106, 0, 0, '{}', '{"message": "a mark"}'),
    (11, 'g', 6, 107, 107, 0, '{}', '{}'), (12, 'g', 2, 108, 0, 0, '{}', '{}');
CREATE TABLE "rocpd_region_0198aa_1f" (id INTEGER PRIMARY KEY, guid TEXT, nid INT, pid INT, tid INT, start BIGINT, end BIGINT, name_id INT, event_id INT);
INSERT INTO "rocpd_region_0198aa_1f" VALUES (100, 'g', 900, 77, 78, 1000000, 1009000, 5, 1), (101, 'g', 900, 77, 78, 1001000, 1002000, 3, 2),
    (102, 'g', 900, 77, 78, 1003000, 1004000, 3, 3), (103, 'g', 900, 77, 78, 1010000, 1020000, 9, 6),
    (104, 'g', 900, 77, 78, 1011000, 1019000, 11, 8), (105, 'g', 900, 77, 78, 1021000, 1022000, 13, 9),
    (106, 'g', 900, 77, 78, 1023000, 1024000, 3, 999);
CREATE TABLE "rocpd_track_0198aa_1f" (id INTEGER PRIMARY KEY, guid TEXT, nid INT, pid INT, tid INT, name_id INT);
INSERT INTO "rocpd_track_0198aa_1f" VALUES (1, 'g', 900, 77, 78, 4);
CREATE TABLE "rocpd_sample_0198aa_1f" (id INTEGER PRIMARY KEY, guid TEXT, track_id INT, timestamp BIGINT, event_id INT);
INSERT INTO "rocpd_sample_0198aa_1f" VALUES (1, 'g', 1, 1025000, 10), (2, 'g', 1, 1026000, 12);
CREATE TABLE "rocpd_kernel_dispatch_0198aa_1f" (id INTEGER PRIMARY KEY, guid TEXT, nid INT, pid INT, tid INT, agent_id INT, kernel_id INT, dispatch_id INT, queue_id INT, stream_id INT, start BIGINT, end BIGINT, private_segment_size INT, group_segment_size INT, workgroup_size_x INT, workgroup_size_y INT, workgroup_size_z INT, grid_size_x INT, grid_size_y INT, grid_size_z INT, event_id INT);
INSERT INTO "rocpd_kernel_dispatch_0198aa_1f" VALUES (1, 'g', 900, 77, 78, 4, 31, 1, 1, 3, 1005000, 1008000, 0, 16384, 256, 1, 1, 2048, 2, 1, 4),
    (2, 'g', 900, 77, 78, 4, 32, 2, 1, 3, 1008500, 1009000, 0, 0, 256, 1, 1, 1000, 1, 1, 5),
    (3, 'g', 900, 77, 78, 4, 32, 3, 1, 3, 0, 0, 0, 0, 256, 1, 1, 256, 1, 1, 11),
    (4, 'g', 900, 77, 78, 44, 33, 4, 1, 3, 1030000, 1031000, 0, 0, 256, 1, 1, 256, 1, 1, 11);
CREATE TABLE "rocpd_memory_copy_0198aa_1f" (id INTEGER PRIMARY KEY, guid TEXT, nid INT, pid INT, tid INT, start BIGINT, end BIGINT, name_id INT, dst_agent_id INT, src_agent_id INT, size INT, queue_id INT, stream_id INT, event_id INT);
INSERT INTO "rocpd_memory_copy_0198aa_1f" VALUES (1, 'g', 900, 77, 78, 1012000, 1018000, 8, 4, 0, 4096, NULL, 0, 7);
CREATE TABLE "rocpd_pmc_event_0198aa_1f" (id INTEGER PRIMARY KEY, guid TEXT, event_id INT, pmc_id INT, value REAL);
INSERT INTO "rocpd_pmc_event_0198aa_1f" VALUES (1, 'g', 4, 1, 12.5), (2, 'g', 5, 1, 3);
CREATE VIEW rocpd_string AS SELECT * FROM "rocpd_string_0198aa_1f";
