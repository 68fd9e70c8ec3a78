-- Sums of stored rows, as the reports on ops make them, by iteration. `whole`: one stretch for each rank. `device_work`: else
-- nothing is known of devices.
CREATE OR REPLACE TEMP TABLE fact_iteration_ops AS
SELECT r.number AS rank, (CASE WHEN $whole THEN -1 ELSE s.iteration END)::BIGINT AS iteration,
       i.name AS op, i.type AS type, l.path AS layer, direction_name(i.direction) AS direction,
       i.tc_eligible::BIGINT AS tc_eligible, sum(s.calls)::BIGINT AS calls, sum(s.cpu_ns)::BIGINT AS cpu_ns,
       sum(s.self_cpu_ns)::BIGINT AS self_cpu_ns, (CASE WHEN $device_work THEN sum(s.gpu_ns) END)::BIGINT AS gpu_ns,
       (CASE WHEN $device_work THEN sum(s.self_gpu_ns) END)::BIGINT AS self_gpu_ns, (CASE WHEN $device_work THEN sum(s.kernel_ns) END)::BIGINT AS kernel_ns,
       (CASE WHEN $device_work THEN sum(s.tc_kernel_ns) END)::BIGINT AS tc_kernel_ns, (CASE WHEN $device_work THEN sum(s.kernels) END)::BIGINT AS kernels,
       (CASE WHEN $device_work THEN sum(s.unknown_tc_kernels) END)::BIGINT AS unknown_tc_kernels
FROM sel_stats s
JOIN raw.ranks r ON r.id = s.rank
JOIN raw.op_identities i ON i.id = s.op
LEFT JOIN raw.layers l ON l.id = i.layer
GROUP BY ALL
ORDER BY rank, iteration, op
