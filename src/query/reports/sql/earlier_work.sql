-- The first device work of each rank may have been launched long before it began: the device was at work on what is not
-- in the recording. Of the time in which no work of a device runs, what lies within such a wait.
WITH work AS (
    SELECT t.rank, d.launch, d.begin_ns
    FROM raw.device_spans d
    JOIN raw.tracks t ON t.id = d.track
    WHERE is_busy(d.kind)
    QUALIFY row_number() OVER (PARTITION BY t.rank ORDER BY d.begin_ns, d.launch) = 1
), waits AS (
    SELECT w.rank, a.begin_ns + a.dur_ns AS begin_ns, w.begin_ns AS end_ns
    FROM work w
    JOIN raw.api_calls a ON a.id = w.launch
    WHERE a.begin_ns + a.dur_ns < w.begin_ns
)
SELECT coalesce((SELECT sum(within_ns) FROM within_resource('waits', 'idle')), 0)::BIGINT AS idle_ns,
       coalesce((SELECT sum(within_ns) FROM within_resource('waits', 'host')), 0)::BIGINT AS host_ns,
       coalesce((SELECT sum(within_ns) FROM within_resource('waits', 'cpu')), 0)::BIGINT AS cpu_ns,
       coalesce((SELECT max(end_ns - begin_ns) FROM waits), 0)::BIGINT AS longest_ns
