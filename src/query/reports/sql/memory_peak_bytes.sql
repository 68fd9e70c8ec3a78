-- The most that is held in the range on any device (without work of devices: on the host).
SELECT coalesce(max(m.total_allocated), 0)::BIGINT AS bytes
FROM raw.memory_events m
JOIN raw.tracks t ON t.id = m.track
JOIN sel_wall w ON w.rank = t.rank AND m.time_ns >= w.begin_ns AND m.time_ns < w.end_ns
WHERE (m.device_type <> 0) = $device
