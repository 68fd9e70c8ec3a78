-- Sums of durations of computing kernels: in all, of those that do not tell whether they use Tensor Cores, and of those
-- known not to: of ops that could not use them and are no products ($products: ids of those that are, joined by
-- commas), of products that could not, that no op launched, and of these those whose launch is not recorded.
-- Work whose op the source itself names is of that op, whatever launched it. Last, of those of ops that could not: what
-- is of ops that are not PyTorch's own, and which such op has most; what a compiler made is of none.
WITH told AS (
    SELECT id FROM raw.op_identities
    WHERE NOT is_pseudo_op(type) AND id NOT IN (SELECT op FROM raw.op_stats)
), products AS (
    SELECT TRY_CAST(x AS INTEGER) AS id FROM unnest(string_split($products, ',')) u(x) WHERE x <> ''
), k AS (
    SELECT d.* REPLACE (CASE WHEN t.id IS NULL THEN d.op_span ELSE 0 END AS op_span),
           n.uses_tc = tc_use('no') AND NOT has_flag(d.flags, 'in_eligible_op') AS plain, n.uses_tc,
           d.op IN (SELECT id FROM products) AS product,
           has_flag(d.flags, 'holds_no_product') AS fused
    FROM sel_device d
    LEFT JOIN told t ON t.id = d.op
    JOIN raw.kernel_names n ON n.id = d.name AND n.class = kernel_class('compute')
    WHERE d.kind = device_kind('kernel')
), custom AS (
    SELECT o.name, sum(k.dur_ns) AS ns
    FROM k
    JOIN raw.op_identities o ON o.id = k.op
    WHERE k.plain AND NOT k.product AND NOT k.fused AND k.op_span <> -1 AND o.name NOT LIKE 'aten::%'
    GROUP BY ALL
)
SELECT count(*) AS kernels, sum(dur_ns)::BIGINT AS ns, quantile_disc(dur_ns, 0.5)::BIGINT AS median_ns,
       (sum(dur_ns) FILTER (WHERE uses_tc = tc_use('unknown')))::BIGINT AS unknown_ns,
       (sum(dur_ns) FILTER (WHERE plain AND NOT product AND op_span <> -1))::BIGINT AS plain_ns,
       (sum(dur_ns) FILTER (WHERE plain AND op_span = -1 AND launch <> -1))::BIGINT AS outside_ns,
       (sum(dur_ns) FILTER (WHERE plain AND op_span = -1 AND launch = -1))::BIGINT AS unlaunched_ns,
       (SELECT sum(dur_ns)::BIGINT FROM sel_device WHERE kind = device_kind('graph')) AS graph_ns,
       (sum(dur_ns) FILTER (WHERE plain AND product AND op_span <> -1))::BIGINT AS product_ns,
       (SELECT sum(ns)::BIGINT FROM custom) AS custom_ns, (SELECT arg_max(name, ns) FROM custom) AS custom_op
FROM k
