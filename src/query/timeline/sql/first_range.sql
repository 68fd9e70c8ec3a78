-- A range may have been read as an annotation, an op, a module call or another span; its number tells which.
WITH found AS (
    SELECT r.id, l.name
    FROM st_range r
    JOIN st_labels l ON l.id = r.label
    WHERE r.label::BIGINT * 2 + r.style = $range
    ORDER BY r.begin_ns, r.dur_ns DESC
    LIMIT 1
), spans AS (
    SELECT id, track, begin_ns, dur_ns, 'ranges' AS part FROM raw.annotations
    UNION ALL
    SELECT id, track, begin_ns, dur_ns, 'calls' FROM raw.ops
    UNION ALL
    SELECT id, track, begin_ns, dur_ns, 'calls' FROM raw.module_calls
    UNION ALL
    SELECT id, track, begin_ns, dur_ns, CASE WHEN kind = host_kind('os_runtime') THEN 'os_calls' ELSE 'calls' END
    FROM raw.other_spans
)
SELECT s.track, s.part, s.id AS span, f.name, s.begin_ns, s.dur_ns
FROM found f
JOIN spans s ON s.id = f.id
ORDER BY s.begin_ns, s.dur_ns DESC, s.id
LIMIT 1
