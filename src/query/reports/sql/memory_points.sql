-- At most $points of each device, each the most that was held in its part of the time.
WITH times AS (
    SELECT min(time_ns) AS first_ns, max(time_ns) AS last_ns FROM memory_held
), parts AS (
    SELECT rank, device_type, device, told, max(from_ns) AS from_ns,
           (time_ns - first_ns) * $points // (last_ns - first_ns + 1) AS part,
           arg_max(time_ns, allocated) AS time_ns, max(allocated) AS allocated, max(reserved) AS reserved,
           count(*) AS events
    FROM memory_held, times
    WHERE allocated IS NOT NULL
    GROUP BY ALL
)
SELECT r.number, p.device_type, p.device, p.told, p.time_ns, p.allocated, p.reserved, p.events, p.rank,
       memory_place(p.device_type) AS kind, p.from_ns IS NOT NULL AS added_anew
FROM parts p
LEFT JOIN raw.ranks r ON r.id = p.rank
ORDER BY p.rank, p.device_type DESC, p.device, p.part
