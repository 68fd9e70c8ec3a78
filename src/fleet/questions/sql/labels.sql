-- Runs by what they are labelled with.
SELECT label, value, count(*) AS runs_count, {{median(iteration_ns)}} AS median_iteration_ns,
       {{median(gpu_utilization_pct)}} AS median_gpu_utilization_pct,
       {{median(tensor_core_pct)}} AS median_tensor_core_pct,
       {{median(communication_pct)}} AS median_communication_pct,
       {{median(dataloader_pct)}} AS median_dataloader_pct, {{median(idle_pct)}} AS median_idle_pct,
       sum(device_wall_ns) AS total_device_ns
FROM {{labels}}
{{join}} (
    SELECT run, iteration_ns, gpu_utilization_pct, tensor_core_pct, communication_pct, dataloader_pct, idle_pct,
           device_wall_ns
    FROM {{runs}}
) AS facts USING (run)
WHERE {{chosen}} AND ($by = '' OR label = $by)
GROUP BY label, value
ORDER BY label, runs_count DESC, value
