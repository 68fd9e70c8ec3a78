-- Counters of a rank that are clocks by their name, over the range.
WITH names AS MATERIALIZED (
    SELECT id, text FROM raw.strings WHERE regexp_matches(text, '\b(clocks?|frequency)\b', 'i')
)
SELECT n.text, avg(s.value) AS mean
FROM raw.counters s
JOIN names n ON n.id = s.name
JOIN raw.tracks t ON t.id = s.track
JOIN raw.ranks r ON r.id = t.rank
JOIN sel_wall w ON w.rank = t.rank AND s.time_ns >= w.begin_ns AND s.time_ns < w.end_ns
WHERE coalesce(r.number, 0) = $rank
GROUP BY n.text
