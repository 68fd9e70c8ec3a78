-- From the first kernel of an iteration to the first of the next, of those that follow each other.
WITH first AS (
    SELECT d.iteration AS number, min(d.begin_ns) AS begin_ns
    FROM sel_device d
    JOIN raw.tracks t ON t.id = d.track
    WHERE d.kind = device_kind('kernel') AND t.rank = $rank
    GROUP BY d.iteration
), steps AS (
    SELECT number - lag(number) OVER o AS step, begin_ns - lag(begin_ns) OVER o AS ns
    FROM first
    WINDOW o AS (ORDER BY number)
)
SELECT round(avg(ns))::BIGINT FROM steps WHERE step = 1
