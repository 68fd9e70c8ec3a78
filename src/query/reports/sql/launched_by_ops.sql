-- Every kernel that an op launched, with the thread of the op and when it began.
SELECT o.track::BIGINT AS track, o.begin_ns::BIGINT AS op_begin_ns, t.rank::BIGINT AS rank,
       d.begin_ns::BIGINT AS begin_ns, (d.begin_ns + d.dur_ns)::BIGINT AS end_ns
FROM sel_device d
JOIN raw.ops o ON o.id = d.op_span
JOIN raw.tracks t ON t.id = d.track
WHERE d.kind = device_kind('kernel')
ORDER BY 1, 2
