-- When the profiler that recorded says that it is at work itself.
SELECT t.rank::BIGINT AS rank, s.begin_ns::BIGINT AS begin_ns, (s.begin_ns + s.dur_ns)::BIGINT AS end_ns
FROM raw.other_spans s
JOIN raw.tracks t ON t.id = s.track
WHERE s.kind = host_kind('overhead')
ORDER BY 1, 2
