-- Calls of one kind, $kind, by function. `category` is what the source tells of them.
WITH calls AS (
    SELECT x.text AS function, s.category, rank_group(t.rank, $ranks_by) AS rank_id,
           count(DISTINCT s.track) AS threads,
           call_stats(s.dur_ns) AS stats
    FROM chosen('host_calls') s
    JOIN raw.tracks t ON t.id = s.track
    JOIN raw.strings x ON x.id = s.name
    WHERE s.kind = host_kind($kind)
    GROUP BY ALL
)
SELECT c.*, r.number AS rank, nullif(r.host, '') AS host,
       CASE WHEN c.category >= 0 THEN 'system call' ELSE 'library call' END AS traced_as,
       l.text AS library
FROM with_shares('calls') c
LEFT JOIN raw.strings l ON l.id = c.category
LEFT JOIN raw.ranks r ON r.id = c.rank_id
