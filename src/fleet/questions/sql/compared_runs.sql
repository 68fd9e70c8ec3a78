-- One side of a comparison: over its runs the middle one of each number.
SELECT count(*) AS runs_count, {{median(iteration_ns)}} AS iteration_ns_middle, {{median(wall_ns)}} AS wall_ns_middle,
       {{median(gpu_utilization_pct)}} AS gpu_utilization_pct_middle,
       {{median(tensor_core_pct)}} AS tensor_core_pct_middle, {{median(other_kernel_pct)}} AS other_kernel_pct_middle,
       {{median(unknown_kernel_pct)}} AS unknown_kernel_pct_middle,
       {{median(communication_pct)}} AS communication_pct_middle, {{median(memory_pct)}} AS memory_pct_middle,
       {{median(dataloader_pct)}} AS dataloader_pct_middle, {{median(io_pct)}} AS io_pct_middle,
       {{median(cpu_pct)}} AS cpu_pct_middle, {{median(host_pct)}} AS host_pct_middle,
       {{median(idle_pct)}} AS idle_pct_middle
FROM {{runs}}
WHERE {{chosen}}
