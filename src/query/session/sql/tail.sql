-- Of each rank: for how long its last iteration goes on after its own end, the median of the others, and all; the rank
-- with the longest tail.
WITH timed AS (
    SELECT rank, end_ns - begin_ns AS ns, end_ns - own_end_ns AS tail_ns,
           row_number() OVER (PARTITION BY rank ORDER BY begin_ns DESC) = 1 AS last
    FROM sel_iteration_times
)
SELECT rank, (max(tail_ns) FILTER (WHERE last))::BIGINT AS tail_ns,
       (median(ns) FILTER (WHERE NOT last))::BIGINT AS median_ns, sum(ns)::BIGINT AS wall_ns
FROM timed
GROUP BY rank
HAVING count(*) > 2
ORDER BY tail_ns DESC, rank
LIMIT 1
