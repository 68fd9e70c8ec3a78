SELECT n.id AS node, n.name, n.op_type,
       nullif(n.module, '') AS module,
       nullif(n.grp, -1) AS "group",
       match_name(n.how) AS matched,
       f.op AS op_id, i.name AS op_name, l.path AS layer,
       coalesce(s.calls, 0) AS calls,
       s.gpu_ns AS total_gpu_time_ns, s.backward_gpu_ns AS backward_gpu_time_ns,
       100.0 * s.gpu_ns / (SELECT nullif(sum(self_gpu_ns), 0) FROM sel_stats) AS gpu_share_pct,
       s.cpu_ns AS total_cpu_time_ns,
       replace(s.tc, '_', ' ') AS using_tc,
       nullif(n.macs, -1) AS macs,
       nullif(n.flops, -1) AS flops,
       n.parameters,
       nullif(n.bytes_min, -1) AS bytes_min,
       nullif(n.bound_ns, -1) AS bound_ns,
       work_limiter_name(n.limiter) AS limiter,
       nullif(n.output_shape, '') AS output_shape
FROM raw.model_nodes n
LEFT JOIN model_sums s ON s.node = n.id
LEFT JOIN raw.ops f ON f.id = s.first
LEFT JOIN raw.op_identities i ON i.id = f.op
LEFT JOIN raw.layers l ON l.id = n.layer
WHERE NOT n.folded
