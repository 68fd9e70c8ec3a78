-- Of each rank: for how long its last iteration goes on after its own end and that of its ops, the median of the
-- others, and all; the rank with the longest tail.
WITH timed AS (
    SELECT *, row_number() OVER (PARTITION BY rank ORDER BY begin_ns DESC) = 1 AS last
    FROM sel_iteration_times
), host AS (
    SELECT l.rank, max(o.begin_ns + o.dur_ns) AS end_ns
    FROM timed l
    JOIN raw.tracks t ON t.rank = l.rank
    JOIN sel_ops o ON o.track = t.id AND o.begin_ns >= l.begin_ns
    WHERE l.last
    GROUP BY l.rank
)
SELECT t.rank,
       (max(t.end_ns - greatest(t.own_end_ns, coalesce(h.end_ns, t.own_end_ns))) FILTER (WHERE t.last))::BIGINT
       AS tail_ns,
       (median(t.end_ns - t.begin_ns) FILTER (WHERE NOT t.last))::BIGINT AS median_ns,
       sum(t.end_ns - t.begin_ns)::BIGINT AS wall_ns
FROM timed t
LEFT JOIN host h ON h.rank = t.rank
GROUP BY t.rank
HAVING count(*) > 2
ORDER BY tail_ns DESC, t.rank
LIMIT 1
