-- The first work of a stream may have been launched long before it began, with no recorded work of the rank's devices
-- running in between: they were at work on what is not in the recording. Of each rank the first streams that waited so;
-- what waits for recorded work of another stream begins as that ends. The stretches of a rank do not overlap.
CREATE OR REPLACE TEMP VIEW first_work_waits AS
WITH first_work AS (
    SELECT t.rank, arg_min(d.launch, (d.begin_ns, d.launch)) AS launch, min(d.begin_ns) AS begin_ns
    FROM raw.device_spans d
    JOIN raw.tracks t ON t.id = d.track
    WHERE is_busy(d.kind)
    GROUP BY t.rank, d.track
), waiting AS MATERIALIZED (
    SELECT f.rank, a.begin_ns + a.dur_ns AS launched_ns, f.begin_ns
    FROM first_work f
    JOIN raw.api_calls a ON a.id = f.launch
    WHERE a.begin_ns + a.dur_ns < f.begin_ns
    QUALIFY row_number() OVER (PARTITION BY f.rank ORDER BY f.begin_ns, f.launch) <= 8
), busy AS (
    SELECT t.rank, d.begin_ns, d.begin_ns + d.dur_ns AS end_ns
    FROM raw.device_spans d
    JOIN raw.tracks t ON t.id = d.track
    WHERE is_busy(d.kind) AND d.begin_ns < (SELECT max(begin_ns) FROM waiting)
), stretches AS (
    SELECT w.rank, greatest(w.launched_ns, coalesce(max(b.end_ns), w.launched_ns)) AS begin_ns, w.begin_ns AS end_ns
    FROM waiting w
    LEFT JOIN busy b ON b.rank = w.rank AND b.begin_ns < w.begin_ns
    GROUP BY w.rank, w.launched_ns, w.begin_ns
)
SELECT rank, min(begin_ns) AS begin_ns, end_ns
FROM stretches
WHERE begin_ns < end_ns
GROUP BY rank, end_ns
