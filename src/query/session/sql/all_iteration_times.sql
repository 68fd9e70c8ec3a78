-- Until the next one begins; the last until all that it launched has ended.
CREATE TEMP VIEW all_iteration_times AS
WITH n AS (
    SELECT *, lead(begin_ns) OVER (PARTITION BY rank ORDER BY begin_ns) AS next
    FROM all_iterations
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
