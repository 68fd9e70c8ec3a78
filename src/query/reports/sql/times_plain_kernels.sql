-- When kernels run that are known not to use Tensor Cores: of ops that could ($eligible), else of other ops.
SELECT t.rank::BIGINT AS rank, d.begin_ns::BIGINT AS begin_ns, (d.begin_ns + d.dur_ns)::BIGINT AS end_ns
FROM sel_device d
JOIN raw.tracks t ON t.id = d.track
JOIN raw.kernel_names k ON k.id = d.name AND k.class = kernel_class('compute')
WHERE d.kind = device_kind('kernel') AND k.uses_tc = tc_use('no')
  AND CASE WHEN $eligible THEN has_flag(d.flags, 'in_eligible_op')
           ELSE NOT has_flag(d.flags, 'in_eligible_op') AND d.op_span <> -1 END
ORDER BY 1, 2
