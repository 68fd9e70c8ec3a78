-- The most that each device of a rank held within the range: GPUs first, and of them the one that held most.
SELECT memory_place(a.device_type) AS place, max(a.allocated) AS held
FROM memory_held a
JOIN sel_wall w ON w.rank = a.rank AND a.time_ns < w.end_ns AND (a.until IS NULL OR a.until > w.begin_ns)
JOIN raw.ranks r ON r.id = a.rank
WHERE coalesce(r.number, 0) = $rank
GROUP BY a.device_type, a.device
ORDER BY place <> 'GPU', place, held DESC
