WITH calls AS (
    SELECT x.text AS access, rank_group(t.rank, $ranks_by) AS rank_id,
           (sum(m.bytes) FILTER (WHERE m.bytes >= 0))::BIGINT AS bytes,
           -- Of accesses that tell their bytes.
           1e9 * (sum(m.bytes) FILTER (WHERE m.bytes >= 0))
               / nullif(sum(s.dur_ns) FILTER (WHERE m.bytes >= 0), 0) AS bytes_per_s,
           call_stats(s.dur_ns) AS stats
    FROM chosen('host_calls') s
    JOIN raw.tracks t ON t.id = s.track
    JOIN raw.strings x ON x.id = s.name
    LEFT JOIN raw.messages m ON m.id = s.id
    WHERE s.kind = host_kind('file_io')
    GROUP BY ALL
)
SELECT c.*, r.number AS rank, nullif(r.host, '') AS host
FROM with_shares('calls') c
LEFT JOIN raw.ranks r ON r.id = c.rank_id
