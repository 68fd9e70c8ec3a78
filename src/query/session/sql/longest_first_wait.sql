-- Within the wall clock of the range: the longest wait of the recording's first device work, and its rank's wall clock.
WITH waits AS (
    SELECT w.rank, coalesce(sum(greatest(0, least(w.end_ns, f.end_ns) - greatest(w.begin_ns, f.begin_ns))), 0)::BIGINT
           AS wait_ns,
           sum(w.end_ns - w.begin_ns)::BIGINT AS wall_ns
    FROM sel_wall w
    JOIN first_work_waits f ON f.rank = w.rank
    GROUP BY w.rank
)
SELECT wait_ns, wall_ns
FROM waits
WHERE wait_ns > 0
ORDER BY wait_ns DESC, rank
LIMIT 1
