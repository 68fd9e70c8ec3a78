CREATE OR REPLACE TEMP TABLE fact_rank_layers AS
SELECT rank, layer, direction, sum(calls)::BIGINT AS calls, sum(self_cpu_ns)::BIGINT AS self_cpu_ns,
       sum(self_gpu_ns)::BIGINT AS self_gpu_ns
FROM fact_iteration_layers
GROUP BY ALL
ORDER BY rank
