-- Kernels that are known not to use Tensor Cores, of ops that could, and the floats that these ops work on: of mixed
-- ones the narrowest, for scales and sums of 16-bit products are wider. Empty: not told, or something else.
SELECT i.name, i.type, coalesce(i.tc_eligible, false) AS eligible,
       CASE WHEN regexp_matches(i.dtypes, '(?i)"(c10::)?(b?float16|half|float8\w*)"') THEN '16 bits or less'
            WHEN regexp_matches(i.dtypes, '"(float|float32)"') THEN 'fp32'
            WHEN regexp_matches(i.dtypes, '"(double|float64)"') THEN 'fp64'
            ELSE '' END AS floats,
       sum(d.dur_ns)::BIGINT AS ns
FROM sel_device d
JOIN raw.kernel_names k ON k.id = d.name AND k.class = kernel_class('compute')
LEFT JOIN raw.op_identities i ON i.id = d.op
WHERE d.kind = device_kind('kernel') AND k.uses_tc = tc_use('no') AND has_flag(d.flags, 'in_eligible_op')
GROUP BY ALL
