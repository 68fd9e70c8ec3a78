-- Self times and kernels of each layer's own ops.
WITH kernels AS (
    SELECT op, count(*) AS kernels FROM sel_device WHERE kind = device_kind('kernel') GROUP BY op
), times AS (
    SELECT op, sum(self_cpu_ns)::BIGINT AS cpu_ns, sum(self_gpu_ns)::BIGINT AS gpu_ns
    FROM (
        SELECT op, self_cpu_ns, self_gpu_ns FROM sel_stats
        UNION ALL
        SELECT op, self_cpu_ns, self_gpu_ns FROM outside_work
    )
    GROUP BY op
)
SELECT i.layer, direction_name(i.direction) AS direction, sum(s.cpu_ns)::BIGINT, sum(s.gpu_ns)::BIGINT,
       coalesce(sum(k.kernels), 0)::BIGINT
FROM times s
JOIN raw.op_identities i ON i.id = s.op
LEFT JOIN kernels k ON k.op = s.op
GROUP BY ALL
