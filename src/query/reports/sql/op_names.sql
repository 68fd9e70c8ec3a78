-- Ops of one name together, whatever their layers, shapes and directions.
WITH named AS (
    SELECT coalesce(s.name, i.name) AS op_name, coalesce(i.type, 'unassociated') AS op_type,
           s.* EXCLUDE (name, type)
    FROM op_sums s
    LEFT JOIN raw.op_identities i ON i.id = s.op
)
SELECT op_name,
       CASE WHEN min(op_type) = max(op_type) THEN min(op_type) END AS op_type,
       count(*) AS ops,
       sum(calls)::BIGINT AS calls,
       sum(self_gpu_time_ns)::BIGINT AS self_gpu_time_ns,
       sum(self_cpu_time_ns)::BIGINT AS self_cpu_time_ns,
       sum(kernels)::BIGINT AS kernels,
       CASE WHEN sum(tc_kernels) > 0 THEN 'yes'
            WHEN sum(unknown_tc_kernels) > 0 THEN 'unknown'
            ELSE 'no' END AS using_tc
FROM named
GROUP BY op_name
