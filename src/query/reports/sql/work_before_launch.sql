-- Device work that begins before the call that launched it, which cannot be: how much of it, of all whose launch is
-- known, and by how much the middle one of it is early.
SELECT count(*) FILTER (WHERE begin_ns < host_ns) AS early, count(*) AS launched,
       coalesce(median(host_ns - begin_ns) FILTER (WHERE begin_ns < host_ns), 0)::BIGINT AS by_ns
FROM raw.device_spans
-- Of millions of them, which need not be looked at where none was met.
WHERE launch_dur_ns <> -1 AND is_busy(kind)
  AND (SELECT count(*) FROM raw.diagnostics WHERE key = 'negative_launch_delay') > 0
