-- ops_of_events(relation): of each row of a relation with `event`, `track` and `time_ns` the innermost op that was
-- open: of the op that began last before it and those around that one, the first that had not ended.
CREATE OR REPLACE TEMP MACRO ops_of_events(relation) AS TABLE
    WITH RECURSIVE events AS MATERIALIZED (
        FROM query_table(relation)
    ), near AS (
        -- Few events need few ops: all of them are not to be sorted for these.
        FROM raw.ops
        WHERE track IN (SELECT track FROM events) AND begin_ns <= (SELECT max(time_ns) FROM events)
    ), before AS (
        SELECT e.event, e.time_ns, o.op, o.parent_op, o.begin_ns + o.dur_ns AS end_ns
        FROM events e
        ASOF JOIN near o ON o.track = e.track AND o.begin_ns <= e.time_ns
    ), up AS (
        FROM before
        UNION ALL
        SELECT u.event, u.time_ns, o.op, o.parent_op, o.begin_ns + o.dur_ns
        FROM up u
        JOIN raw.ops o ON o.id = u.parent_op
        WHERE u.end_ns <= u.time_ns
    )
    SELECT event, op FROM up WHERE end_ns > time_ns
