-- All host spans whose names are in wanted_names.
WITH strings AS (
    FROM raw.strings WHERE text IN (FROM wanted_names)
), named AS (
    SELECT track, begin_ns, dur_ns, name FROM raw.api_calls
    UNION ALL
    SELECT track, begin_ns, dur_ns, name FROM raw.python_frames
    UNION ALL
    SELECT track, begin_ns, dur_ns, name FROM raw.module_calls
    UNION ALL
    SELECT track, begin_ns, dur_ns, name FROM raw.annotations
    UNION ALL
    SELECT track, begin_ns, dur_ns, name FROM raw.other_spans
), found AS (
    SELECT n.track, n.begin_ns, n.dur_ns, x.text
    FROM named n
    JOIN strings x ON x.id = n.name
    UNION ALL
    SELECT o.track, o.begin_ns, o.dur_ns, i.name
    FROM raw.ops o
    JOIN raw.op_identities i ON i.id = o.op
    WHERE i.name IN (FROM wanted_names)
)
SELECT t.rank, f.begin_ns, f.begin_ns + f.dur_ns AS end_ns, f.text
FROM found f
JOIN raw.tracks t ON t.id = f.track
ORDER BY f.track, f.begin_ns, f.dur_ns DESC
