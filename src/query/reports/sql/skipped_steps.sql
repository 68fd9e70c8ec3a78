-- Steps between iterations that the numbers in the names of their marks jump over, with the time between these marks
-- where it is longer than the one before: a recording that pauses.
WITH named AS (
    SELECT rank, begin_ns, own_end_ns, regexp_replace(name, '\d+\D*$', '') AS stem,
           TRY_CAST(regexp_extract(name, '(\d+)\D*$', 1) AS BIGINT) AS step
    FROM sel_iteration_times
), followed AS (
    SELECT *, lead(step) OVER w AS next_step, lead(stem) OVER w AS next_stem, lead(begin_ns) OVER w AS next_ns
    FROM named
    WINDOW w AS (PARTITION BY rank ORDER BY begin_ns)
)
SELECT coalesce(sum(next_step - step - 1), 0)::BIGINT AS steps, coalesce(sum(next_ns - own_end_ns), 0)::BIGINT AS ns
FROM followed
WHERE next_stem = stem AND next_step - step BETWEEN 2 AND 1000000000 AND next_ns - own_end_ns > own_end_ns - begin_ns
