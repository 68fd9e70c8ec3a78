-- From the first kernel of an iteration to the first of the next, of those that follow each other without a pause of
-- the recording between. Kernels whose launch is not known count for the iteration in which they run: not these.
WITH first AS (
    SELECT d.iteration AS number, min(d.begin_ns) AS begin_ns
    FROM sel_device d
    JOIN raw.tracks t ON t.id = d.track
    WHERE d.kind = device_kind('kernel') AND d.launch <> -1 AND t.rank = $rank
    GROUP BY d.iteration
), steps AS (
    SELECT number - lag(number) OVER o AS step, lag(begin_ns) OVER o AS from_ns, begin_ns
    FROM first
    WINDOW o AS (ORDER BY number)
)
SELECT round(avg(s.begin_ns - s.from_ns))::BIGINT
FROM steps s
ASOF LEFT JOIN (FROM raw.recording_pauses WHERE rank = $rank) p ON s.begin_ns > p.begin_ns
WHERE s.step = 1 AND coalesce(p.begin_ns < s.from_ns, true)
