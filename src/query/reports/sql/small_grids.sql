-- All work of devices, and whether it is a kernel that has fewer blocks than its device has multiprocessors.
SELECT t.rank::BIGINT AS rank, d.begin_ns::BIGINT AS begin_ns, (d.begin_ns + d.dur_ns)::BIGINT AS end_ns,
       coalesce(t.device, -1)::BIGINT AS device,
       -- Collectives have few blocks on purpose.
       coalesce(d.kind = device_kind('kernel') AND k.class <> kernel_class('communication')
                AND v.sm_count > 0 AND c.grid_x > 0
                AND c.grid_x * greatest(c.grid_y, 1) * greatest(c.grid_z, 1) < v.sm_count, false) AS small
FROM sel_device d
JOIN raw.tracks t ON t.id = d.track
LEFT JOIN raw.devices v ON v.id = t.device
LEFT JOIN raw.kernel_names k ON k.id = d.name AND d.kind = device_kind('kernel')
LEFT JOIN raw.launch_configs c ON c.id = d.config
WHERE is_busy(d.kind)
