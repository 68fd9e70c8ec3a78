WITH calls AS (
    SELECT x.text AS function, s.category, nullif(m.rank, -1) AS own_rank,
           rank_group(t.rank, $ranks_by) AS rank_id,
           (sum(m.bytes) FILTER (WHERE m.bytes >= 0))::BIGINT AS bytes,
           (sum(m.sent_bytes) FILTER (WHERE m.sent_bytes >= 0))::BIGINT AS sent_bytes,
           (sum(m.received_bytes) FILTER (WHERE m.received_bytes >= 0))::BIGINT AS received_bytes,
           call_stats(s.dur_ns) AS stats
    FROM chosen('host_calls') s
    JOIN raw.tracks t ON t.id = s.track
    JOIN raw.strings x ON x.id = s.name
    LEFT JOIN raw.messages m ON m.id = s.id
    WHERE s.kind = host_kind('message')
    GROUP BY ALL
)
SELECT c.*, r.number AS rank, nullif(r.host, '') AS host,
       l.text AS library
FROM with_shares('calls') c
LEFT JOIN raw.strings l ON l.id = c.category
LEFT JOIN raw.ranks r ON r.id = c.rank_id
