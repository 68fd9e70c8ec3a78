-- Of each stretch of iterations without a pause of the recording: from the begin of its first iteration on, whatever
-- the program does there, to the end of its last one and of all that this ran and launched, but no farther than to
-- where the next stretch begins. $firsts and $lasts are the first and the last iterations of the stretches; $begin_ns
-- and $end_ns hold all of the last ones, where their times are known beforehand.
CREATE TEMP TABLE wall_with_pauses AS
WITH stretches AS (
    SELECT unnest($firsts::BIGINT[]) AS first, unnest($lasts::BIGINT[]) AS last
), ends AS (
    SELECT track, iteration AS number, begin_ns + dur_ns AS end_ns
    FROM sel_ops
    WHERE begin_ns >= $begin_ns AND begin_ns < $end_ns AND iteration IN (SELECT last FROM stretches)
      AND iteration BETWEEN $first_last AND $last_last
    UNION ALL
    SELECT track, iteration, begin_ns + dur_ns
    FROM sel_api
    WHERE begin_ns >= $begin_ns AND begin_ns < $end_ns AND iteration IN (SELECT last FROM stretches)
      AND iteration BETWEEN $first_last AND $last_last
    UNION ALL
    SELECT track, iteration, begin_ns + dur_ns
    FROM sel_device
    WHERE host_ns >= $begin_ns AND host_ns < $end_ns AND iteration IN (SELECT last FROM stretches)
      AND iteration BETWEEN $first_last AND $last_last AND is_busy(kind)
), last_ends AS (
    SELECT t.rank, number, max(end_ns) AS end_ns
    FROM ends
    JOIN raw.tracks t ON t.id = track
    GROUP BY ALL
), marks AS (
    SELECT rank, first, last, min(begin_ns) AS begin_ns, max(end_ns) AS end_ns
    FROM sel_iterations
    JOIN stretches ON number BETWEEN first AND last
    GROUP BY ALL
), walls AS (
    SELECT m.rank, m.begin_ns, greatest(m.end_ns, coalesce(e.end_ns, m.end_ns)) AS end_ns,
           m.end_ns AS own_end_ns, lead(m.begin_ns) OVER w AS next_ns, lead(m.first) OVER w = m.last + 1 AS goes_on
    FROM marks m
    LEFT JOIN last_ends e ON e.rank = m.rank AND e.number = m.last
    WINDOW w AS (PARTITION BY m.rank ORDER BY m.begin_ns)
)
-- Where the recording of another rank pauses, one goes on.
SELECT w.rank, w.begin_ns,
       CASE WHEN w.goes_on AND coalesce(p.end_ns > w.next_ns, true) THEN w.next_ns
            ELSE least(w.end_ns, coalesce(w.next_ns, w.end_ns)) END AS end_ns
FROM walls w
ASOF LEFT JOIN raw.recording_pauses p ON p.rank = w.rank AND w.own_end_ns <= p.begin_ns
