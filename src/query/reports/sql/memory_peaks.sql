-- Within the range; what holds at its begin counts.
WITH held AS (
    SELECT a.*, greatest(a.time_ns, w.begin_ns) AS at_ns, a.time_ns >= w.begin_ns AS inside
    FROM memory_held a
    JOIN sel_wall w ON w.rank = a.rank AND a.time_ns < w.end_ns AND (a.until IS NULL OR a.until > w.begin_ns)
)
SELECT rank, device_type, device,
       count(*) FILTER (WHERE inside) AS events,
       max(allocated) AS allocated,
       first(at_ns ORDER BY allocated DESC, at_ns) FILTER (WHERE allocated IS NOT NULL) AS at_ns,
       max(reserved) AS reserved
FROM held
GROUP BY ALL
