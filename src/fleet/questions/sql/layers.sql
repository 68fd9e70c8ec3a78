-- What each layer's own ops cost over all jobs, forward and backward.
SELECT layer, count(DISTINCT run) AS runs_count, sum(self_gpu_ns) AS total_self_gpu_ns,
       sum(CASE WHEN direction = 'fprop' THEN self_gpu_ns ELSE 0 * self_gpu_ns END) AS forward_gpu_ns,
       sum(CASE WHEN direction = 'bprop' THEN self_gpu_ns ELSE 0 * self_gpu_ns END) AS backward_gpu_ns,
       sum(self_cpu_ns) AS total_self_cpu_ns
FROM {{layers}}
WHERE {{chosen}} AND layer <> ''
GROUP BY layer
ORDER BY total_self_gpu_ns DESC, total_self_cpu_ns DESC, layer
{{limit}}
