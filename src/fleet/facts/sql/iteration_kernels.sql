CREATE OR REPLACE TEMP TABLE fact_iteration_kernels AS
SELECT r.number AS rank, (CASE WHEN $whole THEN -1 ELSE d.iteration END)::BIGINT AS iteration,
       k.label AS kernel, kernel_class_name(k.class) AS class, tc_use_name(k.uses_tc) AS uses_tc,
       has_flag(d.flags, 'in_eligible_op')::BIGINT AS tc_eligible, count(*) AS calls,
       sum(d.dur_ns)::BIGINT AS gpu_ns
FROM sel_device d
JOIN raw.tracks t ON t.id = d.track
JOIN raw.ranks r ON r.id = t.rank
JOIN raw.kernel_names k ON k.id = d.name
WHERE d.kind = device_kind('kernel')
GROUP BY ALL
ORDER BY rank, iteration, kernel
