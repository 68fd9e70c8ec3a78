-- call_stats(ns): the number, sum and spread of the durations of calls.
CREATE OR REPLACE TEMP MACRO call_stats(ns) AS {
    calls: count(*),
    total_time_ns: sum(ns)::BIGINT,
    avg_time_ns: round(avg(ns))::BIGINT,
    min_time_ns: min(ns),
    median_time_ns: round(quantile_cont(ns, 0.5))::BIGINT,
    p95_time_ns: round(quantile_cont(ns, 0.95))::BIGINT,
    max_time_ns: max(ns)
};

-- with_shares(relation): its column `stats` of call_stats as columns, and the share of each row in all.
CREATE OR REPLACE TEMP MACRO with_shares(relation) AS TABLE
    SELECT * EXCLUDE (stats), unnest(stats),
           100.0 * stats.total_time_ns
               / nullif((SELECT sum(stats.total_time_ns) FROM query_table(relation)), 0) AS share_pct
    FROM query_table(relation)
