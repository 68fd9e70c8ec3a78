WITH calls AS (
    SELECT x.text AS function, s.category, nullif(m.rank, -1) AS own_rank,
           (sum(m.bytes) FILTER (WHERE m.bytes >= 0))::BIGINT AS bytes,
           (sum(m.sent_bytes) FILTER (WHERE m.sent_bytes >= 0))::BIGINT AS sent_bytes,
           (sum(m.received_bytes) FILTER (WHERE m.received_bytes >= 0))::BIGINT AS received_bytes,
           count(*) AS calls,
           sum(s.dur_ns)::BIGINT AS total_time_ns,
           round(avg(s.dur_ns))::BIGINT AS avg_time_ns,
           min(s.dur_ns) AS min_time_ns,
           round(quantile_cont(s.dur_ns, 0.5))::BIGINT AS median_time_ns,
           round(quantile_cont(s.dur_ns, 0.95))::BIGINT AS p95_time_ns,
           max(s.dur_ns) AS max_time_ns
    FROM chosen('host_calls') s
    JOIN raw.strings x ON x.id = s.name
    LEFT JOIN raw.messages m ON m.id = s.id
    WHERE s.kind = host_kind('message')
    GROUP BY ALL
)
SELECT c.*,
       l.text AS library,
       100.0 * c.total_time_ns / nullif((SELECT sum(total_time_ns) FROM calls), 0) AS share_pct
FROM calls c
LEFT JOIN raw.strings l ON l.id = c.category
