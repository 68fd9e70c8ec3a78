SELECT nullif(e.stack, '') AS stack,
       count(*) AS calls,
       sum(o.dur_ns)::BIGINT AS total_cpu_time_ns,
       coalesce(sum(w.gpu_ns), 0)::BIGINT AS total_gpu_time_ns
FROM sel_ops o
LEFT JOIN raw.op_extras e ON e.id = o.id
LEFT JOIN raw.op_work w ON w.id = o.id
WHERE o.op = $op
GROUP BY ALL
