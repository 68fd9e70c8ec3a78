-- When kernels run whose names match $pattern.
SELECT t.rank::BIGINT AS rank, d.begin_ns::BIGINT AS begin_ns, (d.begin_ns + d.dur_ns)::BIGINT AS end_ns
FROM sel_device d
JOIN raw.tracks t ON t.id = d.track
JOIN raw.kernel_names k ON k.id = d.name AND regexp_matches(k.name, $pattern)
WHERE d.kind = device_kind('kernel')
