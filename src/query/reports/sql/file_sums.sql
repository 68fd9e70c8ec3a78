WITH calls AS (
    SELECT x.text AS access,
           (sum(m.bytes) FILTER (WHERE m.bytes >= 0))::BIGINT AS bytes,
           -- Of accesses that tell their bytes.
           1e9 * (sum(m.bytes) FILTER (WHERE m.bytes >= 0))
               / nullif(sum(s.dur_ns) FILTER (WHERE m.bytes >= 0), 0) AS bytes_per_s,
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
    WHERE s.kind = host_kind('file_io')
    GROUP BY ALL
)
SELECT *, 100.0 * total_time_ns / nullif((SELECT sum(total_time_ns) FROM calls), 0) AS share_pct
FROM calls
