-- Collectives on a device that take at most $ns. Kernels of sends and receives are none that a bucket joins, nor are
-- all-to-alls, which are made of them.
SELECT t.rank::BIGINT AS rank, d.begin_ns::BIGINT AS begin_ns, (d.begin_ns + d.dur_ns)::BIGINT AS end_ns
FROM sel_device d
JOIN raw.tracks t ON t.id = d.track
JOIN raw.kernel_names k ON k.id = d.name AND k.class = kernel_class('communication')
    AND NOT regexp_matches(k.name, 'send_?recv', 'i')
WHERE d.kind = device_kind('kernel') AND d.dur_ns <= $ns
