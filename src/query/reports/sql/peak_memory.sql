-- The most memory of each place in the range. Needs memory_held.
SELECT r.number AS rank, memory_place(p.device_type) AS device_type, nullif(p.device, -1) AS device,
       p.allocated AS allocated_bytes, nullif(p.reserved, 0) AS reserved_bytes
FROM memory_peaks p
LEFT JOIN raw.ranks r ON r.id = p.rank
WHERE p.allocated > 0
