-- The innermost range or Python function that is open for half of the time in which only the host is at work. Ranges
-- whose names differ in numbers count as one; where such ranges, or calls of a function, lie within each other a moment
-- counts once. Functions of threads that neither run ops nor call the API do not count: such threads wait for work.
WITH working_threads AS (
    SELECT DISTINCT track FROM raw.ops
    UNION
    SELECT DISTINCT track FROM raw.api_calls
    UNION
    -- Where no framework tells its ops, Python's threads are all that works.
    SELECT DISTINCT track FROM raw.python_frames WHERE NOT EXISTS (FROM raw.ops)
), ranges AS (
    SELECT id, text, name_stem(text) AS stem
    FROM raw.strings
    WHERE id IN (SELECT name FROM raw.annotations WHERE dur_ns >= $long_ns) AND NOT starts_with(text, 'ProfilerStep')
), spans AS (
    SELECT 'range' AS what, a.track, x.text, x.stem, a.begin_ns, a.begin_ns + a.dur_ns AS end_ns
    FROM raw.annotations a
    JOIN ranges x ON x.id = a.name
    WHERE a.dur_ns >= $long_ns
    UNION ALL
    SELECT 'function', f.track, x.text, x.text, f.begin_ns, f.begin_ns + f.dur_ns
    FROM raw.python_frames f
    SEMI JOIN working_threads w ON w.track = f.track
    JOIN raw.strings x ON x.id = f.name
    WHERE f.dur_ns >= $long_ns
), before AS (
    SELECT t.rank, s.*,
           max(s.end_ns) OVER (PARTITION BY t.rank, s.what, s.stem ORDER BY s.begin_ns, s.end_ns DESC, s.text
                               ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS open_until
    FROM spans s
    JOIN raw.tracks t ON t.id = s.track
), apart AS (
    SELECT what, rank, text, stem, greatest(begin_ns, coalesce(open_until, begin_ns)) AS begin_ns, end_ns
    FROM before
    WHERE open_until IS NULL OR open_until < end_ns
), names AS (
    SELECT what, CASE WHEN count(DISTINCT text) = 1 THEN min(text) ELSE stem END AS name,
           sum(end_ns - begin_ns) AS own_ns, sum(within_ns) AS host_ns,
           count(*) = count(DISTINCT rank) AS once
    FROM within_resource('apart', 'host')
    GROUP BY what, stem
)
SELECT what, name, once
FROM names
WHERE host_ns > 0 AND 2 * host_ns >= $host_ns
ORDER BY own_ns, what, name
LIMIT 1
