-- Layers by their own ops.
CREATE OR REPLACE TEMP TABLE fact_iteration_layers AS
SELECT rank, iteration, coalesce(layer, '') AS layer, direction, sum(calls)::BIGINT AS calls,
       sum(self_cpu_ns)::BIGINT AS self_cpu_ns, sum(self_gpu_ns)::BIGINT AS self_gpu_ns
FROM fact_iteration_ops
GROUP BY ALL
ORDER BY rank, iteration, layer
