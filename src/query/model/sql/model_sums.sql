-- What the ops of each node of the network took in the range. `tc`: whether they used Tensor Cores, or could have.
-- `first`: the first of its ops in the forward pass.
CREATE TEMP VIEW model_sums AS
SELECT c.node, count(*) FILTER (WHERE NOT c.backward) AS calls,
       coalesce(sum(w.gpu_ns), 0)::BIGINT AS gpu_ns,
       coalesce(sum(w.gpu_ns) FILTER (WHERE c.backward), 0)::BIGINT AS backward_gpu_ns,
       sum(o.dur_ns)::BIGINT AS cpu_ns,
       coalesce(sum(o.dur_ns) FILTER (WHERE c.backward), 0)::BIGINT AS backward_cpu_ns,
       CASE
           WHEN sum(w.tc_kernels) > 0 THEN 'using'
           WHEN sum(w.unknown_tc_kernels) > 0 THEN 'unknown'
           WHEN coalesce(sum(w.kernels), 0) = 0 THEN NULL
           WHEN bool_or(i.tc_eligible) THEN 'eligible'
           ELSE 'not_eligible'
       END AS tc,
       arg_min(o.id, o.begin_ns) FILTER (WHERE NOT c.backward) AS first
FROM raw.model_calls c
JOIN sel_ops o ON o.id = c.op
JOIN raw.op_identities i ON i.id = o.op
LEFT JOIN raw.op_work w ON w.id = o.id
GROUP BY c.node
