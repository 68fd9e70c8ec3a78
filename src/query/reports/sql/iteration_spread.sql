-- The iterations of the rank whose longest one is the longest of all, and how many take more than $times the median.
WITH times AS (
    SELECT rank, number, end_ns - begin_ns AS ns FROM sel_iteration_times WHERE NOT warmup
), chosen AS (
    SELECT rank, median(ns)::BIGINT AS median_ns FROM times GROUP BY rank ORDER BY max(ns) DESC, rank LIMIT 1
)
SELECT count(*) AS iterations, any_value(c.median_ns) AS median_ns, max(t.ns) AS longest_ns,
       arg_max(t.number, t.ns) AS longest, any_value(r.number) AS rank,
       count(*) FILTER (WHERE t.ns > $times * c.median_ns) AS long_ones
FROM times t
JOIN chosen c ON c.rank = t.rank
LEFT JOIN raw.ranks r ON r.id = t.rank
