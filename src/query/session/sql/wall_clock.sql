-- Of each stretch of iterations: from the begin of its first iteration on, whatever the program does there, to the end
-- of its last one and of all that this ran and launched, but no farther than to where the next stretch begins. $firsts
-- and $lasts are the first and the last iterations of the stretches; $begin_ns and $end_ns hold all of the last ones,
-- where their times are known beforehand.
CREATE TEMP TABLE sel_wall AS
WITH stretches AS (
    SELECT unnest($firsts::BIGINT[]) AS first, unnest($lasts::BIGINT[]) AS last
), ends AS (
    SELECT track, iteration AS number, begin_ns + dur_ns AS end_ns
    FROM sel_ops
    WHERE begin_ns >= $begin_ns AND begin_ns < $end_ns AND list_contains($lasts::BIGINT[], iteration)
      AND iteration BETWEEN $first_last AND $last_last
    UNION ALL
    SELECT track, iteration, begin_ns + dur_ns
    FROM sel_api
    WHERE begin_ns >= $begin_ns AND begin_ns < $end_ns AND list_contains($lasts::BIGINT[], iteration)
      AND iteration BETWEEN $first_last AND $last_last
    UNION ALL
    SELECT track, iteration, begin_ns + dur_ns
    FROM sel_device
    WHERE host_ns >= $begin_ns AND host_ns < $end_ns AND list_contains($lasts::BIGINT[], iteration)
      AND iteration BETWEEN $first_last AND $last_last AND is_busy(kind)
), last_ends AS (
    SELECT t.rank, number, max(end_ns) AS end_ns
    FROM ends
    JOIN raw.tracks t ON t.id = track
    GROUP BY ALL
), marks AS (
    SELECT rank, last, min(begin_ns) AS begin_ns, max(end_ns) AS end_ns
    FROM sel_iterations
    JOIN stretches ON number BETWEEN first AND last
    GROUP BY ALL
), walls AS (
    SELECT m.rank, m.begin_ns, greatest(m.end_ns, coalesce(e.end_ns, m.end_ns)) AS end_ns
    FROM marks m
    LEFT JOIN last_ends e ON e.rank = m.rank AND e.number = m.last
)
SELECT rank, begin_ns,
       least(end_ns, coalesce(lead(begin_ns) OVER (PARTITION BY rank ORDER BY begin_ns), end_ns)) AS end_ns
FROM walls
