WITH calls AS (
    SELECT x.text AS function, a.driver,
           count(DISTINCT a.track) AS threads,
           -- Not every source tells results.
           CASE WHEN count(*) FILTER (WHERE a.result >= 0) > 0 THEN count(*) FILTER (WHERE a.result > 0) END AS failed,
           count(*) AS calls,
           sum(a.dur_ns)::BIGINT AS total_time_ns,
           round(avg(a.dur_ns))::BIGINT AS avg_time_ns,
           min(a.dur_ns) AS min_time_ns,
           round(quantile_cont(a.dur_ns, 0.5))::BIGINT AS median_time_ns,
           round(quantile_cont(a.dur_ns, 0.95))::BIGINT AS p95_time_ns,
           max(a.dur_ns) AS max_time_ns
    FROM sel_api a
    JOIN raw.strings x ON x.id = a.name
    WHERE NOT has_flag(a.flags, 'unfinished')
    GROUP BY ALL
)
SELECT *,
       CASE WHEN driver THEN 'driver' ELSE 'runtime' END AS api,
       100.0 * total_time_ns / nullif((SELECT sum(total_time_ns) FROM calls), 0) AS share_pct
FROM calls
