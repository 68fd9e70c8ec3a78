-- A kernel instance a row. $track_parts and $stream_part make the number of a track of the timeline (track_id.h).
WITH instances AS (
    SELECT d.*, o.signature,
           CASE WHEN d.launch <> -1 THEN d.host_ns END AS api_start_ns,
           nullif(d.launch_dur_ns, -1) AS api_duration_ns
    FROM listed_kernels d
    LEFT JOIN raw.ops o ON o.id = d.op_span
)
SELECT nullif(s.iteration, -1) AS iteration,
       s.op AS op_id,
       i.name AS op_name,
       direction_name(i.direction) AS direction,
       i.type AS op_type,
       k.label AS kernel_name,
       dv.number AS device,
       s.begin_ns AS gpu_start_ns,
       s.dur_ns AS gpu_duration_ns,
       s.api_start_ns, s.api_duration_ns,
       tc_use_name(k.uses_tc) AS uses_tc,
       nullif(c.grid_x, -1) AS grid_x, nullif(c.grid_y, -1) AS grid_y, nullif(c.grid_z, -1) AS grid_z,
       nullif(c.block_x, -1) AS block_x, nullif(c.block_y, -1) AS block_y, nullif(c.block_z, -1) AS block_z,
       nullif(g.dtypes, '') AS dtypes,
       nullif(g.shapes, '') AS shapes,
       nullif(g.concrete, '') AS parameters,
       k.name AS long_kernel_name,
       r.number AS rank,
       s.stream,
       nullif(s.correlation, -1) AS correlation,
       CASE WHEN s.begin_ns > s.api_start_ns + s.api_duration_ns
            THEN s.begin_ns - s.api_start_ns - s.api_duration_ns
       END AS launch_delay_ns,
       nullif(c.registers_per_thread, -1) AS registers_per_thread,
       nullif(c.static_shared_bytes, -1) + greatest(c.dynamic_shared_bytes, 0) AS shared_bytes,
       nullif(c.occupancy_pct, -1) AS occupancy_pct,
       nullif(c.waves, -1) AS waves,
       CASE WHEN c.waves > 0 THEN 100.0 * (1 - c.waves / ceil(c.waves)) END AS tail_pct,
       l.path AS layer,
       kernel_class_name(k.class) AS class,
       tc_evidence_name(k.tc_evidence) AS tc_evidence,
       nullif(k.tc_pattern, '') AS tc_pattern,
       s.track::BIGINT * $track_parts + $stream_part AS track,
       s.place AS span
FROM instances s
JOIN raw.kernel_names k ON k.id = s.name
LEFT JOIN raw.op_identities i ON i.id = s.op
LEFT JOIN raw.layers l ON l.id = i.layer
LEFT JOIN raw.signatures g ON g.id = s.signature
LEFT JOIN raw.launch_configs c ON c.id = s.config
LEFT JOIN raw.devices dv ON dv.id = s.device
LEFT JOIN raw.ranks r ON r.id = s.rank
