-- Of each device that worked: the most memory that was reserved on it in the range, where that and its size are told.
WITH held AS (
    SELECT t.rank, m.device, max(m.total_reserved) AS reserved
    FROM raw.memory_events m
    JOIN raw.tracks t ON t.id = m.track
    JOIN sel_wall w ON w.rank = t.rank AND m.time_ns < w.end_ns
    WHERE m.total_reserved > 0
    GROUP BY ALL
)
SELECT r.number AS rank, d.number AS device, h.reserved, d.memory_bytes AS bytes
FROM held h
JOIN raw.ranks r ON r.id = h.rank
JOIN raw.devices d ON d.rank = h.rank AND d.number = h.device AND d.memory_bytes > 0
WHERE EXISTS (FROM sel_device s JOIN raw.tracks t ON t.id = s.track AND t.device = d.id)
ORDER BY rank, device
