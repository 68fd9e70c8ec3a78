CREATE OR REPLACE TEMP TABLE fact_rank_kernels AS
SELECT rank, kernel, class, uses_tc, tc_eligible, sum(calls)::BIGINT AS calls, sum(gpu_ns)::BIGINT AS gpu_ns
FROM fact_iteration_kernels
GROUP BY ALL
ORDER BY rank
