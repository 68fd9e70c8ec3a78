-- Within the wall clock of the range: the longest wait of a rank for its streams' first work, and its wall clock. Needs
-- first_work_waits.
WITH waits AS (
    SELECT w.rank,
           coalesce(sum(greatest(0, least(w.end_ns, f.end_ns) - greatest(w.begin_ns, f.begin_ns))), 0)::BIGINT
           AS wait_ns
    FROM sel_wall w
    JOIN first_work_waits f ON f.rank = w.rank
    GROUP BY w.rank
), walls AS (
    SELECT rank, sum(end_ns - begin_ns)::BIGINT AS wall_ns
    FROM sel_wall
    GROUP BY rank
)
SELECT wait_ns, wall_ns
FROM waits
JOIN walls USING (rank)
WHERE wait_ns > 0
ORDER BY wait_ns DESC, rank
LIMIT 1
