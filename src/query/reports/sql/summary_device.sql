-- Sums of device work by what it is. A graph that was recorded as a whole is one: its kernels may be anything.
CREATE TEMP TABLE summary_device AS
WITH pseudo_ops AS (
    SELECT id FROM raw.op_identities WHERE is_pseudo_op(type)
), names AS (
    SELECT kind, name, has_flag(flags, 'in_eligible_op') AS eligible,
           has_flag(flags, 'holds_no_product') AS no_product,
           op IN (FROM pseudo_ops) AS of_no_op,
           sum(dur_ns) AS gpu_ns,
           sum(nullif(launch_dur_ns, -1)) FILTER (WHERE has_flag(flags, 'first_of_launch')) AS api_ns,
           count(*) AS count
    FROM sel_device
    WHERE is_busy(kind)
    GROUP BY ALL
)
SELECT n.kind, n.eligible, n.no_product, n.of_no_op,
       CASE WHEN n.kind = device_kind('graph') THEN tc_use('unknown') ELSE k.uses_tc END AS uses_tc, k.class,
       sum(n.gpu_ns)::BIGINT AS gpu_ns, sum(n.api_ns)::BIGINT AS api_ns, sum(n.count)::BIGINT AS count
FROM names n
LEFT JOIN raw.kernel_names k ON n.kind = device_kind('kernel') AND k.id = n.name
GROUP BY ALL
