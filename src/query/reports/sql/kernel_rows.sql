-- Kernels by name and op, of those that the table is about. `rank_id`, `device_id`: -1 where not parted by them.
CREATE OR REPLACE TEMP VIEW kernel_rows AS
WITH sums AS (
    SELECT d.name AS kernel, d.op,
           rank_group(t.rank, $ranks_by) AS rank,
           CASE WHEN $by_device THEN t.device ELSE -1 END AS device,
           count(*) AS calls,
           sum(d.dur_ns)::BIGINT AS total,
           min(d.dur_ns) AS least,
           max(d.dur_ns) AS most,
           quantile_cont(d.dur_ns, [0.5, 0.95]) AS q,
           -- A launch counts once, with its first kernel.
           (sum(d.launch_dur_ns) FILTER (WHERE d.launch <> -1 AND has_flag(d.flags, 'first_of_launch')))::BIGINT
               AS api_total,
           count(*) FILTER (WHERE d.launch <> -1 AND has_flag(d.flags, 'first_of_launch')) AS api_calls,
           min(d.launch_dur_ns) FILTER (WHERE d.launch <> -1) AS api_least,
           max(d.launch_dur_ns) FILTER (WHERE d.launch <> -1) AS api_most,
           sum(c.occupancy_pct * d.dur_ns) FILTER (WHERE c.occupancy_pct >= 0)
               / nullif(sum(d.dur_ns) FILTER (WHERE c.occupancy_pct >= 0), 0) AS occupancy_pct,
           sum(c.waves * d.dur_ns) FILTER (WHERE c.waves > 0)
               / nullif(sum(d.dur_ns) FILTER (WHERE c.waves > 0), 0) AS waves,
           100.0 * sum((1 - c.waves / ceil(c.waves)) * d.dur_ns) FILTER (WHERE c.waves > 0)
               / nullif(sum(d.dur_ns) FILTER (WHERE c.waves > 0), 0) AS tail_pct
    FROM kernel_spans d
    JOIN raw.kernel_names k ON k.id = d.name
    JOIN raw.tracks t ON t.id = d.track
    LEFT JOIN raw.launch_configs c ON c.id = d.config
    GROUP BY ALL
), path AS (
    SELECT kernel, op, rank_group(rank, $ranks_by) AS rank, sum(ns)::BIGINT AS ns
    FROM path_of_work
    WHERE kernel >= 0
    GROUP BY ALL
)
SELECT s.kernel, s.rank AS rank_id, s.device AS device_id,
       gr.number AS rank, nullif(gr.host, '') AS host, gd.number AS device,
       k.label AS kernel_name,
       s.op AS op_id,
       i.name AS op_name,
       direction_name(i.direction) AS direction,
       tc_use_name(k.uses_tc) AS uses_tc,
       s.total AS total_gpu_time_ns,
       round(s.total / s.calls)::BIGINT AS avg_gpu_time_ns,
       s.least AS min_gpu_time_ns,
       s.most AS max_gpu_time_ns,
       s.api_total AS total_api_time_ns,
       round(s.api_total / nullif(s.api_calls, 0))::BIGINT AS avg_api_time_ns,
       s.api_least AS min_api_time_ns,
       s.api_most AS max_api_time_ns,
       s.calls,
       round(s.q[1])::BIGINT AS median_gpu_time_ns,
       round(s.q[2])::BIGINT AS p95_gpu_time_ns,
       100.0 * s.total / (SELECT sum(total) FROM sums) AS kernel_share_pct,
       s.occupancy_pct, s.waves, s.tail_pct,
       CASE WHEN EXISTS (FROM path_of_work) THEN coalesce(p.ns, 0) END AS critical_path_ns,
       kernel_class_name(k.class) AS class,
       tc_evidence_name(k.tc_evidence) AS tc_evidence,
       nullif(k.tc_pattern, '') AS tc_pattern,
       l.path AS layer,
       shown_shapes(i.shapes, $for_people) AS shapes,
       k.name AS long_kernel_name
FROM sums s
JOIN raw.kernel_names k ON k.id = s.kernel
LEFT JOIN path p ON p.kernel = s.kernel AND p.op = s.op AND p.rank = s.rank
LEFT JOIN raw.op_identities i ON i.id = s.op
LEFT JOIN raw.layers l ON l.id = i.layer
LEFT JOIN raw.ranks gr ON gr.id = s.rank
LEFT JOIN raw.devices gd ON gd.id = s.device
