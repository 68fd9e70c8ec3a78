-- Kernels of at least one wave that keep at most $pct of a multiprocessor's threads resident. Products, convolutions
-- and attention are left out: they are written to work with few.
SELECT t.rank::BIGINT AS rank, d.begin_ns::BIGINT AS begin_ns, (d.begin_ns + d.dur_ns)::BIGINT AS end_ns
FROM sel_device d
JOIN raw.tracks t ON t.id = d.track
JOIN raw.launch_configs c ON c.id = d.config
JOIN raw.kernel_names k ON k.id = d.name
WHERE d.kind = device_kind('kernel') AND c.occupancy_pct > 0 AND c.occupancy_pct <= $pct AND c.waves >= 1
  AND k.class = kernel_class('compute') AND k.uses_tc <> tc_use('yes')
  AND NOT regexp_matches(lower(k.name), 'gemm|gemv|conv|wgrad|dgrad|fprop|cutlass|attention|fmha|flash|cudnn|xmma')
  AND NOT regexp_matches(lower(k.name), 'matmul|winograd|fft')
