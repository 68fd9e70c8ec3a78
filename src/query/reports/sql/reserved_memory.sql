-- Of each device in the range: the most that the allocator held, and the most that tensors had of it, where both are
-- told. Needs memory_held.
SELECT r.number AS rank, p.device, p.reserved, p.allocated
FROM memory_peaks p
JOIN raw.ranks r ON r.id = p.rank
WHERE p.device_type <> 0 AND p.told AND p.reserved > 0 AND p.allocated > 0
ORDER BY ALL
