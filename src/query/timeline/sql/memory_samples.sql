SELECT m.time_ns, greatest(m.total_allocated, 0)::DOUBLE AS allocated, greatest(m.total_reserved, 0)::DOUBLE AS reserved
FROM raw.memory_events m
JOIN raw.tracks t ON t.id = m.track
WHERE t.rank = $rank AND m.device_type = $device_type AND m.device = $device
ORDER BY m.time_ns, m.rowid
