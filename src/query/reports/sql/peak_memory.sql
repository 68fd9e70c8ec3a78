-- The most memory of each place in the range. Needs memory_held.
SELECT r.number AS rank, memory_place(a.device_type) AS device_type, nullif(a.device, -1) AS device,
       max(a.allocated)::BIGINT AS allocated_bytes, max(a.reserved)::BIGINT AS reserved_bytes
FROM memory_held a
JOIN sel_wall w ON w.rank = a.rank AND a.time_ns < w.end_ns AND (a.until IS NULL OR a.until > w.begin_ns)
LEFT JOIN raw.ranks r ON r.id = a.rank
GROUP BY r.number, a.device_type, a.device
HAVING max(a.allocated) > 0
