-- Calls of a rank that wait for a device, by iteration.
WITH names AS MATERIALIZED (
    SELECT id FROM raw.strings WHERE is_wait_call(text)
)
SELECT a.iteration, count(*) AS calls, sum(a.dur_ns)::BIGINT AS ns
FROM sel_api a
JOIN names n ON n.id = a.name
JOIN raw.tracks t ON t.id = a.track
JOIN raw.ranks r ON r.id = t.rank
WHERE coalesce(r.number, 0) = $rank
GROUP BY a.iteration
