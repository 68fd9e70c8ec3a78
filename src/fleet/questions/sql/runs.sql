SELECT run, name, recorded_ns, pushed_ns, ranks, world_size, hosts, devices, device_name, iterations, iteration_ns,
       wall_ns, gpu_utilization_pct, tensor_core_pct, communication_pct, dataloader_pct, idle_pct,
       100 * {{ratio(waiting_ns, all_wall_ns)}} AS waiting_pct, profile
FROM {{runs}}
WHERE {{chosen}}
ORDER BY recorded_ns, pushed_ns, run
