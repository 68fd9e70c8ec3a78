-- Pauses of all devices of a rank before work that the host had launched by then: going from one piece of work to the
-- next takes the device some microseconds, and nothing that the host does is late. Needs resource_time.
CREATE TEMP TABLE queued_pauses AS
WITH busy AS (
    SELECT d.rank, s.begin_ns,
           max(s.end_ns) OVER (PARTITION BY d.rank ORDER BY s.begin_ns, s.end_ns
                               ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before_ns
    FROM raw.busy_segments s
    JOIN raw.devices d ON d.id = s.device
    JOIN sel_wall w ON w.rank = d.rank AND s.begin_ns <= w.end_ns AND s.end_ns >= w.begin_ns
    WHERE NOT s.kernel_only
), pauses AS (
    SELECT rank, before_ns AS begin_ns, begin_ns AS end_ns FROM busy WHERE before_ns < begin_ns
)
SELECT p.rank, p.begin_ns, p.end_ns
FROM pauses p
SEMI JOIN (
    SELECT t.rank, d.begin_ns, d.host_ns + d.launch_dur_ns AS launched_ns
    FROM raw.device_spans d
    JOIN raw.tracks t ON t.id = d.track
    WHERE is_busy(d.kind) AND d.launch_dur_ns <> -1
) d ON d.rank = p.rank AND d.begin_ns = p.end_ns AND d.launched_ns <= p.begin_ns;

-- What is left of the time in which nothing runs, or only the host, or only calls and ops: all others have a device at
-- work. A segment lies within one pause.
CREATE TEMP TABLE unqueued_segments AS
SELECT s.*
FROM (FROM wall_segments WHERE resource IN (resource('idle'), resource('host'), resource('cpu'))) s
ASOF LEFT JOIN queued_pauses q ON q.rank = s.rank AND s.begin_ns >= q.begin_ns
WHERE q.end_ns IS NULL OR s.begin_ns >= q.end_ns
