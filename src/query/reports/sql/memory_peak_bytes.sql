-- The most that is held in the range on any device (where none tells memory: on the host).
SELECT coalesce(max(a.allocated), 0)::BIGINT AS bytes
FROM memory_held a
JOIN sel_wall w ON w.rank = a.rank AND a.time_ns < w.end_ns AND (a.until IS NULL OR a.until > w.begin_ns)
WHERE (a.device_type <> 0) = (SELECT coalesce(bool_or(device_type <> 0), false) FROM raw.memory_events)
