-- When a thread loads data, or waits for workers that do.
SELECT t.rank::BIGINT AS rank, s.begin_ns::BIGINT AS begin_ns, (s.begin_ns + s.dur_ns)::BIGINT AS end_ns
FROM raw.other_spans s
JOIN raw.tracks t ON t.id = s.track
WHERE s.kind = host_kind('data_load')
