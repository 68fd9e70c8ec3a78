-- Steps that the numbers in the names of marks jump over, with the time between these marks where it is longer than the
-- one before: a recording that pauses. Of ranks whose numbers otherwise rise by one: a server's mark may end with the
-- size of its batch. Of the rank that has most of them; and the time, of all ranks together.
WITH named AS (
    SELECT rank, begin_ns, own_end_ns, regexp_replace(name, '\d+\D*$', '') AS stem,
           TRY_CAST(regexp_extract(name, '(\d+)\D*$', 1) AS BIGINT) AS step
    FROM sel_iteration_times
    WHERE NOT regexp_matches(name, '[=(,]')
), followed AS (
    SELECT *, lead(step) OVER w - step AS advance, lead(stem) OVER w = stem AS is_alike,
           lead(begin_ns) OVER w AS next_ns
    FROM named
    WINDOW w AS (PARTITION BY rank ORDER BY begin_ns)
), jumps AS (
    SELECT rank, next_ns, advance, is_alike, next_ns - own_end_ns AS ns,
           is_alike AND advance BETWEEN 2 AND 1000000000 AND next_ns - own_end_ns > own_end_ns - begin_ns AS jumps
    FROM followed
), ranks AS (
    SELECT rank, sum(advance - 1) FILTER (WHERE jumps) AS steps, sum(ns) FILTER (WHERE jumps) AS ns
    FROM jumps
    GROUP BY rank
    HAVING 2 * count(*) FILTER (WHERE is_alike AND advance = 1) >= count(next_ns) AND steps > 0
)
SELECT coalesce(max(steps), 0)::BIGINT AS steps, coalesce(arg_max(ns, steps), 0)::BIGINT AS ns,
       coalesce(sum(ns), 0)::BIGINT AS all_ns
FROM ranks
