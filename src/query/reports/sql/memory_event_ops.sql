-- Of each event of memory in the range the innermost op that was open: of the op that began last before the event and
-- those around it, the first that had not ended.
CREATE TEMP VIEW memory_event_ops AS
WITH RECURSIVE events AS (
    SELECT m.rowid AS event, m.track, m.time_ns
    FROM raw.memory_events m
    JOIN raw.tracks t ON t.id = m.track
    WHERE EXISTS (FROM sel_wall w WHERE w.rank = t.rank AND m.time_ns >= w.begin_ns AND m.time_ns < w.end_ns)
), before AS (
    SELECT e.event, e.time_ns, o.op, o.parent_op, o.begin_ns + o.dur_ns AS end_ns
    FROM events e
    ASOF JOIN raw.ops o ON o.track = e.track AND o.begin_ns <= e.time_ns
), up AS (
    FROM before
    UNION ALL
    SELECT u.event, u.time_ns, o.op, o.parent_op, o.begin_ns + o.dur_ns
    FROM up u
    JOIN raw.ops o ON o.id = u.parent_op
    WHERE u.end_ns <= u.time_ns
)
SELECT event, op FROM up WHERE end_ns > time_ns
