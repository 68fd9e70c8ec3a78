-- The share of the wall clock between iterations that follow each other, but not directly, as ranges may.
WITH times AS (
    SELECT begin_ns, end_ns, own_end_ns, lead(begin_ns) OVER (PARTITION BY rank ORDER BY begin_ns) AS next_ns
    FROM sel_iteration_times
)
SELECT sum(greatest(0, end_ns - own_end_ns)) FILTER (WHERE next_ns = end_ns) / nullif(sum(end_ns - begin_ns), 0)
FROM times
