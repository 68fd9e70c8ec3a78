-- What each op costs over all jobs. Self times add up over ops.
SELECT op, min(type) AS op_type, count(DISTINCT run) AS runs_count, sum(calls) AS total_calls,
       sum(self_gpu_ns) AS total_self_gpu_ns,
       100 * {{ratio(sum(self_gpu_ns), (SELECT sum(self_gpu_ns) FROM {{ops}} WHERE {{chosen}}))}} AS gpu_share_pct,
       sum(self_cpu_ns) AS total_self_cpu_ns,
       100 * {{ratio(sum(self_cpu_ns), (SELECT sum(self_cpu_ns) FROM {{ops}} WHERE {{chosen}}))}} AS cpu_share_pct,
       {{ratio(sum(self_gpu_ns), sum(CASE WHEN self_gpu_ns IS NULL THEN 0 ELSE calls END))}} AS mean_self_gpu_ns
FROM {{ops}}
WHERE {{chosen}}
GROUP BY op
ORDER BY total_self_gpu_ns DESC, total_self_cpu_ns DESC, op
{{limit}}
