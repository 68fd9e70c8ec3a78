-- Steps that the numbers in the names of marks jump over, with the time between these marks where it is longer than the
-- one before: a recording that may pause. Pauses that are certain are in no wall clock, and not here. Of ranks whose
-- numbers otherwise rise by one: a server's mark may end with the size of its batch. Of the rank that has most of them;
-- and the time, of all ranks together.
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
    SELECT f.rank, f.next_ns, f.advance, f.is_alike, f.next_ns - f.own_end_ns AS ns,
           f.is_alike AND f.advance BETWEEN 2 AND 1000000000 AND f.next_ns - f.own_end_ns > f.own_end_ns - f.begin_ns
           AND coalesce(p.begin_ns < f.own_end_ns, true) AS jumps
    FROM followed f
    ASOF LEFT JOIN raw.recording_pauses p ON p.rank = f.rank AND p.end_ns <= f.next_ns
), ranks AS (
    SELECT rank, sum(advance - 1) FILTER (WHERE jumps) AS steps, sum(ns) FILTER (WHERE jumps) AS ns
    FROM jumps
    GROUP BY rank
    HAVING 2 * count(*) FILTER (WHERE is_alike AND advance = 1) >= count(next_ns) AND steps > 0
)
SELECT coalesce(max(steps), 0)::BIGINT AS steps, coalesce(arg_max(ns, steps), 0)::BIGINT AS ns,
       coalesce(sum(ns), 0)::BIGINT AS all_ns
FROM ranks
