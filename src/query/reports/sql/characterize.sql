-- Parameters of layers, op types, or kernels (of ops where nothing ran on a device), of the sums of
-- characterize_parts.sql. $by: 'layer', 'op_type' or 'kernel'. Rates are over the time that has what they are made of.
WITH caches AS (
    SELECT regexp_extract(value, 'L1=(\d+)', 1) AS l1, regexp_extract(value, 'L2=(\d+)', 1) AS l2,
           regexp_extract(value, 'L3=(\d+)', 1) AS l3
    FROM raw.meta
    WHERE key = 'property.cpu_caches'
    LIMIT 1
), sums AS (
    SELECT CASE WHEN $by = 'layer' THEN coalesce(i.layer, -1) ELSE -1 END AS layer,
           CASE WHEN $by = 'op_type' THEN i.type WHEN $by = 'kernel' AND p.kernel < 0 THEN i.name END AS op,
           CASE WHEN $by = 'kernel' THEN p.kernel ELSE -1 END AS kernel,
           rank_group(p.rank, $ranks_by) AS rank,
           CASE WHEN $by_device THEN p.device ELSE -1 END AS device,
           sum(p.calls)::BIGINT AS calls,
           sum(p.time_ns)::BIGINT AS time_ns,
           sum(p.time_ns) FILTER (WHERE direction_name(i.direction) = 'fprop') AS forward_ns,
           sum(p.time_ns) FILTER (WHERE direction_name(i.direction) = 'bprop') AS backward_ns,
           max(p.tool) AS tool,
           max(p.working_set) AS working_set,
           max(p.last_cache) AS last_cache,
           -- All other columns but the keys are sums already.
           sum(COLUMNS(c -> c NOT IN ('op', 'kernel', 'rank', 'device', 'calls', 'time_ns', 'tool', 'working_set',
                                      'last_cache', 'id', 'name', 'type', 'layer', 'direction', 'shapes', 'dtypes',
                                      'tc_eligible'))) AS '\0'
    FROM characterize_parts p
    LEFT JOIN raw.op_identities i ON i.id = p.op
    -- Without times nothing tells how much each kernel has of a layer.
    WHERE $by = 'kernel' OR p.time_ns IS NOT NULL
    GROUP BY ALL
), scales AS (
    -- Groups of counters that took turns: counts x enabled / running. Never run: not known.
    SELECT *,
           CASE WHEN core_running > 0 THEN core_enabled / core_running WHEN core_enabled = 0 THEN 1 END AS core_scale,
           CASE WHEN l1_running > 0 THEN l1_enabled / l1_running WHEN l1_enabled = 0 THEN 1 END AS l1_scale,
           CASE WHEN llc_running > 0 THEN llc_enabled / llc_running WHEN llc_enabled = 0 THEN 1 END AS llc_scale,
           CASE WHEN branch_running > 0 THEN branch_enabled / branch_running WHEN branch_enabled = 0 THEN 1
           END AS branch_scale
    FROM sums
), counts AS (
    SELECT * REPLACE (coalesce(instructions, core_instructions * core_scale) AS instructions),
           core_instructions * core_scale AS host_instructions,
           l1_loads * l1_scale AS host_loads,
           l1_stores * l1_scale AS host_stores
    FROM scales
)
SELECT gr.number AS rank, nullif(gr.host, '') AS host, gd.number AS device,
       CASE WHEN $by = 'layer' THEN coalesce(l.path, '(no layer)') END AS layer,
       CASE WHEN $by = 'op_type' THEN s.op END AS op_type,
       CASE WHEN $by = 'kernel' THEN coalesce(k.label, s.op, x.text) END AS kernel_name,
       s.calls, s.time_ns,
       100.0 * s.time_ns / nullif((SELECT sum(time_ns) FROM sums), 0) AS time_pct,
       s.backward_ns / nullif(s.forward_ns, 0) AS backward_ratio,
       100.0 * s.counted_ns / nullif(s.time_ns, 0) AS counted_pct,
       CASE WHEN s.clocked_ns > 0 THEN 100.0 * greatest(0, s.clocked_ns - s.task_clock_ns) / s.clocked_ns
       END AS off_cpu_pct,
       coalesce(s.stalled_ns / nullif(s.stalled_of_ns, 0), 100.0 * s.backend / nullif(s.cycles, 0)) AS stalled_pct,
       100.0 * s.frontend / nullif(s.cycles, 0) AS frontend_stalled_pct,
       round(s.cycles * s.core_scale)::BIGINT AS cycles,
       CASE WHEN s.without_instructions > 0 THEN NULL ELSE round(s.instructions)::BIGINT END AS instructions,
       s.core_instructions / nullif(s.cycles, 0) AS instructions_per_cycle,
       coalesce(100.0 * s.loads / nullif(s.load_instructions, 0),
                100.0 * s.host_loads / nullif(s.host_instructions, 0)) AS loads_pct,
       coalesce(100.0 * s.stores / nullif(s.store_instructions, 0),
                100.0 * s.host_stores / nullif(s.host_instructions, 0)) AS stores_pct,
       100.0 * s.branch_misses / nullif(s.branches, 0) AS branch_misses_pct,
       coalesce(s.l1_hit_ns / nullif(s.l1_hit_of_ns, 0),
                100.0 * (1 - s.l1_load_misses / nullif(s.l1_loads, 0))) AS l1_hit_pct,
       s.l2_hit_ns / nullif(s.l2_hit_of_ns, 0) AS l2_hit_pct,
       100.0 * (1 - s.llc_load_misses / nullif(s.llc_loads, 0)) AS llc_hit_pct,
       1e9 * s.l1_bytes / nullif(s.l1_bytes_ns, 0) AS l1_bytes_per_s,
       s.l1_peak_ns / nullif(s.l1_peak_of_ns, 0) AS l1_peak_pct,
       1e9 * s.l2_bytes / nullif(s.l2_bytes_ns, 0) AS l2_bytes_per_s,
       s.l2_peak_ns / nullif(s.l2_peak_of_ns, 0) AS l2_peak_pct,
       1e9 * s.dram_read / nullif(s.dram_read_ns, 0) AS dram_read_bytes_per_s,
       1e9 * s.dram_write / nullif(s.dram_write_ns, 0) AS dram_write_bytes_per_s,
       1e9 * s.dram_bytes / nullif(s.dram_bytes_ns, 0) AS dram_bytes_per_s,
       s.dram_peak_ns / nullif(s.dram_peak_of_ns, 0) AS dram_peak_pct,
       1e9 * s.counted_flops / nullif(s.counted_flops_ns, 0) AS counted_flops_per_s,
       CASE WHEN s.flops > 0 THEN 1e9 * round(s.flops) / nullif(s.work_ns, 0) END AS flops_per_s,
       1e9 * round(s.bytes) / nullif(s.work_ns, 0) AS bytes_per_s,
       round(s.working_set)::BIGINT AS working_set_bytes,
       100.0 * s.working_set / nullif(try_cast(CASE WHEN NOT $on_device THEN c.l1 END AS DOUBLE), 0) AS of_l1_pct,
       100.0 * s.working_set
           / nullif(CASE WHEN $on_device THEN s.last_cache ELSE try_cast(c.l2 AS DOUBLE) END, 0) AS of_l2_pct,
       100.0 * s.working_set / nullif(try_cast(CASE WHEN NOT $on_device THEN c.l3 END AS DOUBLE), 0) AS of_l3_pct,
       s.page_faults::BIGINT AS page_faults,
       s.context_switches::BIGINT AS context_switches,
       concat_ws('; ', s.tool, CASE WHEN s.work_ns > 0 THEN 'shapes (estimate)' END) AS sources
FROM counts s
LEFT JOIN caches c ON true
LEFT JOIN raw.layers l ON l.id = s.layer
LEFT JOIN raw.kernel_names k ON k.id = s.kernel
LEFT JOIN raw.strings x ON x.id = s.kernel
LEFT JOIN raw.ranks gr ON gr.id = s.rank
LEFT JOIN raw.devices gd ON gd.id = s.device
