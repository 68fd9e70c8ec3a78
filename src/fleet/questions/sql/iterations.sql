-- Iterations of jobs over their ranks: the rank of each that others waited for most, and what all waited.
SELECT run, iteration, count(*) AS ranks_count, {{median(duration_ns)}} AS median_duration_ns,
       max(duration_ns) AS longest_ns,
       CASE WHEN max(caused_ns) > 0 THEN argMax(rank, coalesce(caused_ns, 0)) ELSE NULL END AS last_rank,
       {{median(own_ns)}} AS median_own_ns, max(own_ns) AS longest_own_ns, sum(waiting_ns) AS total_waiting_ns
FROM {{iterations}}
WHERE {{chosen}}
GROUP BY run, iteration
ORDER BY run, iteration
{{limit}}
