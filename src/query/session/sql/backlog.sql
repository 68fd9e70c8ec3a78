-- Of each rank: from the begin of its wall clock to the last end of what was launched before, or before the recording
-- began, and ran before the range's own first work. The rank with the longest.
WITH walls AS (
    SELECT rank, min(begin_ns) AS begin_ns, sum(end_ns - begin_ns)::BIGINT AS wall_ns
    FROM sel_wall
    GROUP BY rank
), own AS (
    SELECT t.rank, min(d.begin_ns) AS first_ns
    FROM sel_device d
    JOIN raw.tracks t ON t.id = d.track
    WHERE is_busy(d.kind) AND d.launch <> -1
    GROUP BY t.rank
)
SELECT w.rank, (max(d.begin_ns + d.dur_ns) - w.begin_ns)::BIGINT AS ns, w.wall_ns
FROM raw.device_spans d
JOIN raw.tracks t ON t.id = d.track
JOIN walls w ON w.rank = t.rank
JOIN own ON own.rank = t.rank
WHERE is_busy(d.kind)
  AND d.begin_ns + d.dur_ns > w.begin_ns
  AND d.begin_ns < own.first_ns
  AND (d.launch = -1 OR d.host_ns < w.begin_ns)
GROUP BY w.rank, w.begin_ns, w.wall_ns
ORDER BY ns DESC, w.rank
LIMIT 1
