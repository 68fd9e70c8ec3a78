-- call_stats(ns): the number, sum and spread of the durations of calls, to be unnested into columns.
CREATE OR REPLACE TEMP MACRO call_stats(ns) AS {
    calls: count(*),
    total_time_ns: sum(ns)::BIGINT,
    avg_time_ns: round(avg(ns))::BIGINT,
    min_time_ns: min(ns),
    median_time_ns: round(quantile_cont(ns, 0.5))::BIGINT,
    p95_time_ns: round(quantile_cont(ns, 0.95))::BIGINT,
    max_time_ns: max(ns)
}
