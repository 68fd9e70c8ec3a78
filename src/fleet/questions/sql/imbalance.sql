-- Layers that take longer on some rank of a job than on the mean of its ranks.
SELECT run, layer, count(*) AS ranks_count, max(layer_gpu_ns) AS longest_ns, argMax(rank, layer_gpu_ns) AS longest_rank,
       avg(layer_gpu_ns) AS mean_ns, {{ratio(max(layer_gpu_ns), avg(layer_gpu_ns))}} AS of_mean,
       max(layer_gpu_ns) - avg(layer_gpu_ns) AS lost_ns
FROM (
    SELECT run, rank, layer, sum(self_gpu_ns) AS layer_gpu_ns
    FROM {{rank_layers}}
    WHERE {{chosen}} AND layer <> ''
    GROUP BY run, rank, layer
) AS each_rank
GROUP BY run, layer
HAVING count(*) > 1 AND max(layer_gpu_ns) > avg(layer_gpu_ns)
ORDER BY lost_ns DESC, run, layer
{{limit}}
