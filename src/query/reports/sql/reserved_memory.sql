-- Of each device in the range: the most that the allocator held, and the most that tensors had of it, where both are
-- told.
SELECT r.number AS rank, a.device, max(a.reserved)::BIGINT AS reserved, max(a.allocated)::BIGINT AS allocated
FROM memory_held a
JOIN sel_wall w ON w.rank = a.rank AND a.time_ns < w.end_ns AND (a.until IS NULL OR a.until > w.begin_ns)
JOIN raw.ranks r ON r.id = a.rank
WHERE a.device_type <> 0 AND a.told
GROUP BY ALL
HAVING max(a.reserved) > 0 AND max(a.allocated) > 0
ORDER BY ALL
