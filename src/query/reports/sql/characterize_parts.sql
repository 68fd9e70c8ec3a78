-- What is known of each op's kernels (of each op, where nothing ran on a device), as sums: `characterize.sql` makes
-- rates of them. A part that a counter did not see has NULL there, and its time is not in that counter's time.
CREATE OR REPLACE TEMP TABLE characterize_counters AS
WITH known (metric, unit, parameter, tool) AS (
    -- Names as tables of Nsight Compute have them (page details, page raw), and nvprof's.
    VALUES ('Executed Instructions', NULL, 'instructions', 'Nsight Compute'),
           ('smsp__inst_executed.sum', NULL, 'instructions', 'Nsight Compute'),
           ('sm__inst_executed.sum', NULL, 'instructions', 'Nsight Compute'),
           ('inst_executed', NULL, 'instructions', 'nvprof'),
           ('inst_executed_global_loads', NULL, 'global_loads', 'nvprof'),
           ('inst_executed_local_loads', NULL, 'local_loads', 'nvprof'),
           ('inst_executed_shared_loads', NULL, 'shared_loads', 'nvprof'),
           ('inst_executed_surface_loads', NULL, 'surface_loads', 'nvprof'),
           ('inst_executed_global_stores', NULL, 'global_stores', 'nvprof'),
           ('inst_executed_local_stores', NULL, 'local_stores', 'nvprof'),
           ('inst_executed_shared_stores', NULL, 'shared_stores', 'nvprof'),
           ('inst_executed_surface_stores', NULL, 'surface_stores', 'nvprof'),
           ('issue_slot_utilization', '%', 'issued', 'nvprof'),
           ('tex_cache_throughput', 'byte/s', 'l1_rate', 'nvprof'),
           ('l2_read_throughput', 'byte/s', 'l2_read_rate', 'nvprof'),
           ('l2_write_throughput', 'byte/s', 'l2_write_rate', 'nvprof'),
           ('dram_read_throughput', 'byte/s', 'dram_read_rate', 'nvprof'),
           ('dram_write_throughput', 'byte/s', 'dram_write_rate', 'nvprof'),
           ('invocations', NULL, 'invocations', 'nvprof'),
           ('smsp__sass_inst_executed_op_ld.sum', NULL, 'loads', 'Nsight Compute'),
           ('smsp__sass_inst_executed_op_st.sum', NULL, 'stores', 'Nsight Compute'),
           ('No Eligible', '%', 'stalled', 'Nsight Compute'),
           ('smsp__issue_inst0.avg.pct_of_peak_sustained_active', NULL, 'stalled', 'Nsight Compute'),
           ('L1/TEX Hit Rate', '%', 'l1_hit', 'Nsight Compute'),
           ('l1tex__t_sector_hit_rate.pct', NULL, 'l1_hit', 'Nsight Compute'),
           ('tex_cache_hit_rate', NULL, 'l1_hit', 'nvprof'),
           ('L2 Hit Rate', '%', 'l2_hit', 'Nsight Compute'),
           ('lts__t_sector_hit_rate.pct', NULL, 'l2_hit', 'Nsight Compute'),
           ('l2_tex_hit_rate', NULL, 'l2_hit', 'nvprof'),
           ('L1/TEX Cache Throughput', '%', 'l1_peak', 'Nsight Compute'),
           ('l1tex__throughput.avg.pct_of_peak_sustained_active', NULL, 'l1_peak', 'Nsight Compute'),
           ('L2 Cache Throughput', '%', 'l2_peak', 'Nsight Compute'),
           ('lts__throughput.avg.pct_of_peak_sustained_elapsed', NULL, 'l2_peak', 'Nsight Compute'),
           ('DRAM Throughput', '%', 'dram_peak', 'Nsight Compute'),
           ('dram__throughput.avg.pct_of_peak_sustained_elapsed', NULL, 'dram_peak', 'Nsight Compute'),
           ('l1tex__t_bytes.sum', NULL, 'l1_bytes', 'Nsight Compute'),
           ('lts__t_bytes.sum', NULL, 'l2_bytes', 'Nsight Compute'),
           ('dram__bytes_read.sum', NULL, 'dram_read', 'Nsight Compute'),
           ('dram__bytes_write.sum', NULL, 'dram_write', 'Nsight Compute'),
           ('dram_read_bytes', NULL, 'dram_read', 'nvprof'),
           ('dram_write_bytes', NULL, 'dram_write', 'nvprof'),
           ('dram__bytes.sum', NULL, 'dram_bytes', 'Nsight Compute'),
           ('Memory Throughput', 'byte/s', 'dram_rate', 'Nsight Compute'),
           ('measured FLOPs', NULL, 'flops', NULL),
           ('measured Tensor Core FLOPs', NULL, 'tensor_flops', NULL),
           ('measured GPU time', 'ns', 'ns', NULL)
), split AS (
    -- "Section: metric [unit]"; of nvprof "metric (avg) [unit]", where launches of a kernel differ.
    SELECT id,
           regexp_replace(regexp_replace(regexp_replace(text, ' \[[^\]]*\]$', ''), '^.*: ', ''), ' \(avg\)$', '')
               AS metric,
           nullif(regexp_extract(text, ' \[([^\]]*)\]$', 1), '') AS unit
    FROM raw.strings
    WHERE id IN (SELECT DISTINCT name FROM raw.counters)
), named AS (
    SELECT s.id, k.parameter, k.tool
    FROM split s
    JOIN known k ON k.metric = s.metric AND (k.unit IS NULL OR k.unit = s.unit)
)
SELECT c.track, c.time_ns,
       max(c.value) FILTER (WHERE n.parameter = 'ns') AS ns,
       max(c.value) FILTER (WHERE n.parameter = 'instructions') AS instructions,
       coalesce(max(c.value) FILTER (WHERE n.parameter = 'loads'),
                sum(c.value) FILTER (WHERE ends_with(n.parameter, '_loads'))) AS loads,
       coalesce(max(c.value) FILTER (WHERE n.parameter = 'stores'),
                sum(c.value) FILTER (WHERE ends_with(n.parameter, '_stores'))) AS stores,
       coalesce(max(c.value) FILTER (WHERE n.parameter = 'stalled'),
                100 - max(c.value) FILTER (WHERE n.parameter = 'issued')) AS stalled,
       max(c.value) FILTER (WHERE n.parameter = 'l1_hit') AS l1_hit,
       max(c.value) FILTER (WHERE n.parameter = 'l2_hit') AS l2_hit,
       max(c.value) FILTER (WHERE n.parameter = 'l1_peak') AS l1_peak,
       max(c.value) FILTER (WHERE n.parameter = 'l2_peak') AS l2_peak,
       max(c.value) FILTER (WHERE n.parameter = 'dram_peak') AS dram_peak,
       max(c.value) FILTER (WHERE n.parameter = 'l1_bytes') AS l1_bytes,
       max(c.value) FILTER (WHERE n.parameter = 'l2_bytes') AS l2_bytes,
       max(c.value) FILTER (WHERE n.parameter = 'dram_read') AS dram_read,
       max(c.value) FILTER (WHERE n.parameter = 'dram_write') AS dram_write,
       max(c.value) FILTER (WHERE n.parameter = 'dram_bytes') AS dram_bytes,
       max(c.value) FILTER (WHERE n.parameter = 'dram_rate') AS dram_rate,
       max(c.value) FILTER (WHERE n.parameter = 'l1_rate') AS l1_rate,
       max(c.value) FILTER (WHERE n.parameter = 'l2_read_rate')
           + max(c.value) FILTER (WHERE n.parameter = 'l2_write_rate') AS l2_rate,
       max(c.value) FILTER (WHERE n.parameter = 'dram_read_rate') AS dram_read_rate,
       max(c.value) FILTER (WHERE n.parameter = 'dram_write_rate') AS dram_write_rate,
       max(c.value) FILTER (WHERE n.parameter = 'invocations') AS invocations,
       max(c.value) FILTER (WHERE n.parameter = 'flops') AS plain_flops,
       max(c.value) FILTER (WHERE n.parameter = 'tensor_flops') AS tensor_flops,
       max(n.tool) AS tool
FROM raw.counters c
JOIN named n ON n.id = c.name
WHERE c.value >= 0
GROUP BY ALL;

-- Kernels with what was counted of each: counters stand at the begin of their launch, on a track beside the stream
-- (joined with a recording), or on one with the kernel's name (a table of Nsight Compute by itself). A table without
-- times has a moment for each kernel and counters for one launch on average; its launches are the weight then ("ns").
CREATE OR REPLACE TEMP TABLE characterize_launches AS
WITH counted AS (
    SELECT p.*, t.rank, t.device, t.context, t.stream, t.pid, t.pid_text,
           starts_with(t.pid_text, 'counters of ') AS beside
    FROM characterize_counters p
    JOIN raw.tracks t ON t.id = p.track
), launches AS (
    SELECT d.op, d.name, d.begin_ns, d.dur_ns, s.rank, s.device, s.context, s.stream, s.pid, k.name AS text, k.uses_tc
    FROM sel_device d
    JOIN raw.tracks s ON s.id = d.track
    JOIN raw.kernel_names k ON k.id = d.name
    WHERE d.kind = device_kind('kernel')
    UNION ALL
    SELECT d.op, d.name, d.begin_ns, NULL AS dur_ns, s.rank, s.device, s.context, s.stream, s.pid, x.text,
           tc_use('unknown') AS uses_tc
    FROM sel_device d
    JOIN raw.tracks s ON s.id = d.track
    JOIN raw.strings x ON x.id = d.name
    WHERE $moments AND d.kind = device_kind('other')
)
SELECT d.op, d.name AS kernel, d.rank, d.device, d.dur_ns,
       CASE WHEN d.dur_ns IS NULL THEN coalesce(c.invocations, 1) ELSE 1 END AS calls,
       c.ns IS NOT NULL AS own_times,
       CASE WHEN c.track IS NOT NULL THEN coalesce(c.ns, d.dur_ns, c.invocations, 1) END AS ns,
       c.* EXCLUDE (track, time_ns, ns, rank, device, context, stream, pid, pid_text, beside, plain_flops,
                    tensor_flops, invocations),
       -- Where Tensor Cores worked and their FLOPs were not counted, the others are not those of the kernel.
       CASE WHEN d.uses_tc <> tc_use('yes') OR c.tensor_flops IS NOT NULL
            THEN c.plain_flops + coalesce(c.tensor_flops, 0) END AS flops
FROM launches d
LEFT JOIN counted c
    ON c.time_ns = d.begin_ns AND c.rank = d.rank AND c.device = d.device
       AND CASE WHEN c.beside THEN c.context = d.context AND c.stream = d.stream AND c.pid = d.pid
                ELSE c.pid_text = d.text END
WHERE d.dur_ns IS NOT NULL OR c.track IS NOT NULL;

-- Counts of all launches of a row, and bytes: where the counters' own run tells its times, what was counted; else the
-- rate that it tells itself, and only then counts over the times of the recording. Without any time, rates alone.
CREATE OR REPLACE TEMP TABLE characterize_amounts AS
SELECT * REPLACE (instructions * calls AS instructions, loads * calls AS loads, stores * calls AS stores,
                  flops * calls AS flops,
                  coalesce(CASE WHEN timed THEN l1_bytes END, l1_rate * ns / 1e9) AS l1_bytes,
                  coalesce(CASE WHEN timed THEN l2_bytes END, l2_rate * ns / 1e9) AS l2_bytes,
                  CASE WHEN timed THEN dram_bytes END AS dram_bytes,
                  coalesce(CASE WHEN own_times THEN dram_read END, dram_read_rate * ns / 1e9,
                           CASE WHEN timed THEN dram_read END) AS dram_read,
                  coalesce(CASE WHEN own_times THEN dram_write END, dram_write_rate * ns / 1e9,
                           CASE WHEN timed THEN dram_write END) AS dram_write)
FROM (SELECT *, own_times OR dur_ns > 0 AS timed FROM characterize_launches);

CREATE OR REPLACE TEMP TABLE characterize_parts AS
WITH work AS (
    SELECT s.op, s.kernel, s.rank, s.device,
           sum(s.time_ns) FILTER (WHERE s.work >= 0) AS work_ns,
           sum(s.share * w.flops) AS flops,
           sum(s.share * w.bytes_min) AS bytes,
           max(w.bytes_min) FILTER (WHERE s.share > 0 AND w.bytes_min > 2) AS working_set,
           max(m.l2_bytes) AS last_cache
    FROM sel_work s
    LEFT JOIN raw.works w ON w.id = s.work
    LEFT JOIN raw.device_models m ON m.device = w.device
    GROUP BY ALL
), kernels AS (
    SELECT op, kernel, rank, device,
           sum(calls)::BIGINT AS calls,
           sum(dur_ns)::BIGINT AS time_ns,
           sum(dur_ns) FILTER (WHERE tool IS NOT NULL) AS counted_ns,
           max(tool) AS tool,
           sum(instructions) AS instructions,
           -- Launches with counters that lack this one: the sum is not that of the row.
           (count(*) FILTER (WHERE tool IS NOT NULL AND instructions IS NULL))::BIGINT AS without_instructions,
           sum(loads) AS loads,
           sum(stores) AS stores,
           sum(instructions) FILTER (WHERE loads IS NOT NULL) AS load_instructions,
           sum(instructions) FILTER (WHERE stores IS NOT NULL) AS store_instructions,
           sum(stalled * ns) AS stalled_ns, sum(ns) FILTER (WHERE stalled IS NOT NULL) AS stalled_of_ns,
           sum(l1_hit * ns) AS l1_hit_ns, sum(ns) FILTER (WHERE l1_hit IS NOT NULL) AS l1_hit_of_ns,
           sum(l2_hit * ns) AS l2_hit_ns, sum(ns) FILTER (WHERE l2_hit IS NOT NULL) AS l2_hit_of_ns,
           sum(l1_peak * ns) AS l1_peak_ns, sum(ns) FILTER (WHERE l1_peak IS NOT NULL) AS l1_peak_of_ns,
           sum(l2_peak * ns) AS l2_peak_ns, sum(ns) FILTER (WHERE l2_peak IS NOT NULL) AS l2_peak_of_ns,
           sum(dram_peak * ns) AS dram_peak_ns, sum(ns) FILTER (WHERE dram_peak IS NOT NULL) AS dram_peak_of_ns,
           sum(l1_bytes) AS l1_bytes, sum(ns) FILTER (WHERE l1_bytes IS NOT NULL) AS l1_bytes_ns,
           sum(l2_bytes) AS l2_bytes, sum(ns) FILTER (WHERE l2_bytes IS NOT NULL) AS l2_bytes_ns,
           sum(dram_read) AS dram_read, sum(ns) FILTER (WHERE dram_read IS NOT NULL) AS dram_read_ns,
           sum(dram_write) AS dram_write, sum(ns) FILTER (WHERE dram_write IS NOT NULL) AS dram_write_ns,
           sum(coalesce(dram_bytes, dram_read + dram_write, dram_rate * ns / 1e9)) AS dram_bytes,
           sum(ns) FILTER (WHERE coalesce(dram_bytes, dram_read + dram_write, dram_rate) IS NOT NULL) AS dram_bytes_ns,
           sum(flops) FILTER (WHERE dur_ns IS NOT NULL) AS counted_flops,
           sum(ns) FILTER (WHERE flops IS NOT NULL AND dur_ns IS NOT NULL) AS counted_flops_ns
    FROM characterize_amounts
    GROUP BY ALL
), ops AS (
    -- Counts of a part of the time stay as they are here; with their times they are scaled when all are summed up.
    SELECT o.op, -1 AS kernel, t.rank, -1 AS device,
           count(*)::BIGINT AS calls,
           sum(o.self_ns)::BIGINT AS time_ns,
           sum(o.self_ns) FILTER (WHERE c.id IS NOT NULL) AS counted_ns,
           CASE WHEN count(c.id) > 0 THEN 'perf' END AS tool,
           sum(o.self_ns) FILTER (WHERE c.task_clock_ns >= 0) AS clocked_ns,
           sum(c.task_clock_ns) FILTER (WHERE c.task_clock_ns >= 0) AS task_clock_ns,
           sum(c.page_faults) FILTER (WHERE c.page_faults >= 0) AS page_faults,
           sum(c.context_switches) FILTER (WHERE c.context_switches >= 0) AS context_switches,
           sum(c.core_enabled_ns) FILTER (WHERE c.core_running_ns >= 0) AS core_enabled,
           sum(c.core_running_ns) FILTER (WHERE c.core_running_ns >= 0) AS core_running,
           sum(c.l1_enabled_ns) FILTER (WHERE c.l1_running_ns >= 0) AS l1_enabled,
           sum(c.l1_running_ns) FILTER (WHERE c.l1_running_ns >= 0) AS l1_running,
           sum(c.llc_enabled_ns) FILTER (WHERE c.llc_running_ns >= 0) AS llc_enabled,
           sum(c.llc_running_ns) FILTER (WHERE c.llc_running_ns >= 0) AS llc_running,
           sum(c.branch_enabled_ns) FILTER (WHERE c.branch_running_ns >= 0) AS branch_enabled,
           sum(c.branch_running_ns) FILTER (WHERE c.branch_running_ns >= 0) AS branch_running,
           sum(c.cycles) FILTER (WHERE c.cycles >= 0) AS cycles,
           sum(c.instructions) FILTER (WHERE c.instructions >= 0) AS core_instructions,
           sum(c.stalled_frontend_cycles) FILTER (WHERE c.stalled_frontend_cycles >= 0) AS frontend,
           sum(c.stalled_backend_cycles) FILTER (WHERE c.stalled_backend_cycles >= 0) AS backend,
           sum(c.l1_loads) FILTER (WHERE c.l1_loads >= 0) AS l1_loads,
           sum(c.l1_load_misses) FILTER (WHERE c.l1_load_misses >= 0) AS l1_load_misses,
           sum(c.l1_stores) FILTER (WHERE c.l1_stores >= 0) AS l1_stores,
           sum(c.llc_loads) FILTER (WHERE c.llc_loads >= 0) AS llc_loads,
           sum(c.llc_load_misses) FILTER (WHERE c.llc_load_misses >= 0) AS llc_load_misses,
           sum(c.branches) FILTER (WHERE c.branches >= 0) AS branches,
           sum(c.branch_misses) FILTER (WHERE c.branch_misses >= 0) AS branch_misses
    FROM sel_ops o
    JOIN raw.tracks t ON t.id = o.track
    LEFT JOIN raw.op_counters c ON c.id = o.id
    WHERE NOT $on_device
    GROUP BY ALL
)
SELECT p.*, w.work_ns, w.flops, w.bytes, w.working_set, w.last_cache
FROM (SELECT * FROM kernels WHERE $on_device UNION ALL BY NAME SELECT * FROM ops) p
LEFT JOIN work w ON w.op = p.op AND w.kernel = p.kernel AND w.rank = p.rank AND w.device = p.device
