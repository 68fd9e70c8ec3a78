-- A trace of rocmProfileData for tests: two processes; of the first an op under a roctx range that launches a kernel by a
-- module with extensions (whose grid counts threads), a copy, a fill and a marker of the queue; of the second a launch.
-- Arguments are texts of their own, as since schema 3: the same number is another name.
-- Of what is odd work of no call, and a name that is nowhere.
CREATE TABLE rocpd_metadata (id INTEGER PRIMARY KEY, tag TEXT, value TEXT);
INSERT INTO rocpd_metadata VALUES (1, 'schema_version', '3');
CREATE TABLE rocpd_string (id INTEGER PRIMARY KEY, string TEXT NOT NULL);
INSERT INTO rocpd_string VALUES (1, ''), (2, 'UserMarker'), (3, 'a name, and no argument'),
    (4, 'hipExtModuleLaunchKernel'), (5, 'Cijk_Ailk_Bljk_HHS_BH_MT64x64x32'), (6, 'KernelExecution'), (7, 'hipMemcpyAsync'),
    (8, 'CopyHostToDevice'), (9, 'FillBuffer'), (10, 'Marker'), (11, 'hipLaunchKernel'), (12, 'relu(float*)'),
    (13, 'hipMemsetAsync'), (14, 'cudaLaunchKernel_v7000'), (15, 'cuLaunchKernel');
CREATE TABLE rocpd_ustring (id INTEGER PRIMARY KEY, string TEXT NOT NULL);
INSERT INTO rocpd_ustring VALUES (3, 'aten::mm, seq = 3, op_id = 4, sizes = [[8, 4], [4, 2]]');
CREATE TABLE rocpd_api (id INTEGER PRIMARY KEY, pid INT, tid INT, start INT, end INT, apiName_id INT, args_id INT);
INSERT INTO rocpd_api VALUES (1, 70, 71, 1000, 9000, 2, 3), (2, 70, 71, 2000, 3000, 4, 1), (3, 70, 71, 9500, 9900, 7, 1),
    (4, 70, 71, 10000, 10100, 13, 1), (5, 80, 81, 2000, 2500, 11, 1), (6, 70, 71, 11000, 11100, 999, 1),
    (7, 80, 81, 12000, 12100, 14, 1), (8, 80, 81, 12020, 12080, 15, 1);
CREATE TABLE rocpd_op (id INTEGER PRIMARY KEY, gpuId INT, queueId INT, sequenceId INT, start INT, end INT, description_id INT, opType_id INT);
INSERT INTO rocpd_op VALUES (1, 0, 0, 0, 4000, 8000, 5, 6), (2, 0, 0, 0, 9600, 9800, 1, 8), (3, 0, 0, 0, 10200, 10300, 1, 9),
    (4, 0, 0, 0, 10400, 10500, 1, 10), (5, 1, 0, 0, 2600, 2900, 12, 6), (6, 0, 0, 0, 20000, 20100, 12, 6);
CREATE TABLE rocpd_api_ops (id INTEGER PRIMARY KEY, api_id INT, op_id INT);
INSERT INTO rocpd_api_ops VALUES (1, 2, 1), (2, 3, 2), (3, 4, 3), (4, 5, 5);
CREATE TABLE rocpd_kernelapi (api_ptr_id INTEGER PRIMARY KEY, stream TEXT, gridX INT, gridY INT, gridZ INT, workgroupX INT, workgroupY INT, workgroupZ INT, groupSegmentSize INT, privateSegmentSize INT, kernelName_id INT);
INSERT INTO rocpd_kernelapi VALUES (2, '0x0', 1024, 2, 1, 256, 1, 1, 128, 0, 5), (5, '0x0', 10, 1, 1, 64, 1, 1, 0, 0, 12);
CREATE TABLE rocpd_copyapi (api_ptr_id INTEGER PRIMARY KEY, stream TEXT, size INT, kind INT);
INSERT INTO rocpd_copyapi VALUES (3, '0x0', 65536, 1);
CREATE TABLE rocpd_monitor (id INTEGER PRIMARY KEY, deviceType TEXT, deviceId INT, monitorType TEXT, start INT, end INT, value TEXT);
INSERT INTO rocpd_monitor VALUES (1, 'gpu', 0, 'sclk', 1000, 2000, '2100');
CREATE VIEW api AS SELECT * FROM rocpd_api;
