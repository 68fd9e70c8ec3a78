-- Until the next one begins or the recording pauses; the last until all that it launched has ended.
CREATE TEMP VIEW all_iteration_times AS
WITH followed AS (
    SELECT *, lead(begin_ns) OVER (PARTITION BY rank ORDER BY begin_ns) AS next_ns
    FROM all_iterations
), n AS (
    SELECT f.* EXCLUDE (next_ns), least(f.next_ns, p.begin_ns) AS next
    FROM followed f
    ASOF LEFT JOIN raw.recording_pauses p ON p.rank = f.rank AND p.begin_ns >= f.end_ns
), l AS (
    SELECT n.rank, max(d.begin_ns + d.dur_ns) AS end_ns
    FROM n
    JOIN raw.tracks t ON t.rank = n.rank
    JOIN raw.device_spans d ON d.track = t.id AND d.host_ns >= n.begin_ns AND d.host_ns < n.end_ns
    WHERE n.next IS NULL AND is_busy(d.kind)
    GROUP BY n.rank
)
SELECT n.* EXCLUDE (next) REPLACE (coalesce(n.next, greatest(n.end_ns, l.end_ns)) AS end_ns),
       n.end_ns AS own_end_ns
FROM n
LEFT JOIN l ON l.rank = n.rank
