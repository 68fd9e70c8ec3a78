-- What each kernel costs over all jobs.
SELECT kernel, uses_tc, max(tc_eligible) AS in_eligible_op, count(DISTINCT run) AS runs_count,
       sum(calls) AS total_calls, sum(gpu_ns) AS total_gpu_ns,
       100 * {{ratio(sum(gpu_ns), (SELECT sum(gpu_ns) FROM {{kernels}} WHERE {{chosen}}))}} AS gpu_share_pct,
       {{ratio(sum(gpu_ns), sum(calls))}} AS mean_gpu_ns
FROM {{kernels}}
WHERE {{chosen}}
GROUP BY kernel, uses_tc
ORDER BY total_gpu_ns DESC, kernel, uses_tc
{{limit}}
