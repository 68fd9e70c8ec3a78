-- What was left out of the wall clock as the profiler's own, in ns, of the rank of which that is most. Needs
-- profiler_ends.
WITH seen AS (
    SELECT t.rank, min(f.begin_ns) AS begin_ns, max(f.begin_ns + f.dur_ns) AS end_ns
    FROM raw.python_frames f
    JOIN raw.tracks t ON t.id = f.track
    GROUP BY t.rank
), walls AS (
    SELECT rank, min(begin_ns) AS begin_ns, max(end_ns) AS end_ns, sum(end_ns - begin_ns)::BIGINT AS wall_ns
    FROM sel_wall
    GROUP BY rank
)
SELECT (greatest(w.begin_ns - s.begin_ns, 0) + greatest(s.end_ns - w.end_ns, 0))::BIGINT AS ns, w.wall_ns
FROM profiler_ends p
JOIN walls w ON w.rank = p.rank
JOIN seen s ON s.rank = p.rank
WHERE p.begin_ns IS NOT NULL OR p.end_ns IS NOT NULL
ORDER BY ns DESC, p.rank
LIMIT 1
