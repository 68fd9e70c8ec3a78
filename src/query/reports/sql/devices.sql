-- Where kernels were launched and not one is in the recording, how long a device worked is not known.
SELECT r.number AS rank, u.number AS device, nullif(u.name, '') AS name,
       CASE WHEN u.worked AND NOT l.lost THEN 100.0 * u.busy_ns / nullif(u.wall_ns, 0) END AS gpu_utilization_pct,
       CASE WHEN u.worked AND NOT l.lost THEN 100.0 * u.kernel_ns / nullif(u.wall_ns, 0) END
           AS kernel_utilization_pct,
       CASE WHEN u.worked THEN u.busy_ns END AS busy_ns,
       -- Where device work was lost or not recorded, what did none in the recording may have done some.
       CASE WHEN u.worked OR $recorded THEN NOT u.worked END AS idle,
       compute_capability(p.compute_major, p.compute_minor, p.warp_size) AS compute_capability,
       nullif(p.sm_count, 0) AS sm_count,
       nullif(p.memory_bytes, 0) AS memory_bytes,
       nullif(p.memory_bandwidth, 0) AS memory_bandwidth,
       nullif(p.clock_hz, 0) AS clock_hz,
       nullif(p.l2_bytes, 0) AS l2_bytes,
       nullif(p.warp_size, 0) AS warp_size,
       nullif(p.max_threads_per_sm, 0) AS max_threads_per_sm,
       nullif(p.registers_per_sm, 0) AS registers_per_sm,
       nullif(p.shared_memory_per_sm, 0) AS shared_memory_per_sm,
       nullif(p.chip, '') AS chip,
       nullif(p.bus_location, '') AS bus_location,
       nullif(p.uuid, '') AS uuid
FROM used_devices u
CROSS JOIN kernels_lost l
LEFT JOIN raw.ranks r ON r.id = u.rank
LEFT JOIN raw.devices p ON p.id = u.described
WHERE EXISTS (SELECT 1 FROM sel_wall w WHERE w.rank = u.rank)
