-- Sums of ops of a range that was cut anew: stored sums of the iterations that it holds whole, and sums over the
-- instances of the rest. One run of whole iterations on the only rank ($one_run), which is the usual case, needs no
-- join and spares even reading the column.
CREATE TEMP VIEW rest_ops AS
SELECT * EXCLUDE (cut) REPLACE (NULL::INTEGER AS iteration)
FROM (
    SELECT a.*, cut_number(t.rank, a.begin_ns) AS cut
    FROM raw.ops a
    JOIN raw.tracks t ON t.id = a.track
    WHERE $one_run AND a.begin_ns >= $begin_ns AND a.begin_ns < $end_ns
      AND (a.iteration < $first OR a.iteration > $last)
    UNION ALL
    SELECT a.*, cut_number(t.rank, a.begin_ns) AS cut
    FROM raw.ops a
    JOIN raw.tracks t ON t.id = a.track
    WHERE NOT $one_run AND a.begin_ns >= $begin_ns AND a.begin_ns < $end_ns
      AND NOT EXISTS (FROM whole_iterations w WHERE w.rank = t.rank AND w.iteration = a.iteration)
)
WHERE cut >= 0;

CREATE TEMP TABLE rest_stats AS FROM raw.op_stats LIMIT 0;

CREATE TEMP VIEW sel_stats AS
SELECT s.* REPLACE (NULL::INTEGER AS iteration)
FROM raw.op_stats s
WHERE $one_run AND s.iteration BETWEEN $first AND $last
UNION ALL
SELECT s.* REPLACE (NULL::INTEGER AS iteration)
FROM raw.op_stats s
SEMI JOIN whole_iterations w ON w.rank = s.rank AND w.iteration = s.iteration
WHERE NOT $one_run
UNION ALL
FROM rest_stats;

CREATE TEMP VIEW sel_iteration_ops AS
SELECT t.rank, o.iteration, count(*) AS calls, sum(o.self_ns)::BIGINT AS self_cpu_ns
FROM sel_ops o
JOIN raw.tracks t ON t.id = o.track
GROUP BY ALL
