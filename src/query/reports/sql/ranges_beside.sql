-- Ranges, and events of libraries, of threads that do not run the Python function $name, with their names: what other
-- threads do while it waits.
WITH waiting AS (
    SELECT DISTINCT f.track
    FROM raw.python_frames f
    JOIN raw.strings x ON x.id = f.name AND x.text = $name
), spans AS (
    SELECT track, name, begin_ns, dur_ns FROM raw.annotations
    UNION ALL
    SELECT track, name, begin_ns, dur_ns FROM raw.other_spans
)
SELECT x.text AS name, t.rank::BIGINT AS rank, a.begin_ns::BIGINT AS begin_ns,
       (a.begin_ns + a.dur_ns)::BIGINT AS end_ns
FROM spans a
ANTI JOIN waiting w ON w.track = a.track
JOIN raw.strings x ON x.id = a.name
JOIN raw.tracks t ON t.id = a.track
WHERE a.dur_ns > 0
ORDER BY 1, 2, 3
