-- Calls of one kind, $kind, by function. `category` is what the source tells of them.
WITH calls AS (
    SELECT x.text AS function, s.category,
           count(DISTINCT s.track) AS threads,
           count(*) AS calls,
           sum(s.dur_ns)::BIGINT AS total_time_ns,
           round(avg(s.dur_ns))::BIGINT AS avg_time_ns,
           min(s.dur_ns) AS min_time_ns,
           round(quantile_cont(s.dur_ns, 0.5))::BIGINT AS median_time_ns,
           round(quantile_cont(s.dur_ns, 0.95))::BIGINT AS p95_time_ns,
           max(s.dur_ns) AS max_time_ns
    FROM chosen('host_calls') s
    JOIN raw.strings x ON x.id = s.name
    WHERE s.kind = host_kind($kind)
    GROUP BY ALL
)
SELECT c.*,
       CASE WHEN c.category >= 0 THEN 'system call' ELSE 'library call' END AS traced_as,
       l.text AS library,
       100.0 * c.total_time_ns / nullif((SELECT sum(total_time_ns) FROM calls), 0) AS share_pct
FROM calls c
LEFT JOIN raw.strings l ON l.id = c.category
