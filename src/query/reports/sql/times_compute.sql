-- When kernels run that are not collectives.
SELECT t.rank::BIGINT AS rank, d.begin_ns::BIGINT AS begin_ns, (d.begin_ns + d.dur_ns)::BIGINT AS end_ns
FROM sel_device d
JOIN raw.tracks t ON t.id = d.track
JOIN raw.kernel_names k ON k.id = d.name AND k.class <> kernel_class('communication')
WHERE d.kind = device_kind('kernel')
