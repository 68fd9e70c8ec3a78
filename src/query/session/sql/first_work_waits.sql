-- The first device work of each rank may have been launched long before it began: the device was at work on what is not
-- in the recording.
CREATE OR REPLACE TEMP VIEW first_work_waits AS
WITH first_work AS (
    SELECT t.rank, arg_min(d.launch, (d.begin_ns, d.launch)) AS launch, min(d.begin_ns) AS begin_ns
    FROM raw.device_spans d
    JOIN raw.tracks t ON t.id = d.track
    WHERE is_busy(d.kind)
    GROUP BY t.rank
)
SELECT f.rank, a.begin_ns + a.dur_ns AS begin_ns, f.begin_ns AS end_ns
FROM first_work f
JOIN raw.api_calls a ON a.id = f.launch
WHERE a.begin_ns + a.dur_ns < f.begin_ns
