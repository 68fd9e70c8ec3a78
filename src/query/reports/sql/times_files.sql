-- When files and streams are read or written, with the name of the call: of the system's calls those that
-- $system_calls names.
SELECT t.rank::BIGINT AS rank, s.begin_ns::BIGINT AS begin_ns, (s.begin_ns + s.dur_ns)::BIGINT AS end_ns
FROM raw.other_spans s
JOIN raw.tracks t ON t.id = s.track
JOIN raw.strings x ON x.id = s.name
WHERE s.kind = host_kind('file_io')
   OR s.kind = host_kind('os_runtime') AND list_contains($system_calls::VARCHAR[], x.text)
