-- Pauses of the recording between the begin and the end of the range's wall clock, of the rank where they take longest.
WITH walls AS (
    SELECT rank, min(begin_ns) AS begin_ns, max(end_ns) AS end_ns
    FROM sel_wall
    GROUP BY rank
)
SELECT count(*) AS pauses, sum(p.end_ns - p.begin_ns)::BIGINT AS ns
FROM raw.recording_pauses p
JOIN walls w ON w.rank = p.rank AND p.begin_ns < w.end_ns AND p.end_ns > w.begin_ns
GROUP BY p.rank
ORDER BY ns DESC, p.rank
LIMIT 1
