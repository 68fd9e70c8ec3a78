SELECT n.id, n.grp, n.label, n.name, n.op_type, n.output_shape, l.path AS layer, match_name(n.how) AS matched,
       nullif(n.macs, -1) AS macs,
       nullif(n.flops, -1) AS flops,
       n.parameters,
       nullif(n.bound_ns, -1) AS bound_ns,
       work_limiter_name(n.limiter) AS limiter,
       s.calls, s.gpu_ns, s.backward_gpu_ns, s.cpu_ns, s.backward_cpu_ns, s.tc,
       f.op, i.name AS op_name, f.begin_ns, f.dur_ns
FROM raw.model_nodes n
LEFT JOIN model_sums s ON s.node = n.id
LEFT JOIN raw.ops f ON f.id = s.first
LEFT JOIN raw.op_identities i ON i.id = f.op
LEFT JOIN raw.layers l ON l.id = n.layer
WHERE NOT n.folded
ORDER BY n.id
