CREATE OR REPLACE TEMP TABLE fact_layers AS
SELECT layer, direction, sum(calls)::BIGINT AS calls, sum(self_cpu_ns)::BIGINT AS self_cpu_ns,
       sum(self_gpu_ns)::BIGINT AS self_gpu_ns
FROM fact_rank_layers
GROUP BY ALL
ORDER BY layer
