-- Sums of each op, or with $by_type of each type of op, and beside them those of the work outside of ops.
CREATE OR REPLACE TEMP TABLE op_sums AS
WITH stats AS (
    SELECT s.*, false AS outside FROM sel_stats s
    UNION ALL BY NAME
    SELECT o.* EXCLUDE (graphs), true AS outside FROM outside_work o
), sums AS (
    SELECT CASE WHEN NOT $by_type THEN s.op END AS op,
           CASE WHEN NOT $by_type THEN s.name END AS name,
           CASE WHEN $by_type THEN coalesce(i.type, 'unassociated') END AS type,
           rank_group(s.rank, $ranks_by) AS rank,
           CASE WHEN $by_device THEN s.device ELSE -1 END AS device,
           s.outside,
           count(DISTINCT s.op) FILTER (WHERE NOT s.outside) + count(DISTINCT s.name) FILTER (WHERE s.outside) AS ops,
           sum(s.calls)::BIGINT AS calls,
           sum(s.cpu_ns)::BIGINT AS total_cpu_time_ns,
           min(s.cpu_min_ns) AS min_cpu_time_ns,
           max(s.cpu_max_ns) AS max_cpu_time_ns,
           sum(s.self_cpu_ns)::BIGINT AS self_cpu_time_ns,
           sum(s.api_ns)::BIGINT AS total_api_time_ns,
           sum(s.cpu_ns)::BIGINT - sum(s.api_ns)::BIGINT AS total_cpu_overhead_ns,
           min(s.overhead_min_ns) AS min_cpu_overhead_ns,
           max(s.overhead_max_ns) AS max_cpu_overhead_ns,
           sum(s.gpu_ns)::BIGINT AS total_gpu_time_ns,
           min(s.gpu_min_ns) AS min_gpu_time_ns,
           max(s.gpu_max_ns) AS max_gpu_time_ns,
           sum(s.self_gpu_ns)::BIGINT AS self_gpu_time_ns,
           sum(s.gpu_idle_ns)::BIGINT AS total_gpu_idle_ns,
           min(s.gpu_idle_min_ns) AS min_gpu_idle_ns,
           max(s.gpu_idle_max_ns) AS max_gpu_idle_ns,
           -- Of nothing but graphs that were recorded as a whole, the kernels are not known.
           CASE WHEN sum(s.kernels) > 0 OR sum(s.unknown_tc_kernels) = 0 THEN sum(s.kernel_ns) END::BIGINT
               AS kernel_time_ns,
           CASE WHEN sum(s.kernels) > 0 OR sum(s.unknown_tc_kernels) = 0 THEN sum(s.kernels) END::BIGINT AS kernels,
           sum(s.tc_kernels)::BIGINT AS tc_kernels,
           sum(s.unknown_tc_kernels)::BIGINT AS unknown_tc_kernels,
           sum(s.memcpys)::BIGINT AS memcpys,
           sum(s.memsets)::BIGINT AS memsets,
           -- Of the work outside, which has no instances of ops.
           CASE WHEN NOT $by_type THEN any_value(s.cpu_q) END AS cpu_q,
           CASE WHEN NOT $by_type THEN any_value(s.gpu_q) END AS gpu_q
    FROM stats s
    LEFT JOIN raw.op_identities i ON i.id = s.op
    GROUP BY ALL
)
SELECT *,
       round(total_cpu_time_ns / calls)::BIGINT AS avg_cpu_time_ns,
       round(total_cpu_overhead_ns / calls)::BIGINT AS avg_cpu_overhead_ns,
       round(total_gpu_time_ns / calls)::BIGINT AS avg_gpu_time_ns,
       round(total_gpu_idle_ns / calls)::BIGINT AS avg_gpu_idle_ns
FROM sums
