-- ranges_of(sums): the sums of a relation of ranges (range_sums.h) as they are shown.
CREATE OR REPLACE TEMP MACRO ranges_of(sums) AS TABLE
    SELECT s.label::BIGINT * 2 + s.style AS range_id,
           s.name AS range,
           nullif(s.domain, '') AS domain,
           CASE WHEN s.style = range_style('push_pop') THEN 'push/pop' ELSE 'start/end' END AS style,
           s.calls,
           s.self_ns AS self_time_ns,
           100.0 * s.self_ns / nullif((SELECT sum(self_ns) FROM query_table(sums)), 0) AS self_share_pct,
           s.total_ns AS total_time_ns,
           s.avg_ns AS avg_time_ns,
           s.median_ns AS median_time_ns,
           s.p95_ns AS p95_time_ns,
           s.min_ns AS min_time_ns,
           s.max_ns AS max_time_ns,
           s.stddev_ns AS stddev_time_ns,
           s.threads,
           s.gpu_ns AS projected_gpu_time_ns,
           s.gpu_ops
    FROM query_table(sums) s
