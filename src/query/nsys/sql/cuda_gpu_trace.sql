WITH work AS (
    SELECT rid, kernel AS name, NULL AS from_kind, NULL AS to_kind FROM named_kernels($kernel_name)
    UNION ALL
    SELECT rid, operation, from_kind, to_kind FROM st_memop
)
SELECT g.begin_ns + $offset_ns AS start_ns, g.dur_ns,
       nullif(g.correlation, -1) AS correlation,
       nullif(c.grid_x, -1) AS grid_x,
       nullif(c.grid_y, -1) AS grid_y,
       nullif(c.grid_z, -1) AS grid_z,
       nullif(c.block_x, -1) AS block_x,
       nullif(c.block_y, -1) AS block_y,
       nullif(c.block_z, -1) AS block_z,
       nullif(c.registers_per_thread, -1) AS registers_per_thread,
       nullif(c.static_shared_bytes, -1) AS static_shared_bytes,
       nullif(c.dynamic_shared_bytes, -1) AS dynamic_shared_bytes,
       CASE WHEN g.bytes >= 0 THEN g.bytes END AS bytes,
       CASE WHEN g.bytes >= 0 AND g.dur_ns > 0 THEN g.bytes * 1e9 / g.dur_ns END AS bytes_per_s,
       w.from_kind, w.to_kind,
       CASE WHEN d.name = '' THEN 'GPU' ELSE d.name END || ' (' || d.number || ')' AS device,
       t.context,
       nullif(e.green_context, -1) AS green_context,
       t.stream, w.name
FROM work w
JOIN st_gpu g ON g.rid = w.rid
JOIN raw.tracks t ON t.id = g.track
LEFT JOIN raw.devices d ON d.id = t.device
LEFT JOIN raw.launch_configs c ON c.id = g.config
LEFT JOIN raw.device_extras e ON e.id = g.rid
ORDER BY g.begin_ns, g.rid
