-- Kernels that are known not to use Tensor Cores, inside ops that could, by the ops that they count for.
SELECT i.name, i.type, coalesce(i.tc_eligible, false) AS eligible, sum(d.dur_ns)::BIGINT AS ns
FROM sel_device d
JOIN raw.kernel_names k ON k.id = d.name AND k.class = kernel_class('compute')
LEFT JOIN raw.op_identities i ON i.id = d.op
WHERE d.kind = device_kind('kernel') AND k.uses_tc = tc_use('no') AND has_flag(d.flags, 'in_eligible_op')
GROUP BY ALL
