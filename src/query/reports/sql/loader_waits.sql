-- Waits for batches of a loader with workers, in their order.
SELECT t.rank::BIGINT AS rank, s.begin_ns::BIGINT AS begin_ns, (s.begin_ns + s.dur_ns)::BIGINT AS end_ns
FROM raw.other_spans s
JOIN raw.tracks t ON t.id = s.track
JOIN raw.strings x ON x.id = s.name
JOIN sel_wall w ON w.rank = t.rank AND s.begin_ns >= w.begin_ns AND s.begin_ns < w.end_ns
WHERE s.kind = host_kind('data_load') AND contains(x.text, 'MultiProcessingDataLoaderIter')
ORDER BY 1, 2
