-- When kernels run that last less than $ns.
SELECT t.rank::BIGINT AS rank, d.begin_ns::BIGINT AS begin_ns, (d.begin_ns + d.dur_ns)::BIGINT AS end_ns
FROM sel_device d
JOIN raw.tracks t ON t.id = d.track
WHERE d.kind = device_kind('kernel') AND d.dur_ns < $ns
