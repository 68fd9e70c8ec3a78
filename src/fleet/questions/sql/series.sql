-- What a trend is made of.
SELECT run, name, recorded_ns, pushed_ns, ranks, iterations, iteration_ns, tensor_core_pct, other_kernel_pct,
       unknown_kernel_pct, communication_pct, memory_pct, dataloader_pct, io_pct, cpu_pct, host_pct, idle_pct
FROM {{runs}}
WHERE {{chosen}} AND iteration_ns IS NOT NULL
ORDER BY recorded_ns, pushed_ns, run
