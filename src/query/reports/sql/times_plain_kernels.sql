-- When kernels run that are known not to use Tensor Cores, of ops that could not themselves: these may be parts of one
-- that could, and are no products that a device without Tensor Cores computes ($products).
-- Work whose op the source itself names is of that op, as in kernel_times.
WITH told AS (
    SELECT id FROM raw.op_identities
    WHERE NOT is_pseudo_op(type) AND id NOT IN (SELECT op FROM raw.op_stats)
)
SELECT t.rank::BIGINT AS rank, d.begin_ns::BIGINT AS begin_ns, (d.begin_ns + d.dur_ns)::BIGINT AS end_ns
FROM sel_device d
JOIN raw.tracks t ON t.id = d.track
JOIN raw.kernel_names k ON k.id = d.name AND k.class = kernel_class('compute')
LEFT JOIN raw.op_identities i ON i.id = d.op
WHERE d.kind = device_kind('kernel') AND k.uses_tc = tc_use('no')
  AND CASE WHEN has_flag(d.flags, 'in_eligible_op') THEN NOT coalesce(i.tc_eligible, false)
           ELSE d.op NOT IN (SELECT TRY_CAST(x AS INTEGER) FROM unnest(string_split($products, ',')) u(x)
                             WHERE x <> '')
                AND (d.op_span <> -1 OR d.op IN (SELECT id FROM told)) END
