-- Devices of each rank whose memory an allocator tells of, and which of its sums it told. The CPU is one.
SELECT t.rank, any_value(r.number) AS rank_number, m.device_type, m.device,
       max(m.total_allocated) >= 0 AS allocated_told, max(m.total_reserved) >= 0 AS reserved_told,
       memory_place(m.device_type) = 'CPU' AS of_cpu
FROM raw.memory_events m
JOIN raw.tracks t ON t.id = m.track
LEFT JOIN raw.ranks r ON r.id = t.rank
GROUP BY t.rank, m.device_type, m.device
ORDER BY rank_number, t.rank, m.device_type, m.device
