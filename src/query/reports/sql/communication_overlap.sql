-- How much of the communication ran beside computing.
WITH sums AS (
    SELECT device, sum(ns)::BIGINT AS all_ns, coalesce(sum(ns) FILTER (WHERE overlapped), 0)::BIGINT AS overlap_ns
    FROM communication_times
    GROUP BY device
)
SELECT r.number AS rank, d.number AS device,
       s.all_ns AS communication_ns,
       s.overlap_ns,
       s.all_ns - s.overlap_ns AS exposed_ns,
       100.0 * s.overlap_ns / nullif(s.all_ns, 0) AS overlap_pct
FROM sums s
JOIN raw.devices d ON d.id = s.device
LEFT JOIN raw.ranks r ON r.id = d.rank
