-- The innermost range that is open for half of the time in which only the host is at work. Names that differ in numbers
-- count as one; where such ranges lie within each other a moment counts once.
WITH s AS (
    FROM resource_time('host')
), a AS (
    SELECT t.rank, x.text, name_stem(x.text) AS stem, a.begin_ns,
           a.begin_ns + a.dur_ns AS end_ns
    FROM raw.annotations a
    JOIN raw.tracks t ON t.id = a.track
    JOIN raw.strings x ON x.id = a.name
    WHERE a.dur_ns >= $long_ns AND NOT starts_with(x.text, 'ProfilerStep')
), before AS (
    SELECT *, max(end_ns) OVER (PARTITION BY rank, stem ORDER BY begin_ns, end_ns DESC, text
                                ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS open_until
    FROM a
), apart AS (
    SELECT rank, text, stem, greatest(begin_ns, coalesce(open_until, begin_ns)) AS begin_ns, end_ns
    FROM before
    WHERE open_until IS NULL OR open_until < end_ns
), stems AS (
    SELECT stem, CASE WHEN count(DISTINCT text) = 1 THEN min(text) ELSE stem END AS name,
           sum(end_ns - begin_ns) AS own_ns
    FROM apart
    GROUP BY stem
), names AS (
    SELECT a.stem, sum(least(s.end_ns, a.end_ns) - greatest(s.begin_ns, a.begin_ns)) AS ns
    FROM apart a
    JOIN s ON s.rank = a.rank AND s.begin_ns < a.end_ns AND a.begin_ns < s.end_ns
    GROUP BY a.stem
)
SELECT x.name
FROM names n
JOIN stems x USING (stem)
WHERE 2 * n.ns >= (SELECT sum(end_ns - begin_ns) FROM s)
ORDER BY x.own_ns, x.name
LIMIT 1
