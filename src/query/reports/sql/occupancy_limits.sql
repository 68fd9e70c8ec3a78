-- What they run with, of the launch configuration that takes most time.
SELECT k.label, c.occupancy_pct, c.registers_per_thread,
       greatest(c.static_shared_bytes, 0) + greatest(c.dynamic_shared_bytes, 0) AS shared_bytes,
       greatest(c.block_x, 1) * greatest(c.block_y, 1) * greatest(c.block_z, 1) AS threads,
       coalesce(v.registers_per_sm, 0) AS registers_per_sm, coalesce(v.shared_memory_per_sm, 0) AS shared_per_sm,
       coalesce(v.max_threads_per_sm, 0) AS threads_per_sm
FROM sel_device d
JOIN raw.tracks t ON t.id = d.track
JOIN raw.launch_configs c ON c.id = d.config
JOIN raw.kernel_names k ON k.id = d.name
LEFT JOIN raw.devices v ON v.id = t.device
WHERE d.kind = device_kind('kernel') AND c.occupancy_pct > 0 AND c.occupancy_pct <= $pct AND c.waves >= 1
  AND k.class = kernel_class('compute') AND k.uses_tc <> tc_use('yes')
  AND NOT regexp_matches(lower(k.name), 'gemm|gemv|conv|wgrad|dgrad|fprop|cutlass|attention|fmha|flash|cudnn|xmma')
  AND NOT regexp_matches(lower(k.name), 'matmul|winograd|fft')
GROUP BY ALL
ORDER BY sum(d.dur_ns) DESC
LIMIT 1
