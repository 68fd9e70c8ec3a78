-- The most that each device of a rank held within the range: GPUs first, and of them the one that held most. Needs
-- memory_held.
SELECT memory_place(p.device_type) AS place, p.allocated AS held
FROM memory_peaks p
JOIN raw.ranks r ON r.id = p.rank
WHERE coalesce(r.number, 0) = $rank
ORDER BY place <> 'GPU', place, held DESC
