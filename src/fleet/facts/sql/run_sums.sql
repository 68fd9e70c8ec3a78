-- What a run's row adds up from the other facts. `tensor_cores`: some device has them.
SELECT (SELECT count(*) FROM raw.ranks) AS ranks,
       (SELECT max(nullif(world_size, 0)) FROM raw.ranks WHERE world_size > 0) AS world_size,
       (SELECT nullif(count(DISTINCT nullif(host, '')), 0) FROM raw.ranks) AS hosts,
       d.devices, d.device_name,
       (SELECT sum(wall_ns)::BIGINT FROM sel_wall_sums) AS all_wall_ns, d.device_wall_ns,
       i.iteration_ns,
       CASE WHEN k.calls > 0 OR $device_work THEN k.kernel_ns END AS kernel_ns,
       CASE WHEN $tensor_cores THEN k.tc_kernel_ns END AS tc_kernel_ns,
       CASE WHEN $tensor_cores THEN k.unknown_kernel_ns END AS unknown_kernel_ns,
       CASE WHEN $tensor_cores THEN k.eligible_plain_ns END AS eligible_plain_ns,
       (SELECT sum(waiting_ns)::BIGINT FROM scored_times) AS waiting_ns
FROM (
    SELECT count(*) AS devices, min(name) AS device_name, sum(wall_ns)::BIGINT AS device_wall_ns
    FROM physical_devices
) d, (
    -- Of two in the middle the larger, as medians of a store are.
    SELECT list_sort(list(duration_ns))[count(*) // 2 + 1]::BIGINT AS iteration_ns FROM scored_times WHERE iteration >= 0
) i, (
    SELECT coalesce(sum(calls), 0)::BIGINT AS calls, coalesce(sum(gpu_ns), 0)::BIGINT AS kernel_ns,
           coalesce(sum(gpu_ns) FILTER (WHERE uses_tc = 'yes'), 0)::BIGINT AS tc_kernel_ns,
           coalesce(sum(gpu_ns) FILTER (WHERE uses_tc = 'unknown'), 0)::BIGINT AS unknown_kernel_ns,
           coalesce(sum(gpu_ns) FILTER (WHERE uses_tc = 'no' AND tc_eligible = 1), 0)::BIGINT AS eligible_plain_ns
    FROM fact_kernels
) k
