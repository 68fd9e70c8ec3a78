-- From the first to the last thing that the program is seen to do. What the system or a library does for it is not a
-- sign of its own (a thread may sleep in poll for the whole run), unless there is nothing else.
CREATE TEMP TABLE sel_wall AS
WITH spans AS (
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
FROM own
UNION ALL
FROM others
WHERE rank NOT IN (SELECT rank FROM own)
