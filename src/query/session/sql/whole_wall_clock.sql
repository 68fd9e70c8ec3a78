-- From the first to the last thing that the program is seen to do. What the system or a library does for it is not a
-- sign of its own (a thread may sleep in poll for the whole run), unless there is nothing else; messages that it
-- exchanges are, but not the start, the end and the polling of their library. Changes of memory are where nothing runs
-- (snapshots). The profiler's own start and stop are not the program's. Needs profiler_ends.
CREATE TEMP TABLE wall_with_pauses AS
WITH runs AS (
    SELECT rank FROM raw.tracks
    WHERE id IN (SELECT track FROM raw.ops UNION ALL SELECT track FROM raw.api_calls
                 UNION ALL SELECT track FROM raw.device_spans)
), spans AS (
    SELECT track, begin_ns, dur_ns FROM raw.device_spans WHERE is_busy(kind)
    UNION ALL
    SELECT track, begin_ns, dur_ns FROM raw.ops
    UNION ALL
    SELECT track, begin_ns, dur_ns FROM raw.api_calls
    UNION ALL
    SELECT track, begin_ns, dur_ns FROM raw.annotations
    UNION ALL
    SELECT track, begin_ns, dur_ns FROM raw.module_calls
    UNION ALL
    SELECT track, begin_ns, dur_ns FROM raw.python_frames
    UNION ALL
    SELECT o.track, o.begin_ns, o.dur_ns
    FROM raw.other_spans o
    JOIN raw.strings s
      ON s.id = o.name AND NOT regexp_matches(s.text, '(?i)^(P?MPI_(Init|Finalize|Abort)|ucp_worker_|.*progress)')
    WHERE o.kind = host_kind('message')
    UNION ALL
    SELECT m.track, m.time_ns, 0
    FROM raw.memory_events m
    JOIN raw.tracks t ON t.id = m.track AND t.rank NOT IN (FROM runs)
), own AS (
    SELECT t.rank, min(begin_ns) AS begin_ns, max(begin_ns + dur_ns) AS end_ns
    FROM spans s
    JOIN raw.tracks t ON t.id = s.track
    GROUP BY t.rank
), others AS (
    SELECT t.rank, min(begin_ns) AS begin_ns, max(begin_ns + dur_ns) AS end_ns
    FROM raw.other_spans s
    JOIN raw.tracks t ON t.id = s.track
    WHERE t.kind = track_kind('thread')
    GROUP BY t.rank
)
SELECT o.rank, greatest(o.begin_ns, coalesce(p.begin_ns, o.begin_ns)) AS begin_ns,
       least(o.end_ns, coalesce(p.end_ns, o.end_ns)) AS end_ns
FROM own o
LEFT JOIN profiler_ends p ON p.rank = o.rank
UNION ALL
FROM others
WHERE rank NOT IN (SELECT rank FROM own)
