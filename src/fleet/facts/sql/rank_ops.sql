CREATE OR REPLACE TEMP TABLE fact_rank_ops AS
SELECT rank, op, type, layer, direction, tc_eligible, sum(calls)::BIGINT AS calls, sum(cpu_ns)::BIGINT AS cpu_ns,
       sum(self_cpu_ns)::BIGINT AS self_cpu_ns, sum(gpu_ns)::BIGINT AS gpu_ns, sum(self_gpu_ns)::BIGINT AS
       self_gpu_ns, sum(kernel_ns)::BIGINT AS kernel_ns, sum(tc_kernel_ns)::BIGINT AS tc_kernel_ns,
       sum(kernels)::BIGINT AS kernels, sum(unknown_tc_kernels)::BIGINT AS unknown_tc_kernels
FROM fact_iteration_ops
GROUP BY ALL
ORDER BY rank
