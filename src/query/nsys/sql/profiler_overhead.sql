-- What the profiler itself cost each process.
SELECT t.pid::BIGINT AS pid, h.begin_ns::BIGINT AS begin_ns, h.end_ns::BIGINT AS end_ns
FROM st_host h
JOIN raw.tracks t ON t.id = h.track
WHERE h.kind = host_kind('overhead')
